"""A Python file of the user's as a module; what is wrong with it is one line that names the file and the way out."""

import importlib
import importlib.util
import sys
import sysconfig
import traceback
from pathlib import Path
from types import ModuleType
from typing import Any

from nucleate.record import RunError

INSTALLED = tuple(Path(sysconfig.get_path(name)) for name in ("stdlib", "purelib", "platlib"))


def import_file(file: Path | str) -> ModuleType:
    """The module in a file, or the package in a folder, imported if it is not there yet.

    Its folder is searched for what it imports, as that of a script is; a file in a package is imported as a part of it.
    """
    file = _found(Path(file))
    for module in [*sys.modules.values()]:
        if _is_at(module, file):
            return module
    root, name = home_of(file)
    _refuse_hiding(file, root, name.partition(".")[0])
    before = [*sys.path]
    sys.path.insert(0, str(root))
    try:
        return _alone(file, name) if root == file.parent.resolve() else importlib.import_module(name)
    except (Exception, SystemExit) as error:
        sys.path[:] = before
        raise RunError(_what_is_wrong(file, root, error)) from error


def _alone(file: Path, name: str) -> ModuleType:
    """The module in a file that is in no package: two files may have one name, in different folders."""
    name = next(free for n in range(1, 10_000) if (free := name if n == 1 else f"{name}_{n}") not in sys.modules)
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec
    assert spec.loader
    sys.modules[name] = module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def home_of(file: Path) -> tuple[Path, str]:
    """The folder from which a file is imported, and its name there, which is the same whoever imports it."""
    file = file.resolve()
    folder, names = file.parent, [] if file.name == "__init__.py" else [file.stem]
    while (folder / "__init__.py").exists():
        folder, names = folder.parent, [folder.name, *names]
    return folder, ".".join(names)


def _found(path: Path) -> Path:
    file = path / "__init__.py" if path.is_dir() else path
    if not file.is_file():
        what = f"{path} is a folder without an __init__.py" if path.is_dir() else f"there is no file {path}"
        raise RunError(f"{what}; name the Python file that it is in, such as ./my_paper.py.")
    if file.suffix != ".py" or "." in file.stem:
        raise RunError(f"{path} must be a Python file that can be imported: call it, say, {_plain(file.stem)}.py.")
    return file


def _plain(stem: str) -> str:
    return "".join(letter if letter.isalnum() else "_" for letter in stem)


def _is_at(module: Any, file: Path) -> bool:
    where = getattr(module, "__dict__", {}).get("__file__")  # there are stranger things than modules among them
    return isinstance(where, str) and Path(where).name == file.name and Path(where).resolve() == file.resolve()


def _refuse_hiding(file: Path, root: Path, name: str) -> None:
    """Refuse a file that would hide a module of Python's or an installed package."""
    there = sys.modules.get(name)
    try:
        found = there.__spec__ if there else importlib.util.find_spec(name)
    except (ValueError, AttributeError):
        found = None
    where = found and found.origin
    own = where and Path(where).resolve() in (root / f"{name}.py", root / name / "__init__.py")
    installed = where and not own and any(Path(where).is_relative_to(folder) for folder in INSTALLED)
    if installed or name in sys.stdlib_module_names:
        raise RunError(
            f"{file} would hide the module '{name}' of {where if installed else 'Python'}: call it otherwise."
        )


def _what_is_wrong(file: Path, root: Path, error: BaseException) -> str:
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if _is_below(frame.filename, root)]
    where, line = (Path(frames[-1].filename), frames[-1].lineno) if frames else (file, None)
    if isinstance(error, SyntaxError) and error.filename and _is_below(error.filename, root):
        where, line = Path(error.filename), error.lineno
    said = (str(error.msg if isinstance(error, SyntaxError) else error).strip().splitlines() or ["nothing more"])[0]
    shown = file if where.resolve() == file.resolve() else where
    at = f", line {line}" if line else ""
    return f"{shown}{at}: {type(error).__name__}: {said.rstrip('.')}. {_way_out(file, error)}"


def _way_out(file: Path, error: BaseException) -> str:
    if isinstance(error, SystemExit):
        return "What it does when it is run belongs below `if __name__ == '__main__':`."
    if isinstance(error, ModuleNotFoundError):
        return f"Install '{error.name}', or put it beside {file.name}."
    return f"`python {file}` shows more."


def _is_below(filename: str, root: Path) -> bool:
    return Path(filename).is_file() and Path(filename).resolve().is_relative_to(root)
