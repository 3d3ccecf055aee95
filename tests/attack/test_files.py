"""Whatever happens to the process, the disk or a file: no traceback, nothing lost, nothing outside touched."""

from tests.attack.campaign import Campaign


def test_files(capsys):
    broken = Campaign(("kills", "processes", "flips"), seed=0, seconds=None).run()
    assert not broken, capsys.readouterr().out
