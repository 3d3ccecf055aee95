"""Embedding in, embedding out: change or build the Fourier content of a representation.

At initialisation they ask what decides survival, after training what the network relies on. Pure functions, written in
JAX for one embedding of any origin: jit them, vmap them over members, or hand them NumPy arrays.
"""

from nucleate.interventions.fourier import Circle, Line, construct, keep, remove, scale

__all__ = ["Circle", "Line", "construct", "keep", "remove", "scale"]
