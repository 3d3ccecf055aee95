"""`nucleate export` as a user meets it."""

import csv
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from nucleate.cli import main

BEFORE = Path(__file__).parents[1] / "papers" / "data" / "before.tar.gz"


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory) -> Path:
    """A run and a replication that version 0.1 wrote."""
    folder = tmp_path_factory.mktemp("before")
    shutil.unpack_archive(BEFORE, folder, filter="data")
    return folder


@pytest.fixture
def export(unpacked, tmp_path, capsys, monkeypatch):
    """The command, in a folder with a run and a replication in it."""
    shutil.copytree(unpacked, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    before = signal.getsignal(signal.SIGTERM)

    def call(*args: str) -> subprocess.CompletedProcess:
        return subprocess.CompletedProcess(args, main(["export", *args]), *capsys.readouterr())

    yield call
    signal.signal(signal.SIGTERM, before)


def rows_of(path: str) -> list[dict[str, str]]:
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_a_run_becomes_a_table_in_its_folder(export):
    done = export("run", "--to", "csv")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(str(Path("run/members.csv")))
    assert "embedding" in done.stdout  # what a table has no room for is said
    rows = rows_of("run/members.csv")
    assert len(rows) == 2
    assert {"seed", "eta_dec", "wd_dec", "train90_step", "valid90_step", "final_train_loss"} <= set(rows[0])


def test_curves_are_asked_for(export):
    assert export("run", "--to", "csv", "--curves", "--out", "some/curves.csv").returncode == 0
    rows = rows_of("some/curves.csv")
    assert list(rows[0]) == ["member", "step", "variable", "value"]
    assert {row["variable"] for row in rows} >= {"train_loss", "valid_accuracy"}


def test_of_a_replication_all_runs_are_exported(export):
    done = export("replication", "--to", "csv", "--out", "tables")
    assert done.returncode == 0, done.stderr
    assert [path.name for path in Path("tables").iterdir()] == ["data-size.csv"]
    assert len(rows_of("tables/data-size.csv")) == 4
    assert export("replication", "--to", "csv").returncode == 0
    assert Path("replication/data-size/members.csv").exists()


def test_an_existing_file_is_kept_unless_forced(export):
    Path("mine.csv").write_text("precious")
    refused = export("run", "--to", "csv", "--out", "mine.csv")
    assert refused.returncode == 2
    assert "mine.csv is there already" in refused.stderr
    assert "--force" in refused.stderr
    assert Path("mine.csv").read_text() == "precious"
    assert export("run", "--to", "csv", "--out", "mine.csv", "--force").returncode == 0
    assert len(rows_of("mine.csv")) == 2


MISTAKES = {
    "unknown format": (["run", "--to", "xlsx"], "xlsx"),
    "no format": (["run"], "--to"),
    "no such run": (["nowhere", "--to", "csv"], "there is no such folder"),
    "not a run": (["empty", "--to", "csv"], "is not a run directory"),
    "another format's name": (["run", "--to", "csv", "--out", "a.nc"], "ends in .csv; got --out a.nc"),
    "a folder for a file": (["run", "--to", "csv", "--out", "empty"], "empty is a folder"),
    "a file for a folder": (["replication", "--to", "csv", "--out", "a.txt"], "a.txt is a file"),
    "curves twice": (["run", "--to", "netcdf", "--curves"], "netcdf holds the curves"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_answered_in_one_line(mistake, export):
    Path("empty").mkdir()
    Path("a.txt").touch()
    args, expected = MISTAKES[mistake]
    answer = export(*args)
    assert answer.returncode == 2
    assert expected in answer.stderr
    assert len(answer.stderr.strip().splitlines()) == 1


def test_an_unfinished_run_is_not_exported(export):
    about = Path("run/run.json")
    about.write_text(about.read_text().replace('"complete"', '"interrupted"'))
    answer = export("run", "--to", "csv")
    assert answer.returncode == 2
    assert "run is unfinished; `nucleate resume run` first." in answer.stderr
    assert not Path("run/members.csv").exists()


@pytest.mark.parametrize(("form", "package"), [("parquet", "pyarrow"), ("netcdf", "h5netcdf")])
def test_a_missing_package_is_named_with_how_to_install_it(form, package, export, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    answer = export("run", "--to", form)
    assert answer.returncode == 2
    assert f"needs the package '{package}': pip install 'nucleate[export]'" in answer.stderr
    assert not list(Path("run").glob("*.nc")) + list(Path("run").glob("*.parquet"))
    assert not list(Path("run").glob(".*"))


def test_exporting_needs_no_jax(export):
    code = (
        "import sys; from nucleate.cli import main; assert main(['export', 'run', '--to', 'csv']) == 0; "
        "assert 'jax' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
