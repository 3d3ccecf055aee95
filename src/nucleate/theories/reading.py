"""How theories read a record: what most laws need of it, and which rows are finite.

Each package has a module `record` that uses these functions to read the variables of its own theory.
"""

import numpy as np
import xarray as xr
from jaxtyping import Bool, Float, Integer

from nucleate.record import Need

STEP = Need("step", ("step",), "the training step of each row; every fleet records it as a coordinate")
EMBEDDING = Need(
    "embedding", ("member", "step", "token", "dim"), "the token embeddings; a probe of the fleet records them"
)
PAIRS = (
    Need("left", ("pair",), "the first token of each pair; the fleet's task provides it"),
    Need("right", ("pair",), "the second token of each pair; the fleet's task provides it"),
    Need("label", ("pair",), "the answer to each pair; the fleet's task provides it"),
)


def finite_rows(
    record: xr.Dataset, names: tuple[str, ...], dims: tuple[str, ...]
) -> tuple[list[Float[np.ndarray, "member step ..."]], Bool[np.ndarray, "member step"]]:
    """The variables `names` in double precision, and whether a row and all rows before it are finite in all of them.

    `dims`: the order of the axes, member and step first. Rows that are not finite, and those after them, are set to 0.

    >>> record = xr.Dataset({"x": (("member", "step", "freq"), [[[1.0], [np.nan], [3.0]]])})
    >>> (x,), finite = finite_rows(record, ("x",), ("member", "step", "freq"))
    >>> x.ravel().tolist(), finite.tolist()
    ([1.0, 0.0, 0.0], [[True, False, False]])
    """
    values = [record[name].transpose(*dims).to_numpy().astype(np.float64) for name in names]
    inner = tuple(range(2, len(dims)))
    finite = np.logical_and.reduce([np.isfinite(value).all(axis=inner) for value in values])
    finite = np.logical_and.accumulate(finite, axis=1)
    mask = np.expand_dims(finite, inner)
    return [np.where(mask, value, 0) for value in values], finite


def rising_steps(held: xr.DataArray, theory: str, dim: str = "step", least: int = 1) -> Float[np.ndarray, " step"]:
    """The training steps along `dim` of `held`, which must rise and be at least `least` in number.

    >>> rising_steps(xr.DataArray([1.0, 1.0], dims="step", coords={"step": [5, 5]}), "LinearFlow")
    Traceback (most recent call last):
    ValueError: LinearFlow needs rising steps, at least 1; got step = [5. 5.].
    """
    if dim not in held.coords:
        raise ValueError(f"{theory} needs the coordinate '{dim}', the training step of each row of '{held.name}'.")
    step = held[dim].to_numpy().astype(np.float64)
    if len(step) < least or np.any(np.diff(step) <= 0):
        raise ValueError(f"{theory} needs rising steps, at least {least}; got {dim} = {step}.")
    return step


def scaled_times(record: xr.Dataset, rate: str) -> Float[np.ndarray, "member step"]:
    """Training steps since the first row, multiplied by each member's learning rate, the variable `rate`.

    >>> record = xr.Dataset(coords={"step": [10, 30], "eta": 0.1, "member": [0, 1]})
    >>> scaled_times(record, "eta").tolist()
    [[0.0, 2.0], [0.0, 2.0]]
    """
    step = record["step"].to_numpy().astype(np.float64)
    eta = np.broadcast_to(record[rate].to_numpy().astype(np.float64), record.sizes["member"])
    return (step - step[0]) * eta[:, None]


def labelled_pairs(record: xr.Dataset) -> tuple[Integer[np.ndarray, "pair 2"], Integer[np.ndarray, " pair"]]:
    """The pairs of tokens that the record's task lists, and the label of each.

    >>> labelled_pairs(xr.Dataset({"left": ("pair", [0]), "right": ("pair", [2]), "label": ("pair", [2])}))
    (array([[0, 2]]), array([2]))
    """
    pairs = np.stack([record["left"].to_numpy(), record["right"].to_numpy()], axis=-1)
    return pairs, record["label"].to_numpy()


def coords_over(record: xr.Dataset, *dims: str) -> dict[str, xr.DataArray]:
    """The coordinates that have no other dimensions than `dims`: what a score takes over from its record.

    >>> record = xr.Dataset(coords={"step": [0, 1], "seed": ("member", [7])})
    >>> [*coords_over(record, "member")]
    ['seed']
    """
    return {str(name): coord for name, coord in record.coords.items() if set(coord.dims) <= set(dims)}
