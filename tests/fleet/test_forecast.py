"""What a run would take, beside what it took."""

import pytest
from small_fleets import Sums, members

from nucleate.fleet import Plan, forecast, speeds, train
from nucleate.fleet.program import Program


@pytest.fixture(autouse=True)
def nothing_remembered(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def hundred_a_second(monkeypatch):
    """The speed of every program, made up."""
    monkeypatch.setattr(speeds, "_speed", lambda plan, members, cut, abreast: 100.0)


def test_the_record_is_as_large_as_foretold(tmp_path, hundred_a_second, compiled_once):
    plan = Plan(Sums(), members(5), 20)
    about = forecast(plan, 3)
    assert not list(tmp_path.glob("**/run.json"))
    assert (about.networks, about.steps, about.shards, about.most_shards) == (5, 20, 5, 5)
    record = train(plan, tmp_path / "run").record_path
    described = 2  # in_train: its description and its only chunk
    assert len([file for file in record.rglob("*") if file.is_file()]) == about.files + described
    streamed = train(plan, tmp_path / "run").record().drop_vars("in_train").data_vars.values()
    assert about.record == sum(variable.nbytes for variable in streamed)


def test_time_is_that_of_whole_shards(hundred_a_second):
    plan = Plan(Sums(), members(7), 100)
    one, three, many = (forecast(plan, workers) for workers in (1, 3, 50))
    assert one.labour == three.labour == pytest.approx(7.0)
    assert one.seconds == pytest.approx(one.making + 7.0)
    assert three.seconds == pytest.approx(three.making + 3.0)  # one of the workers takes three
    assert many.seconds == pytest.approx(many.making + 1.0)
    assert not one.pace.remembered
    assert three.pace.remembered


def test_kinds_of_networks_count_by_what_their_steps_multiply(hundred_a_second, monkeypatch):
    outline, seen = Program.outline, []

    def counted(self, *given):
        found = outline(self, *given)
        seen.append((self.static["width"], found.products))
        return found

    monkeypatch.setattr(Program, "outline", counted)
    widths = [width for width in (2, 40, 4) for _ in range(2)]
    about = forecast(Plan(Sums(static=("width",)), members(6, width=widths), 100), 1)
    products = dict(seen)
    assert list(products) == [2, 40, 4]
    steps_like_the_heaviest = 2 * 100 * sum(products.values()) / products[40]
    assert about.labour == pytest.approx(steps_like_the_heaviest / 100.0)


def test_of_many_kinds_a_few_are_looked_at(hundred_a_second, monkeypatch):
    outline, seen = Program.outline, []
    monkeypatch.setattr(Program, "outline", lambda self, *given: seen.append(self.static) or outline(self, *given))
    about = forecast(Plan(Sums(static=("width",)), members(20, width=range(1, 21)), 10), 1)
    assert [static["width"] for static in seen] == [3, 6, 9, 12, 14, 16, 18, 20]
    assert about.networks == 20


def test_a_real_measurement(compiled_once):
    about = forecast(Plan(Sums(), members(2), 20, block=1))
    assert about.pace.cut.block == 1
    assert about.pace.speed > 0
    assert about.seconds > 0


def test_the_number_of_workers_is_checked():
    with pytest.raises(ValueError, match="forecast: workers must be >= 1; got 0"):
        forecast(Plan(Sums(), members(2), 20), 0)
