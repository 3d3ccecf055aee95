"""Annotations of `nucleate` are checked as it runs: what is passed, what is returned, and that shapes agree.

jaxtyping's own hook has every call checked twice, and every argument bound to its name, for longer messages: of the
suite's time, a sixth. Here beartype checks a call once, within jaxtyping's scope of shapes where annotations have any.
"""

import dataclasses
import inspect
from typing import Any

import jaxtyping
from beartype import BeartypeConf, beartype

_typed = beartype(conf=BeartypeConf(is_pep484_tower=True))  # an int is a good float, as every static checker agrees
_jaxtyped = jaxtyping.jaxtyped


def check() -> None:
    """Check every function and dataclass of `nucleate` that is imported from now on."""
    jaxtyping.jaxtyped = _checked  # with which the hook decorates
    jaxtyping.install_import_hook("nucleate", None)


def _checked(*, typechecker: Any) -> Any:
    return decorated


def decorated(each: Any) -> Any:
    if not inspect.isclass(each):
        return _function(each)
    if dataclasses.is_dataclass(each):
        each.__init__ = _function(each.__init__)
    return each


def _function(function: Any) -> Any:
    typed = _typed(function)
    return _jaxtyped(typed, typechecker=None) if _has_shapes(function) and typed is not function else typed


def _has_shapes(function: Any) -> bool:
    """Text is resolved when the function is called; until then, it may be anything."""
    annotations = getattr(function, "__annotations__", {}).values()
    return any(isinstance(each, str) or "jaxtyping" in repr(each) for each in annotations)
