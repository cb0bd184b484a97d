"""The progress store under everything that disks, kills and other kernels do to it."""

import errno
import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from datetime import UTC, datetime, timedelta, timezone
from enum import StrEnum
from pathlib import Path

import numpy as np
import pytest

from labutils.exercises.journal import journal as store
from labutils.exercises.journal.journal import Journal

ROOT = Path(store.__file__).parents[2]


def spawn(code: str, **environment) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code)],
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        stdout=subprocess.PIPE,
        text=True,
    )


def lines_of(folder: Path) -> list[str]:
    return [line for file in folder.glob("*.jsonl") for line in file.read_text().splitlines()]


WRITER = """
    from pathlib import Path
    from labutils.exercises.journal import journal as store
    store.os.fsync = lambda file: None  # thousands of events: this disk's speed is not the point
    journal = store.Journal(Path({folder!r}))
    print("ready", flush=True)
    for i in range({count}):
        journal.record({{"who": {who!r}, "i": i, "filler": "ä" * (i % 700)}})
"""


def test_a_written_event_comes_back_with_its_stamp(tmp_path):
    before = datetime.now(UTC)
    journal = Journal(tmp_path / "deep" / "progress")
    journal.record({"kind": "check", "id": "mm1.recursion", "passed": False})

    (event,) = Journal(tmp_path / "deep" / "progress").events()
    assert event.items() >= {"kind": "check", "id": "mm1.recursion", "passed": False}.items()
    assert event["v"] == store.VERSION
    at = datetime.fromisoformat(event["at"])
    assert before - timedelta(seconds=1) <= at <= datetime.now(UTC)


def test_the_last_byte_on_the_disk_is_a_line_end(tmp_path):
    Journal(tmp_path).record({"text": "two\nlines \u2028 and more"})
    (file,) = tmp_path.iterdir()
    content = file.read_bytes()
    assert content.endswith(b"}\n")
    assert content.count(b"\n") == 1


def test_two_processes_that_write_at_once_lose_nothing(tmp_path):
    count = 2500
    writers = [
        spawn(WRITER.format(folder=str(tmp_path), count=count, who=who)) for who in ("a", "b")
    ]
    assert [writer.wait(120) for writer in writers] == [0, 0]

    assert len(list(tmp_path.iterdir())) == 2
    reader = Journal(tmp_path)
    events = reader.events()
    assert reader.damaged == 0
    for who in ("a", "b"):
        mine = [event for event in events if event["who"] == who]
        assert [event["i"] for event in mine] == list(range(count))
        assert all(event["filler"] == "ä" * (event["i"] % 700) for event in mine)
    assert [event["at"] for event in events] == sorted(event["at"] for event in events)


def test_a_killed_process_leaves_every_finished_line(tmp_path):
    writer = spawn(WRITER.format(folder=str(tmp_path), count=10**9, who="doomed"))
    assert writer.stdout.readline() == "ready\n"
    while len(lines_of(tmp_path)) < 50:
        assert writer.poll() is None
        time.sleep(0.005)
    os.kill(writer.pid, signal.SIGKILL)
    assert writer.wait(30) == -signal.SIGKILL

    reader = Journal(tmp_path)
    events = reader.events()
    assert reader.damaged == 0
    assert len(events) >= 50
    assert [event["i"] for event in events] == list(range(len(events)))


@pytest.mark.parametrize("cut", [1, 2, 7, 40])
def test_a_half_last_line_is_dropped_alone(tmp_path, cut):
    first, second = Journal(tmp_path), Journal(tmp_path)
    for i in range(3):
        first.record({"file": 1, "i": i})
    second.record({"file": 2, "i": 0})
    file = tmp_path / first._name
    file.write_bytes(file.read_bytes()[: -1 - cut])  # the line end and a bit more

    reader = Journal(tmp_path)
    assert [(event["file"], event["i"]) for event in reader.events()] == [(1, 0), (1, 1), (2, 0)]
    assert reader.damaged == 0


def test_a_whole_last_line_without_its_line_end_is_kept(tmp_path):
    journal = Journal(tmp_path)
    journal.record({"i": 0})
    file = tmp_path / journal._name
    file.write_bytes(file.read_bytes().rstrip())
    assert [event["i"] for event in journal.events()] == [0]


def test_damaged_lines_in_the_middle_are_skipped_and_counted(tmp_path):
    journal = Journal(tmp_path)
    journal.record({"i": 0})
    with open(tmp_path / journal._name, "ab") as file:
        file.write(b'{"i": 99, "at"\n\xff\xfe\x00\n[1, 2]\n\n' + b"[" * 100_000 + b"\n")
    journal.record({"i": 1})
    assert [event["i"] for event in journal.events()] == [0, 1]
    assert journal.damaged == 4


def test_unknown_versions_and_foreign_fields_are_kept(tmp_path):
    line = {"v": 7, "at": "2021-01-01T00:00:00.000000Z", "shape": {"new": [1]}}
    (tmp_path / "from-the-future.jsonl").write_text(json.dumps(line) + "\n")
    journal = Journal(tmp_path)
    journal.record({"i": 0})
    assert journal.events()[0] == line
    assert len(journal.events()) == 2


def test_a_copied_file_counts_once(tmp_path):
    journal = Journal(tmp_path)
    for i in range(4):
        journal.record({"i": i % 2})
    (tmp_path / "copy of it.jsonl").write_bytes((tmp_path / journal._name).read_bytes())
    assert [event["i"] for event in journal.events()] == [0, 1, 0, 1]


def test_events_sort_by_time_across_files(tmp_path, monkeypatch):
    clock = iter(datetime(2026, 3, 1, 12, minute, tzinfo=UTC) for minute in (5, 3, 9))
    monkeypatch.setattr(store, "_utc_now", lambda: next(clock))
    one, two = Journal(tmp_path), Journal(tmp_path)
    one.record({"i": "second"})
    two.record({"i": "first"})
    two.record({"i": "third"})
    assert [event["i"] for event in one.events()] == ["first", "second", "third"]


def test_times_rise_even_where_the_clock_stands_still(tmp_path, monkeypatch):
    noon = datetime(2026, 3, 1, 12, tzinfo=UTC)
    monkeypatch.setattr(store, "_utc_now", lambda: noon)
    journal = Journal(tmp_path)
    for i in (3, 1, 2):
        journal.record({"i": i})
    events = journal.events()
    assert [event["i"] for event in events] == [3, 1, 2]
    assert len({event["at"] for event in events}) == 3


def test_a_clock_that_was_ahead_and_is_set_back_costs_neither_order_nor_times(
    tmp_path, monkeypatch
):
    moments = [datetime(2026, 3, 1, 12, 0, tzinfo=UTC), datetime(2027, 3, 1, 12, 1, tzinfo=UTC)]
    moments += [datetime(2026, 3, 1, 12, minute, tzinfo=UTC) for minute in (2, 3)]
    clock = iter(moments)
    monkeypatch.setattr(store, "_utc_now", lambda: next(clock))
    journal = Journal(tmp_path)
    for i in range(4):
        journal.record({"i": i})
    for reader in (journal, Journal(tmp_path)):
        events = reader.events()
        assert [event["i"] for event in events] == [0, 1, 2, 3]
        assert [event["at"][:16] for event in events] == [
            f"2026-03-01T12:0{minute}" for minute in (0, 2, 2, 3)
        ]


def test_another_kernels_clock_that_was_ahead_puts_nothing_behind_what_came_after(tmp_path):
    def written(name, *events):
        lines = (json.dumps({"by": name, **event}) for event in events)
        (tmp_path / f"{name}.jsonl").write_text("".join(f"{line}\n" for line in lines))

    written("one", {"i": 0, "at": "2026-03-01T00:00:00.000000Z"})
    written("two", *({"i": i, "at": f"2928-01-01T00:0{i}:00.000000Z"} for i in (1, 2)))
    assert [event["i"] for event in Journal(tmp_path).events()] == [0, 1, 2]
    for i in (3, 4):
        Journal(tmp_path).record({"i": i})
    written("ten", {"i": 6, "at": "2928-03-01T00:00:00.000000Z"})  # ahead once more
    events = Journal(tmp_path).events()
    assert [event["i"] for event in events] == [0, 1, 2, 3, 4, 6]
    assert all(event["at"] < "2928" for event in events)
    assert events[1]["at"] == events[2]["at"] == events[3]["at"]
    Journal(tmp_path).record({"i": 7})
    assert [event["i"] for event in Journal(tmp_path).events()] == [0, 1, 2, 3, 4, 6, 7]


def test_a_clock_that_falls_back_a_little_keeps_rising(tmp_path, monkeypatch):
    clock = iter(datetime(2026, 3, 1, 12, minute, tzinfo=UTC) for minute in (40, 1, 39, 41))
    monkeypatch.setattr(store, "_utc_now", lambda: next(clock))
    journal = Journal(tmp_path)
    for i in range(4):
        journal.record({"i": i})
    assert [event["at"][14:16] for event in journal.events()] == ["40", "40", "40", "41"]


def test_a_path_below_a_file_keeps_events_in_memory_and_says_so_once(tmp_path, capsys):
    (tmp_path / "file").write_text("in the way")
    journal = Journal(tmp_path / "file" / "progress")
    for i in range(3):
        journal.record({"i": i})
    assert [event["i"] for event in journal.events()] == [0, 1, 2]
    told = capsys.readouterr().out
    assert told.count("\n") == 1
    assert told.startswith("Your progress cannot be saved here (Not a directory)")


def refuse_writes(monkeypatch, code: int):
    def write(file, data):
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(store.os, "write", write)


@pytest.mark.parametrize("code", [errno.EROFS, errno.ENOSPC, errno.EIO])
def test_events_reach_the_disk_when_it_relents(tmp_path, monkeypatch, capsys, code):
    journal = Journal(tmp_path)
    journal.record({"i": 0})
    with monkeypatch.context() as patch:
        refuse_writes(patch, code)
        journal.record({"i": 1})
        journal.record({"i": 2})
        assert [event["i"] for event in journal.events()] == [0, 1, 2]
    assert [event["i"] for event in Journal(tmp_path).events()] == [0]
    journal.record({"i": 3})
    assert [event["i"] for event in Journal(tmp_path).events()] == [0, 1, 2, 3]
    assert os.strerror(code) in capsys.readouterr().out


def test_a_disk_that_fills_in_mid_write_harms_no_other_line(tmp_path, monkeypatch, capsys):
    journal, real_write = Journal(tmp_path), os.write
    journal.record({"i": 0})
    with monkeypatch.context() as patch:
        patch.setattr(store.os, "write", lambda file, data: real_write(file, data[:11]))
        journal.record({"i": 1})
    (file,) = tmp_path.iterdir()
    assert not file.read_bytes().endswith(b"\n")
    journal.record({"i": 2})

    reader = Journal(tmp_path)
    assert [event["i"] for event in reader.events()] == [0, 1, 2]
    assert reader.damaged == 1  # the half line
    assert "No space left" in capsys.readouterr().out


def test_a_late_refusal_keeps_the_event_and_counts_it_once(tmp_path, monkeypatch, capsys):
    journal = Journal(tmp_path)
    with monkeypatch.context() as patch:

        def fsync(file):
            raise OSError(errno.EDQUOT, os.strerror(errno.EDQUOT))

        patch.setattr(store.os, "fsync", fsync)
        journal.record({"i": 0})
    journal.record({"i": 1})
    assert [event["i"] for event in journal.events()] == [0, 1]
    assert journal.damaged == 0
    assert capsys.readouterr().out.count("\n") == 1


def test_a_file_system_without_fsync_is_no_failure(tmp_path, monkeypatch, capsys):
    def fsync(file):
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))

    monkeypatch.setattr(store.os, "fsync", fsync)
    journal = Journal(tmp_path)
    journal.record({"i": 0})
    assert len(lines_of(tmp_path)) == 1
    assert capsys.readouterr().out == ""


def test_a_folder_deleted_in_mid_run_comes_back(tmp_path):
    folder = tmp_path / "my" / "progress"
    journal = Journal(folder)
    journal.record({"i": 0})
    (folder / journal._name).unlink()
    folder.rmdir()
    assert journal.events() == []
    journal.record({"i": 1})
    assert [event["i"] for event in journal.events()] == [1]
    assert len(lines_of(folder)) == 1


def test_a_second_kernel_is_seen_without_a_restart(tmp_path):
    here, there = Journal(tmp_path), Journal(tmp_path)
    assert here.events() == []
    there.record({"i": 0})
    assert len(here.events()) == 1
    there.record({"i": 1})
    assert [event["i"] for event in here.events()] == [0, 1]


def test_returned_events_are_the_callers_own(tmp_path):
    journal = Journal(tmp_path)
    journal.record({"list": [1]})
    journal.events()[0]["list"].append(2)
    assert journal.events()[0]["list"] == [1]


def test_a_fork_writes_a_file_of_its_own(tmp_path, monkeypatch):
    monkeypatch.setenv("LABUTILS_MY", str(tmp_path))
    monkeypatch.setattr(store, "_journals", {})
    code = """
        import os
        from pathlib import Path
        from labutils.exercises.journal import journal as store
        store._progress_folder = lambda: Path(os.environ["LABUTILS_MY"]) / "progress"
        store.record({"who": "parent", "i": 0})
        child = os.fork()
        store.record({"who": "child" if child == 0 else "parent", "i": 1})
        if child == 0:
            os._exit(0)
        os.waitpid(child, 0)
        print(len(store.events()))
    """
    process = spawn(code)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert out.strip() == "3"
    names = [file.name for file in (tmp_path / "progress").iterdir()]
    assert len(names) == 2
    assert len({name.rsplit("-", 1)[1] for name in names}) == 2


def test_a_fork_leaves_unsaved_events_to_its_parent(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(store, "_journals", {})
    monkeypatch.setattr(store, "_progress_folder", lambda: tmp_path)
    with monkeypatch.context() as patch:
        refuse_writes(patch, errno.ENOSPC)
        store.record({"i": 0})
    monkeypatch.setattr(store.os, "getpid", lambda: 123456)
    store.record({"i": 1})
    assert [json.loads(line)["i"] for line in lines_of(tmp_path)] == [1]


def test_changing_the_working_directory_keeps_the_folder(tmp_path, monkeypatch):
    monkeypatch.delenv("LABUTILS_MY", raising=False)
    monkeypatch.setattr(store, "_journals", {})
    monkeypatch.setattr(store, "_progress_folder", lambda: Path.cwd() / "my" / "progress")
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        store.record({"where": name})
    assert [event["where"] for event in store.events()] == ["one", "two"]


def test_the_folder_follows_the_setting(tmp_path, monkeypatch):
    monkeypatch.setenv("LABUTILS_MY", str(tmp_path / "mine"))
    store.record({"i": 0})
    assert len(lines_of(tmp_path / "mine" / "progress")) == 1


class Colour(StrEnum):
    RED = "red"


class Hostile:
    def __repr__(self):
        raise RuntimeError("no")


class HostileText(str):
    def __getitem__(self, place):
        raise RuntimeError("no")


class HostileList(list):
    def __getitem__(self, place):
        raise RuntimeError("no")


class HostileDict(dict):
    def __iter__(self):
        raise RuntimeError("no")


class HostileNumber(int):
    def __abs__(self):
        raise RuntimeError("no")


VALUES = [
    (np.float64(0.25), 0.25),
    (np.float32("nan"), "nan"),
    (float("-inf"), "-inf"),
    (np.int64(7), 7),
    (np.bool_(True), True),
    (np.array(3.5), 3.5),
    (np.array([[1, 2, 3], [4, 5, 6]]), [[1, 2, 3], [4, 5, 6]]),
    (np.array([1.5, np.nan]), [1.5, "nan"]),
    (Path("a") / "b", os.path.join("a", "b")),
    ((1, None, ("x",)), [1, None, ["x"]]),
    ({3: {2, 1}}, {"3": [1, 2]}),
    (Colour.RED, "red"),
    (..., "Ellipsis"),
    (1 + 2j, "(1+2j)"),
    ("Grüße, 世界 \ud800", "Grüße, 世界 \ud800"),
    (10**400, repr(10**400)[:200]),
    (10**9000, "<int>"),
    (Hostile(), "<Hostile>"),
    (HostileText("a"), "'a'"),
    (HostileList([1]), "[1]"),
    (HostileDict({"a": 1}), "{'a': 1}"),
    (HostileNumber(7), "7"),
    ({Hostile()}, "<set>"),
    ([HostileNumber(7), 8], ["7", 8]),
    (datetime(2026, 1, 2, 5, tzinfo=timezone(timedelta(hours=3))), "2026-01-02T02:00:00.000000Z"),
    (datetime(2026, 1, 2), "2026-01-02 00:00:00"),
]


@pytest.mark.parametrize(("value", "expected"), VALUES, ids=[str(i) for i in range(len(VALUES))])
def test_values_serialise_sensibly(tmp_path, value, expected):
    journal = Journal(tmp_path)
    journal.record({"value": value})
    (line,) = lines_of(tmp_path)
    json.loads(line, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
    assert journal.events()[0]["value"] == expected


def test_large_and_endless_values_are_cut(tmp_path):
    ring: list = []
    ring.append(ring)
    journal = Journal(tmp_path)
    journal.record({"array": np.zeros((700, 700)), "text": "x" * 10**6, "ring": ring})
    event = journal.events()[0]
    assert len(event["array"]) == store.MOST_ITEMS
    assert len(event["text"]) == store.MOST_CHARACTERS
    assert len(lines_of(tmp_path)[0]) < 50_000


def test_an_event_keeps_its_own_time(tmp_path):
    journal = Journal(tmp_path)
    journal.record({"i": 0})
    journal.record({"i": 1, "at": "2020-02-02T00:00:00.000000Z"})
    assert [event["i"] for event in journal.events()] == [1, 0]


def test_only_a_mapping_is_an_event(tmp_path):
    with pytest.raises(ValueError, match="expected a dict"):
        Journal(tmp_path).record("check")
