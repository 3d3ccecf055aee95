"""PyTorch, which is loaded when it is asked for."""

from typing import Any


def pytorch() -> Any:
    """The library, or how to install it."""
    try:
        import torch  # type: ignore[import-not-found]
    except ImportError:
        raise ImportError("Models of PyTorch need it: pip install 'nucleate[torch]'") from None
    return torch
