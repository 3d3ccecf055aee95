"""Operations and layers by JAX: `from_torch` itself compares outputs and gradients with PyTorch's, and raises."""

import pytest

from nucleate.models import from_torch

torch = pytest.importorskip("torch")
nn, F = torch.nn, torch.nn.functional

pytestmark = pytest.mark.torch

torch.manual_seed(0)
X, SEQUENCE, WHICH = torch.randn(4, 6), torch.randn(2, 3, 8), torch.tensor([1, 0, 3, 1])


class Of(nn.Module):
    """A function of a parameter and inputs."""

    def __init__(self, function):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(4, 6, generator=torch.Generator().manual_seed(1)))
        self.function = function

    def forward(self, *inputs):
        return self.function(self.weight, *inputs)


def each(functions):
    return lambda w: [function(w) for function in functions]


def rows_set(w):
    y = torch.zeros(4, 6)
    y[0] = w[0]
    y[1:, 2] = w[1:, 3] * 2
    y[:, -1] += 1
    y[:, ::2] = w[:, ::2] - 1
    return y


def masked(w):
    y = w * 1
    y[w > 0] = 0.5
    return y


def without_gradient(w):
    with torch.no_grad():
        scale = w.sum() * 2
    return w * scale


def looks(w):
    query = key = value = w.view(1, 1, 4, 6)
    attend = F.scaled_dot_product_attention
    some = torch.tensor([[True] * 4, [False] * 4, [True, False] * 2, [False] * 4])
    return [
        attend(query, key, value),
        attend(query, key, value, is_causal=True),
        attend(query, key, value, attn_mask=torch.arange(16.0).view(4, 4)),
        attend(query, key, value, attn_mask=torch.arange(16.0).view(4, 4).log()),
        attend(query, key, value, attn_mask=some, scale=2.0),
        attend(w.view(1, 2, 2, 6), w[:2].view(1, 1, 2, 6), w[:2].view(1, 1, 2, 6), enable_gqa=True),
    ]


SMOOTH = [torch.sin, torch.cos, torch.tan, torch.sinh, torch.cosh, torch.tanh, torch.asinh, torch.atan, torch.exp]
SMOOTH += [torch.expm1, torch.erf, torch.neg, torch.sigmoid, torch.square]
STEPS = [torch.sign, torch.floor, torch.ceil, torch.round, torch.trunc, torch.abs]
ACTIVATIONS = [F.softplus, F.silu, F.mish, F.elu, F.selu, F.celu, F.gelu, F.relu, F.relu6, F.leaky_relu, F.hardtanh]
ACTIVATIONS += [F.hardswish, F.hardsigmoid, F.logsigmoid, F.softsign, F.tanhshrink, F.softshrink, F.hardshrink]
LOGARITHMS = [torch.log, torch.log2, torch.log10, torch.log1p, torch.sqrt, torch.rsqrt, torch.reciprocal]

FUNCTIONS = {
    "smooth": each(SMOOTH),
    "steps": each(STEPS),
    "activations": each([*ACTIVATIONS, lambda w: F.gelu(w, approximate="tanh"), lambda w: F.glu(w)]),
    "above 0": lambda w: [function(w.abs() + 0.5) for function in (*LOGARITHMS, lambda x: torch.acosh(x + 1))],
    "below 1": lambda w: [function(w.tanh() * 0.9) for function in (torch.asin, torch.acos, torch.atanh)],
    "powers": lambda w: [w**3, w.pow(2.0), w.abs() ** 0.5, w.abs() ** 2.5, 2**w, w.abs() ** w, w**-2.0],
    "reductions": lambda w: [
        *(w.sum(), w.sum(1), w.sum((0, 1)), w.mean(), w.mean(0, keepdim=True), w.prod(), w.prod(1)),
        *(w.amax(1), w.amin(0), w.max(), w.min(), w.max(1), w.min(0, keepdim=True), w.argmax(1), w.argmin()),
        *(w.var(), w.var(1, unbiased=False), w.std(), w.std(1), w.norm(), w.norm(dim=1), w.norm(1), w.logsumexp(1)),
    ],
    "along an axis": lambda w: [
        *(w.cumsum(1), w.cumprod(0), w.softmax(1), w.log_softmax(0), w.flip(0), w.roll(1, 1), w.diff()),
        *(w.sort(1), w.sort(0, descending=True), w.argsort(), w.topk(2), w.topk(2, dim=0, largest=False)),
    ],
    "shapes": lambda w: [
        *(w.view(3, 8), w.reshape(-1), w.T, w.permute(1, 0), w[None], w.unsqueeze(-1), w[None].squeeze(0), w.squeeze()),
        *(w.expand(2, 4, 6), w[:, :1].expand(-1, 3), w.repeat(2, 1), w.tile(1, 2), w.repeat_interleave(2, 0)),
        *(w.chunk(2, 1), w.split([1, 3]), torch.cat([w, w], 1), torch.stack([w, w]), w.unbind(0), w.flatten()),
        *(w.unflatten(1, (2, 3)), w.movedim(0, 1), w.narrow(1, 1, 2), w.contiguous(), w.clone(), torch.tril(w)),
        *(torch.triu(w, 1), w.diagonal(), torch.diag(w[0]), torch.meshgrid(w[0], w[1], indexing="ij")),
    ],
    "in place": lambda w: [w.clone().add_(1).mul_(2).relu_(), rows_set(w), masked(w)],
    "padding": lambda w: [
        *(F.pad(w, (1, 2)), F.pad(w, (1, 2, -1, 0), value=3.0)),
        *(F.pad(w[None], (1, 1), mode=mode) for mode in ("reflect", "circular", "replicate")),
    ],
    "where a branch overflows": lambda w: [
        *(F.softplus(w * 200), F.elu(w * 200), F.silu(w * 500), F.mish(w * 100), F.logsigmoid(w * 200)),
        *(torch.logsumexp(w * 1000, 1), F.softmax(w * 1000, 1)),
    ],
    "detached": lambda w: [w - w.detach().mean(), (w > 0).float() + w - w.detach(), without_gradient(w)],
    "attention": looks,
}
WITH_NUMBERS = {
    "pairs": lambda w, x: [
        *(w + x, w - x, w * x, w / x, w % x, torch.fmod(w, x), torch.atan2(w, x), 3 - w, 2 / w, -w),
        *(torch.maximum(w, x), torch.minimum(w, x), torch.sub(w, x, alpha=2), torch.add(w, x, alpha=0.5)),
        *(torch.lerp(w, x, 0.3), torch.addcmul(w, x, x, value=0.5), torch.addcdiv(w, x, x.abs() + 1)),
    ],
    "comparisons": lambda w, x: [
        *(w > x, w < x, w >= x, w <= x, w == x, w != x, (w > x) & (x > 0), (w > x) | (x > 0), (w > x) ^ (x > 0)),
        *(~(w > x), torch.where(w > x, w, x), w.masked_fill(x > 0, -9.0), torch.logical_not(w), torch.isnan(w)),
        *(torch.isinf(w), (w > 0).float(), (w > 0).sum(), (w > 0).any(), (w > 0).all(1), (w > 0).int() + 2.5),
        *(x // 2, torch.div(x, 2, rounding_mode="trunc")),
    ],
    "products": lambda w, x: [
        *(w @ x.T, torch.mm(w, x.T), w[0] @ x[0], w @ x[0], torch.bmm(w[None], x.T[None]), torch.outer(w[0], x[0])),
        *(torch.einsum("ij,kj->ik", w, x), torch.einsum("ij,ij->", w, x), torch.linalg.multi_dot([w, x.T, w])),
        *(torch.addmm(torch.ones(4), w, x.T, beta=0.5, alpha=2), F.linear(w, x), torch.kron(w[:2, :2], x[:2, :2])),
    ],
    "losses": lambda w, x: [
        *(F.cross_entropy(w, WHICH), F.cross_entropy(w, WHICH, label_smoothing=0.1)),
        *(F.cross_entropy(w, WHICH, reduction="none", ignore_index=1), F.cross_entropy(w, x.softmax(1))),
        *(F.mse_loss(w, x), F.l1_loss(w, x), F.smooth_l1_loss(w, x), F.huber_loss(w, x)),
        F.binary_cross_entropy_with_logits(w, (x > 0).float()),
        F.binary_cross_entropy(w.sigmoid(), (x > 0).float()),
        F.kl_div(w.log_softmax(1), x.softmax(1), reduction="batchmean"),
        *(F.cosine_similarity(w, x), F.nll_loss(w.log_softmax(1), WHICH), F.normalize(w)),
    ],
}
WITH_INDICES = {
    "places": lambda w, i: [
        *(w[0], w[:, 1:3], w[::2], w[-1], w[i], w[i, i], w[:, i], w[..., 0], w.index_select(1, i)),
        *(w.gather(1, i[:, None]), w.take_along_dim(i[:, None], 1), F.one_hot(i, 6).float() @ w.T),
        *(torch.scatter(w, 1, i[:, None], 5.0), torch.scatter(w, 1, i[:, None], w[:, :1] * 2)),
        *(w.scatter_add(1, i[:, None], w[:, :1]), torch.zeros(4, 6).index_add(0, i, w)),
        *(w.index_put((i[:3],), w[:3]), w.index_put((i, i), w[0, 0], accumulate=True)),
    ],
    "whole numbers": lambda w, i: [w * i[:, None], i // 2 * 3 % 4, i + 1, i / 2, i.float(), i == 1, i.sum(), i.max()],
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name):
    from_torch(Of(FUNCTIONS[name]))


@pytest.mark.parametrize("name", WITH_NUMBERS)
def test_functions_of_numbers(name):
    from_torch(Of(WITH_NUMBERS[name]), X)


@pytest.mark.parametrize("name", WITH_INDICES)
def test_functions_of_indices(name):
    from_torch(Of(WITH_INDICES[name]), WHICH)


def encoder(**options):
    layer = nn.TransformerEncoderLayer(8, 2, 16, 0.1, batch_first=True, **options)
    return nn.TransformerEncoder(layer, 1, enable_nested_tensor=False)


LAYERS = {
    "MLP": (nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Dropout(0.5), nn.Linear(8, 2, bias=False)), X),
    "embedding": (nn.Sequential(nn.Embedding(5, 6, padding_idx=1), nn.LayerNorm(6), nn.Linear(6, 3)), WHICH),
    "norms": (nn.Sequential(nn.GroupNorm(2, 6), nn.RMSNorm(6), nn.LayerNorm(6, elementwise_affine=False)), X),
    "batch norm without statistics": (nn.BatchNorm1d(6, track_running_stats=False), X),
    "batch norm in evaluation": (nn.Sequential(nn.Linear(6, 6), nn.BatchNorm1d(6)).eval(), X),
    "instance norm": (nn.InstanceNorm1d(3, affine=True), SEQUENCE),
    "convolution in 1 d": (
        nn.Sequential(
            nn.Conv1d(3, 4, 3, padding=1, stride=2, dilation=2),
            nn.PReLU(4),
            nn.AvgPool1d(2),
            nn.Conv1d(4, 4, 1, groups=2),
            nn.MaxPool1d(2),
        ),
        torch.randn(2, 3, 17),
    ),
    "convolution in 2 d": (
        nn.Sequential(
            nn.Conv2d(3, 4, 3, padding="same"),
            nn.MaxPool2d(2, padding=1),
            nn.ConvTranspose2d(4, 6, 3, stride=2, padding=1, output_padding=1, groups=2, dilation=2),
            nn.AvgPool2d(2, padding=1, count_include_pad=False),
            nn.AdaptiveAvgPool2d(1),
            nn.Flatten(),
        ),
        torch.randn(2, 3, 6, 6),
    ),
    "convolution in 3 d": (nn.Conv3d(1, 2, 2), torch.randn(1, 1, 3, 3, 3)),
    "LSTM": (nn.LSTM(8, 4, batch_first=True, bidirectional=True), SEQUENCE),
    "GRU": (nn.GRU(8, 4), SEQUENCE),
    "RNN": (nn.RNN(8, 4, num_layers=2, dropout=0.3), SEQUENCE),
    "attention": (nn.MultiheadAttention(8, 2, batch_first=True, dropout=0.1), SEQUENCE, SEQUENCE, SEQUENCE),
    "encoder": (encoder(), SEQUENCE),
    "encoder, norm first": (encoder(norm_first=True, activation="gelu").eval(), SEQUENCE),
    "weight norm": (nn.utils.parametrizations.weight_norm(nn.Linear(6, 2)), X),
}


@pytest.mark.parametrize("name", LAYERS)
def test_layers(name):
    module, *inputs = LAYERS[name]
    from_torch(module, *inputs)


def test_a_mask_is_given_with_the_word_that_it_is_causal():
    mask = torch.triu(torch.ones(3, 3, dtype=torch.bool), 1)
    from_torch(encoder(), SEQUENCE, mask, is_causal=True)
    padding = torch.tensor([[False, False, True], [False, False, False]])
    from_torch(encoder(), SEQUENCE, src_key_padding_mask=padding)
