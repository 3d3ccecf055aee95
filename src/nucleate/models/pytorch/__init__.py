"""PyTorch's modules as models: `from_torch` makes a function of arrays out of an `nn.Module`.

`torch.export` traces the module once for each shape of its inputs, and PyTorch decomposes what `operations.py` does not
know into what it knows; the graph that is left is carried out with JAX's operations (`program.py`). `origin.py` holds
the module and what is constant in it, `exporting.py` traces it, `agreement.py` compares the outcome with the module's
own, and `refusals.py` words what would go wrong without a sign. Read `model.py` first. Nothing here imports PyTorch
before it is needed.

torchax, which runs a module's Python under JAX, is not used: its release does not import with PyTorch 2.13, importing
it renames a device and turns PyTorch's fast attention off for the whole process, and it makes no graph in which to find
what a module changes, draws or decides.
"""
