"""Survival of the fittest: which frequencies survive, predicted from their start (Section 3.2.2 of [ding2024survival]).

All frequencies of an embedding share that embedding, and all of its trials share their initial signals. They are not
independent, so confidence intervals belong over embeddings: `cross_validated` gives one row for each.
"""

from nucleate.theories.fitness.classifiers import Classifier, LinearSVM, Logistic
from nucleate.theories.fitness.theory import Features, Fitness, FitnessFit
from nucleate.theories.fitness.validation import cross_validated, random_split

__all__ = [
    "Classifier",
    "Features",
    "Fitness",
    "FitnessFit",
    "LinearSVM",
    "Logistic",
    "cross_validated",
    "random_split",
]
