"""A run that is continued by other versions or another block: refused where bits would differ, and noted down."""

import dataclasses
import json

import pytest
from small_fleets import Sums, members

from nucleate.fleet import Allow, Plan, Silent, replay, train
from nucleate.fleet.sessions import same_bits
from nucleate.record import Run, RunError

pytestmark = pytest.mark.usefixtures("compiled_once")
PLAN = Plan(Sums(), members(3), steps=20, block=1)


class Stops(Silent):
    """Fails when a second chunk is trained."""

    left = 2

    def advance(self, count: int) -> None:
        self.left -= 1
        if self.left <= 0:
            raise RuntimeError("on purpose")


class Listener(Silent):
    def __init__(self):
        self.told = []

    def tell(self, line: str) -> None:
        self.told.append(line)


@pytest.fixture
def interrupted(tmp_path) -> Run:
    with pytest.raises(RuntimeError, match="on purpose"):
        train(PLAN, tmp_path / "run", watch=Stops(), checkpoint_seconds=0)
    run = Run(tmp_path / "run")
    assert run.status != "complete"
    assert any(run.checkpoints.glob("*"))
    return run


def began_with(run: Run, part: str, **changes: str) -> None:
    """Let run.json say that the run began in another environment."""
    file = run.path / "run.json"
    about = json.loads(file.read_text())
    file.write_text(json.dumps(about | {part: about[part] | changes}))


@pytest.mark.parametrize(("part", "name"), [("versions", "jax"), ("platform", "instructions")])
def test_what_changes_bits_is_refused_and_noted_where_it_is_allowed(interrupted, part, name):
    began_with(interrupted, part, **{name: "0.0.1"})
    assert not same_bits(interrupted)
    with pytest.raises(RunError, match=rf"was begun with {name} 0\.0\.1 .*bits would differ.*--with-other-versions"):
        train(PLAN, interrupted.path)
    watch = Listener()
    done = train(PLAN, interrupted.path, watch=watch, allow=Allow.OTHER_VERSIONS)
    assert done.status == "complete"
    assert any(f"was begun with {name} 0.0.1" in line for line in watch.told)
    (session,) = done.about.sessions
    assert getattr(done.about, part)[name] == "0.0.1"  # both are there
    assert getattr(session, part)[name] != "0.0.1"
    assert not same_bits(done)


def test_what_changes_no_bits_is_told_and_noted(interrupted):
    began_with(interrupted, "versions", matplotlib="0.0.1")
    assert same_bits(interrupted)
    watch = Listener()
    done = train(PLAN, interrupted.path, watch=watch)
    assert any("was begun with matplotlib 0.0.1" in line for line in watch.told)
    assert [session.versions["matplotlib"] != "0.0.1" for session in done.about.sessions] == [True]


def test_another_block_is_not_taken(interrupted):
    watch = Listener()
    done = train(dataclasses.replace(PLAN, block=2), interrupted.path, watch=watch)
    assert any("keeps its block of 1; 2 was asked for" in line for line in watch.told)
    assert (done.about.block, [session.block for session in done.about.sessions]) == (1, [2])


def test_the_same_environment_is_not_noted(interrupted):
    done = train(PLAN, interrupted.path)
    assert done.about.sessions == ()
    assert same_bits(done)


# --- runs that do not say into how many pieces they cut their batches --------------------------------------------

IN_PIECES = dataclasses.replace(PLAN, recipe=Sums(batch=4, microbatches=(4, 2)))


def forget_pieces(run: Run) -> None:
    """As before run.json said it."""
    file = run.path / "run.json"
    about = json.loads(file.read_text())
    file.write_text(json.dumps({name: value for name, value in about.items() if name != "microbatches"}))


@pytest.fixture
def older(tmp_path) -> Run:
    with pytest.raises(RuntimeError, match="on purpose"):
        train(IN_PIECES, tmp_path / "run", watch=Stops(), checkpoint_seconds=0)
    forget_pieces(run := Run(tmp_path / "run"))
    return run


def test_pieces_that_nobody_knows_are_refused_and_noted_where_they_are_allowed(older):
    with pytest.raises(RunError, match=r"was begun with microbatches unknown \(now 4\): bits.*--with-other-versions"):
        train(IN_PIECES, older.path)
    assert older.about.microbatches is None
    done = train(IN_PIECES, older.path, allow=Allow.OTHER_VERSIONS)
    assert (done.status, done.about.microbatches) == ("complete", 4)
    assert len(done.about.sessions) == 1
    assert not same_bits(done)


def test_a_finished_run_without_pieces_opens_and_is_not_compared(tmp_path):
    done = train(dataclasses.replace(IN_PIECES, microbatches=2), tmp_path / "run")
    forget_pieces(done)
    again = train(IN_PIECES, done.path)
    assert again.status == "complete"
    assert again.about.microbatches is None
    loss = replay(IN_PIECES, done, 1).loss
    assert loss.values == pytest.approx(done.record().loss.values[1:2], rel=1e-3)


def test_pieces_that_leave_no_choice_need_not_be_noted(interrupted):
    forget_pieces(interrupted)
    done = train(PLAN, interrupted.path)
    assert done.status == "complete"
    assert done.about.sessions == ()


def test_a_run_keeps_its_pieces(tmp_path):
    with pytest.raises(RuntimeError, match="on purpose"):
        train(dataclasses.replace(IN_PIECES, microbatches=2), tmp_path / "run", watch=Stops(), checkpoint_seconds=0)
    done = train(IN_PIECES, tmp_path / "run")
    assert done.about.microbatches == 2
    whole = train(dataclasses.replace(IN_PIECES, microbatches=2), tmp_path / "whole")
    assert done.record().load().identical(whole.record().load())
