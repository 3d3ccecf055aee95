import json
import math
from dataclasses import dataclass
from typing import Annotated

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nucleate.checking import Above, AtLeast, Below
from nucleate.papers import Config, Later


@dataclass(frozen=True)
class Sweep(Config):
    seeds: Annotated[int, AtLeast(1)] = 2
    rates: Annotated[tuple[float, ...], Above(0)] = (0.1,)
    widths: tuple[Annotated[int, AtLeast(1)], ...] = (3, 3)
    sets: Annotated[tuple[tuple[int, ...], ...], AtLeast(0)] = ((0, 1), (2,))
    block: Annotated[int | None, AtLeast(1)] = None
    decay: Annotated[float, AtLeast(0), Above(-1)] | None = None
    dropout: Annotated[float, AtLeast(0), Below(1)] = 0.1
    free: tuple[int, ...] = ()
    name: str = "sweep"
    one_split: Annotated[bool, Later] = False

    def check(self) -> None:
        if self.seeds > 99:
            self.refuse("seeds", f"must be <= 99; got {self.seeds}")


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"seeds": 0}, r"Sweep\.seeds must be >= 1; got 0\."),
        ({"seeds": 100}, r"Sweep\.seeds must be <= 99; got 100\."),
        ({"rates": (0.1, 0.0)}, r"Sweep\.rates must be > 0; got 0\.0\."),
        ({"rates": (math.nan,)}, r"Sweep\.rates must be > 0; got nan\."),
        ({"rates": ()}, r"Sweep\.rates needs at least one value; got none\."),
        ({"widths": (3, 0)}, r"Sweep\.widths must be >= 1; got 0\."),
        ({"widths": ()}, r"Sweep\.widths needs at least one value; got none\."),
        ({"sets": ((0,), (1, -1))}, r"Sweep\.sets must be >= 0; got -1\."),
        ({"dropout": 1.0}, r"Sweep\.dropout must be >= 0 and < 1; got 1\.0\."),
        ({"block": 0}, r"Sweep\.block must be >= 1; got 0\."),
        ({"decay": -0.5}, r"Sweep\.decay must be >= 0 and > -1; got -0\.5\."),
    ],
)
def test_a_bad_field_is_named_with_its_value_and_what_would_be_right(fields, message):
    with pytest.raises(ValueError, match=rf"^{message}$"):
        Sweep(**fields)


def test_bounds_leave_the_rest_alone():
    assert Sweep(seeds=1, rates=(1e-9,), block=None, decay=0.0, free=()) == Sweep(1, (1e-9,), decay=0.0)


@given(
    seeds=st.integers(1, 99),
    rates=st.lists(st.floats(1e-6, 1e6), min_size=1, max_size=4).map(tuple),
    sets=st.lists(st.lists(st.integers(0, 9), max_size=3).map(tuple), min_size=1, max_size=4).map(tuple),
    free=st.lists(st.integers(1 - 2**63, 2**63 - 1), max_size=4).map(tuple),
    name=st.text(),
)
def test_a_config_survives_a_file(**fields):
    sweep = Sweep(**fields)
    assert Sweep.from_json(json.loads(json.dumps(sweep.to_json()))) == sweep


def test_a_config_with_other_fields_is_refused_with_their_names():
    fields = Sweep().to_json()
    fields["temperature"] = fields.pop("seeds")
    with pytest.raises(ValueError, match=r"Sweep has other fields than this config: \['seeds', 'temperature'\]\."):
        Sweep.from_json(fields)


def test_fields_that_a_file_is_too_old_to_have_get_their_defaults():
    fields = Sweep().to_json()
    del fields["one_split"]
    assert Sweep.from_json(fields) == Sweep()
    del fields["seeds"]
    with pytest.raises(ValueError, match=r"Sweep has other fields than this config: \['seeds'\]\."):
        Sweep.from_json(fields)


def test_a_config_from_a_file_is_checked_too():
    with pytest.raises(ValueError, match=r"Sweep\.seeds must be >= 1"):
        Sweep.from_json(Sweep().to_json() | {"seeds": -1})


def test_a_tuple_may_be_of_anything():
    @dataclass(frozen=True)
    class Loose(Config):
        dims: tuple = ()

    assert Loose(("unit", 3)).dims == ("unit", 3)
    with pytest.raises(ValueError, match=r"Loose\.dims must be a tuple; got 3\."):
        Loose(3)
