"""What every public name of a room promises. `observables` and `theories` promise more, in their own folders."""

import importlib
import inspect

import pytest

ROOMS = ["algebra", "claims", "fleet", "interventions", "models", "optimizers", "record", "tasks"]
PUBLIC = [(room, name) for room in ROOMS for name in importlib.import_module(f"nucleate.{room}").__all__]


@pytest.mark.parametrize("room", ROOMS)
def test_all_is_sorted_and_complete(room):
    module = importlib.import_module(f"nucleate.{room}")
    public = {n for n in dir(module) if not n.startswith("_") and not inspect.ismodule(getattr(module, n))}
    public -= {"TYPE_CHECKING", "on_demand"}
    # Sorted as ruff sorts it: constants, then classes, then the rest.
    assert module.__all__ == sorted(public, key=lambda name: (not name.isupper(), not name[0].isupper(), name))
    assert module.__doc__


@pytest.mark.parametrize(("room", "name"), PUBLIC, ids=[".".join(public) for public in PUBLIC])
def test_is_documented_in_the_room_it_belongs_to(room, name):
    thing = getattr(importlib.import_module(f"nucleate.{room}"), name)
    if isinstance(thing, int | float | str):
        return  # A constant: a comment or its name must do.
    assert thing.__module__.startswith(f"nucleate.{room}.")
    # A dataclass without a docstring is given its signature for one.
    assert thing.__doc__
    assert not thing.__doc__.startswith(f"{name}(")
    assert thing.__doc__.strip()[-1] not in ",;"


@pytest.mark.parametrize(("room", "name"), PUBLIC, ids=[".".join(public) for public in PUBLIC])
def test_functions_are_annotated_and_take_few_arguments(room, name):
    thing = getattr(importlib.import_module(f"nucleate.{room}"), name)
    if not inspect.isfunction(thing):
        return
    signature = inspect.signature(thing)
    assert len(signature.parameters) <= 6
    assert signature.return_annotation is not inspect.Signature.empty
    assert all(p.annotation is not inspect.Parameter.empty for p in signature.parameters.values())


def test_the_layout_of_every_paper_is_checked():
    import tomllib
    from pathlib import Path

    from nucleate.papers import PAPERS

    contracts = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["tool"]["importlinter"]
    checked = [contract.get("containers", contract.get("modules")) for contract in contracts["contracts"]]
    assert checked.count([f"nucleate.papers.{name}" for name in sorted(PAPERS)]) == 2  # layout, and independence
