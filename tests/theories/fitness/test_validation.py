"""No embedding is predicted from itself, unless the split is random."""

from dataclasses import dataclass
from typing import final

import numpy as np
import pytest
import xarray as xr
from planted_fates import planted, start
from sklearn.metrics import balanced_accuracy_score, roc_auc_score

from nucleate.theories import Fitness
from nucleate.theories.fitness import Classifier, cross_validated, random_split


@final
@dataclass(frozen=True)
class Witness(Classifier):
    """Keeps what it was shown."""

    seen: list

    def separate(self, features, alive):
        self.seen.append(features)
        return np.array([0.0, 1.0]), -90.0


def test_a_held_out_embedding_is_never_trained_on():
    record, witness = planted(noise=8.0), Witness([])
    rows = cross_validated(Fitness(witness), record)
    assert rows["seed_embedding"].values.tolist() == [100, 101, 102, 103]
    signal0, _, alive = start(record)
    for group, seen in zip(range(4), witness.seen, strict=True):
        held = np.repeat(np.arange(4), 5) == group
        assert not np.isin(signal0[held], seen[:, 1]).any()
        assert np.isin(signal0[~held], seen[:, 1]).all()
        row, a, s = rows.isel(seed_embedding=group), alive[held].ravel(), signal0[held].ravel()
        assert float(row["accuracy"]) == pytest.approx(np.mean((s > 90) == a))
        assert float(row["accuracy_majority"]) == pytest.approx(np.mean(a == (alive[~held].mean() >= 0.5)))
        assert float(row["balanced_accuracy"]) == pytest.approx(balanced_accuracy_score(a, s > 90))
        assert float(row["auc"]) == pytest.approx(roc_auc_score(a, s))


def test_random_split_takes_a_share_once_and_leaks():
    record, witness = planted(noise=8.0), Witness([])
    split = random_split(Fitness(witness), record, share=0.8, seed=3)
    assert len(witness.seen[0]) == 0.8 * 4 * 5 * 29
    assert len(np.unique(witness.seen[0][:, 0])) == len(witness.seen[0])
    assert set(split) == {"accuracy", "accuracy_majority", "balanced_accuracy", "auc"}
    xr.testing.assert_identical(split, random_split(Fitness(witness), record, share=0.8, seed=3))
    assert not split.equals(random_split(Fitness(witness), record, share=0.8, seed=4))


def test_what_cannot_be_split_is_refused():
    with pytest.raises(ValueError, match=r"missing: 'seed' \(member\)"):
        cross_validated(Fitness(), planted(), group="seed")
    with pytest.raises(ValueError, match=r"at least two values of 'seed_embedding'; got \[100\]"):
        cross_validated(Fitness(), planted(embeddings=1))
    with pytest.raises(ValueError, match=r"share must be > 0 and < 1; got 1.0"):
        random_split(Fitness(), planted(), share=1.0)
    with pytest.raises(ValueError, match="1 frequencies cannot be split"):
        random_split(Fitness(), planted(embeddings=1, trials=1, freqs=1))
