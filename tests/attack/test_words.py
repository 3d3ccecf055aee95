"""Whatever is asked of the command line, of configs or of the public names: an answer that says what is wrong."""

from tests.attack.campaign import Campaign


def test_words(capsys):
    broken = Campaign(("command-lines", "configs", "misuses"), seed=0, seconds=None).run()
    assert not broken, capsys.readouterr().out
