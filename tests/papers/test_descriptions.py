"""What papers say of themselves is true."""

import pytest

from nucleate.cli import main
from nucleate.papers import PAPERS, description, paper
from nucleate.papers.describe import describe
from nucleate.papers.options import described_options, options


@pytest.mark.parametrize("name", PAPERS)
def test_a_description_is_that_of_its_paper(name):
    assert description(name) == describe(paper(name)), "it has changed: python -m nucleate.papers.describe"


@pytest.mark.parametrize("name", PAPERS)
def test_options_are_those_of_the_configs(name):
    assert options(name) == described_options(paper(name).experiments), "run python -m nucleate.papers.describe"


@pytest.mark.parametrize(
    ("name", "budget"), [("grokking/groups", "standard"), ("circles/lines", "paper"), ("repons/narrow", "quick")]
)
def test_help_is_that_of_the_config_itself(name, budget, capsys, monkeypatch):
    def told() -> list[str]:
        with pytest.raises(SystemExit):
            main(["run", name, "--budget", budget, "--help"])
        return capsys.readouterr().out.replace("│", " ").split()

    described = told()
    monkeypatch.setattr("nucleate.cli.experiments.told_of", lambda name: None)
    assert described == told()
    assert "--block" in described


def test_a_paper_that_is_not_there_is_named_with_those_that_are():
    with pytest.raises(LookupError, match="there is no paper 'alchemy'; there are: grokking, circles"):
        description("alchemy")
