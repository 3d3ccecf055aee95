"""Whatever is asked of the command line, of configs or of the public names: an answer that says what is wrong."""

import pytest
from tests.attack.campaign import Campaign


@pytest.mark.parametrize("kind", ["command-lines", "configs", "misuses"])
def test_words(kind, capsys):
    broken = Campaign((kind,), seed=0, seconds=None).run()
    assert not broken, capsys.readouterr().out
