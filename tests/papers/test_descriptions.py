"""What papers say of themselves is true."""

import pytest

from nucleate.papers import PAPERS, description, paper
from nucleate.papers.describe import describe


@pytest.mark.parametrize("name", PAPERS)
def test_a_description_is_that_of_its_paper(name):
    assert description(name) == describe(paper(name)), "it has changed: python -m nucleate.papers.describe"


def test_a_paper_that_is_not_there_is_named_with_those_that_are():
    with pytest.raises(LookupError, match="there is no paper 'alchemy'; there are: grokking, circles"):
        description("alchemy")
