"""What is learned. Pure data: a key in, arrays out."""

from nucleate.tasks.addition import AdditionTask
from nucleate.tasks.box import Box
from nucleate.tasks.contact import Contact, Energy
from nucleate.tasks.groups import Group, GroupTask
from nucleate.tasks.images import BUNDLED, ImageTask, bundled_digits, read_images
from nucleate.tasks.modular import ModularAdditionTask
from nucleate.tasks.pair_stream import Library, PairStream, StatePair
from nucleate.tasks.particles import ParticleState, ParticleTask
from nucleate.tasks.split import Split

__all__ = [
    "BUNDLED",
    "AdditionTask",
    "Box",
    "Contact",
    "Energy",
    "Group",
    "GroupTask",
    "ImageTask",
    "Library",
    "ModularAdditionTask",
    "PairStream",
    "ParticleState",
    "ParticleTask",
    "Split",
    "StatePair",
    "bundled_digits",
    "read_images",
]
