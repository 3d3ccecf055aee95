"""While testing, what contradicts an annotation is an error: in `nucleate`, and wherever the check is put."""

import importlib.util
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from beartype.roar import BeartypeCallHintViolation
from jaxtyping import Float

from nucleate.machine import in_bytes
from nucleate.record import Run
from runtime_types import decorated


@decorated
def product(left: Float[np.ndarray, "a b"], right: Float[np.ndarray, "b c"]) -> Float[np.ndarray, "a c"]:
    return left @ right if left.size else left


@decorated
@dataclass(frozen=True)
class Pair:
    left: Float[np.ndarray, " a"]
    right: Float[np.ndarray, " a"]


def test_shapes_must_agree_between_arguments_and_with_what_is_returned():
    assert product(np.ones((2, 3)), np.ones((3, 4))).shape == (2, 4)  # and sizes are those of one call
    assert product(np.ones((5, 6)), np.ones((6, 7))).shape == (5, 7)
    with pytest.raises(BeartypeCallHintViolation):
        product(np.ones((2, 3)), np.ones((4, 3)))
    with pytest.raises(BeartypeCallHintViolation):
        product(np.ones((0, 3)), np.ones((3, 4)))
    with pytest.raises(BeartypeCallHintViolation):
        product(np.ones((2, 3), int), np.ones((3, 4)))


def test_fields_of_a_dataclass_must_agree():
    assert Pair(np.ones(2), np.ones(2)).left.size == 2
    with pytest.raises(BeartypeCallHintViolation):
        Pair(np.ones(2), np.ones(3))


def test_annotations_without_shapes_are_checked_too():
    assert in_bytes(3) == "3 B"  # an int is a good float
    with pytest.raises(BeartypeCallHintViolation):
        in_bytes("many")  # type: ignore[arg-type]
    with pytest.raises(BeartypeCallHintViolation):
        Run(3)  # type: ignore[arg-type]


def test_checked_bytecode_is_not_left_to_other_processes():
    """Also not by what counts lines, which asks a loader for code instead of executing a module."""
    found = importlib.util.find_spec("nucleate.machine.caches")
    assert found is not None
    assert found.loader is not None
    found.loader.get_code(found.name)  # type: ignore[attr-defined]
    plain = Path(importlib.util.cache_from_source(str(found.origin)))
    assert not plain.is_file() or b"jaxtyped" not in plain.read_bytes()
