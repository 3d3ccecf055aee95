"""What every observable promises."""

import inspect
import re
from pathlib import Path

import pytest

from nucleate import observables

KEYS = re.findall(r"@\w+\{(\w+),", (Path(__file__).parents[2] / "refs.bib").read_text())


ACCESSOR = "OfRecord"  # through which a record is asked


@pytest.mark.parametrize("name", sorted(set(observables.__all__) - {ACCESSOR}))
def test_is_documented_with_a_doctest_and_a_source(name):
    documented = getattr(observables, name)
    assert callable(documented)
    assert ">>>" in documented.__doc__
    assert any(f"[{key}]" in documented.__doc__ for key in KEYS)


ENUMERATIONS = {"Doubt", "FactorClass", "HeadClass", "Pairing", "Phase", "Ties"}
RESULTS = {"Factorisation", "LearningCoefficient"}  # that nobody but their observable makes


@pytest.mark.parametrize("name", sorted(set(observables.__all__) - ENUMERATIONS - RESULTS - {ACCESSOR}))
def test_has_few_annotated_parameters(name):
    parameters = inspect.signature(getattr(observables, name)).parameters.values()
    assert len(parameters) <= 6
    assert all(parameter.annotation is not inspect.Parameter.empty for parameter in parameters)


def test_all_is_sorted_and_complete():
    public = {name for name, value in vars(observables).items() if callable(value) and not name.startswith("_")}
    # Sorted as ruff sorts it: constants, then classes, then the rest.
    assert observables.__all__ == sorted(public, key=lambda name: (not name.isupper(), not name[0].isupper(), name))
