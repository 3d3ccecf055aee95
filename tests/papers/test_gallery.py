"""Pictures for the gallery, taken from a replication."""

from dataclasses import replace

import pytest
import toy_paper
from PIL import Image
from toy_paper import FIRST, PAPER

from docs.press import pictures
from nucleate.papers import Budget, replicate
from nucleate.plots import Picture
from nucleate.record import Run, RunError
from nucleate.report import Gallery


def film(evidence, folder) -> Picture:
    frames = [Image.new("RGB", (1000, 400), color) for color in ("red", "blue")]
    frames[0].save(folder / "film.gif", save_all=True, append_images=frames[1:])
    evidence.record(FIRST)
    return Picture(folder / "film.gif", "A film", "Of the first.")


@pytest.fixture
def drawn(toy, tmp_path, monkeypatch):
    """The toy paper's folder with a film of its own, and an empty gallery."""
    monkeypatch.setattr(pictures, "GALLERY", tmp_path / "gallery")
    monkeypatch.setattr(toy_paper, "film", film, raising=False)
    replicate(replace(PAPER, figures=(film,)), Budget.QUICK, toy)
    return toy


def test_small_pictures_are_taken_with_what_is_behind_them(drawn):
    pictures.take(drawn)
    (taken,) = pictures.album("toy").figures
    assert taken.figure == f"{film.__module__}.film"
    assert taken.pictures == (pictures.Small("film.webp", "A film", "Of the first."),)
    assert [(read.name, read.networks) for read in taken.reads] == [(FIRST, toy_networks(drawn))]
    assert taken.budget is Budget.QUICK
    with Image.open(pictures.GALLERY / "toy" / "film.webp") as image:
        assert image.size == (840, 336)
        assert image.convert("RGB").getpixel((0, 0))[2] > 200  # the last frame
    assert (pictures.GALLERY / "toy" / "film.webp").stat().st_size <= 25_000


def toy_networks(folder) -> int:
    return Run.open(folder / FIRST.split("/")[1]).about.members


def test_portraits_of_runs_are_taken_with_their_experiments(drawn):
    run = Run.open(drawn / FIRST.split("/")[1])
    (run.path / "figures").mkdir(exist_ok=True)
    Image.new("RGB", (30, 20)).save(run.path / "figures" / "film.png")
    Gallery(run).keep("portraits", [Picture(run.path / "figures" / "film.png", "A portrait", "")])
    pictures.take(drawn)
    _, portrait = sorted(pictures.album("toy").figures, key=lambda each: each.figure == FIRST)
    assert portrait.figure == FIRST
    assert portrait.pictures == (pictures.Small("first-film.webp", "A portrait", ""),)


def test_a_smaller_budget_does_not_replace_a_larger_one(drawn):
    pictures.take(drawn)
    (taken,) = pictures.album("toy").figures
    larger = replace(taken, budget=Budget.STANDARD, pictures=(replace(taken.pictures[0], title="Larger"),))
    pictures._store("toy", [larger])
    pictures.take(drawn)
    assert pictures.album("toy").figures[0].pictures[0].title == "Larger"


def test_pictures_that_are_listed_no_longer_are_deleted(drawn):
    pictures.take(drawn)
    old = pictures.GALLERY / "toy" / "old.webp"
    old.write_bytes(b"")
    pictures.take(drawn)
    assert not old.exists()
    assert (pictures.GALLERY / "toy" / "film.webp").exists()


def test_a_replication_that_has_drawn_nothing_is_refused(toy, tmp_path, monkeypatch):
    monkeypatch.setattr(pictures, "GALLERY", tmp_path / "gallery")
    with pytest.raises(RunError, match="has drawn nothing yet; `nucleate resume"):
        pictures.take(toy)
    assert not pictures.GALLERY.exists()
