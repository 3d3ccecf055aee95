"""What would be wrong without a sign is refused, with the part that does it and a way out."""

import random

import numpy as np
import pytest

from nucleate.models import from_torch

torch = pytest.importorskip("torch")
nn = torch.nn

pytestmark = pytest.mark.torch

X, WHICH = torch.linspace(-1, 1, 6).view(2, 3), torch.tensor([0, 1])


class Outer(nn.Module):
    """A linear layer, then another module."""

    def __init__(self, inner):
        super().__init__()
        self.first = nn.Linear(3, 3)
        self.inner = inner

    def forward(self, x):
        return self.inner(self.first(x))


class Does(nn.Module):
    """Whatever a function does with the module and its input."""

    def __init__(self, function):
        super().__init__()
        self.function, self.calls, self.seen, self.table = function, 0, [], {}
        self.register_buffer("total", torch.zeros(()))

    def forward(self, x):
        return self.function(self, x)


def refused(does, message, example=X):
    module = does if isinstance(does, nn.Module) else Outer(Does(does))
    before = {name: tensor.clone() for name, tensor in module.state_dict().items()}
    with pytest.raises(ValueError, match=message) as caught:
        from_torch(module, example)
    assert all(torch.equal(before[name], tensor) for name, tensor in module.state_dict().items())
    return str(caught.value)


def test_batch_norm_in_training():
    module = Outer(nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3)))
    refused(
        module, r"^from_torch: 'inner\.1' \(BatchNorm1d\) is in training mode and updates its '.*Call \.eval\(\) on it"
    )


def test_other_types():
    refused(
        nn.Linear(3, 3).double(), r"'weight' is of float64; nucleate computes in float32: convert module\.float\(\)"
    )
    refused(nn.Linear(3, 3).bfloat16(), "'weight' is of bfloat16")
    refused(lambda self, x: x.double().sum(), r"'inner' \(Does\), in “.*”, computes in float64")
    refused(lambda self, x: torch.fft.rfft(x).abs(), r"computes in complex64")


RANDOM = {
    "randn": lambda self, x: x + torch.randn(3),
    "rand_like": lambda self, x: x + torch.rand_like(x),
    "normal_functional": lambda self, x: x + torch.empty(3).normal_(),
    "bernoulli": lambda self, x: nn.functional.dropout1d(x[None]),
    "randperm": lambda self, x: x[:, torch.randperm(3)],
}


@pytest.mark.parametrize("name", RANDOM)
def test_randomness(name):
    refused(RANDOM[name], rf"'inner' \(Does\), in “.*”, draws random numbers \({name}\).*pass them in as an input")


@pytest.mark.parametrize("draw", [np.random.normal, random.random], ids=["NumPy", "Python"])
def test_randomness_that_pytorch_does_not_know_of(draw):
    refused(lambda self, x: x * (1 + draw()), r"outputs found by JAX are not PyTorch's: 'output 0' differs by .*random")


DECISIONS = {
    "if": lambda self, x: x if x.sum() > 0 else -x,
    "item": lambda self, x: x * x.sum().item(),
    "chosen": lambda self, x: x[x > 0],
    "nonzero": lambda self, x: x.nonzero(),
}


@pytest.mark.parametrize("name", DECISIONS)
def test_decisions_by_the_values_of_tensors(name, capfd):
    message = refused(DECISIONS[name], r"'inner' \(Does\).* decides by the values of tensors")
    assert "torch.where" in message
    assert capfd.readouterr() == ("", "")  # PyTorch would print the graph


def counts(self, x):
    self.calls += 1
    return x


def notes(self, x):
    self.seen.append(x)
    return x


def keeps(self, x):
    self.table["last"] = x
    return x


def adds(self, x):
    self.total += x.sum()
    return x


@pytest.mark.parametrize(("does", "attribute"), [(counts, "calls"), (notes, "seen"), (keeps, "table"), (adds, "total")])
def test_attributes_that_change_in_forward(does, attribute):
    refused(does, rf"'inner' \(Does\) changes its '{attribute}' in forward.*Make it in __init__")


def test_a_parameter_that_changes_in_forward():
    refused(nn.Embedding(4, 2, max_norm=0.1), r"the module \(Embedding\) changes its 'weight' in forward", WHICH)


def test_an_input_that_changes_in_forward():
    class Shift(nn.Module):
        def forward(self, x):
            return x.add_(1)

    refused(Shift(), "forward changes its input 'x' in place: let it change a copy")


@pytest.mark.parametrize("kind", ["forward", "forward_pre", "full_backward"])
def test_hooks(kind):
    module = Outer(nn.Linear(3, 3))
    getattr(module.inner, f"register_{kind}_hook")(lambda *_: None)
    refused(module, rf"'inner' \(Linear\) has a {kind.removeprefix('full_')}_hook.*remove it")


def test_a_backward_pass_of_ones_own():
    class Straight(torch.autograd.Function):
        @staticmethod
        def forward(context, x):
            return x.round()

        @staticmethod
        def backward(context, gradient):
            return gradient

    message = r"gradients found by JAX are not PyTorch's: 'first\.\w+' differs by .*autograd\.Function"
    refused(lambda self, x: Straight.apply(x), message)


def test_operations_that_are_not_known():
    refused(lambda self, x: torch.linalg.det(x.T @ x), r"'inner' \(Does\), in “.*”, uses _linalg_det, which from_torch")
    pools = lambda self, x: nn.functional.max_pool1d(x, 2, ceil_mode=True)
    refused(pools, r"'inner' \(Does\), in “.*”, asks max_pool2d_with_indices for ceil_mode, which")


def test_what_is_no_module_or_takes_another_example():
    with pytest.raises(ValueError, match=r"module must be an nn\.Module, or a function that makes one; got 3"):
        from_torch(3, X)
    with pytest.raises(ValueError, match=r"module must be an nn\.Module, or a function that makes one; got 'low'"):
        from_torch(lambda: "low", X)
    refused(nn.Linear(4, 3), r"the module \(Linear\).* does not take the example: RuntimeError: mat1 and mat2")
    with pytest.raises(ValueError, match=r"does not take the example: TypeError: .*missing 1 required.*'input'"):
        from_torch(nn.Linear(4, 3))
    with pytest.raises(ValueError, match="'weight' has no shape yet: call the module once"):
        from_torch(nn.LazyLinear(3), X)


def test_buffers_that_differ_between_members():
    class Features(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("frequencies", torch.randn(3))
            self.register_buffer("unknown", torch.full((3,), torch.nan))

        def forward(self, x):
            return torch.sin(x * self.frequencies)

    class Drawn(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = nn.Sequential(nn.Linear(3, 3))
            self.linear[0].shift, self.scale = torch.randn(3), 1 + torch.rand(()).item()

        def forward(self, x):
            return self.linear(x) * self.scale + self.linear[0].shift

    from_torch(Drawn(), X)
    with pytest.raises(ValueError, match=r"'(scale|linear\.0\.shift)' is not trained, yet differs"):
        from_torch(Drawn, X)
    from_torch(Features(), X)
    with pytest.raises(ValueError, match="'frequencies' is not trained, yet differs between two modules"):
        from_torch(Features, X)


@pytest.mark.parametrize("make", [nn.Linear, lambda x: nn.Linear(3, 3)])
def test_what_makes_a_module_needs_no_arguments(make):
    with pytest.raises(ValueError, match=r"must be an nn\.Module, or a function that makes one without arguments"):
        from_torch(make, X)
