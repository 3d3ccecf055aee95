"""Operations on other values than those of the example, on which alone `from_torch` compares: kinks, ties, no numbers.

Each is traced on ordinary numbers, and then compared with PyTorch, forward and back, where the two could part.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from nucleate.models import from_torch

torch = pytest.importorskip("torch")
nn, F = torch.nn, torch.nn.functional
pytestmark = pytest.mark.torch

ORDINARY = np.random.default_rng(0).normal(size=(3, 4)).astype(np.float32)
ROUND = [-6, -3, -2, -1, -0.5, 0, 0.5, 1, 1.5, 2, 3, 6]  # kinks and halves, of which some will be equal
NOWHERE = np.array([[1, np.nan, 0, -1], [0, 0, 0, 0], [np.nan, 2, 3, np.nan]], np.float32)

norm = torch.linalg.vector_norm
FUNCTIONS = {
    "activations": [
        *(F.relu, F.relu6, F.elu, F.selu, F.celu, F.gelu, F.leaky_relu, F.silu, F.mish, F.softplus, F.hardswish),
        *(F.hardsigmoid, F.hardtanh, F.logsigmoid, F.softsign, F.tanhshrink, F.softshrink, F.hardshrink),
        *(lambda x: F.gelu(x, approximate="tanh"), lambda x: F.threshold(x, 0.5, 2.0), torch.sigmoid),
    ],
    "roundings": [
        *(torch.round, torch.floor, torch.ceil, torch.trunc, torch.frac, lambda x: torch.round(x, decimals=1)),
        *(lambda x: x % 2, lambda x: x % -1.5, lambda x: torch.fmod(x, 1.5), lambda x: torch.fmod(x, -2)),
        *(lambda x, mode=mode: torch.div(x, 0.75, rounding_mode=mode) for mode in ("trunc", "floor")),
    ],
    "pieces": [
        *(torch.abs, lambda x: x.clamp(-0.5, 0.5), lambda x: x.clamp(min=0), lambda x: x.clamp(1.0, -1.0)),
        *(lambda x: torch.maximum(x, x.flip(1)), lambda x: torch.minimum(x, x * 0), lambda x: x.masked_fill(x > 0, 3)),
        *(lambda x: x**2, lambda x: x**3, lambda x: x**0, lambda x: x**1.0, lambda x: 2**x, lambda x: x.abs() ** 1.5),
    ],
    "norms": [
        *(norm, lambda x: norm(x, keepdim=True), lambda x: norm(x, 1, dim=(0, 1)), lambda x: norm(x, 1, keepdim=True)),
        *(lambda x, order=order: norm(x, order, dim=1) for order in (0, 1, 1.5, 2, 3, float("inf"), -float("inf"))),
        *(F.normalize, lambda x: F.normalize(x, p=1.0), lambda x: F.normalize(x, p=3.0), torch.linalg.matrix_norm),
    ],
    "spreads": [
        *(torch.std, lambda x: x.std(1), lambda x: x.std(1, unbiased=False), lambda x: x.var(0, correction=2)),
        *(lambda x: torch.var_mean(x, 1), lambda x: torch.std_mean(x, keepdim=True), lambda x: F.layer_norm(x, (4,))),
        *(lambda x: F.rms_norm(x, (4,)), lambda x: F.group_norm(x[None], 3)),
    ],
    "orders": [
        *(lambda x: x.amax(1), torch.max, lambda x: [*x.max(1)], lambda x: [*x.min(0)], lambda x: x.argmax(1)),
        *(lambda x: x.argmin(keepdim=True), lambda x: [*x.sort(dim=1, stable=True)], lambda x: F.max_pool1d(x, 2)),
        *(lambda x: F.max_pool2d(x[None], 3, 1, 1), lambda x: F.max_pool2d(F.relu(x)[None], 2)),
        lambda x: [*torch.sort(x, dim=1, descending=True, stable=True)],
    ],
    "products": [
        *(lambda x: x.prod(1), torch.prod, lambda x: x.cumprod(1), lambda x: x.cumsum(0), lambda x: x.logsumexp(1)),
        *(lambda x: x.softmax(1), lambda x: x.log_softmax(0), lambda x: F.avg_pool2d(x[None], 3, 2, 1)),
    ],
    "losses": [
        *(lambda x, loss=loss: loss(x, x.detach().flip(0)) for loss in (F.l1_loss, F.mse_loss, F.huber_loss)),
        lambda x: F.smooth_l1_loss(x, x.detach() * 0, beta=0.5),
        lambda x: F.hinge_embedding_loss(x, x.detach().sign()),
        lambda x: F.binary_cross_entropy((x.nan_to_num() * 30).sigmoid(), (x > 0).float()),
        lambda x: F.binary_cross_entropy(x.nan_to_num().clamp(0, 1), (x > 1).float(), reduction="sum"),
        lambda x: F.cross_entropy(x, torch.tensor([0, -100, 2])),
        lambda x: F.kl_div(x, x.detach().sigmoid(), reduction="sum"),
        lambda x: F.pairwise_distance(x, x * 2),
    ],
}


class Of(nn.Module):
    """Functions of one input."""

    def __init__(self, functions):
        super().__init__()
        self.functions = functions

    def forward(self, x):
        return [function(x) for function in self.functions]


def floats(outputs):
    return [leaf for leaf in jax.tree.leaves(outputs) if "float" in str(leaf.dtype)]


def slopes(outputs, x):
    """PyTorch's derivatives of the sum of each output, weighted by 1, 2, 3, …"""
    sums = [(each * torch.arange(1.0, each.numel() + 1).view(each.shape)).sum() for each in floats(outputs)]
    found = [
        torch.autograd.grad(each, x, retain_graph=True, allow_unused=True, materialize_grads=True) for each in sums
    ]
    return [slope.numpy(force=True) for (slope,) in found]


@pytest.fixture(scope="module", params=FUNCTIONS)
def pair(request):
    module = Of(FUNCTIONS[request.param])
    model = from_torch(module, ORDINARY)

    def sums(x):
        return [(each * jnp.arange(1.0, each.size + 1).reshape(each.shape)).sum() for each in floats(model(x))]

    return module, jax.jit(model.__call__), jax.jit(jax.jacrev(sums))


@settings(max_examples=25, deadline=None)
@given(x=arrays(np.float32, (3, 4), elements=st.sampled_from(ROUND)))
def test_at_kinks_and_ties(pair, x):
    module, model, ours = pair
    tensor = torch.tensor(x, requires_grad=True)
    outputs = module(tensor)
    for number, (theirs, own) in enumerate(zip(jax.tree.leaves(outputs), jax.tree.leaves(model(x)), strict=True)):
        np.testing.assert_allclose(own, theirs.detach(), rtol=1e-4, atol=1e-5, err_msg=f"leaf {number}")
    for number, (theirs, own) in enumerate(zip(slopes(outputs, tensor), ours(x), strict=True)):
        np.testing.assert_allclose(own, theirs, rtol=1e-3, atol=1e-3, err_msg=f"slope of leaf {number}")


def test_what_is_no_number_stays_so(pair):
    module, model, _ = pair
    for theirs, own in zip(floats(module(torch.tensor(NOWHERE))), floats(model(NOWHERE)), strict=True):
        assert np.array_equal(np.isnan(own), np.isnan(theirs.numpy()))


def test_a_spread_of_one_number_is_none():
    model = from_torch(Of([lambda x: x.std(0)]), ORDINARY)
    assert np.isnan(model(ORDINARY[:1])[0]).all()


def test_whole_numbers_that_single_precision_does_not_have():
    large = torch.tensor([16777217, 16777219, -16777219, 7])
    module = Of(
        [lambda i, by=by: torch.div(i, by, rounding_mode="trunc") for by in (1, 3, -3)]
        + [lambda i, by=by: torch.div(i, by, rounding_mode="floor") for by in (1, 3, -3)]
    )
    for theirs, own in zip(module(large), from_torch(module, large // 1000)(large), strict=True):
        assert own.tolist() == theirs.tolist()


def test_an_infinite_output_does_not_excuse_the_others():
    class Doubled(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, slope):
            return slope * 2

    class Masked(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = nn.Parameter(torch.ones(3))

        def forward(self, x):
            return (Doubled.apply(self.weight) * x).masked_fill(x > 0, -torch.inf).exp().log()

    with pytest.raises(ValueError, match="gradients found by JAX are not PyTorch's"):
        from_torch(Masked(), torch.tensor([1.0, -1.0, -2.0]))
    from_torch(Of([lambda x: x.log()]), ORDINARY)


def test_what_is_not_computed_is_refused_by_its_name():
    with pytest.raises(ValueError, match="uses an output of max_pool2d_with_indices that from_torch does not compute"):
        from_torch(nn.MaxPool1d(2, return_indices=True), ORDINARY)
