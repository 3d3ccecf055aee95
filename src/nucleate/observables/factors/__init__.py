"""Trained networks taken apart into the partial solutions of `nucleate.algebra`."""
