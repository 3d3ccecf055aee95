"""What every intervention promises."""

import inspect
import re
from pathlib import Path

import pytest

from nucleate import interventions

KEYS = re.findall(r"@\w+\{(\w+),", (Path(__file__).parents[2] / "refs.bib").read_text())


@pytest.mark.parametrize("name", interventions.__all__)
def test_is_documented_with_a_doctest_and_a_source(name):
    documented = getattr(interventions, name)
    assert ">>>" in documented.__doc__
    assert any(f"[{key}]" in documented.__doc__ for key in KEYS)


@pytest.mark.parametrize("name", interventions.__all__)
def test_has_few_annotated_parameters(name):
    parameters = inspect.signature(getattr(interventions, name)).parameters.values()
    assert len(parameters) <= 6
    assert all(parameter.annotation is not inspect.Parameter.empty for parameter in parameters)


def test_all_is_sorted_and_complete():
    public = {name for name, value in vars(interventions).items() if callable(value) and not name.startswith("_")}
    assert interventions.__all__ == sorted(public)
