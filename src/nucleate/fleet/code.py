"""The code of a recipe that is not nucleate's own, so that a rewritten one is not taken for what trained a run."""

import ast
import hashlib
import inspect
import sys
import textwrap
from pathlib import Path
from types import FunctionType
from typing import Any

from nucleate.fleet.files import INSTALLED, home_of
from nucleate.fleet.recipe import Recipe

_CONSTANTS = (bool, int, float, complex, str, bytes, tuple, frozenset, type(None))


def code_of(recipe: Recipe) -> str | None:
    """A digest of what a recipe's class is made of, as it is written, without comments and docstrings: itself, its
    bases, and the classes, functions and constants of the user's that they name, and so on. An object that is `made_of`
    classes and functions, such as a `TorchModel`, stands for these, also in a field of the recipe.

    Installed packages, whose versions a run records, are not looked into. None for recipes of nucleate, and for code
    that is in no file.
    """
    if not _is_users(type(recipe)):
        return None
    parts: dict[str, str] = {}
    try:
        _collect(type(recipe), parts)
        for value in vars(recipe).values():
            _collect_of(value, parts)
    except (OSError, TypeError, SyntaxError):
        return None
    text = "\n".join(f"{name} = {parts[name]}" for name in sorted(parts))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def name_of(thing: Any) -> str:
    """What a class or a function is called. The user's modules are called as their files are, whoever imports them: as
    a script, from another folder, or by `import_file`."""
    file = file_of(thing)
    return f"{home_of(Path(file))[1] if file else thing.__module__}.{thing.__qualname__}"


def file_of(thing: Any) -> str | None:
    """The file of a class or a function of the user's; None if it is nucleate's, an installed package's, or in none."""
    if not isinstance(thing, type | FunctionType) or not _is_users(thing):
        return None
    file = Path(inspect.getfile(thing)).resolve()
    return str(file) if file.is_file() else None


def _collect(thing: type | FunctionType, parts: dict[str, str]) -> None:
    """Add the text of a class or function to `parts`, with all of the user's that it names."""
    if thing.__qualname__ in parts or not _is_users(thing):
        return
    tree = _parsed(thing)
    parts[thing.__qualname__] = ast.dump(_without_docstrings(tree))
    for base in thing.__mro__[1:] if isinstance(thing, type) else ():
        _collect(base, parts)
    known = vars(sys.modules[thing.__module__])
    for name in sorted({node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} & known.keys()):
        named = inspect.unwrap(known[name]) if callable(known[name]) else known[name]
        if isinstance(named, _CONSTANTS):
            parts[name] = repr(named)
        else:
            _collect_of(named, parts)


def _parsed(thing: type | FunctionType) -> ast.AST:
    try:
        return ast.parse(textwrap.dedent(inspect.getsource(thing)))
    except SystemError:  # some Pythons fail now and then where several threads parse at once (python/cpython#106905)
        return ast.parse(textwrap.dedent(inspect.getsource(thing)))


def _collect_of(value: Any, parts: dict[str, str]) -> None:
    for part in getattr(value, "made_of", (value,)):
        if isinstance(part, type | FunctionType):
            _collect(part, parts)


def _is_users(thing: type | FunctionType) -> bool:
    """Whether a class or function is neither of nucleate nor of an installed package."""
    if thing.__module__.split(".")[0] == "nucleate":
        return False
    try:
        file = Path(inspect.getfile(thing))
    except (OSError, TypeError):  # built in
        return False
    return not any(file.is_relative_to(folder) for folder in INSTALLED)


def _without_docstrings(tree: ast.AST) -> ast.AST:
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [line for line in body if not _is_text(line)]  # type: ignore[attr-defined]
    return tree


def _is_text(line: ast.stmt) -> bool:
    return isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant) and isinstance(line.value.value, str)
