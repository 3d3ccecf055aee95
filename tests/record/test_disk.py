import os
import shutil
from pathlib import Path

import pytest

from nucleate.record import Folder, RunError, disk, inside, write_atomically


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path, monkeypatch):
    file = tmp_path / "new" / "file.json"
    write_atomically(file, b"old")

    def fail(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="No space left"):
        write_atomically(file, b"new")
    assert file.read_bytes() == b"old"
    assert [entry.name for entry in file.parent.iterdir()] == ["file.json"]
    monkeypatch.undo()
    write_atomically(file, b"new")
    assert file.read_bytes() == b"new"


@pytest.mark.skipif(os.name != "posix", reason="needs Unix permissions")
def test_a_file_is_as_public_as_the_user_wants(tmp_path):
    before = os.umask(0o027)
    try:
        write_atomically(tmp_path / "file", b"")
    finally:
        os.umask(before)
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o640


@pytest.fixture
def synced(monkeypatch) -> list[Path]:
    """Files and folders, in the order in which they are made to reach the disk."""
    order, fsync = [], os.fsync

    def note(descriptor: int) -> None:
        order.append(Path(os.readlink(f"/proc/self/fd/{descriptor}")))
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", note)
    return order


needs_proc = pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs /proc")


@needs_proc
def test_a_file_is_on_the_disk_before_it_has_its_name_and_its_name_after(tmp_path, synced):
    write_atomically(tmp_path / "file", b"content")
    written, folder = synced
    assert written.match(".file.*")
    assert folder == tmp_path


@needs_proc
def test_sync_waits_for_files_and_folders(tmp_path, synced):
    (tmp_path / "a").mkdir()
    (tmp_path / "a/file").touch()
    disk.sync([tmp_path / "a", tmp_path / "a/file"])
    assert set(synced) == {tmp_path / "a", tmp_path / "a/file"}


def test_sync_does_not_hide_an_error(tmp_path, monkeypatch):
    def fail(descriptor):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="Input/output"):
        disk.sync([tmp_path])


@pytest.fixture
def folder(tmp_path) -> Folder:
    (tmp_path / "mine/data").mkdir(parents=True)
    return Folder(tmp_path / "mine", ("about.json", "data"), ("data/*.partial",))


def test_a_folder_with_nothing_but_what_a_killed_process_left_is_fresh(folder):
    shutil.rmtree(folder.path / "data")
    for left in ("lock", ".about.json.0123456789abcdef", ".about.json.abc", ".data.abc"):
        (folder.path / left).touch()
    assert folder.is_fresh()
    folder.sweep()
    assert [file.name for file in folder.path.iterdir()] == ["lock"]
    (folder.path / "about.json").touch()
    assert not folder.is_fresh()
    assert Folder(folder.path / "nowhere", ()).is_fresh()


@pytest.mark.parametrize("name", ["thesis.tex", ".bashrc", ".about.json", "about.json.abc"])
def test_what_others_put_there_is_neither_fresh_nor_swept_nor_discarded(folder, name):
    (folder.path / name).touch()
    assert not folder.is_fresh()
    assert [file.name for file in folder.foreign()] == [name]
    folder.sweep()
    folder.discard()
    assert [file.name for file in folder.path.iterdir()] == [name]


def test_only_what_was_made_is_swept_and_discarded(folder):
    for name in ("about.json", ".about.json.abc", "data/1", "data/1.partial", "lock"):
        (folder.path / name).touch()
    folder.sweep()
    assert {file.name for file in folder.path.rglob("*")} == {"about.json", "data", "1", "lock"}
    folder.discard()
    assert not folder.path.exists()


def test_a_killed_discard_is_finished_by_the_next(folder, monkeypatch):
    (folder.path / "about.json").touch()
    (folder.path / "data/1").touch()

    def killed(path):
        raise KeyboardInterrupt

    monkeypatch.setattr(shutil, "rmtree", killed)
    with pytest.raises(KeyboardInterrupt):
        folder.discard()
    assert not (folder.path / "data").exists()  # whole, or not there
    monkeypatch.undo()
    folder.discard()
    assert not folder.path.exists()


@pytest.mark.parametrize("name", ["*", "[a-z]", "?"])
def test_a_name_is_no_pattern(tmp_path, name):
    for file in (".bashrc.old", "a", ".a.b"):
        (tmp_path / file).touch()
    Folder(tmp_path, (name,)).sweep()
    Folder(tmp_path, (name,)).discard()
    assert {file.name for file in tmp_path.iterdir()} == {".bashrc.old", "a", ".a.b"}


def test_a_link_is_not_followed_to_what_it_leads_to(folder, tmp_path):
    (tmp_path / "other").mkdir()
    (tmp_path / "other/precious").touch()
    (folder.path / "data/link").symlink_to(tmp_path / "other")
    all_that_write = (folder.refuse_links, folder.sweep, folder.sweep_if_free, folder.discard)
    for refused in all_that_write:
        with pytest.raises(RunError, match=r"mine/data/link is a symbolic link"):
            refused()
    shutil.rmtree(folder.path / "data")
    (folder.path / "data").symlink_to(tmp_path / "other")
    for refused in all_that_write:
        with pytest.raises(RunError, match=r"mine/data is, or is behind, a symbolic link"):
            refused()
    (folder.path / "data").unlink()
    (folder.path / ".data.abc").symlink_to(tmp_path / "other")
    folder.sweep()
    assert (tmp_path / "other/precious").exists()
    assert not (folder.path / ".data.abc").is_symlink()


def test_a_folder_may_itself_be_behind_a_link(folder, tmp_path):
    (tmp_path / "link").symlink_to(folder.path)
    assert inside(tmp_path / "link", "data") == tmp_path / "link/data"
    Folder(tmp_path / "link", folder.made).refuse_links()


def test_a_lock_that_is_a_link_is_not_written_through(folder, tmp_path):
    (tmp_path / "precious").write_text("content")
    (folder.path / "lock").symlink_to(tmp_path / "precious")
    with pytest.raises((OSError, RunError)), folder.lock():
        pass
    assert (tmp_path / "precious").read_text() == "content"


def test_a_file_that_someone_reads_is_replaced_a_little_later_on_windows(tmp_path, monkeypatch):
    replacing, refused = os.replace, [2]

    def replace(source, target):
        refused[0] -= 1
        if refused[0] >= 0:
            raise PermissionError
        replacing(source, target)

    monkeypatch.setattr(disk.os, "replace", replace)
    monkeypatch.setattr(disk, "_PATIENCE", (0.0,))
    with pytest.raises(PermissionError):
        write_atomically(tmp_path / "a", b"new")
    refused[0] = 1
    write_atomically(tmp_path / "a", b"new")
    assert (tmp_path / "a").read_bytes() == b"new"
