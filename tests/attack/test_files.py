"""Whatever happens to the process, the disk or a file: no traceback, nothing lost, nothing outside touched."""

import pytest
from tests.attack.campaign import Campaign


@pytest.mark.parametrize("kind", ["kills", "processes", "flips"])
def test_files(kind, capsys):
    broken = Campaign((kind,), seed=0, seconds=None).run()
    assert not broken, capsys.readouterr().out
