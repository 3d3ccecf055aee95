"""What is learned. Pure data: a key in, arrays out."""

from nucleate.tasks.addition import AdditionTask
from nucleate.tasks.box import Box
from nucleate.tasks.contact import Contact, Energy
from nucleate.tasks.contexts import Contexts, ContextTask
from nucleate.tasks.graphs import RandomGraphs, connected_graphs
from nucleate.tasks.groups import Group, GroupTask
from nucleate.tasks.images import BUNDLED, ImageTask, bundled_digits, read_images
from nucleate.tasks.latent_hierarchy import ClassSequences, LatentHierarchy
from nucleate.tasks.latent_tree import LatentTree
from nucleate.tasks.modular import ModularAdditionTask
from nucleate.tasks.pair_stream import Library, PairStream, StatePair
from nucleate.tasks.particles import ParticleState, ParticleTask
from nucleate.tasks.paths import Judged, PathBatch, PathTask
from nucleate.tasks.split import Split
from nucleate.tasks.text import BYTES, TextTask, bundled_text, read_text, windows
from nucleate.tasks.token_mixture import TokenBatch, TokenMixtureTask

__all__ = [
    "BUNDLED",
    "BYTES",
    "AdditionTask",
    "Box",
    "ClassSequences",
    "Contact",
    "ContextTask",
    "Contexts",
    "Energy",
    "Group",
    "GroupTask",
    "ImageTask",
    "Judged",
    "LatentHierarchy",
    "LatentTree",
    "Library",
    "ModularAdditionTask",
    "PairStream",
    "ParticleState",
    "ParticleTask",
    "PathBatch",
    "PathTask",
    "RandomGraphs",
    "Split",
    "StatePair",
    "TextTask",
    "TokenBatch",
    "TokenMixtureTask",
    "bundled_digits",
    "bundled_text",
    "connected_graphs",
    "read_images",
    "read_text",
    "windows",
]
