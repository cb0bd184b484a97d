"""On a shared machine nobody else reads what lies in a learner's folder."""

import os
import stat

import pytest

from labutils.ground.files import append, overwrite_own, publish, swap
from labutils.measure import MachineProfile

pytestmark = pytest.mark.skipif(os.name != "posix", reason="modes are those of POSIX")


@pytest.fixture(autouse=True)
def usual_umask():
    before = os.umask(0o022)
    yield
    os.umask(before)


def modes(folder):
    """The permissions of everything below, by path."""
    return {
        path.relative_to(folder).as_posix(): stat.S_IMODE(path.stat().st_mode)
        for path in folder.rglob("*")
    }


def test_folders_and_files_are_their_owners_alone(tmp_path):
    my = tmp_path / "homes" / "my"
    publish(my / "notebooks" / "a.ipynb", b"a")
    swap(my / "notebooks" / "a.ipynb", b"b", my / "backups" / "a.ipynb")
    append(my / "progress" / "j.jsonl", b"{}\n")
    overwrite_own(my / ".handed_out.json", b"{}")
    MachineProfile.load(my / "none.json").save(my / "profiles" / "machine.json")
    found = modes(tmp_path)
    assert len(found) == 11
    for path, mode in found.items():
        assert mode == (0o700 if (tmp_path / path).is_dir() else 0o600), path


def test_a_folder_that_stands_there_keeps_its_permissions(tmp_path):
    (tmp_path / "my").mkdir(mode=0o755)
    publish(tmp_path / "my" / "a.txt", b"a")
    assert modes(tmp_path) == {"my": 0o755, "my/a.txt": 0o600}
