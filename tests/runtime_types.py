"""Annotations of `nucleate` are checked as it runs: what is passed, what is returned, and that shapes agree.

jaxtyping's own hook has every call checked twice, and every argument bound to its name, for longer messages: of the
suite's time, a sixth. Here beartype checks a call once, within jaxtyping's scope of shapes where annotations have any.
"""

import dataclasses
import functools
import inspect
from types import CodeType
from typing import Any
from unittest.mock import patch

import jaxtyping
from beartype import BeartypeConf, beartype
from jaxtyping import _import_hook

_typed = beartype(conf=BeartypeConf(is_pep484_tower=True))  # an int is a good float, as every static checker agrees
_jaxtyped = jaxtyping.jaxtyped
_ONLY_NAMED = {
    ("nucleate.record.run", "xr.Dataset"),
    ("nucleate.papers.portraits", "Paper"),
}  # imported there for static checkers alone


def check() -> None:
    """Check every function and dataclass of `nucleate` that is imported from now on."""
    jaxtyping.jaxtyped = _checked  # with which the hook decorates
    _import_hook._JaxtypingLoader.get_code = _apart(_import_hook._JaxtypingLoader.get_code)
    jaxtyping.install_import_hook("nucleate", None)


def _apart(get_code: Any) -> Any:
    """The loader's bytecode, in files of its own.

    What counts lines asks for the code and executes it by itself, and the loader names its files only while executing:
    decorated bytecode would be left to whatever process comes next.
    """

    def code(loader: Any, name: str) -> CodeType | None:
        beside = functools.partial(_import_hook._optimized_cache_from_source, loader._typechecker.get_hash())
        with patch("importlib._bootstrap_external.cache_from_source", beside):
            return get_code(loader, name)

    return code


def _checked(*, typechecker: Any) -> Any:
    return decorated


def decorated(each: Any) -> Any:
    if not inspect.isclass(each):
        return _function(each)
    if dataclasses.is_dataclass(each):
        each.__init__ = _function(each.__init__)
    return each


def _function(function: Any) -> Any:
    """The function, which checks its calls; its annotations stay as they were written, for those who read them."""
    written = getattr(function, "__annotations__", None)
    if not isinstance(written, dict):
        return function
    if any(function.__module__ == module and name in str(written) for module, name in _ONLY_NAMED):
        return function
    kept = dict(written)
    typed = _typed(function)
    if typed is function:
        return function
    function.__annotations__ = kept
    typed.__annotations__ = dict(kept)
    return _scoped(typed) if _has_shapes(kept) else typed


def _scoped(typed: Any) -> Any:
    """A call has sizes of its own."""

    @functools.wraps(typed)
    def call(*args: Any, **kwargs: Any) -> Any:
        with _jaxtyped("context"):
            return typed(*args, **kwargs)

    return call


def _has_shapes(annotations: dict[str, Any]) -> bool:
    """Text is resolved when the function is called; until then, it may be anything."""
    return any(isinstance(each, str) or "jaxtyping" in repr(each) for each in annotations.values())
