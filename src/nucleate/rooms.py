"""Rooms whose names are loaded when they are asked for: reading a file does not wait for what draws and trains."""

import ast
import importlib
import inspect
import sys
from types import ModuleType
from typing import Any


def on_demand(room: str) -> None:
    """Load each public name of a room with the module it is from, when it is first asked for [PEP 562].

    In the room's `__init__.py` the imports of its names are there for type checkers, documentation and import-linter;
    here they are read, and carried out one by one:

        if TYPE_CHECKING:
            from nucleate.record.run import Run, list_runs

        __all__ = ["Run", "list_runs"]

        on_demand(__name__)
    """
    module = sys.modules[room]
    vars(module)["_homes"] = _homes(inspect.getsource(module))
    module.__class__ = _Room


def _homes(source: str) -> dict[str, str]:
    """The module of each name that is imported for type checkers.

    >>> _homes("from typing import TYPE_CHECKING\\nif TYPE_CHECKING:\\n    from room.run import Run, list_runs")
    {'Run': 'room.run', 'list_runs': 'room.run'}
    """
    blocks = [each for each in ast.parse(source).body if isinstance(each, ast.If)]
    imports = [each for block in blocks for each in block.body if isinstance(each, ast.ImportFrom)]
    return {name.name: str(each.module) for each in imports for name in each.names}


class _Room(ModuleType):
    _homes: dict[str, str]

    def __getattr__(self, name: str) -> Any:
        if name not in self._homes:
            raise AttributeError(f"module '{self.__name__}' has no attribute '{name}'")
        value = getattr(importlib.import_module(self._homes[name]), name)
        setattr(self, name, value)
        return value

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, ModuleType) and name in self._homes:
            return  # Python hands a package its modules: `plots.style` is the function, whoever loads `plots/style.py`
        super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._homes})
