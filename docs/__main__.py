"""The API's pages, into docs/api. pdoc shows the names that are loaded, so every room first loads all of its own."""

import importlib
import pkgutil
from pathlib import Path

import pdoc

import nucleate

for found in pkgutil.iter_modules(nucleate.__path__):
    if found.ispkg:
        room = importlib.import_module(f"nucleate.{found.name}")
        for name in room.__all__:
            getattr(room, name)

pdoc.render.configure(math=True)
pdoc.pdoc("nucleate", output_directory=Path(__file__).parent / "api")
