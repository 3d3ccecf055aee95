"""What every public name of the room promises."""

import dataclasses
import inspect
import typing

import equinox as eqx
import pytest

from nucleate import theories
from nucleate.theories import Fit, Theory

PUBLIC = [getattr(theories, name) for name in theories.__all__]
CONCRETE = [x for x in PUBLIC if inspect.isclass(x) and not inspect.isabstract(x)]


def test_all_is_sorted_and_complete():
    assert theories.__all__ == sorted(theories.__all__)
    public = {n for n, x in vars(theories).items() if not n.startswith("_") and not inspect.ismodule(x)}
    assert public == set(theories.__all__)


@pytest.mark.parametrize("thing", PUBLIC, ids=theories.__all__)
def test_has_a_docstring_with_a_doctest(thing):
    assert ">>>" in (thing.__doc__ or "")


@pytest.mark.parametrize("thing", CONCRETE, ids=lambda x: x.__name__)
def test_concrete_classes_are_final_and_frozen(thing):
    assert getattr(thing, "__final__", False)
    assert dataclasses.is_dataclass(thing)
    # Equinox freezes its modules by itself.
    assert issubclass(thing, eqx.Module) or thing.__dataclass_params__.frozen


@pytest.mark.parametrize("theory", [x for x in CONCRETE if issubclass(x, Theory)], ids=lambda x: x.__name__)
def test_a_theory_becomes_a_fit_and_is_none(theory):
    module = inspect.getmodule(theory)
    fit = typing.get_type_hints(theory.fit, vars(module))["return"]
    assert issubclass(fit, Fit)
    assert not inspect.isabstract(fit)
    assert not issubclass(fit, Theory)
    for method in ("simulate", "score"):
        assert not hasattr(theory, method)


def test_parameters_of_an_unfitted_theory_cannot_be_read():
    with pytest.raises(AttributeError, match="rate"):
        _ = theories.EffectiveLoss().rate
