"""How often tokens of a latent tree occur together (Theorem 5 of [tian2023joma]), exactly and in its limit.

`Ancestry` is the theory, `co_occurrence` the law; `nearly_deterministic` is the limit that the law is quoted by.
"""

from nucleate.theories.ancestry.theory import Ancestry, AncestryFit, co_occurrence, nearly_deterministic

__all__ = ["Ancestry", "AncestryFit", "co_occurrence", "nearly_deterministic"]
