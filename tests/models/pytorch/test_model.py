"""A module as a model: its leaves, its weights, its modes, and that PyTorch itself is left as it was."""

import logging
import pickle
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor

import cloudpickle
import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from nucleate.fleet import flat_weights
from nucleate.models import TorchModel, from_torch
from nucleate.observables import Matching

torch = pytest.importorskip("torch")
nn = torch.nn
pytestmark = pytest.mark.torch

X = np.linspace(-1, 1, 12, dtype=np.float32).reshape(4, 3)


class Tied(nn.Module):
    """With a weight that has two names, one that is not trained, a buffer, and a tensor that is neither."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(3, 3), nn.Linear(3, 3)
        self.second.weight = self.first.weight
        self.frozen = nn.Parameter(torch.ones(3), requires_grad=False)
        self.register_buffer("shift", torch.arange(3.0), persistent=False)
        self.scale = torch.tensor([1.0, 2.0, 3.0])

    def forward(self, x, *, times=1, extra=None, more=None):
        y = self.second(torch.tanh(self.first(x))) * self.scale * times + self.shift + self.frozen
        return {"z": y, "a": (x, None, times)} if extra is None else (y + extra, more - extra)


def drops():
    return nn.Sequential(nn.Linear(3, 64), nn.Dropout(0.25), nn.Linear(64, 64, bias=False))


def test_leaves_are_what_is_trained_by_its_names():
    model = from_torch(Tied(), X)
    assert set(model.parameters) == {
        "first.weight",
        "first.bias",
        "second.bias",
    }
    assert all(eqx.is_inexact_array(leaf) for leaf in jax.tree.leaves(model))
    assert len(jax.tree.leaves(model)) == 3
    assert flat_weights(model).shape == (9 + 3 + 3,)
    found = [mask.any() for mask in Matching("second.bias").masks(model)]
    assert found == [name == "second.bias" for name in sorted(model.parameters)]


def test_inputs_and_outputs_have_the_structure_that_the_module_gives_them():
    module = Tied()
    model = from_torch(module, torch.tensor(X), times=2)
    found = jax.jit(lambda x: model(x, times=3)["z"])(X)
    np.testing.assert_allclose(found, module(torch.tensor(X), times=3)["z"].detach(), rtol=1e-5)
    whole = model(X)
    assert list(whole) == ["z", "a"]
    assert whole["a"][1:] == (None, 1)
    y, rest = model(X, more=jnp.full(3, 5.0), extra=jnp.ones(3))
    np.testing.assert_allclose(y, whole["z"] + 1, rtol=1e-6)
    assert rest.tolist() == [4, 4, 4]


def test_mapped_differentiated_and_called_with_other_shapes():
    module = nn.Sequential(nn.Linear(3, 4), nn.GELU(), nn.Linear(4, 1))
    model = from_torch(module, X)
    apart = jax.jit(jax.vmap(model))(X)
    np.testing.assert_allclose(apart, model(X), rtol=1e-5)
    assert model(np.ones((2, 5, 3))).shape == (2, 5, 1)
    twice = jax.tree.map(lambda leaf: jnp.stack([leaf, 2 * leaf]), model)
    np.testing.assert_allclose(jax.vmap(lambda each: each(X))(twice)[0], apart, rtol=1e-5)
    gradient = jax.jit(jax.grad(lambda each: jnp.sum(each(X) ** 2)))(model)
    torch.sum(module(torch.tensor(X)) ** 2).backward()
    for name, parameter in module.named_parameters():
        np.testing.assert_allclose(gradient.parameters[name], parameter.grad, rtol=1e-4, atol=1e-5)
    hessian = jax.jit(jax.hessian(lambda x: model(x)[0]))(jnp.ones(3))
    theirs = torch.autograd.functional.hessian(lambda x: module(x)[0], torch.ones(3))
    np.testing.assert_allclose(hessian, theirs, atol=1e-6)


def test_dropout_needs_a_key_at_every_call_and_is_that_of_pytorch_on_average():
    model = from_torch(drops(), X)
    with pytest.raises(ValueError, match=r"needs a key at every call: model\(x, key=key\)\. model\.eval\(\) has none"):
        model(X)
    call = jax.jit(lambda key: model(X, key=key))
    same, other = call(jax.random.key(0)), call(jax.random.key(1))
    assert np.array_equal(same, call(jax.random.key(0)))
    assert not np.array_equal(same, other)
    calm = model.eval()(X)
    np.testing.assert_allclose(calm, model.origin.module.eval()(torch.tensor(X)).detach(), atol=1e-5)
    many = jax.vmap(call)(jax.random.split(jax.random.key(2), 4000))
    np.testing.assert_allclose(many.mean(0), calm, atol=5 * many.std(0).max() / np.sqrt(4000))
    hidden = jax.jit(from_torch(nn.Dropout(0.25), X).__call__)(np.ones(10_000, np.float32), key=jax.random.key(0))
    assert set(np.unique(hidden)) == {0, np.float32(1 / 0.75)}
    assert np.mean(np.asarray(hidden) == 0) == pytest.approx(0.25, abs=0.02)


def test_two_dropouts_of_one_call_are_independent():
    model = from_torch(nn.Sequential(nn.Dropout(0.5), nn.Dropout(0.5)), X)
    kept = np.asarray(model(np.ones(10_000, np.float32), key=jax.random.key(0))) > 0
    assert kept.mean() == pytest.approx(0.25, abs=0.02)


def test_fresh_weights_are_those_after_manual_seed_also_where_the_seed_is_traced():
    model = from_torch(drops, X)
    found = jax.jit(jax.vmap(lambda seed: model.fresh(seed).parameters))(jnp.arange(3))
    for seed in range(3):
        torch.manual_seed(seed)
        for name, parameter in drops().named_parameters():
            assert np.array_equal(found[name][seed], parameter.detach())
            assert np.array_equal(model.fresh(seed).parameters[name], parameter.detach())
    with pytest.raises(ValueError, match=r"from_torch\(Net, …\) instead of"):
        from_torch(drops(), X).fresh(0)


def test_a_module_may_be_translated_while_jax_traces():
    module = drops().eval()
    traced = jax.jit(lambda x: from_torch(module, X)(x))(X)
    np.testing.assert_allclose(traced, module(torch.tensor(X)).detach(), atol=1e-5)


def test_weights_of_a_checkpoint_and_back():
    module, other = Tied(), Tied()
    model = from_torch(module, X)
    moved = model.with_weights(other.state_dict())
    np.testing.assert_allclose(moved(X)["z"], other(torch.tensor(X))["z"].detach(), rtol=1e-5)
    assert eqx.tree_equal(moved, model.with_weights(other))
    assert eqx.tree_equal(
        moved, model.with_weights({name: np.asarray(each) for name, each in moved.parameters.items()})
    )
    back = moved.to_torch()
    assert all(torch.equal(back.state_dict()[name], tensor) for name, tensor in other.state_dict().items())
    assert back.second.weight is back.first.weight


WEIGHTS = {name: tensor.detach() for name, tensor in Tied().state_dict().items()}
WRONG = {
    r"'gone' is not of this module; it has \['frozen', ": {**WEIGHTS, "gone": 1},
    r"there is no 'first\.bias' among": {name: each for name, each in WEIGHTS.items() if name != "first.bias"},
    r"'first\.bias' must be of shape \(3,\); got \(2,\)": {**WEIGHTS, "first.bias": torch.ones(2)},
    r"'frozen', which is not trained, differs from the module's": {**WEIGHTS, "frozen": torch.zeros(3)},
    r"'first\.bias' must be a number, or an array of numbers; got 'low'": {**WEIGHTS, "first.bias": "low"},
    r"weights must be a state dict or a module; got \[1\]": [1],
}


@pytest.mark.parametrize("message", WRONG)
def test_weights_of_something_else_are_refused(message):
    with pytest.raises(ValueError, match=r"TorchModel\.with_weights: " + message):
        from_torch(Tied(), X).with_weights(WRONG[message])


def test_inputs_of_other_types_are_refused():
    with pytest.raises(ValueError, match="must be of float32, whole numbers or bools; got float16"):
        from_torch(nn.Linear(3, 3), X)(jnp.ones(3, jnp.float16))


def test_another_process_traces_again():
    model = from_torch(drops, X)
    other = pickle.loads(cloudpickle.dumps(model))
    assert isinstance(other, TorchModel)
    assert np.array_equal(other.eval()(X), model.eval()(X))
    assert np.array_equal(other.fresh(1).parameters["0.weight"], model.fresh(1).parameters["0.weight"])


class Scaled(nn.Module):
    def __init__(self, scale, shift):
        super().__init__()
        self.linear, self.scale, self.shift = nn.Linear(3, 3), {"by": [scale]}, torch.tensor(shift)

    def forward(self, x):
        return self.linear(x) * self.scale["by"][0] + self.shift


def test_a_module_is_known_by_its_settings_and_not_by_its_weights():
    names = [from_torch(Scaled(*given), X).origin.identity for given in ((1, 0.0), (1, 0.0), (2, 0.0), (1, 0.5))]
    assert names[0] == names[1]
    assert len(set(names)) == 3
    model = from_torch(drops(), X)
    assert model.eval().origin.identity != model.origin.identity


def test_threads_trace_one_after_another():
    model = from_torch(Tied(), X)
    sizes = range(1, 9)
    with ThreadPoolExecutor(4) as pool:
        shapes = list(pool.map(lambda size: eqx.filter_jit(model)(np.ones((size, 3)))["z"].shape, [*sizes, *sizes]))
    assert shapes == [(size, 3) for size in sizes] * 2


def everything_global():
    """What a library may leave behind."""
    backends = torch.backends
    return {
        "random": torch.get_rng_state().tolist(),
        "dtype": torch.get_default_dtype(),
        "device": torch.get_default_device(),
        "gradient": torch.is_grad_enabled(),
        "threads": torch.get_num_threads(),
        "deterministic": torch.are_deterministic_algorithms_enabled(),
        "fast attention": (backends.mha.get_fastpath_enabled(), backends.cuda.flash_sdp_enabled()),
        "a device's name": torch._C._get_privateuse1_backend_name(),
        "modes": torch.overrides._len_torch_function_stack(),
        "JAX": {name: jax.config._read(name) for name in jax.config.values},
        "warnings": list(warnings.filters),
        "stderr": sys.stderr,
        "loggers": {name: logging.getLogger(name).disabled for name in logging.root.manager.loggerDict},
    }


@pytest.mark.parametrize("fails", [False, True])
def test_pytorch_and_jax_are_left_as_they_were(fails):
    from_torch(nn.Linear(3, 3), X)  # what PyTorch loads when it first traces, it would for anybody
    torch.manual_seed(3)
    module = drops().double() if fails else drops()
    module(torch.ones(1, 3, dtype=module[0].weight.dtype)).sum().backward()
    weights = [parameter.detach().clone() for parameter in module.parameters()]
    gradients = [parameter.grad.clone() for parameter in module.parameters()]
    before = everything_global()
    if fails:
        with pytest.raises(ValueError, match="float64"):
            from_torch(module, X)
        with pytest.raises(ValueError, match="decides"):
            from_torch(Decides(), X)
    else:
        model = from_torch(drops, X)
        eqx.filter_jit(model.eval())(X), model.fresh(5)
        from_torch(module, X)
    after = everything_global()
    assert {name for name in before if before[name] != after[name]} == set()
    assert all(torch.equal(*pair) for pair in zip(weights, module.parameters(), strict=True))
    assert all(torch.equal(gradient, p.grad) for gradient, p in zip(gradients, module.parameters(), strict=True))
    assert type(module(torch.ones(1, 3, dtype=module[0].weight.dtype))) is torch.Tensor


class Decides(nn.Module):
    def forward(self, x):
        return x if x.sum() > 0 else -x
