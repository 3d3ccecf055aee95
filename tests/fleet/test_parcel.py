"""What is sent to workers: code of the user's is imported there from its file, as it is now."""

import json
import os
import subprocess
import sys

import pytest

pytest.importorskip("distributed")

import equinox as eqx

from nucleate.fleet.clusters import parcel
from nucleate.fleet.clusters.parcel import packed, unpacked
from nucleate.record import RunError

SCRIPT = """
import sys
from helper import RATE
import equinox as eqx

class Net(eqx.Module):
    size: int
    def __init__(self):
        self.size = RATE

def made():
    return Net().size

if __name__ == "__main__":
    from nucleate.fleet.clusters.parcel import packed
    sys.stdout.buffer.write(packed([made, Net()]))
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("users")


@pytest.fixture(scope="module")
def sent(folder):
    """What the script packs."""
    write(folder)
    return subprocess.run([sys.executable, folder / "script.py"], check=True, stdout=subprocess.PIPE).stdout


@pytest.fixture
def script(folder, sent, monkeypatch):
    """The same, where nothing was imported yet; what is imported is forgotten in the end."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(parcel, "_seen", {})
    write(folder)
    before = {**sys.modules}
    yield sent
    for name in sys.modules.keys() - before:
        del sys.modules[name]
    sys.modules.update(before)  # and what was forgotten is known again: other tests have names of it


def write(folder):
    (folder / "helper.py").write_text("RATE = 3\n")
    (folder / "script.py").write_text(SCRIPT)


def test_what_a_script_defines_is_imported_from_its_file(script, folder):
    made, net = unpacked(script)
    assert made() == net.size == 3
    assert type(net).__module__ == "script"
    again, _ = unpacked(script)
    assert again is made


def test_it_is_imported_anew_when_it_or_what_it_uses_was_changed(script, folder):
    made, _ = unpacked(script)
    (folder / "helper.py").write_text("RATE = 40\n")
    os.utime(folder / "helper.py", ns=(1, 1))  # a clock may be coarse
    now, _ = unpacked(script)
    assert (made(), now()) == (3, 40)


def test_a_file_that_is_not_there_is_named(script, folder):
    (folder / "script.py").unlink()
    with pytest.raises(RunError, match=r"it does not see .*script\.py: put that on a file system that all workers"):
        unpacked(script)


def test_a_module_that_is_installed_elsewhere_will_do():
    assert parcel._fetched("/nowhere/json/decoder.py", "json.decoder", "JSONDecoder.decode") is json.JSONDecoder.decode


def test_what_is_in_no_file_travels_by_value_unless_it_cannot():
    class Net(eqx.Module):
        size: int = 3

    assert unpacked(packed(lambda: 3))() == 3
    with pytest.raises(RunError, match=r"workers could not import .*Net; put it into a Python file"):
        packed(Net)
    assert unpacked(packed(eqx.nn.Identity)) is eqx.nn.Identity
