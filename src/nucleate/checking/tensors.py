"""Numbers of any library as NumPy arrays, without importing that library."""

from typing import Any

import numpy as np

from nucleate.checking.words import shown


def to_numpy(name: str, value: Any) -> np.ndarray:
    """A number, a list, or an array or tensor of any library and on any device, as a NumPy array.

    What NumPy has no type for, such as bfloat16, becomes single precision. The array may share its memory with `value`.

    >>> to_numpy("loss", [1, 2.5])
    array([1. , 2.5])
    >>> to_numpy("loss", "low")
    Traceback (most recent call last):
    ValueError: loss must be a number, or an array of numbers; got 'low'.
    """
    try:
        array = _known(_converted(value))
    except Exception as error:
        raise ValueError(f"{name} must be a number, or an array of numbers; got {shown(value)} ({error}).") from error
    if array.dtype.kind not in "biufc":
        raise ValueError(f"{name} must be a number, or an array of numbers; got {shown(value)}.")
    return array


def detached(name: str, value: Any) -> Any:
    """A tensor of PyTorch as a NumPy array, without its gradient; anything else as it is.

    >>> detached("loss", [1, 2.5])
    [1, 2.5]
    """
    return to_numpy(name, value) if hasattr(value, "detach") else value


def _known(array: np.ndarray) -> np.ndarray:
    """In a type, and an order of bytes, that every record can hold."""
    if array.dtype.kind == "V" and array.dtype.names is None:  # an extension of NumPy, as JAX has them
        return array.astype(np.float32)
    if array.dtype.kind in "fc" and array.dtype.itemsize > (8 if array.dtype.kind == "f" else 16):
        return array.astype(np.float64 if array.dtype.kind == "f" else np.complex128)
    return array.astype(array.dtype.newbyteorder("="), copy=False)


def _converted(value: Any) -> np.ndarray:
    if hasattr(value, "detach"):  # PyTorch
        value = value.detach().cpu()
        value = value.to_dense() if getattr(value, "is_sparse", False) else value
        unknown = str(value.dtype).removeprefix("torch.") in ("bfloat16", "float8_e4m3fn", "float8_e5m2")
        return np.asarray(value.float() if unknown else value)
    if hasattr(value, "get") and hasattr(value, "__cuda_array_interface__"):  # CuPy
        value = value.get()
    try:
        return np.asarray(value)
    except Exception:
        if not hasattr(value, "__dlpack__"):
            raise
        return np.from_dlpack(value)
