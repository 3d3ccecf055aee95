"""Fields and arguments that are checked by their annotations."""

import dataclasses
import functools
import inspect
import typing
from collections.abc import Callable
from typing import Any, NoReturn, TypeVar, final

from nucleate.checking.conform import conform
from nucleate.checking.shapes import refuse_shapes

Function = TypeVar("Function", bound=Callable)


class Checked:
    """A description that is checked when it is made. Implementations are dataclasses.

    Every field must have the type of its annotation, and numbers must be within its bounds: one number, or all numbers
    of a tuple, which must not be empty then. An int is a good float, a bool is not an int, and no number is NaN or
    infinite. Scalars of NumPy become Python's, lists become tuples, and names of members of enumerations and of files
    become those. What several fields must be together is checked by `check`.

    >>> from nucleate.checking import Above, Count
    >>> @dataclasses.dataclass(frozen=True)
    ... class Sweep(Checked):
    ...     seeds: Count = 3
    ...     rates: typing.Annotated[tuple[float, ...], Above(0)] = (0.1,)
    >>> Sweep(rates=[0.1, 1])
    Sweep(seeds=3, rates=(0.1, 1))
    >>> Sweep(rates=(0.1, -1))
    Traceback (most recent call last):
    ValueError: Sweep.rates must be > 0; got -1.
    >>> Sweep("three")
    Traceback (most recent call last):
    ValueError: Sweep.seeds must be a whole number >= 1; got 'three'.
    """

    @final
    def __post_init__(self):
        for name, hint in _fields(type(self)).items():
            given = getattr(self, name)
            value = conform(f"{type(self).__name__}.{name}", given, hint)
            if value is not given:
                object.__setattr__(self, name, value)  # the dataclass may be frozen
        self.check()

    def check(self) -> None:
        """Refuse fields that do not go together, with `refuse`."""
        return

    @final
    def refuse(self, name: str, why: str) -> NoReturn:
        """Say what is wrong with a field: "must be <= 54 for p = 10; got 60"."""
        raise ValueError(f"{type(self).__name__}.{name} {why}.")


def checked(function: Function) -> Function:
    """Check the arguments of a function that users call, as `Checked` checks fields.

    Where an array is wanted, anything that NumPy could make one of will do, if it has the annotated axes; a tensor of
    PyTorch becomes one.

    >>> from nucleate.checking import Above
    >>> @checked
    ... def spread(points: tuple[float, ...], power: typing.Annotated[float, Above(0)] = 2.0) -> float:
    ...     return sum(abs(point) ** power for point in points)
    >>> spread([1, 2])
    5.0
    >>> spread(None)
    Traceback (most recent call last):
    ValueError: spread: points must be a tuple of numbers; got None.
    >>> spread()
    Traceback (most recent call last):
    TypeError: spread: missing a required argument: 'points'.
    """
    signature = inspect.signature(function)
    name = function.__qualname__
    # An argument of a constructor is called like a field: "MLP.sizes".
    before = name.removesuffix("__init__") if name.endswith(".__init__") else f"{name}: "

    @functools.wraps(function)
    def entrance(*args, **kwargs):
        try:
            given = signature.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{before.rstrip('.: ')}: {error}.") from None
        hints = _parameters(function)
        for argument, hint in hints.items():
            if argument in given.arguments:
                given.arguments[argument] = conform(f"{before}{argument}", given.arguments[argument], hint)
        refuse_shapes(before, given.arguments, hints)
        return function(*given.args, **given.kwargs)

    return typing.cast(Function, entrance)


@functools.cache
def _fields(kind: type) -> dict[str, Any]:
    hints = typing.get_type_hints(kind, include_extras=True)
    return {field.name: hints[field.name] for field in dataclasses.fields(kind)}


@functools.cache
def _parameters(function: Callable) -> dict[str, Any]:
    hints = typing.get_type_hints(function, include_extras=True)
    named = inspect.signature(function).parameters.values()
    return {p.name: hints[p.name] for p in named if p.name in hints and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)}
