import contextlib

with contextlib.suppress(ImportError):
    import torch

    torch.set_num_threads(1)  # in tensors as small as these, threads only wait for each other
