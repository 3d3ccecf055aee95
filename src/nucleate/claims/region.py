"""Acceptance regions: where a number must lie for a claim to hold."""

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

from nucleate.checking import Checked, Infinite
from nucleate.claims.statistics import Estimate


class Verdict(StrEnum):
    """What a measurement says of a claim."""

    REPLICATED = "replicated"
    CONTRADICTED = "contradicted"
    INCONCLUSIVE = "inconclusive"
    SHOWN = "shown"
    """Reported and not judged: the paper does not fix it, or it is so by our choice."""


@dataclass(frozen=True)
class Region(Checked):
    """An interval of accepted numbers. A bound belongs to it unless it is `open`.

    An estimate whose whole interval is inside replicates, one whose whole interval is outside contradicts, anything
    between is inconclusive.

    >>> Region.between(0.35, 0.45).judge(Estimate(0.4, 0.38, 0.42))
    <Verdict.REPLICATED: 'replicated'>
    >>> Region.above(0).judge(Estimate(0.1, 0.0, 0.3))
    <Verdict.INCONCLUSIVE: 'inconclusive'>
    >>> Region.above(0).judge(Estimate.exact(0))
    <Verdict.CONTRADICTED: 'contradicted'>
    """

    low: Annotated[float, Infinite()] = -math.inf
    high: Annotated[float, Infinite()] = math.inf
    low_open: bool = False
    high_open: bool = False

    def check(self) -> None:
        if not self.low <= self.high:
            raise ValueError(f"Region.low must be <= high; got {self.low} and {self.high}.")
        if self.low == self.high and (self.low_open or self.high_open):
            raise ValueError(f"Region is empty: {self.low} with an open bound; leave both bounds closed.")

    @classmethod
    def between(cls, low: float, high: float) -> "Region":
        """low ≤ x ≤ high"""
        return cls(low, high)

    @classmethod
    def strictly_between(cls, low: float, high: float) -> "Region":
        """low < x < high"""
        return cls(low, high, low_open=True, high_open=True)

    @classmethod
    def around(cls, value: float, tolerance: float) -> "Region":
        """|x − value| ≤ tolerance"""
        return cls(value - tolerance, value + tolerance)

    @classmethod
    def exactly(cls, value: float) -> "Region":
        """x = value"""
        return cls(value, value)

    @classmethod
    def at_least(cls, low: float) -> "Region":
        """x ≥ low"""
        return cls(low=low)

    @classmethod
    def at_most(cls, high: float) -> "Region":
        """x ≤ high"""
        return cls(high=high)

    @classmethod
    def above(cls, low: float) -> "Region":
        """x > low"""
        return cls(low=low, low_open=True)

    @classmethod
    def below(cls, high: float) -> "Region":
        """x < high"""
        return cls(high=high, high_open=True)

    def judge(self, estimate: Estimate) -> Verdict:
        if estimate.reason is not None or math.isnan(estimate.low) or math.isnan(estimate.high):
            return Verdict.INCONCLUSIVE
        if self._reaches(estimate.low) and self._stays(estimate.high):
            return Verdict.REPLICATED
        if not self._reaches(estimate.high) or not self._stays(estimate.low):
            return Verdict.CONTRADICTED
        return Verdict.INCONCLUSIVE

    def _reaches(self, number: float) -> bool:
        return number > self.low if self.low_open else number >= self.low

    def _stays(self, number: float) -> bool:
        return number < self.high if self.high_open else number <= self.high

    def __str__(self) -> str:
        """
        >>> print(Region.above(0), Region.at_most(1), Region.between(0, 1), Region.exactly(2), sep="; ")
        > 0; ≤ 1; in [0, 1]; = 2
        """
        if self.low == -math.inf and self.high == math.inf:
            return "any number"
        if self.low == self.high:
            return f"= {self.low:g}"
        if math.isinf(self.high):
            return f"{'>' if self.low_open else '≥'} {self.low:g}"
        if math.isinf(self.low):
            return f"{'<' if self.high_open else '≤'} {self.high:g}"
        return f"in {'(' if self.low_open else '['}{self.low:g}, {self.high:g}{')' if self.high_open else ']'}"
