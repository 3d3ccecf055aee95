import jax
import jax.numpy as jnp
import numpy as np
import pytest

from nucleate.observables import Fresh, Matching, Minibatches, Sampling, Setting, Whole, learning_coefficient


def keys(count):
    return jax.random.split(jax.random.key(0), count)


@pytest.mark.parametrize(
    "source",
    [
        Whole(jnp.arange(12.0)),
        Minibatches(np.arange(12.0), size=5),
        Fresh(lambda key: jax.random.normal(key, (5,))),
    ],
)
def test_the_baseline_is_that_of_the_very_batch(source):
    draw = source.paired(jnp.sum)
    for key in keys(5):
        batch, baseline = draw(key)
        assert baseline == jnp.sum(batch)


def test_minibatches_are_a_partition_that_keeps_samples_together():
    x = np.arange(20.0)
    source = Minibatches({"x": x, "y": np.stack([x, -x], axis=1)}, size=6)
    assert source.batches["x"].shape == (3, 6)
    assert len(np.unique(source.batches["x"])) == 18
    assert np.all(source.batches["y"][..., 1] == -source.batches["x"])
    _, drawn = jax.vmap(source.paired(lambda batch: batch["x"][0]))(keys(50))
    assert len(np.unique(drawn)) == 3


@pytest.mark.parametrize(
    ("data", "size", "message"),
    [
        (np.ones(4), 5, "between 1 and the number of samples, 4; got 5"),
        (np.ones(4), 0, "between 1 and the number of samples, 4; got 0"),
        ((np.ones(4), np.ones(3)), 2, r"equally many samples on their first axis; got shapes \[\(4,\), \(3,\)\]"),
        ((np.ones(4), 1.0), 2, "equally many samples"),
        ((), 2, r"got shapes \[\]"),
    ],
)
def test_data_that_cannot_be_cut_are_named(data, size, message):
    with pytest.raises(ValueError, match=message):
        Minibatches(data, size)


def test_a_stream_may_hold_arrays():
    source = Fresh(jax.tree_util.Partial(lambda scale, key: scale * jax.random.normal(key), jnp.array(0.0)))
    assert len(jax.tree.leaves(source)) == 1
    assert source.paired(jnp.sum)(jax.random.key(0))[0] == 0


class Tensor:
    """As much of PyTorch's as is asked of it."""

    def __init__(self, values):
        self.values, self.dtype, self.shape = np.asarray(values), "torch.float32", np.shape(values)

    def detach(self):
        return self

    def cpu(self):
        return self

    def __array__(self, dtype=None, copy=None):
        return self.values


class Module:
    def named_parameters(self):
        return ()


def test_tensors_are_arrays_and_modules_are_sent_to_from_torch():
    weights = {"0.weight": np.ones((2, 3), np.float32), "0.bias": np.zeros(2, np.float32)}
    tensors = {name: Tensor(array) for name, array in weights.items()}
    x = np.linspace(0, 1, 24, dtype=np.float32).reshape(8, 3)
    loss = lambda w, x: jnp.mean((x @ w["0.weight"].T + w["0.bias"]) ** 2)
    estimate = lambda data, weights: learning_coefficient(
        loss, data, [weights], [Setting(1e-4, 10.0)], Sampling(burn_in=2, draws=20), [Matching("0.weight")]
    )
    wanted = estimate(Minibatches(x, 4), weights)
    assert np.array_equal(estimate(Minibatches(Tensor(x), 4), tensors).excess, wanted.excess)
    assert np.array_equal(estimate(Whole(Tensor(x)), tensors).excess, estimate(Whole(x), weights).excess)
    with pytest.raises(ValueError, match=r"checkpoints must hold arrays or tensors; got a module of PyTorch, Module\."):
        estimate(Whole(x), Module())
