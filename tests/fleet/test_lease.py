"""Who may write a run: a worker that is presumed dead, and one of a session that is over, write nothing."""

import shutil

import pytest
from patience import wait_until
from small_fleets import Sums, members

from nucleate.fleet import Plan, train
from nucleate.fleet import shard as shard_module
from nucleate.fleet.clusters import crew, lease
from nucleate.fleet.clusters.crew import Brief, Task, arrive, labour
from nucleate.fleet.clusters.lease import Landlord, Lease, Superseded, require_lease
from nucleate.fleet.estimate import Needs
from nucleate.record import Run, RunError, document

PLAN = Plan(Sums(), members(2), steps=20, block=1)
NOBODY = {"worker": "test", "place": 0}


def task(shard: int, epoch: int) -> Task:
    return Task(shard, {name: column[[shard]] for name, column in PLAN.members.items()}, epoch, NOBODY)


@pytest.fixture
def landlord(tmp_path):
    landlord = Landlord(tmp_path / "cluster.json", beat=0.05)
    yield landlord
    landlord.close()


def test_only_the_last_to_be_given_a_shard_may_write_it(landlord):
    first, again = landlord.grant(3), landlord.grant(3)
    assert (first, again) == (1, 2)
    require_lease(landlord.file, landlord.session, 3, again)
    require_lease(landlord.file, landlord.session, 4, landlord.grant(4))
    with pytest.raises(Superseded):
        require_lease(landlord.file, landlord.session, 3, first)


def test_no_other_session_may_write(landlord):
    with pytest.raises(Superseded):
        require_lease(landlord.file, "another", 0, landlord.grant(0))
    landlord.close()
    with pytest.raises(Superseded):
        require_lease(landlord.file, landlord.session, 0, 1)


def test_a_lease_that_is_replaced_while_it_is_read_is_read_again(landlord, monkeypatch):
    """As on NFS, where another machine may replace it."""
    usual, tries = document.read, []

    def stale(kind, file):
        tries.append(file)
        if len(tries) == 1:
            raise RunError("Stale file handle")
        return usual(kind, file)

    monkeypatch.setattr(document, "read", stale)
    require_lease(landlord.file, landlord.session, 0, landlord.grant(0))
    assert len(tries) == 2


def test_the_lease_beats_and_says_when_to_stop(landlord):
    before = Lease.read(landlord.file)
    wait_until(lambda: Lease.read(landlord.file).beat > before.beat + 1)
    landlord.stop()
    assert (before.stop, Lease.read(landlord.file).stop) == (False, True)


def test_who_arrives_says_what_it_sees(landlord, tmp_path):
    seen = arrive(landlord.file, landlord.session, PLAN.recipe, 1)
    assert seen.sees
    assert seen.writes
    assert list(tmp_path.iterdir()) == [landlord.file]
    assert not arrive(landlord.file, "another", PLAN.recipe, 1).sees
    assert not arrive(tmp_path / "elsewhere/cluster.json", landlord.session, PLAN.recipe, 1).sees


# --- the work of a worker, in this process ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Run:
    return train(PLAN, tmp_path_factory.mktemp("whole") / "run")


@pytest.fixture
def begun(whole, tmp_path) -> Run:
    """The same run, of which nothing is trained yet."""
    shutil.copytree(whole.path, tmp_path / "run")
    run = Run(tmp_path / "run")
    for file in [*run.checkpoints.iterdir(), *run.record_path.glob("loss/c/*/*")]:
        file.unlink()
    return run


def brief(run: Run, landlord: Landlord, silence: float = 30.0) -> Brief:
    needs = Needs(PLAN, run.path, 1)
    needs.see(PLAN.group(0), 0)
    layout = needs.layout
    size = run.about.shard_size
    assert size
    return Brief(
        landlord.session,
        landlord.file,
        run.record_path,
        run.checkpoints,
        PLAN.recipe,
        PLAN.keep_weights,
        PLAN.steps,
        {name: column.dtype for name, column in PLAN.members.items()},
        PLAN.members.count,
        1,
        size,
        layout.shapes,
        layout.rows_per_chunk,
        needs.timeline(),
        20.0,
        False,
        silence,
        2.0,
    )


def files(run: Run) -> dict:
    return {file: file.read_bytes() for file in run.path.rglob("*") if file.is_file()}


def test_a_worker_trains_what_it_is_given_and_signs(begun, whole, landlord):
    told = brief(begun, landlord)
    assert labour(landlord.session, None, task(0, 1), print) == "unbriefed"
    for shard in range(2):
        assert labour(landlord.session, told, task(shard, landlord.grant(shard)), print) == "trained"
    before, after = files(whole), files(begun)
    loss = [file for file in before if "loss/c" in str(file)]
    assert [before[file] for file in loss] == [after[begun.path / file.relative_to(whole.path)] for file in loss]
    assert (begun.checkpoints / "00001.done").read_text() == '{"worker": "test", "place": 0}'


def test_one_that_is_presumed_dead_and_one_that_comes_after_the_end_write_nothing(begun, landlord):
    told, before = brief(begun, landlord), files(begun)
    first = landlord.grant(0)
    landlord.grant(0)
    assert labour(landlord.session, told, task(0, first), print) == "superseded"
    landlord.close()
    assert labour(landlord.session, told, task(0, 2), print) == "superseded"
    assert files(begun) == before


def test_a_worker_that_is_overtaken_in_the_midst_writes_no_more(begun, landlord, monkeypatch):
    """Another worker is given the shard while this one trains it."""
    told = brief(begun, landlord)

    def overtaken(work, shard, device, usual=crew.train_shard):
        landlord.grant(shard)
        usual(work, shard, device)

    monkeypatch.setattr(crew, "train_shard", overtaken)
    before = files(begun)
    assert labour(landlord.session, told, task(0, landlord.grant(0)), print) == "superseded"
    assert files(begun) == before


@pytest.mark.parametrize(("hidden", "epochs"), [(-1.0, {}), (60.0, {"0": 2})])
def test_a_worker_that_wakes_when_its_shard_is_done_writes_nothing(begun, landlord, monkeypatch, hidden, epochs):
    """Neither when the lease has forgotten the shard, nor where a file system of others does not show its done file."""
    monkeypatch.setattr(lease, "_HIDDEN", hidden)
    told, usual = brief(begun, landlord), shard_module._train_chunk

    def asleep(*args):
        landlord.grant(0)
        done.touch()
        landlord.settle(0)
        landlord._write()
        if epochs:
            done.unlink()
        usual(*args)

    done = begun.checkpoints / "00000.done"
    monkeypatch.setattr(shard_module, "_train_chunk", asleep)
    first, before = landlord.grant(0), files(begun)
    assert labour(landlord.session, told, task(0, first), print) == "superseded"
    assert Lease.read(landlord.file).epochs == epochs
    changed = {done, landlord.file}
    assert {file for file, content in files(begun).items() if before.get(file) != content} <= changed


def test_without_a_beat_workers_save_and_stop(begun, landlord, monkeypatch):
    monkeypatch.setattr(crew, "_LOOK", 0.02)
    told = brief(begun, landlord, silence=0.2)
    landlord._over.set()  # as if its process had died: the file stays as it is
    epoch = landlord.grant(0)
    place = crew.Workplace(told, print)
    assert place._stop.wait(60)
    assert place.train(task(0, epoch)) == "stopped"
    assert (begun.checkpoints / "00000.checkpoint").exists()
    assert not (begun.checkpoints / "00000.done").exists()
