"""Fetching checks what it gets, overwrites nothing and needs no network here."""

import gzip
import hashlib
import tracemalloc

import pytest

from labutils.workload import FetchError, catalogue, trace_file
from labutils.workload.__main__ import main
from labutils.workload.fetch import fetch, traces_folder as default_folder
from tests.conftest import traces_folder

CONTENT = b"TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:46.68,374,44\n"


@pytest.fixture
def source(tmp_path, monkeypatch):
    """A catalogue whose traces come from this disk, and an empty folder to fetch them into."""
    origin = tmp_path / "origin.csv"
    origin.write_bytes(CONTENT)
    row = {
        "file": "small.csv.gz",
        "url": origin.as_uri(),
        "sha256": hashlib.sha256(CONTENT).hexdigest(),
        "size_bytes": len(CONTENT),
        "source": "a file on this disk",
        "licence": "CC0",
    }
    traces = {"small": row, "merged": {**row, "url": None, "file": "merged.csv.gz"}}
    monkeypatch.setattr(catalogue, "table", lambda: {"traces": traces})
    monkeypatch.setattr("labutils.workload.fetch.table", catalogue.table)
    monkeypatch.setenv("LABUTILS_TRACES", str(tmp_path / "traces"))
    return origin


def test_what_arrives_is_checked_and_packed(source, tmp_path):
    path = fetch("small")
    assert path == tmp_path / "traces" / "small.csv.gz" == trace_file("small")
    assert gzip.decompress(path.read_bytes()) == CONTENT
    assert [found.name for found in path.parent.iterdir()] == ["small.csv.gz"]
    source.unlink()
    assert fetch("small") == path  # nothing is downloaded twice


def test_a_wrong_checksum_keeps_nothing(source, tmp_path):
    source.write_bytes(CONTENT.replace(b"374", b"375"))
    with pytest.raises(FetchError, match=r"SHA-256 .*, expected .* nothing was kept"):
        fetch("small")
    assert not (tmp_path / "traces").exists()


def test_a_file_that_is_there_is_never_overwritten(source, tmp_path):
    path = tmp_path / "traces" / "small.csv.gz"
    path.parent.mkdir()
    path.write_bytes(b"my own notes")
    with pytest.raises(FetchError, match="it is not small as recorded; move it away"):
        fetch("small")
    assert path.read_bytes() == b"my own notes"


@pytest.mark.parametrize("end", [b"", b"\xff" * 40], ids=["cut", "overwritten"])
def test_a_damaged_file_that_is_there_is_named(source, tmp_path, end):
    path = tmp_path / "traces" / "small.csv.gz"
    path.parent.mkdir()
    packed = gzip.compress(CONTENT)
    path.write_bytes(packed[:10] + end)
    with pytest.raises(FetchError, match="it is not small as recorded; move it away"):
        fetch("small")


def test_no_more_is_read_than_is_on_record(source, tmp_path):
    source.write_bytes(CONTENT * 1000)
    with pytest.raises(FetchError, match=rf"got {len(CONTENT) + 1} bytes or more"):
        fetch("small")
    path = tmp_path / "traces" / "small.csv.gz"
    path.parent.mkdir()
    path.write_bytes(gzip.compress(b"0" * 50_000_000))
    tracemalloc.start()
    try:
        with pytest.raises(FetchError, match="it is not small as recorded"):
            fetch("small")
        assert tracemalloc.get_traced_memory()[1] < 5_000_000
    finally:
        tracemalloc.stop()


def test_what_cannot_be_had_says_so(source):
    source.unlink()
    with pytest.raises(FetchError, match=r"origin\.csv"):
        fetch("small")
    with pytest.raises(FetchError, match="not to be had as one file"):
        fetch("merged")
    with pytest.raises(ValueError, match="expected one of small, merged"):
        fetch("smalll")
    with pytest.raises(FileNotFoundError, match=r"python -m labutils\.workload fetch small"):
        trace_file("small")


def test_the_command(source, capsys):
    assert main(["fetch", "small"]) == 0
    assert "small.csv.gz" in capsys.readouterr().out
    assert main(["fetch", "merged"]) == 1
    assert "not to be had" in capsys.readouterr().err
    assert main(["list"]) == 0
    listed = capsys.readouterr().out
    assert "small (here, CC0): a file on this disk" in listed and "merged (not here" in listed
    with pytest.raises(SystemExit):
        main([])


@pytest.mark.traces
@pytest.mark.parametrize("name", catalogue.table()["traces"])
def test_checksums_on_record_are_those_of_the_real_files(name, monkeypatch):
    monkeypatch.setenv("LABUTILS_TRACES", str(traces_folder()))
    assert fetch(name) == traces_folder() / catalogue.row("traces", name)["file"]


def test_traces_lie_in_the_learners_folder_wherever_a_notebook_runs(tmp_path, monkeypatch):
    (tmp_path / "labutils").mkdir()
    (tmp_path / "my" / "notebooks").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "my" / "notebooks")
    for name in ("LABUTILS_MY", "LABUTILS_TRACES"):
        monkeypatch.delenv(name, raising=False)
    assert default_folder() == tmp_path / "my" / "traces"
