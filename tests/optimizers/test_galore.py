"""GaLore: the paper's algorithm, written in NumPy; what full rank means; and fleets that renew projectors together."""

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from nucleate.optimizers import galore, in_projection

RATE, RANK, GAP, SCALE = 0.01, 3, 8, 0.25
SHAPES = {"high": (7, 5), "wide": (4, 6), "square": (5, 5), "bias": (6,)}


@pytest.fixture(scope="module", autouse=True)
def double():
    with jax.enable_x64(True):
        yield


def gradients(steps: int, seed: int = 0) -> list[dict]:
    """Gradients whose singular values are far apart, in directions that drift."""
    rng = np.random.default_rng(seed)

    def draw(shape):
        if len(shape) == 1:
            return rng.normal(size=shape)
        size = min(shape)
        left, right = (np.linalg.qr(rng.normal(size=(side, size)))[0] for side in shape)
        return left * 2.0 ** -np.arange(size) @ right.T + 0.1 * rng.normal(size=shape)

    return [{name: draw(shape) for name, shape in SHAPES.items()} for _ in range(steps)]


def papers_algorithm(weight: np.ndarray, grads: list[np.ndarray], decay: float) -> np.ndarray:
    """Algorithm 2 of the paper with its code's choice of sides, for one matrix; written apart from what it tests."""
    m, n = weight.shape
    first = second = 0.0
    for t, g in enumerate(grads):
        if t % GAP == 0:
            u, _, vt = np.linalg.svd(g)
            p = vt[:RANK].T if m >= n else u[:, :RANK]
            p = p * np.sign(p[np.abs(p).argmax(0), np.arange(RANK)])
        r = g @ p if m >= n else p.T @ g
        first = 0.9 * first + 0.1 * r
        second = 0.999 * second + 0.001 * r**2
        adam = (first / (1 - 0.9 ** (t + 1))) / (np.sqrt(second / (1 - 0.999 ** (t + 1))) + 1e-8)
        back = adam @ p.T if m >= n else p @ adam
        weight = weight - RATE * (SCALE * back + decay * weight)
    return weight


def trained(optimizer: optax.GradientTransformation, params, grads):
    step = jax.jit(optimizer.update)
    state = optimizer.init(params)
    for grad in grads:
        change, state = step(grad, state, params)
        params = optax.apply_updates(params, change)
    return params


@pytest.mark.parametrize("decay", [0.0, 0.1])
def test_it_is_the_papers_algorithm(decay):
    grads = gradients(50)
    start = {name: np.full(shape, 0.3) for name, shape in SHAPES.items()}
    found = trained(galore(RATE, RANK, GAP, SCALE, weight_decay=decay), jax.tree.map(jnp.asarray, start), grads)
    for name in ("high", "wide", "square"):
        expected = papers_algorithm(start[name], [grad[name] for grad in grads], decay)
        np.testing.assert_allclose(found[name], expected, rtol=1e-9, atol=1e-12)
    adam = trained(optax.adamw(RATE, weight_decay=decay), {"bias": jnp.asarray(start["bias"])}, [
        {"bias": grad["bias"]} for grad in grads
    ])  # fmt: skip
    np.testing.assert_allclose(found["bias"], adam["bias"], rtol=1e-12)


def test_optax_agrees_on_square_matrices_and_on_no_others():
    """It projects from the left where the matrix is square: the same as ours, transposed. Signs are made to agree by
    a gap longer than the run, after which moments know of no other sign."""
    grads = [{name: grad[name] for name in ("square", "high")} for grad in gradients(20)]
    params = jax.tree.map(jnp.zeros_like, grads[0])
    turned = optax.contrib.GaLoreDimensionNumbers(reduction_axis=1, output_axis=0)
    theirs = trained(optax.contrib.galore(RATE, RANK, 100, SCALE, weight_dimension_numbers=turned), params, grads)
    ours = trained(galore(RATE, RANK, 100, SCALE), params, grads)
    np.testing.assert_allclose(ours["square"], theirs["square"], rtol=1e-5, atol=1e-7)  # its SVD is in float32
    assert np.abs(ours["high"] - theirs["high"]).max() > 0.01


def test_at_full_rank_it_is_adam_in_rotated_coordinates():
    """With P orthogonal and kept, W P follows Adam on the gradients G P: not W on G, for Adam is not blind to rotation.
    What is blind to it, such as momentum, is not changed by a projection of full rank at all, however often it is
    renewed if nothing is remembered."""
    grads = [grad["high"] for grad in gradients(30)]
    p = np.linalg.svd(grads[0])[2].T
    p = p * np.sign(p[np.abs(p).argmax(0), np.arange(5)])
    start = jnp.zeros((7, 5))
    ours = trained(galore(RATE, 5, 100, scale=1.0), start, grads)
    rotated = trained(optax.adam(RATE), start, [grad @ p for grad in grads])
    np.testing.assert_allclose(ours @ p, rotated, rtol=1e-9, atol=1e-12)
    assert np.abs(ours - trained(optax.adam(RATE), start, grads)).max() > 0.01
    for inner, gap in ((optax.trace(0.9), 100), (optax.identity(), 3)):
        same = trained(in_projection(inner, 5, gap), start, grads)
        np.testing.assert_allclose(same, trained(inner, start, grads), rtol=1e-9, atol=1e-12)


def test_updates_have_the_rank_and_reach_beyond_it_when_projectors_change():
    grads = [grad["high"] for grad in gradients(GAP + 1)]
    rank = lambda matrix: np.linalg.matrix_rank(np.asarray(matrix), tol=1e-9)
    start = jnp.zeros((7, 5))
    optimizer = galore(RATE, 2, GAP)
    assert rank(trained(optimizer, start, grads[:GAP])) == 2
    assert rank(trained(optimizer, start, grads)) == 4


def test_networks_of_a_block_train_as_they_do_alone():
    """Also where one of them is due for a new projector and others are not."""
    optimizer = galore(RATE, RANK, GAP)
    params = {"wide": jnp.zeros((3, 4, 6))}
    states = [optimizer.init({"wide": params["wide"][0]}) for _ in range(3)]
    step = jax.jit(optimizer.update)
    for lane, ahead in enumerate((0, 3, 8)):
        for grad in gradients(ahead):
            _, states[lane] = step({"wide": grad["wide"]}, states[lane], {"wide": params["wide"][0]})
    block = jax.tree.map(lambda *leaves: jnp.stack(leaves), *states)
    together = jax.jit(jax.vmap(optimizer.update))
    for seed in range(10):
        drawn = {"wide": np.stack([gradients(1, 10 * seed + lane)[0]["wide"] for lane in range(3)])}
        change, block = together(drawn, block, params)
        for lane in range(3):
            alone, states[lane] = step({"wide": drawn["wide"][lane]}, states[lane], {"wide": params["wide"][lane]})
            np.testing.assert_allclose(change["wide"][lane], alone["wide"], rtol=1e-9, atol=1e-12)


def primitives(jaxpr) -> set[str]:
    """What a program computes in every step: the branches of conditions are left out."""
    found = set()
    for equation in jaxpr.eqns:
        found.add(equation.primitive.name)
        if equation.primitive.name != "cond":
            for inner in jax.tree.leaves(equation.params, is_leaf=lambda leaf: hasattr(leaf, "jaxpr")):
                found |= primitives(inner.jaxpr) if hasattr(inner, "jaxpr") else set()
    return found


def test_a_block_takes_singular_values_in_a_branch():
    optimizer = galore(RATE, RANK, GAP)
    params = jnp.zeros((2, 4, 6))
    program = jax.make_jaxpr(jax.vmap(optimizer.update))(params, jax.vmap(optimizer.init)(params), params)
    assert "cond" in primitives(program.jaxpr)
    assert "svd" not in primitives(program.jaxpr)
    assert "svd" in str(program)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"rank": 5}, r"galore: rank must be <= 4 for wide, a matrix of 4 × 6; got 5\."),
        ({"rank": 0}, r"galore: rank must be >= 1; got 0\."),
        ({"rank": 2, "gap": 0}, r"galore: gap must be >= 1; got 0\."),
    ],
)
def test_bad_arguments_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        galore(RATE, **arguments).init({"wide": jnp.zeros((4, 6))})
