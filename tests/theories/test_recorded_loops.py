"""What a loop of one's own recorded is a record like any other, for observables and for theories."""

import importlib
import re

import jax
import numpy as np
import pytest
from planted_signals import STEPS, A, B, followed, linear

from nucleate.observables import circularity
from nucleate.record import Need, Recorder, from_arrays
from nucleate.record.schema import DIMS, FACTS
from nucleate.theories import EffectiveLoss, LeastSquares, LinearFlow, PairPotential


@pytest.fixture(scope="module")
def planted():
    return followed(linear).signal.values


def test_a_theory_finds_the_law_of_what_a_recorder_logged(tmp_path, planted):
    with Recorder(tmp_path, members={"seed": range(4)}) as recorder:
        for step in STEPS:
            if step % 7 == 0:
                recorder.log(step, accuracy=np.zeros(4))
            recorder.log(step, signal=planted[:, step])
    record = recorder.run.record()
    found = LinearFlow(LeastSquares()).fit(record)
    assert np.allclose(found.interactions, A, atol=1e-8)
    assert np.allclose(found.intercept, B, atol=1e-7)
    same = LinearFlow(LeastSquares()).fit(from_arrays({"signal": planted}, STEPS, members={"seed": range(4)}))
    assert np.array_equal(same.interactions, found.interactions)


def test_an_observable_takes_every_member_and_step():
    embedding = np.random.default_rng(0).normal(size=(2, 3, 7, 4))
    record = from_arrays({"embedding": embedding}, [0, 1, 5], members=2)
    seen = jax.vmap(jax.vmap(circularity))(record.embedding.values)
    assert seen.shape == (2, 3, 3)


@pytest.mark.parametrize(
    ("theory", "lacking"),
    [
        (EffectiveLoss(), ["eta_repr", "left", "right", "label", "in_train"]),
        (PairPotential(), ["gradient", "eta", "left", "right", "label"]),
    ],
)
def test_all_that_a_theory_lacks_is_asked_for_in_one_message(theory, lacking):
    record = from_arrays({"embedding": np.zeros((2, 3, 5, 2))}, range(3), members=2)
    with pytest.raises(ValueError, match="as members, and what never changes as facts") as caught:
        theory.fit(record)
    assert re.findall("missing: '(.+?)'", str(caught.value)) == lacking
    if isinstance(theory, PairPotential):
        with pytest.raises(ValueError, match="missing: 'member'") as caught:
            theory.fit(record.drop_vars("member"))
        assert re.findall("missing: '(.+?)'", str(caught.value)) == [*lacking, "member"]


def test_an_array_that_was_seen_at_steps_of_its_own_comes_with_a_way_out():
    arrays = {"embedding": np.zeros((2, 3, 5, 2)), "signal": np.zeros((2, 9, 3))}
    record = from_arrays(arrays, {"embedding": [0, 4, 8], "signal": range(9)}, members=2)
    with pytest.raises(ValueError, match=r"drop_dims\('step', errors='ignore'\)\.rename\(step_signal='step'\)"):
        LinearFlow().fit(record)
    mended = record.drop_dims("step", errors="ignore").rename(step_signal="step")
    assert mended.signal.dims == ("member", "step", "freq")


def test_variables_are_called_as_theories_ask_for_them():
    """What a record calls the axes of a name, the theories that read that name call so, too."""
    asked: dict[str, Need] = {}
    for package in ("effective", "fitness", "joint", "pairs", "scanning"):
        for value in vars(importlib.import_module(f"nucleate.theories.{package}.record")).values():
            needs = value if isinstance(value, tuple) else (value,)
            asked |= {need.name: need for need in needs if isinstance(need, Need) and need.dims is not None}
    for name, need in asked.items():
        if need.dims[:2] == ("member", "step") and len(need.dims) > 2:
            assert DIMS[name] == need.dims[2:], name
        elif name in FACTS:
            assert FACTS[name] == need.dims, name
    assert {"embedding", "gradient", "logits", "values", "scores", "left", "in_train"} <= asked.keys()
