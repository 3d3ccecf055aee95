"""Classes made of latents, which are made of latents, which are made of tokens."""

from dataclasses import dataclass
from math import comb
from typing import Annotated, NamedTuple, final

import numpy as np
from jaxtyping import Float, Int

from nucleate.checking import AtLeast, Checked, Count, Seed, checked


class ClassSequences(NamedTuple):
    """The one sequence of each class, and which latents are behind it.

    `tokens[c]`: the tokens of class c in ascending order, after as many of the padding token as are needed; `latents`:
    for each level s from the lowest, [c, n] is 1 where latent n is part of class c.
    """

    tokens: Int[np.ndarray, "class place"]
    latents: tuple[Float[np.ndarray, "class latent"], ...]


@final
@dataclass(frozen=True)
class LatentHierarchy(Checked):
    """Say which class a set of tokens belongs to, where classes are made of latents that other classes share.

    Each latent of the lowest level is a set of `parts` tokens, each of a higher level one of `parts` latents of the
    level below, and each of the `classes` one of `parts` latents of the highest; no two of a level are the same set.
    `latents`: (N₀, N₁, …), how many there are at each level; `tokens`: M, the last of which is padding; `length`: of a
    sequence. Every class has a single sequence. Source: [tian2023joma], Section 6, and its authors' code.

    >>> drawn = LatentHierarchy(classes=20, parts=2, latents=(10, 20)).draw(seed=0)
    >>> drawn.tokens.shape, [level.shape for level in drawn.latents]
    ((20, 30), [(20, 10), (20, 20)])
    >>> LatentHierarchy(parts=3, length=20)
    Traceback (most recent call last):
    ValueError: LatentHierarchy.length must hold the 27 tokens that a class can have; got 20.
    """

    classes: Count = 20
    parts: Count = 2
    latents: Annotated[tuple[int, ...], AtLeast(1)] = (10, 20)
    tokens: Annotated[int, AtLeast(2)] = 100
    length: Count = 30

    def check(self) -> None:
        most = min(self.parts ** (len(self.latents) + 1), self.tokens - 1)
        if self.length < most:
            self.refuse("length", f"must hold the {most} tokens that a class can have; got {self.length}")
        below = self.tokens - 1
        for level, count in enumerate((*self.latents, self.classes)):
            if comb(below, self.parts) < count:
                name = "classes" if level == len(self.latents) else "latents"
                sets = f"sets of parts = {self.parts} of {below}"
                self.refuse(name, f"must be at most the {comb(below, self.parts)} {sets}; got {count}")
            below = count

    @checked
    def draw(self, seed: Seed) -> ClassSequences:
        """A hierarchy, drawn at random."""
        rng, sizes = np.random.default_rng(seed), (self.tokens - 1, *self.latents)
        above = (*self.latents, self.classes)
        levels = [self._sets(rng, below, count) for below, count in zip(sizes, above, strict=True)]
        member, latents = np.eye(self.classes, dtype=bool), []
        for sets in reversed(levels):
            member = (member.astype(int) @ sets) > 0
            latents.append(member.astype(np.float32))
        present = latents.pop()  # the lowest are the tokens themselves
        tokens = np.full((self.classes, self.length), self.tokens - 1, np.int32)
        for row, here in zip(tokens, present, strict=True):
            chosen = np.flatnonzero(here)
            row[len(row) - len(chosen) :] = chosen
        return ClassSequences(tokens, tuple(reversed(latents)))

    def _sets(self, rng: np.random.Generator, below: int, count: int) -> Int[np.ndarray, "latent part"]:
        """[n, i] is 1 where part i belongs to set n; no two sets are the same."""
        found: dict[tuple[int, ...], None] = {}
        while len(found) < count:
            found[tuple(sorted(rng.choice(below, self.parts, replace=False).tolist()))] = None
        sets = np.zeros((count, below), int)
        sets[np.arange(count)[:, None], list(found)] = 1
        return sets
