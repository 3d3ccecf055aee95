"""Python values as JSON and arrays, without pickle: a file can name what this process has loaded, but run nothing."""

import dataclasses
import enum
import functools
import inspect
import math
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

_TRUSTED = ("nucleate", "numpy", "jax", "equinox", "optax", "diffrax")


def pack(value: Any, trusted: tuple[str, ...] = ()) -> tuple[Any, list[np.ndarray]]:
    """`value` as a JSON tree and the arrays that it refers to by number.

    Numbers, text, containers, paths, arrays, xarray's datasets, enumerations, dataclasses, named tuples, and classes
    and functions that a module has by their name; of the top-level packages nucleate, NumPy, JAX and its kin, and
    `trusted`. A `TypeError` says what cannot be packed.

    >>> pack({"loss": (1.0, float("nan")), "step": [3]})
    ({'dict': [['loss', {'tuple': [1.0, {'float': 'nan'}]}], ['step', [3]]]}, [])
    """
    arrays: list[np.ndarray] = []
    return _Packer(arrays, _TRUSTED + trusted).pack(value), arrays


def unpack(tree: Any, arrays: list[np.ndarray], trusted: tuple[str, ...] = ()) -> Any:
    """The value that was packed. Nothing is imported and nothing is called, not even a constructor: a `ValueError`
    says what is not loaded, not trusted, or not what it was.

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
            return {"enum": self._named(type(value)), "member": value.name}
        if type(value) is np.ndarray or isinstance(value, np.generic) or _is_jax_array(value):
            return self._array(value)
        if isinstance(value, xr.Dataset):
            return self._dataset(value)
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
        if isinstance(value, type) or (callable(value) and hasattr(value, "__qualname__")):
            return {"name": self._named(value)}
        if dataclasses.is_dataclass(value):
            return {"object": self._named(type(value)), "fields": self._fields(value)}
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return {"named tuple": self._named(type(value)), "items": [self.pack(item) for item in value]}
        raise TypeError(f"a value of type {type(value).__name__} cannot be packed")

    def _fields(self, value: Any) -> dict[str, Any]:
        names = [field.name for field in dataclasses.fields(value)]
        for name in getattr(value, "__dict__", {}).keys() - set(names):
            if not isinstance(inspect.getattr_static(type(value), name, None), functools.cached_property):
                raise TypeError(
                    f"a value of type {type(value).__name__} cannot be packed: '{name}' is not one of its fields"
                )
        return {name: self.pack(getattr(value, name)) for name in names}

    def _array(self, value: Any) -> dict[str, Any]:
        array = np.asarray(value)
        if array.dtype.kind not in "biufcUSmM":
            raise TypeError(f"an array of {array.dtype} cannot be packed")
        self.arrays.append(array)
        kind = "scalar" if isinstance(value, np.generic) else "numpy" if isinstance(value, np.ndarray) else "jax"
        return {"array": len(self.arrays) - 1, "kind": kind}

    def _dataset(self, dataset: xr.Dataset) -> dict[str, Any]:
        if not all(isinstance(name, str) for name in (*dataset.variables, *dataset.dims)):
            raise TypeError("a Dataset with names that are not text cannot be packed")
        variables = {
            name: [list(v.dims), self._array(v.values), self.pack(dict(v.attrs))]
            for name, v in dataset.variables.items()
        }
        return {"dataset": variables, "coords": list(dataset.coords), "attrs": self.pack(dict(dataset.attrs))}

    def _named(self, thing: Any) -> str:
        name = f"{thing.__module__}:{thing.__qualname__}"
        try:
            found = _find(name, self.trusted)
        except ValueError as problem:
            raise TypeError(f"{name} cannot be packed: {problem}") from None
        if found is not thing:
            raise TypeError(f"{name} cannot be packed: its module has something else by that name")
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
        for kind, unpack in self._kinds.items():
            if kind in tree:
                return unpack(tree)
        raise ValueError(f"an object of unknown kind: {list(tree)}")

    @property
    def _kinds(self) -> dict[str, Callable[[Mapping], Any]]:
        return {
            "float": lambda tree: float(tree["float"]),
            "tuple": lambda tree: tuple(self.unpack(item) for item in tree["tuple"]),
            "dict": lambda tree: {self.unpack(key): self.unpack(item) for key, item in tree["dict"]},
            "path": lambda tree: Path(tree["path"]),
            "enum": lambda tree: self._class(tree["enum"], enum.Enum)[tree["member"]],
            "array": self._array,
            "dataset": self._dataset,
            "object": self._object,
            "named tuple": self._named_tuple,
            "name": lambda tree: _find(tree["name"], self.trusted),
        }

    def _array(self, tree: Mapping) -> Any:
        array = self.arrays[tree["array"]]
        if tree["kind"] == "scalar":
            return array[()]
        return _jax_array(array) if tree["kind"] == "jax" else array

    def _dataset(self, tree: Mapping) -> xr.Dataset:
        variables = {
            name: xr.Variable(dims, self._array(array), self.unpack(attrs))
            for name, (dims, array, attrs) in tree["dataset"].items()
        }
        return xr.Dataset(variables, attrs=self.unpack(tree["attrs"])).set_coords(tree["coords"])

    def _object(self, tree: Mapping) -> Any:
        kind = self._class(tree["object"], object)
        if not dataclasses.is_dataclass(kind):
            raise ValueError(f"{tree['object']} is not a dataclass")
        if {field.name for field in dataclasses.fields(kind)} != set(tree["fields"]):
            raise ValueError(f"{tree['object']} has other fields now")
        made = object.__new__(kind)  # type: ignore[arg-type]
        for name, item in tree["fields"].items():
            object.__setattr__(made, name, self.unpack(item))
        return made

    def _named_tuple(self, tree: Mapping) -> Any:
        kind = self._class(tree["named tuple"], tuple)
        items = [self.unpack(item) for item in tree["items"]]
        if len(getattr(kind, "_fields", ())) != len(items):
            raise ValueError(f"{tree['named tuple']} has other fields now")
        return tuple.__new__(kind, items)

    def _class(self, name: str, base: type) -> Any:
        found = _find(name, self.trusted)
        if not (isinstance(found, type) and issubclass(found, base)):
            raise ValueError(f"{name} is not a class of {base.__name__}")
        return found


def _is_jax_array(value: Any) -> bool:
    # Not by the package of its type: JAX's own functions, such as `jnp.tanh`, are of that package too.
    jax = sys.modules.get("jax")
    return jax is not None and isinstance(value, jax.Array)


def _jax_array(array: np.ndarray) -> Any:
    jax = sys.modules["jax"]
    with jax.enable_x64(True):  # or JAX would round double precision to single
        return jax.numpy.asarray(array)


def _find(name: str, trusted: tuple[str, ...]) -> Any:
    """What a loaded module has defined by a name `module:qualified.name`."""
    module, _, path = name.partition(":")
    if module.split(".")[0] not in trusted:
        raise ValueError(f"{name} is not of a trusted package")
    found = sys.modules.get(module)
    for part in path.split("."):
        found = getattr(found, part, None)
    # A module also has what it imported: `os.system` is not its own.
    if (getattr(found, "__module__", None), getattr(found, "__qualname__", None)) != (module, path):
        raise ValueError(f"{name} is not loaded")
    return found
