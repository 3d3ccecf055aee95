"""A laboratory for watching structure form inside neural networks while they train.

A room is loaded when it is first asked for, as `nucleate.record` or by an import of its own:

    from nucleate.record import Run
"""

import importlib
import pkgutil
from typing import Any

__version__ = "0.1.0"


def _rooms() -> list[str]:
    return [found.name for found in pkgutil.iter_modules(__path__) if found.ispkg]


def __getattr__(name: str) -> Any:
    if name in (rooms := _rooms()):
        return importlib.import_module(f"nucleate.{name}")
    raise AttributeError(f"module 'nucleate' has no attribute '{name}'; its rooms are {', '.join(rooms)}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_rooms()})
