"""Hand-ins are strangers' files: what is too large, or no file, is named; the others count."""

import errno
import json
import os
from pathlib import Path

import pytest

from labutils.classroom import handed_in, vocabulary
from labutils.classroom.gathered import gather
from labutils.classroom.handover import exported
from labutils.classroom.report import NothingToReport, merge
from tests.classroom.pupils import diary

ANN, BOB = "00000000000000a1", "00000000000000b2"


@pytest.fixture
def folder(tmp_path):
    """Two hand-ins in a folder."""
    (tmp_path / "in").mkdir()
    for seed, (name, token) in enumerate((("ann.jsonl", ANN), ("bob.jsonl", BOB))):
        (tmp_path / "in" / name).write_text(exported(diary(seed), token))
    return tmp_path / "in"


def test_a_folder_stands_for_the_files_in_it(folder):
    (folder / "older").mkdir()
    (folder / "older" / "ann.jsonl").write_text(exported(diary(7), "00000000000000c3"))
    found = gather([folder])
    assert found == gather([folder / "bob.jsonl", folder / "ann.jsonl"])
    assert (len(found.learners), found.num_files, found.remarks) == (2, 2, ())


def test_a_file_that_is_too_large_is_named_and_the_others_count(folder, monkeypatch):
    size = (folder / "ann.jsonl").stat().st_size
    (folder / "big.jsonl").write_text("x" * (size + 1))
    monkeypatch.setattr(handed_in, "MOST_BYTES", size)
    found = gather([folder / "ann.jsonl", folder / "big.jsonl"])
    assert [lines[0].learner for lines in found.learners] == [ANN]
    assert found.remarks == ("big.jsonl: larger than 0 MB: left out.",) and found.num_damaged == 0


def test_too_many_lines_or_learners_are_named(folder, monkeypatch):
    lines = (folder / "ann.jsonl").read_text().splitlines()
    monkeypatch.setattr(handed_in, "MOST_LINES", len(lines))
    (folder / "long.jsonl").write_text("\n".join([*lines, "x"]))
    assert "more than" in gather([folder / "long.jsonl"]).remarks[0]
    monkeypatch.setattr(handed_in, "MOST_LEARNERS", 2)
    crowd = [json.loads(lines[0]) | {"learner": f"{n:016x}"} for n in range(3)]
    (folder / "crowd.jsonl").write_text("\n".join(map(json.dumps, crowd)))
    found = gather([folder / "crowd.jsonl"])
    assert found.learners == () and found.remarks[0].startswith("crowd.jsonl: 3 learners")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes in a folder here")
def test_a_pipe_keeps_nobody_waiting(folder):
    os.mkfifo(folder / "pipe.jsonl")
    found = gather([folder])
    assert found.remarks == ("pipe.jsonl: no ordinary file: left out.",)
    assert len(found.learners) == 2


def test_no_link_is_followed_and_no_kernels_file_waited_for(folder, tmp_path):
    bob = (folder / "bob.jsonl").rename(tmp_path / "bob.jsonl")
    links = {"link": bob, "dangling": "nowhere", "loop": "loop.jsonl", "folder": tmp_path}
    for name, target in links.items():
        (folder / f"{name}.jsonl").symlink_to(target)
    expected = tuple(f"{name}.jsonl: a link: left out." for name in sorted(links))
    for paths in ([folder], sorted(folder.iterdir())):
        found = gather(paths)
        assert sorted(found.remarks) == list(expected) and len(found.learners) == 1
    if Path("/proc/self/status").is_file():
        assert gather([Path("/proc/self/status")]).num_damaged == 0  # it says that it is empty


def test_of_a_file_that_may_not_be_read_only_one_that_was_named_stops_all(folder, monkeypatch):
    def refused(path, flags):
        if Path(path).name == "bob.jsonl":
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return opened(path, flags)

    opened = os.open
    monkeypatch.setattr(os, "open", refused)
    assert gather([folder]).remarks == ("bob.jsonl: Permission denied: left out.",)
    with pytest.raises(PermissionError):
        gather([folder / "bob.jsonl"])


def test_where_all_are_too_much_the_largest_are_left_out(folder, monkeypatch):
    (folder / "ann.jsonl").write_bytes((folder / "ann.jsonl").read_bytes() + b"x" * 100_000)
    monkeypatch.setattr(handed_in, "MOST_BYTES_IN_ALL", 100_000)
    found = gather([folder])
    assert [lines[0].learner for lines in found.learners] == [BOB]
    assert found.remarks == ("ann.jsonl: all files are more than 60 MB: left out.",)


def test_a_name_neither_stops_nor_steers_a_terminal(folder):
    for name in ("\x1b[2J\x1b]0;owned\x07.jsonl", "a\nb.jsonl", "\udcff.jsonl"):
        (folder / name).symlink_to("nowhere")
    said = "".join(gather([folder]).remarks)
    assert said.isprintable() and r"\x1b[2J" in said and r"a\nb.jsonl" in said


def test_no_more_drills_are_made_than_a_report_can_wait_for(monkeypatch):
    vocabulary.drill_of.cache_clear()
    monkeypatch.setattr(vocabulary, "MOST_DRILLS", 3)
    made = [vocabulary.drill_of("drill.weight_memory", seed, 0) for seed in range(1, 6)]
    assert [drill is not None for drill in made] == [True] * 3 + [False] * 2
    vocabulary.drill_of.cache_clear()


def test_a_file_of_several_learners_and_a_learner_of_several_files_are_named(folder):
    both = (folder / "ann.jsonl").read_text() + (folder / "bob.jsonl").read_text()
    (folder / "cat.jsonl").write_text(both)
    several, ann, bob = gather([folder]).remarks
    assert several == "cat.jsonl holds 2 learners."
    assert ann == f"Learner {ANN} is in 2 files (ann.jsonl, cat.jsonl)."
    assert BOB in bob


def test_no_line_announces_more_lines_than_a_file_may_hold(folder):
    line = json.loads((folder / "ann.jsonl").read_text().splitlines()[0]) | {"of": 10**9}
    (folder / "ann.jsonl").write_text(json.dumps(line))
    found = gather([folder / "ann.jsonl"])
    assert (found.num_damaged, found.num_lost) == (1, 0)


def test_the_report_does_not_go_where_the_hand_ins_lie(folder):
    for paths in ([folder], [folder / "ann.jsonl"]):
        with pytest.raises(NothingToReport, match=r"folder = .*in: the hand-ins lie there"):
            merge(paths, folder)
    assert sorted(path.name for path in folder.iterdir()) == ["ann.jsonl", "bob.jsonl"]


@pytest.mark.full  # the merge executes a notebook
@pytest.mark.parametrize("name", ["labutils", "matplotlib", "numpy"])
def test_no_file_of_a_learner_is_imported(folder, tmp_path, monkeypatch, name):
    caught = tmp_path / "caught"
    for place in (folder, tmp_path / "report"):
        place.mkdir(exist_ok=True)
        (place / f"{name}.py").write_text(f"open({str(caught)!r}, 'w').close()\n")
    monkeypatch.chdir(folder)
    report = merge([folder], tmp_path / "report")
    assert report.found.learners == 2 and not caught.exists()
