"""`nucleate` as a process of its own, in surroundings that are not what one is used to: it works, or says one line."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PROCESS = Path(__file__).parent / "toy_process.py"
pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs a shell")


def in_process(folder: Path, *args: str, shell: str = "", **environment: str) -> tuple[int, str, str]:
    """`nucleate ARGS`, with the standard streams as `shell` directs them; errors without the sizes of runs."""
    usual = {name: value for name, value in os.environ.items() if name != "JAX_COMPILATION_CACHE_DIR"}
    command = ["bash", "-c", f'set -o pipefail; "$@" {shell}', "bash", sys.executable, PROCESS, *args]
    done = subprocess.run(command, cwd=folder, env=usual | environment, capture_output=True, text=True, timeout=240)
    errors = [line for line in done.stderr.splitlines(keepends=True) if "; record at most " not in line]
    return done.returncode, done.stdout, "".join(errors)


def test_whoever_listens_no_longer_stops_nothing(toy):
    assert in_process(toy.parent, "resume", "toy", shell="| true") == (0, "", "")
    assert (toy / "report.html").exists()
    code, shown, errors = in_process(toy.parent, "list", shell="| head -1")
    assert (code, errors) == (0, "")
    assert shown == "toy  A toy paper. Nobody (2026)\n"


@pytest.mark.parametrize("shell", [">&-", ">&- 2>&- <&-"])
def test_closed_streams_stop_nothing(toy, shell):
    code, _, errors = in_process(toy.parent, "resume", "toy", shell=shell)
    assert (code, errors) == (0, "")
    assert (toy / "report.html").exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_output_that_cannot_be_written_is_one_line(toy):
    code, _, errors = in_process(toy.parent, "runs", "--root", "toy", shell="> /dev/full")
    assert code == 2
    assert errors.startswith("error: standard output or error: No space left on device.")
    assert errors.count("\n") == 1


def test_a_terminal_of_ascii_is_written_to(toy):
    shutil.copytree(toy / "first", toy.parent / os.fsdecode(b"not utf-8 \xff"))
    commands = "list toy", "runs --root .", "show toy/first", "resume toy", "run --help", "replicate --help"
    args = " ; ".join(commands).split(" ")
    code, shown, errors = in_process(toy.parent, *args, PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert (code, errors) == (0, "")
    assert shown.isascii()
    for words in ("| claim |", "after toy/first", r"not utf-8 \udcff", "1 contradicted", "usage:"):
        assert words in shown


@pytest.mark.parametrize("platform", ["bogus", "cuda"])
def test_a_platform_that_is_not_there_is_one_line(tmp_path, platform):
    code, shown, errors = in_process(tmp_path, "run", "toy/first", "--out", "mine", JAX_PLATFORMS=platform)
    if platform == "cuda" and code == 0:
        pytest.skip("it is there")
    assert (code, shown) == (2, "")
    assert errors.startswith(f"error: JAX cannot run on JAX_PLATFORMS={platform}: ")
    assert errors.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_a_user_without_a_home_is_served(toy, tmp_path):
    """Nor with a place for caches, nor with a name."""
    (tmp_path / "sitecustomize.py").write_text(
        "import os, pwd\n"
        "def getpwuid(uid): raise KeyError(f'getpwuid(): uid not found: {uid}')\n"
        "pwd.getpwuid = getpwuid\n"
        "os.environ.pop('HOME', None)\n"
    )
    shutil.rmtree(toy / "second")
    code, _, errors = in_process(
        tmp_path,
        *("resume", "toy"),
        XDG_CACHE_HOME="relative",
        TMPDIR=str(tmp_path),
        MPLCONFIGDIR=str(tmp_path),
        PYTHONPATH=os.pathsep.join([str(tmp_path), *sys.path]),
    )
    assert (code, errors) == (0, "")
    assert (toy / "report.html").exists()
    assert not (tmp_path / "relative").exists()
    assert (tmp_path / f"nucleate-{os.getuid()}/xla").is_dir()


def test_a_cache_that_cannot_be_written_is_done_without(toy, tmp_path):
    shutil.rmtree(toy / "second")
    (tmp_path / "file").touch()
    home = {"XDG_CACHE_HOME": str(tmp_path / "file"), "MPLCONFIGDIR": str(tmp_path)}
    assert in_process(tmp_path, "resume", "toy", **home)[::2] == (0, "")


def test_python_m_nucleate(tmp_path):
    for module in ("nucleate", "nucleate.cli"):
        command = [sys.executable, "-m", module, "--version"]
        assert subprocess.run(command, cwd=tmp_path, capture_output=True).stdout.startswith(b"nucleate ")
