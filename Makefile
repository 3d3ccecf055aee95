# Every target sets up what it needs: a fresh machine has only Python 3.11 or newer, with venv and pip, and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PARALLEL := --numprocesses auto --dist loadfile --no-loadscope-reorder
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: tour test test-torch test-cpus fuzz lint bench bench-cpus docs clean

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

# One stamp for each extra: installed again only when pyproject.toml changes.
$(VENV)/.installed-%: pyproject.toml | $(VENV)/bin/python
	@echo "installing nucleate[$*] into $(VENV) ..."
	$(PIP) --editable '.[$*]'
	@touch $@

tour: $(VENV)/.installed-train
	$(BIN)/nucleate tour

test: $(VENV)/.installed-test
	$(BIN)/python -m slipcover --source src/nucleate --json --out $(VENV)/coverage.json -m pytest $(PARALLEL)
	@$(BIN)/python -c 'import json; print("coverage: {percent_covered:.1f} % of the lines of src".format_map(json.load(open("$(VENV)/coverage.json"))["summary"]))'
	$(BIN)/lint-imports

# What needs PyTorch, which the other tests do without.
test-torch: $(VENV)/.installed-test $(VENV)/.installed-torch
	$(BIN)/python -m pytest $(PARALLEL) -m torch tests

# The suite once for each instruction set of this machine's processor.
test-cpus: $(VENV)/.installed-test
	$(BIN)/python tests/cpus.py $(PARALLEL)

# The attack of the test suite, for as long as you like: `make fuzz SECONDS=1800 SEED=7`.
fuzz: SECONDS ?= 300
fuzz: SEED ?= 0
fuzz: $(VENV)/.installed-test
	$(BIN)/python -m tests.attack --seconds $(SECONDS) --seed $(SEED) --workers $$($(BIN)/python -c 'import os; print(os.cpu_count())')

lint: $(VENV)/.installed-lint
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/pyright
	$(BIN)/lint-imports

bench: $(VENV)/.installed-bench
	$(BIN)/python -m benchmarks $(ONLY)

# On a processor with AVX-512: the same, then as an AVX2 processor would do it.
bench-cpus: $(VENV)/.installed-bench
	$(BIN)/python -m benchmarks.cpus

# The documentation site, into docs/site; `make docs RUNS='runs/circles-standard …'` takes their pictures into the gallery.
docs: $(VENV)/.installed-docs
	$(BIN)/python -m docs $(if $(RUNS),--runs $(RUNS))

clean:
	rm -rf $(VENV) runs docs/site
