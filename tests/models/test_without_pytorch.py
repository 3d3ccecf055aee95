"""What PyTorch is needed for asks for it, and nothing else does."""

import subprocess
import sys

import pytest

from nucleate.models import from_torch


def test_what_is_missing_is_named_with_its_command(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ImportError, match=r"Models of PyTorch need it: pip install 'nucleate\[torch\]'"):
        from_torch(None)


def test_nothing_loads_pytorch_before_it_is_asked_for():
    code = (
        "import sys\n"
        "import nucleate.cli, nucleate.fleet, nucleate.models, nucleate.observables, nucleate.papers\n"
        "sys.exit('torch' in sys.modules)\n"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
