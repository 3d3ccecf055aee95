"""Folders of checkpoints that were saved while networks trained, read in the order of their steps."""

import re
import zipfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from nucleate.checking import checked, shown, to_numpy
from nucleate.record.schema import RunError

_NAMED = re.compile(r"(?:step|steps|iter|iteration|epoch|checkpoint|ckpt)[-_=.]?(\d+)", re.IGNORECASE)
_NUMBER = re.compile(r"\d+")
_DAMAGED = "it is damaged, or holds more than weights"
_SHARD = re.compile(r"\d+-of-\d+")  # which part of one checkpoint it is


@checked
def read_checkpoints(
    folder: Path | str, names: Mapping[str, str] | None = None, *, pattern: str = "**/*"
) -> Iterator[tuple[int, dict[str, np.ndarray]]]:
    """The step and the arrays of each checkpoint in a folder, one after the other, to be logged by a `Recorder`.

    Of `.npz` and `.safetensors` files and of PyTorch's state dicts (`.pt`, `.pth`, `.bin`, `.ckpt`), which are loaded
    weights-only, so that a file cannot run code. The step is in the name of the file, or of its folder:
    `step_000100.npz`, `model-100.pt`, `checkpoint-100/model.safetensors`. `names`: the arrays to read, by the
    names they get, {"embedding": "embed.weight"}; all by their own if left out, but a recorder takes none with a '.'.
    `pattern`: which files.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> for step in (5, 10):
    ...     np.savez(folder / f"step_{step}.npz", wte=np.full((2, 3), step))
    >>> [(step, arrays["embedding"].shape) for step, arrays in read_checkpoints(folder, {"embedding": "wte"})]
    [(5, (2, 3)), (10, (2, 3))]
    """
    return _read(_files(Path(folder), pattern), names)


def _read(files: Mapping[int, Path], names: Mapping[str, str] | None) -> Iterator[tuple[int, dict[str, np.ndarray]]]:
    for step, file in files.items():
        try:
            arrays = _READERS[file.suffix.lower()](file, None if names is None else {*names.values()})
        except (RunError, ImportError):
            raise
        except Exception as error:
            reason = (str(error).strip().splitlines() or [type(error).__name__])[0].split(". ")[0].rstrip(".")
            raise RunError(f"{file} cannot be read: {reason}. Save it again, or leave it out by `pattern`.") from error
        if names is None:
            yield step, arrays
            continue
        if lacking := [name for name in names.values() if name not in arrays]:
            has = shown([*_READERS[file.suffix.lower()](file, None)])
            raise RunError(f"{file} has no '{lacking[0]}'; it has {has}.")
        yield step, {ours: arrays[name] for ours, name in names.items()}


def _files(folder: Path, pattern: str) -> dict[int, Path]:
    """The checkpoints by their steps, in order."""
    if not folder.is_dir():
        raise RunError(f"{folder} is not a folder of checkpoints: there is no such folder.")
    found: dict[int, Path] = {}
    for file in sorted(file for file in folder.glob(pattern) if file.suffix.lower() in _READERS and file.is_file()):
        step = _step(file.relative_to(folder))
        if step is None:
            raise RunError(
                f"{file} has no step in its name, such as step_100{file.suffix}; rename it, or leave it out by "
                "`pattern`."
            )
        if step in found:
            raise RunError(f"{found[step]} and {file} are both of step {step}; choose one kind of file by `pattern`.")
        found[step] = file
    if not found:
        kinds = ", ".join(_READERS)
        raise RunError(f"{folder} has no checkpoints: no file that matches '{pattern}' is one of {kinds}.")
    return dict(sorted(found.items()))


def _step(path: Path) -> int | None:
    """The number that a name calls a step, of the file or else of the nearest folder; or else the last of a name."""
    parts = [_SHARD.sub("", part) for part in reversed([*path.parts[:-1], path.stem])]
    found = (numbers[-1] for kind in (_NAMED, _NUMBER) for part in parts if (numbers := kind.findall(part)))
    return next(map(int, found), None)


def _read_npz(file: Path, names: set[str] | None) -> dict[str, np.ndarray]:
    if not zipfile.is_zipfile(file):  # NumPy would take it for a pickle
        raise ValueError(_DAMAGED)
    with open(file, "rb") as stream, np.load(stream, allow_pickle=False) as stored:
        return {name: stored[name] for name in stored.files if names is None or name in names}


def _read_safetensors(file: Path, names: set[str] | None) -> dict[str, np.ndarray]:
    try:
        import safetensors  # type: ignore[import-not-found]
    except ImportError:
        raise ImportError(f"{file}: reading .safetensors needs a package: pip install safetensors") from None
    stored = dict(safetensors.deserialize(file.read_bytes()))
    return {name: _decoded(**stored[name]) for name in stored if names is None or name in names}


def _decoded(dtype: str, shape: list[int], data: bytes | bytearray) -> np.ndarray:
    """A tensor; bfloat16 is the upper half of single precision."""
    if dtype == "BF16":
        return (np.frombuffer(data, "<u2").astype(np.uint32) << 16).view(np.float32).reshape(shape)
    kinds = {"F": "f", "I": "i", "U": "u", "C": "c"}
    kind = "?" if dtype == "BOOL" else f"<{kinds[dtype[0]]}{int(dtype[1:]) // 8}"
    return np.frombuffer(data, kind).reshape(shape)


def _read_torch(file: Path, names: set[str] | None) -> dict[str, np.ndarray]:
    try:
        import torch  # type: ignore[import-not-found]
    except ImportError:
        raise ImportError(f"{file}: reading PyTorch's state dicts needs PyTorch: pip install torch") from None
    import pickle

    try:
        stored = torch.load(file, map_location="cpu", weights_only=True)
    except pickle.UnpicklingError as error:
        raise RunError(f"{file} cannot be read: {_DAMAGED}. Save model.state_dict() alone.") from error
    tensors = {name: value for name, value in _flat(stored, "") if names is None or name in names}
    return {name: to_numpy(f"{file}: {name}", value) for name, value in tensors.items()}


def _flat(tree: Any, path: str) -> Iterator[tuple[str, Any]]:
    """The tensors of nested dicts, with the names on the way joined by dots."""
    if isinstance(tree, Mapping):
        for key, value in tree.items():
            yield from _flat(value, f"{path}.{key}" if path else str(key))
    elif hasattr(tree, "detach"):
        yield path, tree


_READERS: dict[str, Callable[[Path, set[str] | None], dict[str, np.ndarray]]] = {
    ".npz": _read_npz,
    ".safetensors": _read_safetensors,
    **dict.fromkeys((".pt", ".pth", ".bin", ".ckpt"), _read_torch),
}
