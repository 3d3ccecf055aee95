"""From trained weights to frequencies, orders, factors and their classes."""

from dataclasses import dataclass
from typing import Annotated, final

import numpy as np
from jaxtyping import Array, Complex, Float, Int, Int8

from nucleate.algebra import Characters
from nucleate.checking import Above, Checked, checked
from nucleate.observables.factors.classes import FactorClass, classes_of_four, classes_of_six
from nucleate.observables.factors.splits import Pairing, best_split


@final
@dataclass(frozen=True)
class Thresholds(Checked):
    """From where on something counts in `factorise`.

        node at k ⇔ |a_k| > present,    sign changed ⇔ |ratio − first ratio| > flip
        product ⇔ error ≤ factorable √(3q),    number recognised ⇔ |difference| < match

    q: nodes of a frequency. Of z_syn the root mean square over each column must be below `match`. The numbers are those
    of the authors' extraction, whose code decides by them in four other ways: see `factorise`. `pairing` is one of the
    four. Source: the code of [tian2024cogo].

    >>> Thresholds(present=-1)
    Traceback (most recent call last):
    ValueError: Thresholds.present must be > 0; got -1.
    """

    present: Annotated[float, Above(0)] = 0.05
    flip: Annotated[float, Above(0)] = 0.2
    factorable: Annotated[float, Above(0)] = 0.1
    match: Annotated[float, Above(0)] = 0.1
    pairing: Pairing = Pairing.ALL_ROWS


@final
@dataclass(frozen=True, eq=False)
class Factorisation:
    """What `factorise` finds. Its axis `half` has one of each pair of frequencies ±k.

        z_k ≈ first * second

    `node_frequency`: k of each node, −1 if it has none; `frequencies`: k of each entry of `half`; `order`: number of
    nodes; `kind`: codes of `FactorClass`; `error`: of the best product, NaN unless there are four or six nodes;
    `nu`, `xi`, `alpha`, `beta`: angles of the parameters, NaN where a class has none; `first`: two nodes, `second`:
    two or three, the third is NaN. The same nodes in another order have −ν, ν̄ and, beside z_syn, ν e^{±2πi/3}, of which
    the one closest to ±i is given; of ±α and ±iα the one closest to 1 is given; ξ can be iξ, −ξ or −iξ. With rows a and
    b exchanged, ξ is −iξ̄. Source: [tian2024cogo].

    >>> from nucleate.algebra import order_six, to_weights
    >>> group = Characters.cyclic(5)
    >>> found = factorise(*to_weights(order_six(group, np.exp(0.3j))), group)
    >>> found.frequencies.tolist(), found.order.tolist(), found.names.tolist()
    ([1, 2], [6, 6], ['SYN_NU', 'SYN_NU'])
    """

    node_frequency: Int[np.ndarray, "*network node"]
    frequencies: Int[np.ndarray, " half"]
    order: Int[np.ndarray, "*network half"]
    kind: Int8[np.ndarray, "*network half"]
    error: Float[np.ndarray, "*network half"]
    nu: Float[np.ndarray, "*network half"]
    xi: Float[np.ndarray, "*network half"]
    alpha: Float[np.ndarray, "*network half"]
    beta: Float[np.ndarray, "*network half"]
    first: Complex[np.ndarray, "*network half 3 2"]
    second: Complex[np.ndarray, "*network half 3 3"]

    @property
    def names(self) -> np.ndarray:
        """`kind` in words: the name of each `FactorClass`."""
        return np.array([kind.name for kind in FactorClass])[self.kind]

    @property
    def folded_nu(self) -> Float[np.ndarray, "*network half"]:
        """Angle of ν without regard to −ν, ν̄ and thirds of a turn, 0 to π/6: ±π/2 is π/6, and ±π/3 is 0."""
        return _folded(self.nu, np.pi / 3)

    @property
    def folded_xi(self) -> Float[np.ndarray, "*network half"]:
        """Angle of ξ without regard to quarters of a turn, nor to which row is a and which b, 0 to π/4."""
        return _folded(self.xi, np.pi / 2)

    @property
    def folded_alpha(self) -> Float[np.ndarray, "*network half"]:
        """Angle of α without regard to quarters of a turn and its sign, 0 to π/4: it is 0 for z_syn."""
        return _folded(self.alpha, np.pi / 2)

    @property
    def folded_beta(self) -> Float[np.ndarray, "*network half"]:
        """Angle of β, as that of α."""
        return _folded(self.beta, np.pi / 2)


@checked
def factorise(
    a: Float[Array | np.ndarray, "*network element node"],
    b: Float[Array | np.ndarray, "*network element node"],
    c: Float[Array | np.ndarray, "*network node element"],
    characters: Characters,
    thresholds: Thresholds = Thresholds(),
) -> Factorisation:
    """Take networks with quadratic nodes apart, frequency by frequency, into a product of partial solutions.

        a_k = d⁻¹ Σ_x a_x χ̄_k(x),    node j is at k = argmax_k |a_kj| if |a_kj| > present

    a, b, c: weights as in `nucleate.algebra.Weights`, with any number of leading axes, such as members and steps; χ:
    `characters` of a group of d elements. Four or six nodes of a frequency are split into halves in all ways, for the
    pairs whose ratio is most alike; a product of two nodes with two or three others is then compared with the
    constructed forms. A node with weights that are not finite has no frequency.

    The authors' extraction differs in four ways, each of which leaves something to the order or the scale of nodes:

    1. It chooses pairs of nodes by row c alone, and not by all three: see `Pairing`.
    2. It compares nodes as they are. A node does the same if a and b are multiplied by s and c by s⁻²; here s is chosen
       such that |a_k|² + |b_k|² = 2 |c_k|² before any threshold, as it is where weight decay has come to rest.
    3. It takes ν as it comes. Here ν beside z_syn is turned by thirds to the value nearest ±i.
    4. It takes the three nodes as they come, but for signs and a conjugation. Here columns that may belong to the
       other half are multiplied by ν = ±i or ±1, for the choice closest to z_syn.

    Source: the code of [tian2024cogo].

    >>> from nucleate.algebra import mixed, to_weights
    >>> group = Characters.cyclic(7)
    >>> found = factorise(*to_weights(mixed(group, k0=2)), group)
    >>> found.names.tolist(), found.order.tolist()
    (['XI_NU', 'SYN_TWISTED', 'XI_NU'], [4, 6, 4])
    """
    a, b, c = (np.asarray(weights, float) for weights in (a, b, c))
    if a.shape[-2] != characters.order:
        raise ValueError(f"factorise: a must have {characters.order} rows, one for each element; got {a.shape[-2]}.")
    if b.shape != a.shape or c.shape != (*a.shape[:-2], a.shape[-1], a.shape[-2]):
        raise ValueError(f"factorise: a, b and c must be of one size; got the shapes {a.shape}, {b.shape}, {c.shape}.")
    d, nodes = a.shape[-2:]
    flat = zip(a.reshape(-1, d, nodes), b.reshape(-1, d, nodes), c.reshape(-1, nodes, d), strict=True)
    found = [_own_frequency(np.stack([x, y, m.T]), characters, thresholds.present) for x, y, m in flat]
    k = np.array([frequency for frequency, _ in found], int).reshape(-1, nodes)
    z = np.array([own for _, own in found], complex).reshape(-1, 3, nodes)
    arrays = _factors(k, z, characters.halves, thresholds)
    shaped = {name: array.reshape(*a.shape[:-2], *array.shape[1:]) for name, array in arrays.items()}
    return Factorisation(frequencies=characters.halves, **shaped)


def _own_frequency(
    weights: Float[np.ndarray, "3 element node"], characters: Characters, present: float
) -> tuple[Int[np.ndarray, " node"], Complex[np.ndarray, "3 node"]]:
    """The frequency of each node of one network, and its z at that frequency with rows in balance."""
    candidates = np.array([0, *characters.halves])
    values = characters.values[candidates] / characters.order
    finite = np.where(np.isfinite(weights).all(axis=(0, 1)), weights, 0.0)
    a, b, c = finite
    z = np.stack([values.conj() @ a, values.conj() @ b, values @ c])  # row, candidate, node
    best = np.abs(z[0]).argmax(axis=0)
    own = np.take_along_axis(z, best[None, None], axis=1)[:, 0]
    inputs, output = np.square(np.abs(own[:2])).sum(axis=0), np.square(np.abs(own[2]))
    used = (inputs > 0) & (output > 0)
    scale = np.where(used, 2 * output / np.where(used, inputs, 1), 0) ** (1 / 6)
    own = own * np.stack([scale, scale, 1 / np.where(used, scale, 1) ** 2])
    return np.where(np.abs(own[0]) > present, candidates[best], -1), own


def _factors(
    k: Int[np.ndarray, "network node"],
    z: Complex[np.ndarray, "network 3 node"],
    halves: Int[np.ndarray, " half"],
    thresholds: Thresholds,
) -> dict[str, np.ndarray]:
    """The arrays of a `Factorisation`, of networks in a row."""
    order = (k[:, None] == halves[:, None]).sum(axis=-1)
    result = {
        "node_frequency": k,
        "order": order,
        "kind": np.full(order.shape, FactorClass.NEITHER_4_NOR_6, np.int8),
        **{name: np.full(order.shape, np.nan) for name in ("error", "nu", "xi", "alpha", "beta")},
        "first": np.full((*order.shape, 3, 2), np.nan, complex),
        "second": np.full((*order.shape, 3, 3), np.nan, complex),
    }
    for nodes, classes in ((4, classes_of_four), (6, classes_of_six)):
        network, half = np.nonzero(order == nodes)
        blocks = [z[i][:, k[i] == halves[h]] for i, h in zip(network, half, strict=True)]
        split = best_split(np.array(blocks, complex).reshape(-1, 3, nodes), thresholds.flip, thresholds.pairing)
        good = split.error <= thresholds.factorable * np.sqrt(3 * nodes)
        result["kind"][network, half] = FactorClass.NONFACTORABLE
        result["error"][network, half] = split.error
        at, found = (network[good], half[good]), classes(split.first[good], split.second[good], thresholds.match)
        for name, values in found._asdict().items():
            where = (*at, slice(None), slice(nodes // 2)) if name == "second" else at
            result[name][where] = values
    return result


def _folded(angle: Float[np.ndarray, "*network half"], period: float) -> Float[np.ndarray, "*network half"]:
    rest = np.mod(angle, period)
    return np.minimum(rest, period - rest)
