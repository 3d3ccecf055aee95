"""How one network of each of the paper's systems is made, trained and watched."""

from nucleate.papers.grokking.recipe.groups import MatrixGroup
from nucleate.papers.grokking.recipe.readouts import Classification, Readout, Regression
from nucleate.papers.grokking.recipe.toy import P, Structure, ToyAddition
from nucleate.papers.grokking.recipe.transformer import ModularTransformer

__all__ = [
    "Classification",
    "MatrixGroup",
    "ModularTransformer",
    "P",
    "Readout",
    "Regression",
    "Structure",
    "ToyAddition",
]
