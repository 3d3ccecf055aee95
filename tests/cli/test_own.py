"""Papers and recipes of the user's, from the command line: a file is enough, and what is wrong with it is one line."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from nucleate.cli import main
from nucleate.record import Run, open_record

EXAMPLE = (Path(__file__).parents[2] / "examples" / "own_paper.py").read_text()
QUICK = EXAMPLE.replace('quick={"seeds": 12}', 'quick={"seeds": 6, "steps": 40}')
MADE = 1 + EXAMPLE[: EXAMPLE.index("PAPER = Paper(")].count("\n")
pytestmark = pytest.mark.usefixtures("compiled_once")


@pytest.fixture
def nucleate(capsys, monkeypatch, tmp_path):
    """The command line in a folder of its own; what it imports is forgotten."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr(sys, "path", [*sys.path])
    before = {*sys.modules}

    def call(*args: str) -> subprocess.CompletedProcess:
        try:
            code = main(list(args))
        finally:
            forget(tmp_path, before)
        return subprocess.CompletedProcess(args, code, *capsys.readouterr())

    return call


def forget(folder: Path, before: set[str]) -> None:
    """Each command is a process of its own."""
    from nucleate.record import code

    code._hash.cache_clear()
    for name in {*sys.modules} - before:
        file = getattr(sys.modules[name], "__file__", None)
        if file and Path(file).is_relative_to(folder):
            del sys.modules[name]


def refused(done: subprocess.CompletedProcess) -> str:
    assert done.returncode == 2, done.stdout
    assert done.stderr.count("\n") == 1
    return done.stderr


def test_a_file_is_a_paper(nucleate):
    Path("my_paper.py").write_text(QUICK)
    listed = nucleate("list", "./my_paper.py").stdout
    assert "parity  Parity. Our own (2026)" in listed
    assert "parity/easy" in listed
    done = nucleate("replicate", "./my_paper.py", "--budget", "quick")
    assert done.returncode == 0, done.stderr
    assert f"Report: {Path('runs/parity-quick/report.html')}" in done.stdout
    assert "parity/2" in Path("runs/parity-quick/scorecard.md").read_text()
    again = nucleate("resume", "runs/parity-quick")
    assert (again.returncode, again.stderr) == (0, "")
    one = nucleate("replicate", "my_paper.py:parity/1", "--budget", "quick", "--out", "one")
    assert one.returncode == 0, one.stderr
    assert "parity/1" in one.stdout
    assert "parity/2" not in one.stdout
    assert nucleate("resume", "one").returncode == 0
    assert "there is no claim 'parity/9'; `nucleate list my_paper.py` shows" in refused(
        nucleate("replicate", "my_paper.py:9")
    )


def test_a_replication_knows_its_file_and_says_what_became_of_it(nucleate):
    Path("my_paper.py").write_text(QUICK)
    nucleate("replicate", "my_paper.py", "--budget", "quick", "--out", "here")
    about = json.loads(Path("here/replication.json").read_text())
    assert about["file"] == str(Path("my_paper.py").resolve())
    Path("my_paper.py").write_text(QUICK.replace("The loss falls tenfold.", "The loss falls a lot."))
    changed = nucleate("resume", "here")
    assert "my_paper.py, or what is beside it, has been rewritten since here was begun" in changed.stderr
    assert "The loss falls a lot." in Path("here/scorecard.md").read_text()
    assert json.loads(Path("here/replication.json").read_text())["code"] != about["code"]
    assert nucleate("resume", "here").stderr == ""
    Path("my_paper.py").write_text(QUICK.replace("optax.adam", "optax.sgd"))
    assert "was trained by other code: Parity has been rewritten since" in nucleate("resume", "here").stderr
    Path("my_paper.py").unlink()
    assert "my_paper.py, which is not there; from where it is now, `nucleate replicate FILE" in refused(
        nucleate("resume", "here")
    )
    Path("renamed.py").write_text(QUICK)
    moved = nucleate("replicate", "renamed.py", "--budget", "quick", "--out", "here")
    assert moved.returncode == 0, moved.stderr
    assert nucleate("resume", "here").returncode == 0
    assert nucleate("resume", "here/easy").returncode == 0  # its networks know where it is now, too


def test_a_papers_home_is_where_it_is_made_and_not_what_imports_it(nucleate, tmp_path):
    Path("my_paper.py").write_text(QUICK)
    Path("looks_first.py").write_text(
        "from pathlib import Path\nimport sys\nsys.path.insert(0, '.')\nfrom my_paper import PAPER\n"
        "from nucleate.papers.library import home_of\nprint(Path(home_of(PAPER)['file']).name)\n"
    )
    done = subprocess.run([sys.executable, "looks_first.py"], capture_output=True, text=True, check=True)
    assert done.stdout.split()[-1] == "my_paper.py"


def test_an_experiment_of_a_file_is_run_with_options_and_resumed(nucleate):
    Path("my_paper.py").write_text(QUICK)
    done = nucleate(
        "run", "./my_paper.py:easy", "--seeds", "2", "--steps", "40", "--keep-weights", "20", "--out", "mine"
    )
    assert done.returncode == 0, done.stderr
    assert open_record(Path("mine/record.zarr")).step_weights.values.tolist() == [0, 20, 40]
    Run("mine").update(status="interrupted")
    assert nucleate("resume", "mine").returncode == 0
    assert Run("mine").status == "complete"
    assert "Report: mine" in nucleate("report", "mine", "--paper", "./my_paper.py").stdout
    assert "is a paper, not an experiment: say ./my_paper.py:NAME; there are: easy" in refused(
        nucleate("run", "./my_paper.py")
    )
    assert "has no experiment 'hard'" in refused(nucleate("run", "./my_paper.py:hard"))
    assert "ParityFleet.secret must be <= bits = 6; got 7" in refused(
        nucleate("run", "my_paper.py:easy", "--secret", "7")
    )


@pytest.mark.parametrize("keep", [0, -3])
def test_weights_are_kept_at_whole_numbers_of_steps(nucleate, keep):
    Path("my_paper.py").write_text(QUICK)
    assert f"--keep-weights {keep}: Every.gap must be >= 1; got {keep}" in refused(
        nucleate("run", "./my_paper.py:easy", f"--keep-weights={keep}")
    )


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.py", "x = 1\ndef broken(:\n", "a.py, line 2: SyntaxError: invalid syntax. `python a.py` shows more."),
        ("a.py", "import no_such_thing", "a.py, line 1: ModuleNotFoundError: No module named 'no_such_thing'. Install"),
        ("a.py", "\n\ny = undefined", "a.py, line 3: NameError: name 'undefined' is not defined. `python a.py`"),
        ("a.py", "import sys\nsys.exit(3)", "a.py, line 2: SystemExit: 3. What it does when it is run belongs below"),
        ("a.py", "x = 1", "a.py has no PAPER: end it with `PAPER = Paper(…)`"),
        ("a.py", "\nPAPER = 3", "a.py, line 2: PAPER must be a nucleate.papers.Paper; got 3."),
        ("numpy.py", "x = 1", "numpy.py would hide the module 'numpy' of "),
        ("random.py", "x = 1", "random.py would hide the module 'random' of "),
        ("my.paper.py", "x = 1", "my.paper.py must be a Python file that can be imported: call it, say, my_paper.py."),
        ("a.py", None, "there is no file a.py; name the Python file"),
        (
            "a.py",
            QUICK.replace('"parity', '"grokking'),
            f"a.py, line {MADE}: the PAPER is called 'grokking', which comes with",
        ),
        (
            "a.py",
            QUICK.replace('Paper("parity"', 'Paper("all is well"'),
            "Paper.name must be a word of letters, digits",
        ),
        (
            "a.py",
            QUICK.replace("(EASY,))", '("parity/x",))'),
            f"line {MADE}: ValueError: Claim parity/2 needs ['parity/x']",
        ),
    ],
)
def test_what_is_wrong_with_a_file_is_one_line_that_names_the_way_out(nucleate, name, text, message):
    if text is not None:
        Path(name).write_text(text)
    for command in (("list", name), ("replicate", name, "--budget", "quick")):
        said = refused(nucleate(*command))
        assert message in said
    assert not Path("runs").exists()


def test_a_paper_may_be_a_package(nucleate):
    Path("papers/mine").mkdir(parents=True)
    head, tail = QUICK.split("# --- ledger/")
    Path("papers/mine/experiments.py").write_text(head)
    Path("papers/mine/__init__.py").write_text(
        f"{head.split('# --- recipe.py')[0]}from .experiments import EASY, EXPERIMENTS\n#{tail}"
    )
    assert "parity/easy" in nucleate("list", "./papers/mine").stdout
    done = nucleate("replicate", "./papers/mine:1", "--budget", "quick", "--out", "mine")
    assert done.returncode == 0, done.stderr
    about = Run("mine/easy").about
    assert about.made_by is not None
    assert about.made_by.name == "mine.experiments.ParityFleet"
    Run("mine/easy").update(status="interrupted")
    assert nucleate("resume", "mine/easy").returncode == 0
    assert "is a folder without an __init__.py" in refused(nucleate("list", "./papers"))


def test_an_installed_package_offers_a_paper(nucleate, monkeypatch, tmp_path):
    site = tmp_path / "site"
    offers = {
        "parity": "parity_package:PAPER",
        "broken": "no_such_module",
        "other": "parity_package",
        "grokking": "parity_package",
    }
    about = site / "parity_paper-0.1.dist-info"
    about.mkdir(parents=True)
    (site / "parity_package.py").write_text(QUICK)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: parity-paper\nVersion: 0.1\n")
    (about / "entry_points.txt").write_text("[nucleate.papers]\n" + "".join(f"{n} = {v}\n" for n, v in offers.items()))
    monkeypatch.syspath_prepend(site)
    listed = nucleate("list").stdout
    assert "parity of the package parity-paper" in " ".join(listed.split())
    assert listed.count("grokking ") == 1
    assert "parity/easy" in nucleate("list", "parity").stdout
    done = nucleate("replicate", "parity/1", "--budget", "quick")
    assert done.returncode == 0, done.stderr
    assert "file" not in json.loads(Path("runs/parity-1-quick/replication.json").read_text())
    assert nucleate("resume", "runs/parity-1-quick").returncode == 0
    assert (
        "2 networks (2 ok)" in nucleate("run", "parity/easy", "--seeds", "2", "--steps", "40", "--out", "mine").stdout
    )
    assert nucleate("resume", "mine").returncode == 0
    assert "the paper 'broken' of the package parity-paper cannot be loaded: ModuleNotFoundError" in refused(
        nucleate("list", "broken")
    )
    assert "the paper 'other' of the package parity-paper is called 'parity': its entry point must name" in refused(
        nucleate("list", "other")
    )


def test_a_run_of_ones_own_recipe_is_resumed_by_the_command_line(nucleate):
    from nucleate.fleet import Plan, grid, train
    from nucleate.fleet.files import import_file

    Path("own_model.py").write_text((Path(__file__).parents[2] / "examples" / "own_model.py").read_text())
    recipe = import_file("own_model.py").Quadratic()
    run = train(Plan(recipe, grid(seed=[0, 1], learning_rate=0.1), 40), "run")
    before = run.record().load()
    (run.checkpoints / "00000.done").unlink()
    run.update(status="interrupted")
    sys.modules.pop(type(recipe).__module__)
    done = nucleate("resume", "run")
    assert done.returncode == 0, done.stderr
    assert "2 networks (2 ok)" in done.stdout
    assert Run("run").record().load().equals(before)
    assert "own_model.Quadratic" in nucleate("show", "run").stdout
    text = Path("own_model.py").read_text()
    Path("own_model.py").write_text(text.replace("optax.sgd", "optax.adam"))
    assert "run was trained by other code: Quadratic has been rewritten since" in refused(nucleate("resume", "run"))
    Path("own_model.py").write_text(text.replace("class Quadratic", "class Cubic"))
    assert "There is no own_model.Quadratic in " in refused(nucleate("resume", "run"))
    Path("own_model.py").unlink()
    assert "own_model.py" in refused(nucleate("resume", "run"))
