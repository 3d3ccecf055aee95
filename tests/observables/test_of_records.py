"""A record is asked for what a function says of each network at each step."""

import numpy as np
import pytest
import xarray as xr

from nucleate import observables
from nucleate.observables import of_records
from nucleate.record import from_arrays

TOKENS = 5
LEFT, RIGHT = np.triu_indices(TOKENS)
FACTS = {"left": LEFT, "right": RIGHT, "label": LEFT + RIGHT}


@pytest.fixture(scope="module")
def record() -> xr.Dataset:
    rng = np.random.default_rng(0)
    arrays = {
        "embedding": rng.normal(size=(3, 4, TOKENS, 2)),
        "gradient": rng.normal(size=(3, 4, TOKENS, 2)),
        "weights": rng.normal(size=(3, 4, 6, 3)),
    }
    facts = FACTS | {"in_train": rng.random((3, len(LEFT))) < 0.6, "last_step": [30, 10, 30]}
    return from_arrays(arrays, [0, 10, 20, 30], members={"eta": [0.1, 0.2, 0.3]}, facts=facts)


def direct(name: str, record: xr.Dataset, member: int, row: int):
    """The same, by hand."""
    snapshot = record.isel(member=member, step=row)
    pairs = np.stack([LEFT, RIGHT], axis=-1)
    quads = observables.parallelograms(record.label.values)
    equations = observables.equations(pairs, quads, TOKENS)
    embedding = snapshot.embedding.values
    known = {
        "embedding": embedding,
        "vectors": embedding,
        "gradient": snapshot.gradient.values,
        "matrix": snapshot.weights.values,
        "fractions": np.asarray(observables.pca_spectrum(embedding)),
        "signal": np.asarray(observables.signal(embedding)),
        "mean": np.asarray(observables.mean_signal(embedding)),
        "formed": np.asarray(observables.formed(embedding, equations)),
        "quads": quads,
        "equations": equations,
        "in_train": snapshot.in_train.values,
        "known": observables.known(quads, snapshot.in_train.values),
    }
    function = getattr(observables, name)
    wanted = [p.name for p in of_records.inspect.signature(function).parameters.values() if p.default is p.empty]
    return function(**{argument: known[argument] for argument in wanted})


@pytest.mark.parametrize("name", [function.__name__ for function in of_records.ASKED])
def test_every_observable_gives_what_it_gives_by_hand(record, name):
    record = record.isel(dim=[0]) if name == "is_canonical" else record  # it is of points on a line
    found = getattr(record.nucleate, name)()
    place = {"member": 2, "step": 1} if "step" in found.dims else {"member": 2}
    assert found.isel(place).values == pytest.approx(np.asarray(direct(name, record, 2, 1)), rel=1e-4, abs=1e-6)
    assert found.name == name
    assert found.attrs["long_name"]
    assert found.attrs["units"]
    assert found.eta.values.tolist() == [0.1, 0.2, 0.3]


def test_where_a_network_has_nothing_there_is_the_fill_value_of_records(record):
    rqi, alive = record.nucleate.rqi(), record.nucleate.survivors()
    assert np.isfinite(rqi.values).tolist() == [[True] * 4, [True, True, False, False], [True] * 4]
    assert not alive.values[1, 2:].any()
    counts = record.nucleate.survivor_count().values
    assert (counts[1, 2:] == -1).all()
    assert (counts[0] >= 0).all()
    with pytest.raises(ValueError, match=r"nucleate\.signal: nothing that this record has of embedding is"):
        record.isel(member=[1], step=slice(2, None)).nucleate.signal()


def test_values_do_not_depend_on_how_many_are_computed_together_nor_on_the_order_of_dims(record):
    many = record.isel(step=[0, 1], member=np.tile([0, 1, 2], 150))
    found = many.nucleate.signal()
    assert found.sizes["member"] == 450
    assert found.values[::3] == pytest.approx(np.broadcast_to(found.values[0], (150, 2, 2)), rel=1e-6)
    turned = record.transpose("dim", "step", "token", "member", ...)
    again = turned.nucleate.signal().transpose("member", "step", "freq")
    np.testing.assert_array_equal(again.values, record.nucleate.signal().values)


def test_a_single_network_and_steps_of_another_name_are_asked_alike(record):
    one = record.isel(member=0).nucleate.rqi()
    assert one.dims == ("step",)
    np.testing.assert_array_equal(one.values, record.nucleate.rqi().values[0])
    assert record.isel(member=0, step=0).nucleate.rqi().dims == ()
    assert record.rename(step="step_embedding").nucleate.signal().dims == ("member", "step_embedding", "freq")


def test_another_variable_an_array_or_an_option_can_be_given(record):
    renamed = record.rename(embedding="positions")
    np.testing.assert_array_equal(
        renamed.nucleate.signal(embedding="positions").values, record.nucleate.signal().values
    )
    assert renamed.nucleate.stable_rank(matrix="positions").dims == ("member", "step")
    everything = record.nucleate.predicted_accuracy(in_train=np.ones(len(LEFT), bool))
    assert everything.values[0] == pytest.approx(np.ones(4))
    assert record.nucleate.survivor_count(rule=observables.Above(1e-9)).values[0].tolist() == [2] * 4


def test_what_is_missing_or_misspelt_is_told_in_one_message(record):
    with pytest.raises(ValueError, match=r"record\.nucleate\.rqi cannot read this record") as error:
        record.drop_vars(["label", "embedding"]).nucleate.rqi()
    assert "missing: 'embedding' (token, dim)" in str(error.value)
    assert "missing: 'label' (pair)" in str(error.value)
    with pytest.raises(ValueError, match="missing: 'positions', which was named as embedding"):
        record.nucleate.rqi(embedding="positions")
    with pytest.raises(TypeError, match="no argument 'closenes'; it has embedding, equations, closeness"):
        record.nucleate.rqi(closenes=1)
    with pytest.raises(AttributeError, match="cannot be asked for 'ranks'; it can for circularity"):
        record.nucleate.ranks()
    with pytest.raises(ValueError, match="'embedding' must have 2 along 'dim'; it has 1"):
        record.isel(dim=[0]).nucleate.line_angle()


def test_a_record_says_what_it_can_be_asked_for(record):
    assert {"rqi", "line_angle", "stable_rank"} <= set(dir(record.nucleate))
    assert "line_angle" not in dir(record.isel(dim=[0]).nucleate)
    poor = record[["weights"]].nucleate
    assert repr(poor) == "record.nucleate, to be asked for effective_rank, stable_rank"
    assert "<td>record.nucleate.stable_rank()</td><td>stable rank</td>" in poor._repr_html_()
    assert record.nucleate.rqi.__doc__ == observables.rqi.__doc__
