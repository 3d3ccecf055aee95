"""What is sent to workers: pickled, where classes and functions of the user's are named by the files that they are in.

Pickle names a class by its module. A script's is `__main__`, that of a paper's file is known to the command line alone:
workers have neither. So they import the file, as `nucleate resume` does, and anew when one has been changed, since
workers may outlive many runs. What is in no file, as in a notebook, travels by value, but for Equinox's modules, which
do not survive that.
"""

import functools
import importlib
import io
import pickle
import sys
import threading
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import cloudpickle
import equinox as eqx

from nucleate.fleet.files import INSTALLED, import_file
from nucleate.record import RunError

_SCRIPTS = ("__main__", "__mp_main__")  # of a process and of those that multiprocessing made from it: they stay

unpacked = pickle.loads


def packed(what: Any) -> bytes:
    """`what`, which `unpacked` makes again in another process."""
    parcel = io.BytesIO()
    _Packer(parcel).dump(what)
    return parcel.getvalue()


class _Packer(cloudpickle.Pickler):
    def reducer_override(self, obj: Any) -> Any:
        if isinstance(obj, ModuleType) and (file := _file_of(obj)):
            return _fetched, (str(file), obj.__name__, "")
        if isinstance(obj, type | FunctionType):
            module = sys.modules.get(obj.__module__)
            known = _named(module, obj.__qualname__) is obj
            if known and (file := _file_of(module)):
                return _fetched, (str(file), obj.__module__, obj.__qualname__)
            if isinstance(obj, type) and issubclass(obj, eqx.Module) and not (known and obj.__module__ not in _SCRIPTS):
                raise RunError(
                    f"workers could not import {obj.__qualname__}; put it into a Python file, outside of functions."
                )
        return super().reducer_override(obj)


def _file_of(module: Any) -> Path | None:
    """The file of a module of the user's; None if it is nucleate's, an installed package's, Python's, or in none."""
    where = getattr(module, "__file__", None)
    known = isinstance(where, str) and module.__name__.split(".")[0] != "nucleate"
    return _users(where) if known else None


@functools.cache
def _users(where: str) -> Path | None:
    file = Path(where)
    users = file.suffix == ".py" and not any(file.is_relative_to(folder) for folder in INSTALLED)
    return file.resolve() if users and file.is_file() else None


def _named(module: Any, name: str) -> Any:
    """What is called so in a module: the module itself without a name, None if there is nothing."""
    try:
        return functools.reduce(getattr, name.split("."), module) if name else module
    except AttributeError:
        return None


def _fetched(file: str, module: str, name: str) -> Any:
    """What is called so in a file of the user's or, where there is no such file, in an installed module."""
    with _importing:
        if Path(file).is_file():
            _forget_changed()
            found = import_file(file)
            _seen.update({path: _stamp(path) for path in _users_modules().values() if path not in _seen})
        else:
            found = _installed(module, file)
        return _named(found, name)


def _installed(module: str, file: str) -> ModuleType:
    if module not in _SCRIPTS:
        try:
            return importlib.import_module(module)
        except ImportError:
            pass
    raise RunError(f"it does not see {file}: put that on a file system that all workers share, under the same path.")


def _forget_changed() -> None:
    """If a file has been changed since it was imported, forget all that may have used it."""
    if all(_stamp(path) == stamp for path, stamp in _seen.items()):
        return
    for name in _users_modules():
        del sys.modules[name]
    importlib.invalidate_caches()
    _seen.clear()


def _users_modules() -> dict[str, Path]:
    return {
        name: file for name, module in [*sys.modules.items()] if name not in _SCRIPTS and (file := _file_of(module))
    }


def _stamp(file: Path) -> tuple[int, int] | None:
    try:
        about = file.stat()
    except OSError:
        return None
    return about.st_mtime_ns, about.st_size


_importing = threading.RLock()
_seen: dict[Path, tuple[int, int] | None] = {}
