"""What every public name of the room and of its packages promises."""

import dataclasses
import importlib
import inspect
import typing

import equinox as eqx
import pytest

from nucleate import theories
from nucleate.theories import Fit, Theory

PACKAGES = ["ancestry", "effective", "fitness", "joint", "pairs", "power_laws", "scanning", "signals"]
FACES = [theories, *(importlib.import_module(f"nucleate.theories.{package}") for package in PACKAGES)]
PUBLIC = {name: getattr(face, name) for face in FACES for name in face.__all__}
CONCRETE = {name: x for name, x in PUBLIC.items() if inspect.isclass(x) and not inspect.isabstract(x)}
THEORIES = [x for x in CONCRETE.values() if issubclass(x, Theory)]


def test_the_room_shows_few_names():
    assert len(theories.__all__) <= 40


@pytest.mark.parametrize("face", FACES, ids=lambda face: face.__name__)
def test_all_is_sorted_and_complete(face):
    assert face.__all__ == sorted(face.__all__)
    public = {name for name, x in vars(face).items() if not name.startswith("_") and not inspect.ismodule(x)}
    assert public == set(face.__all__)
    assert face.__doc__


def test_a_name_means_the_same_everywhere():
    assert all(getattr(face, name) is PUBLIC[name] for face in FACES for name in face.__all__)


@pytest.mark.parametrize("name", PUBLIC)
def test_is_documented_with_an_example(name):
    thing = PUBLIC[name]
    assert thing.__doc__
    assert not thing.__doc__.startswith(f"{name}(")  # a dataclass without a docstring is given its signature
    if not inspect.isabstract(thing):
        assert ">>>" in thing.__doc__


@pytest.mark.parametrize("name", [name for name, x in PUBLIC.items() if inspect.isfunction(x)])
def test_functions_are_annotated_and_take_few_arguments(name):
    signature = inspect.signature(PUBLIC[name])
    assert len(signature.parameters) <= 6
    assert signature.return_annotation is not inspect.Signature.empty
    assert all(p.annotation is not inspect.Parameter.empty for p in signature.parameters.values())


@pytest.mark.parametrize("thing", CONCRETE.values(), ids=CONCRETE)
def test_concrete_classes_are_final_and_frozen(thing):
    assert getattr(thing, "__final__", False)
    assert dataclasses.is_dataclass(thing)
    # Equinox freezes its modules by itself.
    assert issubclass(thing, eqx.Module) or thing.__dataclass_params__.frozen


@pytest.mark.parametrize("theory", THEORIES, ids=lambda theory: theory.__name__)
def test_a_theory_becomes_a_fit_and_is_none(theory):
    fit = typing.get_type_hints(theory.fit, vars(inspect.getmodule(theory)))["return"]
    assert issubclass(fit, Fit)
    assert not inspect.isabstract(fit)
    assert not issubclass(fit, Theory)
    for method in ("simulate", "score"):
        assert not hasattr(theory, method)
    assert theory in {getattr(theories, name) for name in theories.__all__}
    assert fit in PUBLIC.values()  # beside it, in its package


def test_parameters_of_an_unfitted_theory_cannot_be_read():
    with pytest.raises(AttributeError, match="rate"):
        _ = theories.EffectiveLoss().rate
