"""Embedding in, embedding out: change or build what a representation consists of, frequencies or principal components.

Used at initialisation, they test what decides survival; after training, what the network relies on. They are pure JAX
functions of one embedding, wherever it comes from: jit them, vmap them over members, or pass NumPy arrays.
"""

from nucleate.interventions.components import keep_components
from nucleate.interventions.fourier import Circle, Line, construct, keep, remove, scale

__all__ = ["Circle", "Line", "construct", "keep", "keep_components", "remove", "scale"]
