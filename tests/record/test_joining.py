import numpy as np
import pytest
import xarray as xr

from nucleate.record import RunError, joined


def fleet(seeds, *, steps=(0, 10, 20), width=2, **columns) -> xr.Dataset:
    count = len(seeds)
    return xr.Dataset(
        {
            "loss": (("member", "step"), np.add.outer(seeds, np.arange(len(steps))).astype(np.float32)),
            "weights": (("member", "unit"), np.zeros((count, width))),
        },
        {
            "member": np.arange(count),
            "step": list(steps),
            "seed": ("member", list(seeds)),
            "repeat": ("member", np.arange(count) % 2),
            **{name: ("member", column) for name, column in columns.items()},
        },
        {"steps": steps[-1], "about": "…"},
    )


def test_members_follow_one_another_and_repeats_count_on():
    whole = joined({"a": fleet([0, 1, 2, 3]), "b": fleet([10, 11]), "c": fleet([20])})
    assert whole.seed.values.tolist() == [0, 1, 2, 3, 10, 11, 20]
    assert whole.member.values.tolist() == list(range(7))
    assert whole.repeat.values.tolist() == [0, 1, 0, 1, 2, 3, 4]
    assert whole.loss.values[:, 1].tolist() == [1, 2, 3, 4, 11, 12, 21]
    assert whole.loss.dtype == np.float32
    assert whole.step.values.tolist() == [0, 10, 20]
    assert whole.attrs == {"steps": 20, "about": "…"}


def test_what_is_the_same_for_all_members_stays_so():
    pairs = {"left": ("pair", [0, 1, 1]), "vocabulary": 7}
    whole = joined({"a": fleet([0, 1]).assign(pairs), "b": fleet([5]).assign(pairs)})
    assert (whole.left.dims, whole.vocabulary.dims, whole.sizes["member"]) == (("pair",), (), 3)


def test_one_record_is_itself():
    only = fleet([3, 4])
    xr.testing.assert_identical(joined({"a": only}), only)


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (fleet([9], eta=[0.1]), r"^b has 'eta' and a has not: they are not runs of one experiment\.$"),
        (fleet([9]).drop_vars("weights"), r"^a has 'weights' and b has not"),
        (fleet([9], steps=(0, 10, 30)), r"^b was recorded at other values of 'step' than a\.$"),
        (
            fleet([9], steps=(0, 10)),
            r"^'loss' is float32 \[step 2\] in b and float32 \[step 3\] in a: they cannot be one",
        ),
        (fleet([9], width=3), r"^'weights' is float64 \[unit 3\] in b and float64 \[unit 2\] in a"),
        (fleet([9, 1]), r"^b has networks of a: both have seed 1\. Train it from seeds of its own\.$"),
    ],
)
def test_what_cannot_be_one_record_is_refused(other, message):
    with pytest.raises(RunError, match=message):
        joined({"a": fleet([0, 1]), "b": other})


def test_every_kind_of_seed_counts():
    with pytest.raises(RunError, match="both have seed_split 5"):
        joined({"a": fleet([0], seed_split=[5]), "b": fleet([1], seed_split=[5])})
