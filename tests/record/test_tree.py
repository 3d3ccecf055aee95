import enum
import json
import math
import sys
from collections import OrderedDict, namedtuple
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays, scalar_dtypes

from nucleate.models import MLP
from nucleate.record.tree import pack, unpack

TRUSTED = (__name__.split(".")[0],)


class Colour(enum.Enum):
    RED = 1
    GREEN = 2


class Level(enum.IntEnum):
    LOW = 0


class Pair(NamedTuple):
    left: Any
    right: Any


@dataclass(frozen=True)
class Inner:
    values: Any
    label: str = "inner"


@dataclass(frozen=True, slots=True)
class Outer:
    inner: Inner
    parts: tuple[Inner, ...]
    derived: int = field(init=False, default=7)


@dataclass(frozen=True)
class Cached:
    size: int

    @cached_property
    def square(self) -> int:
        return self.size**2


@dataclass
class Loose:
    size: int

    def __post_init__(self):
        CONSTRUCTED.append(self.size)


class Plain:
    """Not a dataclass."""


class Module(eqx.Module):
    weight: jax.Array
    activation: Any = eqx.field(static=True)


CONSTRUCTED: list[int] = []


def named_function():
    raise AssertionError("unpacking calls nothing")


def round_trip(value: Any) -> Any:
    tree, stored = pack(value, TRUSTED)
    return unpack(json.loads(json.dumps(tree, allow_nan=False)), stored, TRUSTED)


def same(left: Any, right: Any) -> bool:
    """Equal in type and value, NaN to NaN."""
    if type(left) is not type(right):
        return False
    if isinstance(left, dict):
        return list(map(repr, left)) == list(map(repr, right)) and all(map(same, left.values(), right.values()))
    if isinstance(left, list | tuple):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, np.ndarray | np.generic):
        return left.dtype == right.dtype and left.shape == right.shape and left.tobytes() == right.tobytes()
    return left == right or (isinstance(left, float) and math.isnan(left) and math.isnan(right))


leaves = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | arrays(scalar_dtypes(), array_shapes(min_dims=0, max_side=3))
)
keys = st.text(max_size=3) | st.integers() | st.tuples(st.integers(), st.text(max_size=2))
values = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=3) | st.lists(inner, max_size=3).map(tuple) | st.dictionaries(keys, inner, max_size=3)
    ),
    max_leaves=8,
)


@given(values)
def test_values_come_back_as_they_were(value):
    assert same(round_trip(value), value)


@pytest.mark.parametrize(
    "value",
    [
        np.float64(2.5),
        np.int8(3),
        np.str_("text"),
        np.bool_(True),
        np.datetime64("2026-01-31"),
        np.array(["a", "long"]),
        -0.0,
        2**200,
        Path("a/b.png"),
        Colour.GREEN,
        Level.LOW,
        Pair(1, (2.0, None)),
        {Colour.RED: 1, Pair(1, 2): 2, True: 3},
        named_function,
        Pair,
        Inner,
    ],
)
def test_kinds_of_values_come_back_as_they_were(value):
    found = round_trip(value)
    assert same(found, value)
    assert repr(found) == repr(value)


def test_dataclasses_come_back_however_deep():
    value = Outer(Inner(np.arange(3)), (Inner([1, math.inf], "a"), Inner(None)))
    found = round_trip(value)
    assert (type(found), found.parts, found.derived) == (Outer, value.parts, 7)
    np.testing.assert_array_equal(found.inner.values, np.arange(3))


def test_what_a_dataclass_has_cached_is_computed_again():
    value = Cached(3)
    assert (value.square, round_trip(value).square) == (9, 9)
    assert "square" not in vars(round_trip(value))


def test_modules_of_equinox_work_as_before():
    model = Module(jnp.array([[1.0, -2.0]]), jnp.tanh)
    found = round_trip(model)
    assert found.activation is jnp.tanh
    assert eqx.tree_equal(found, model)
    network = MLP((2, 3, 1), key=jax.random.key(0))
    x = jnp.array([0.5, -1.0])
    np.testing.assert_array_equal(eqx.filter_jit(round_trip(network))(x), eqx.filter_jit(network)(x))


def test_arrays_of_jax_come_back_as_such():
    with jax.enable_x64(True):
        double = jnp.array(0.1)
    found = round_trip([jnp.arange(3, dtype=jnp.int32), jnp.float32(2.5), double])
    assert all(isinstance(array, jax.Array) for array in found)
    assert [array.dtype for array in found] == [jnp.int32, jnp.float32, jnp.float64]
    assert float(found[2]) == 0.1
    assert found[0].tolist() == [0, 1, 2]
    assert found[1].shape == ()


def test_datasets_come_back_with_coordinates_and_attributes():
    record = xr.Dataset(
        {"loss": (("member", "step"), [[1.0, np.nan], [np.inf, 0.0]], {"long_name": "loss"}), "count": ((), 3)},
        coords={"step": [0, 10], "seed": ("member", [5, 6], {"of": "split"}), "name": ("member", ["a", "bc"])},
        attrs={"steps": 10, "config": '{"p": 3}'},
    )
    found = round_trip(record)
    xr.testing.assert_identical(found, record)
    assert list(found.coords) == list(record.coords)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (lambda x: x, "<lambda> cannot be packed"),
        (object(), "type object cannot be packed"),
        (Plain(), "type Plain cannot be packed"),
        ({1, 2}, "type set cannot be packed"),
        (b"bytes", "type bytes cannot be packed"),
        (1j, "type complex cannot be packed"),
        (OrderedDict(a=1), "type OrderedDict cannot be packed"),
        (np.array([None, "a"]), "an array of object cannot be packed"),
        (np.zeros(2, [("x", float)]), "an array of .* cannot be packed"),
        (np.ma.masked_array([1, 2], [True, False]), "type MaskedArray cannot be packed"),
        (xr.Dataset({"x": ("y", np.array([None, 1]))}), "an array of object cannot be packed"),
        (xr.Dataset({3: ("y", [1])}), "names that are not text"),
        (math.sin, "math:sin cannot be packed: math:sin is not of a trusted package"),
        (namedtuple("Local", "a")(1), "Local cannot be packed"),
        ([1, {"deep": (print,)}], "builtins:print cannot be packed"),
    ],
)
def test_what_cannot_be_packed_is_named(value, message):
    with pytest.raises(TypeError, match=message):
        pack(value, TRUSTED)


def test_state_outside_of_the_fields_is_not_lost_in_silence():
    loose = Loose(1)
    loose.extra = 2  # type: ignore[attr-defined]
    with pytest.raises(TypeError, match="type Loose cannot be packed: 'extra' is not one of its fields"):
        pack(loose, TRUSTED)


def test_classes_of_a_package_that_is_not_trusted_are_refused():
    with pytest.raises(TypeError, match=r"Inner is not of a trusted package"):
        pack(Inner(1))
    with pytest.raises(ValueError, match=r"Inner is not of a trusted package"):
        unpack(*pack(Inner(1), TRUSTED))


def test_nothing_is_constructed():
    tree, stored = pack(Loose(3), TRUSTED)
    CONSTRUCTED.clear()
    assert unpack(tree, stored, TRUSTED) == Loose(3)
    assert CONSTRUCTED == [3]  # by the comparison, not by `unpack`


HERE = __name__
HOSTILE = {
    "a function that is not trusted": {"name": "os:system"},
    "one that a trusted module imported": {"name": "nucleate.record.run:os.system"},
    "one that is hidden in a class": {"name": f"{HERE}:Inner.__init__.__globals__"},
    "a module": {"name": "nucleate.record.run:os"},
    "a constant": {"name": "nucleate.record:SCHEMA_VERSION"},
    "a function as a class": {"object": "nucleate.record.run:write_atomically", "fields": {}},
    "a class that is not a dataclass": {"object": f"{HERE}:Plain", "fields": {}},
    "a dataclass with other fields": {"object": f"{HERE}:Inner", "fields": {"values": 1}},
    "a function as a named tuple": {"named tuple": "nucleate.record.run:write_atomically", "items": ["x", "y"]},
    "a class as a named tuple": {"named tuple": f"{HERE}:Loose", "items": [1]},
    "a named tuple with other fields": {"named tuple": f"{HERE}:Pair", "items": [1]},
    "a class as an enumeration": {"enum": f"{HERE}:Plain", "member": "RED"},
    "what is not loaded": {"name": "nucleate.no.such.module:thing"},
    "a method of the reader": {"_init__": 1},
    "nothing": {},
}


@pytest.mark.parametrize("tree", HOSTILE.values(), ids=HOSTILE)
def test_what_is_not_a_packed_value_is_refused(tree, monkeypatch):
    monkeypatch.setattr("os.system", lambda command: pytest.fail("it was run"))
    with pytest.raises(ValueError, match=r"is not|has other fields|unknown kind"):
        unpack([{"tuple": [tree]}], [], TRUSTED)


def test_nothing_is_imported():
    module = "nucleate.tasks.graphs_that_nobody_loaded"
    before = set(sys.modules)
    with pytest.raises(ValueError, match="is not loaded"):
        unpack({"object": f"{module}:Graph", "fields": {}}, [])
    assert set(sys.modules) == before
