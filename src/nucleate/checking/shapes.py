"""Whether arrays have the axes that their annotations name."""

import typing
from collections.abc import Mapping
from typing import Any

import numpy as np


def refuse_shapes(before: str, arguments: Mapping[str, Any], hints: Mapping[str, Any]) -> None:
    """Refuse arrays that have more or fewer axes than annotated, or two sizes for an axis of one name.

    Of annotations that leave the number of axes open ("*state dim"), only the fewest is asked for. `before`: what
    errors begin with.

    >>> from jaxtyping import Float
    >>> hints = {"x": Float[np.ndarray, "token dim"], "y": Float[np.ndarray, "token dim"]}
    >>> refuse_shapes("error: ", {"x": np.ones((3, 2)), "y": np.ones((4, 2))}, hints)
    Traceback (most recent call last):
    ValueError: error: y must have 3 rows along 'token', as others have; got an array of shape (4, 2).
    """
    sizes: dict[str, int] = {}
    for name, value in arguments.items():
        axes = _axes(hints.get(name))
        if axes is None or value is None:
            continue
        shape = np.shape(value)
        fixed = [axis for axis in axes if not _is_open(axis)]
        if len(shape) < len(fixed) or (len(shape) > len(fixed) and fixed == axes):
            wanted = f"the axes ({', '.join(axes)})" if axes else "no axes, as a number"
            raise ValueError(f"{before}{name} must have {wanted}; got an array of shape {shape}.")
        for axis, size in zip(axes, shape, strict=True) if fixed == axes else ():
            if axis.isidentifier() and sizes.setdefault(axis, size) != size:
                raise ValueError(
                    f"{before}{name} must have {sizes[axis]} rows along '{axis}', as others have; "
                    f"got an array of shape {shape}."
                )


def _axes(hint: Any) -> list[str] | None:
    """The axes that an annotation names; None if it is not of an array."""
    for part in (hint, *typing.get_args(hint)):
        written = getattr(part, "dim_str", None)
        if isinstance(written, str):
            return written.split()
    return None


def _is_open(axis: str) -> bool:
    return "*" in axis or "..." in axis
