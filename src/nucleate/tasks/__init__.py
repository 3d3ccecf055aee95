"""What is learned. Pure data: a key in, arrays out."""

from nucleate.tasks.addition import AdditionTask
from nucleate.tasks.box import Box
from nucleate.tasks.contact import Contact, Energy
from nucleate.tasks.modular import ModularAdditionTask
from nucleate.tasks.pair_stream import Library, PairStream, StatePair
from nucleate.tasks.particles import ParticleState, ParticleTask
from nucleate.tasks.split import Split

__all__ = [
    "AdditionTask",
    "Box",
    "Contact",
    "Energy",
    "Library",
    "ModularAdditionTask",
    "PairStream",
    "ParticleState",
    "ParticleTask",
    "Split",
    "StatePair",
]
