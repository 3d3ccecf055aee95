"""Python values as JSON and arrays, without pickle: a file can name what this process has loaded, and run nothing."""

import dataclasses
import enum
import math
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

_TRUSTED = ("nucleate", "numpy", "jax", "equinox", "optax", "diffrax")


def pack(value: Any, trusted: tuple[str, ...] = ()) -> tuple[Any, list[np.ndarray]]:
    """`value` as a JSON tree and the arrays that it refers to by number.

    Numbers, text, containers, paths, arrays, xarray's datasets, enumerations, dataclasses, named tuples and functions
    that a module has by their name; of the top-level packages nucleate, NumPy, JAX and its kin, and `trusted`. A
    `TypeError` says what cannot be packed.

    >>> pack({"loss": (1.0, float("nan")), "step": [3]})
    ({'dict': [['loss', {'tuple': [1.0, {'float': 'nan'}]}], ['step', [3]]]}, [])
    """
    arrays: list[np.ndarray] = []
    return _Packer(arrays, _TRUSTED + trusted).pack(value), arrays


def unpack(tree: Any, arrays: list[np.ndarray], trusted: tuple[str, ...] = ()) -> Any:
    """The value that was packed. Nothing is imported: what is not loaded is a `ValueError`.

    >>> unpack(*pack((1, [2.5, None], np.arange(3))))
    (1, [2.5, None], array([0, 1, 2]))
    """
    return _Unpacker(arrays, _TRUSTED + trusted).unpack(tree)


@dataclasses.dataclass
class _Packer:
    arrays: list[np.ndarray]
    trusted: tuple[str, ...]

    def pack(self, value: Any) -> Any:
        if value is None or type(value) in (bool, int, str):
            return value
        if type(value) is float:
            return value if math.isfinite(value) else {"float": repr(value)}
        if isinstance(value, enum.Enum):
            return {"enum": self._name(type(value)), "value": value.name}
        if isinstance(value, np.ndarray | np.generic) or _is_jax_array(value):
            return self._array(value)
        if isinstance(value, xr.Dataset):
            return {"dataset": {str(k): self._variable(v) for k, v in value.variables.items()}} | {
                "coords": [str(name) for name in value.coords],
                "attrs": self.pack(dict(value.attrs)),
            }
        if isinstance(value, Path):
            return {"path": str(value)}
        return self._composite(value)

    def _composite(self, value: Any) -> Any:
        if type(value) is list:
            return [self.pack(item) for item in value]
        if type(value) is tuple:
            return {"tuple": [self.pack(item) for item in value]}
        if type(value) is dict:
            return {"dict": [[self.pack(key), self.pack(item)] for key, item in value.items()]}
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            fields = {field.name: self.pack(getattr(value, field.name)) for field in dataclasses.fields(value)}
            return {"object": self._name(type(value)), "fields": fields}
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return {"named": self._name(type(value)), "items": [self.pack(item) for item in value]}
        if hasattr(value, "__qualname__") and hasattr(value, "__module__"):
            return {"name": self._name(value)}
        raise TypeError(f"a {type(value).__name__} cannot be packed")

    def _array(self, value: Any) -> dict[str, Any]:
        array = np.asarray(value)
        if array.dtype.kind not in "biufcUSmM":
            raise TypeError(f"an array of {array.dtype} cannot be packed")
        self.arrays.append(array)
        kind = "scalar" if isinstance(value, np.generic) else "numpy" if isinstance(value, np.ndarray) else "jax"
        return {"array": len(self.arrays) - 1, "kind": kind}

    def _variable(self, variable: xr.Variable) -> list[Any]:
        return [list(map(str, variable.dims)), self._array(variable.values), self.pack(dict(variable.attrs))]

    def _name(self, thing: Any) -> str:
        name = f"{thing.__module__}:{thing.__qualname__}"
        try:
            found = _find(name, self.trusted)
        except ValueError:  # a lambda, or a function within another
            found = None
        if found is not thing:
            raise TypeError(f"{name} cannot be packed: it is not what its module has by that name")
        return name


@dataclasses.dataclass
class _Unpacker:
    arrays: list[np.ndarray]
    trusted: tuple[str, ...]

    def unpack(self, tree: Any) -> Any:
        if isinstance(tree, list):
            return [self.unpack(item) for item in tree]
        if not isinstance(tree, Mapping):
            return tree
        kind = next(iter(tree))
        return getattr(self, f"_{kind}")(tree)

    def _float(self, tree: Mapping) -> float:
        return float(tree["float"])

    def _tuple(self, tree: Mapping) -> tuple:
        return tuple(self.unpack(item) for item in tree["tuple"])

    def _dict(self, tree: Mapping) -> dict:
        return {self.unpack(key): self.unpack(item) for key, item in tree["dict"]}

    def _path(self, tree: Mapping) -> Path:
        return Path(tree["path"])

    def _enum(self, tree: Mapping) -> enum.Enum:
        return _find(tree["enum"], self.trusted)[tree["value"]]

    def _array(self, tree: Mapping) -> Any:
        array = self.arrays[tree["array"]]
        if tree["kind"] == "scalar":
            return array[()]
        return _jax_array(array) if tree["kind"] == "jax" else array

    def _dataset(self, tree: Mapping) -> xr.Dataset:
        made = {
            name: xr.Variable(dims, self._array(array), self.unpack(attrs))
            for name, (dims, array, attrs) in tree["dataset"].items()
        }
        dataset = xr.Dataset(made, attrs=self.unpack(tree["attrs"]))
        return dataset.set_coords(tree["coords"])

    def _object(self, tree: Mapping) -> Any:
        kind = _find(tree["object"], self.trusted)
        if {field.name for field in dataclasses.fields(kind)} != set(tree["fields"]):
            raise ValueError(f"{tree['object']} has other fields now")
        made = object.__new__(kind)
        for name, item in tree["fields"].items():
            object.__setattr__(made, name, self.unpack(item))
        return made

    def _named(self, tree: Mapping) -> Any:
        return _find(tree["named"], self.trusted)(*map(self.unpack, tree["items"]))

    def _name(self, tree: Mapping) -> Any:
        return _find(tree["name"], self.trusted)


def _is_jax_array(value: Any) -> bool:
    # Not by the package of its type: JAX's own functions, such as `jnp.tanh`, are of that package too.
    jax = sys.modules.get("jax")
    return jax is not None and isinstance(value, jax.Array)


def _jax_array(array: np.ndarray) -> Any:
    jax = sys.modules["jax"]
    with jax.enable_x64(True):  # or JAX would round double precision to single
        return jax.numpy.asarray(array)


def _find(name: str, trusted: tuple[str, ...]) -> Any:
    """What a loaded module has by a name `module:qualified.name`."""
    module, _, path = name.partition(":")
    if module.split(".")[0] not in trusted:
        raise TypeError(f"{name} is of no trusted package")
    found = sys.modules.get(module)
    for part in path.split("."):
        found = getattr(found, part, None)
    if found is None:
        raise ValueError(f"{name} is not loaded")
    return found
