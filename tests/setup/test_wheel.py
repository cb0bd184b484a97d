"""The wheel carries the course's data and finds it where no checkout is at hand."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    (wheel,) = folder.glob("labutils-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site")
    return folder / "site"


def test_it_holds_every_data_file_and_the_jupyter_settings(unpacked):
    data = [path for path in (ROOT / "data").rglob("*") if path.is_file()]
    assert data
    for path in data:
        copy = unpacked / "labutils" / "_data" / path.relative_to(ROOT / "data")
        assert copy.read_bytes() == path.read_bytes()
    assert list((unpacked / "labutils" / "workspace" / "jupyter").rglob("page_config.json"))


def test_it_says_that_its_types_count(unpacked):
    assert (unpacked / "labutils" / "py.typed").exists()


def test_it_holds_nothing_but_the_package_its_licences_and_their_notice(unpacked):
    tops = {path.name for path in unpacked.iterdir()}
    (info,) = (name for name in tops if name.endswith(".dist-info"))
    assert tops == {"labutils", info}
    licences = {path.name for path in (unpacked / info / "licenses").iterdir()}
    assert licences == {"LICENSE", "LICENSE-PROSE", "NOTICE"}


def test_datafile_finds_the_data_inside_the_wheel(unpacked):
    code = (
        "import labutils; path = labutils.datafile('course.json');"
        "print(path); labutils.datafile('no such file')"
    )
    environment = {"PYTHONPATH": str(unpacked), "PATH": ""}
    run = subprocess.run(
        [sys.executable, "-c", code],
        cwd=unpacked,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert run.stdout.strip() == str(unpacked / "labutils" / "_data" / "course.json")
    assert "no data file of that name" in run.stderr
