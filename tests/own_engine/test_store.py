"""What a learner wrote is kept, function by function, and nothing of it is ever lost."""

import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

import labutils.engine
from labutils.__main__ import main
from labutils.workspace.my_engine import store
from labutils.workspace.my_engine.engine import my_engine
from labutils.workspace.my_engine.map import engine_map
from labutils.workspace.my_engine.store import Store
from labutils.workspace.my_engine.texts import course_engine
from labutils.workspace.my_engine.texts.assemble import NotKept, with_functions
from labutils.workspace.my_engine.texts.functions import put_in, source_of

ADMITS = '''
def admits(self, request):
    """Mine."""
    has_room = self.pool.fits(request)
    return has_room and len(self.running) < self.max_sequences
'''
EVICT = ADMITS.replace("admits(self, request)", "evict(self)").replace("request", "None")


@pytest.fixture
def shelf(tmp_path):
    return Store(tmp_path / "my" / "engine")


def yours(shelf):
    return [row.function for row in shelf.rows() if row.yours]


def backups(shelf):
    return sorted((shelf.folder.parent / "backups" / "engine").glob("*.py"))


def test_an_empty_folder_is_the_courses_engine(shelf):
    assert yours(shelf) == [] and not shelf.folder.exists()
    assert my_engine(shelf, quiet=True).Scheduler.admits.__doc__.startswith("Whether there are")
    whole = engine_map(shelf)
    assert whole.yours == 0 and not whole.is_whole
    assert "lab 4" in repr(whole) and "admits" in whole._repr_html_()


def test_a_kept_function_runs_and_survives_the_process(shelf):
    path = shelf.keep("scheduler", "Scheduler.admits", ADMITS, "lab 4, 2026-11-22")
    assert "# yours (lab 4, 2026-11-22)\n    def admits" in path.read_text()
    assert "# the course's; lab4 writes it\n    def _decode" in path.read_text()
    asked = (
        "import sys; from pathlib import Path\n"
        "from labutils.workspace.my_engine.store import Store\n"
        "from labutils.workspace.my_engine import my_engine\n"
        "print(my_engine(Store(Path(sys.argv[1])), quiet=True).Scheduler.admits.__doc__)"
    )
    command = [sys.executable, "-c", asked, str(shelf.folder)]
    assert subprocess.run(command, capture_output=True, text=True).stdout == "Mine.\n"
    assert yours(Store(shelf.folder)) == ["Scheduler.admits"]
    assert engine_map(shelf).yours == 2


def test_the_next_piece_of_a_file_leaves_the_first_in_place(shelf):
    shelf.keep("pages", "PagePool.evict", EVICT, "lab 5")
    first = shelf.path("pages").read_text()
    shelf.keep("pages", "PagePool.drop", EVICT.replace("evict", "drop"), "lab 5")
    assert yours(shelf) == ["PagePool.drop", "PagePool.evict"]
    assert [one.read_text() for one in backups(shelf)] == [first]


def test_the_same_piece_again_changes_nothing(shelf):
    for _ in range(3):
        shelf.keep("scheduler", "Scheduler.admits", ADMITS, "lab 4")
    assert backups(shelf) == []


def test_what_was_edited_by_hand_is_the_learners(shelf):
    path = shelf.keep("scheduler", "Scheduler.admits", ADMITS, "lab 4")
    text = path.read_text()
    assert "newest.preemptions += 1" in text
    path.write_text(text.replace("newest.preemptions += 1", "newest.preemptions += 2"))
    assert yours(Store(shelf.folder)) == ["Scheduler.admits", "Scheduler._preempt"]
    commented = text.replace("newest.preemptions += 1", "newest.preemptions += 1  # one more")
    path.write_text(commented)
    assert yours(Store(shelf.folder)) == ["Scheduler.admits"]


def test_a_reset_keeps_what_it_takes_away(shelf):
    shelf.keep("scheduler", "Scheduler.admits", ADMITS, "lab 4")
    shelf.keep("scheduler", "Scheduler.finish", ADMITS.replace("admits", "finish"), "lab 4")
    before = shelf.path("scheduler").read_text()
    shelf.reset("scheduler", "Scheduler.admits")
    assert yours(shelf) == ["Scheduler.finish"]
    shelf.reset("scheduler")
    assert yours(shelf) == []
    assert before in [one.read_text() for one in backups(shelf)]


def test_a_course_that_moved_on_brings_its_text_and_keeps_yours(shelf, monkeypatch):
    shelf.keep("scheduler", "Scheduler.admits", ADMITS, "lab 4")
    newer = dict(course_engine.course_sources())
    add = source_of(newer["scheduler"], "Scheduler.add").replace("self.wait(", "return self.wait(")
    newer["scheduler"] = put_in(newer["scheduler"], "Scheduler.add", add, "given").replace(
        "    # given\n", ""
    )
    monkeypatch.setattr(store, "course_sources", lambda: newer)
    fresh = Store(shelf.folder)
    text = fresh.texts()["scheduler"]
    assert "return self.wait(" in text and "has_room" in text
    assert yours(fresh) == ["Scheduler.admits"]


def test_a_file_that_python_cannot_read_is_said_and_left_out(shelf, capsys):
    path = shelf.keep("scheduler", "Scheduler.admits", ADMITS, "lab 4")
    broken = path.read_text().replace("has_room = ", "has_room = = ")
    path.write_text(broken)
    room = my_engine(Store(shelf.folder))
    assert room.Scheduler.admits.__doc__ != "Mine."
    assert "my/engine/scheduler.py, line" in capsys.readouterr().out
    assert path.read_text() == broken


DAMAGES = {
    "a bracket": b"def f(\n", "a zero": b"a = 1\0\n", "another encoding": b"f\xfcr = ;1\n",
}  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
@pytest.mark.parametrize("moved_on", [False, True])
def test_a_broken_file_is_named_by_all_that_needs_it_and_a_reset_helps(
    shelf, monkeypatch, capsys, damage, moved_on
):
    path = shelf.keep("scheduler", "Scheduler.admits", ADMITS, "lab 4")
    broken = path.read_bytes() + damage
    path.write_bytes(broken)
    if moved_on:
        (shelf.folder / store.RECORD).unlink()
    monkeypatch.setenv("LABUTILS_MY", str(shelf.folder.parent))
    assert my_engine(shelf, quiet=True).Scheduler.admits.__doc__ != "Mine."
    one, alone = "scheduler:Scheduler.finish", str(shelf.folder.parent / "alone")
    for words in (["engine"], ["engine", "export", alone], ["engine", "reset", one]):
        assert main(words) == 1
        said = capsys.readouterr().err
        assert said.startswith("my/engine/scheduler.py")
        assert "labutils engine reset scheduler keeps yours in the backups" in said
    with pytest.raises(NotKept, match=r"my/engine/scheduler\.py"):
        shelf.keep("scheduler", "Scheduler.admits", ADMITS, "lab 4")
    assert path.read_bytes() == broken
    assert main(["engine", "reset", "scheduler"]) == 0
    assert broken in [one.read_bytes() for one in backups(shelf)]
    assert yours(shelf) == [] and main(["engine"]) == 0


@pytest.mark.parametrize("record", ["[]", "3", '{"scheduler": 3}', "[" * 100_000, "\udc80"])
def test_a_record_that_is_none_costs_no_function(shelf, record):
    shelf.keep("scheduler", "Scheduler.admits", ADMITS, "lab 4")
    (shelf.folder / store.RECORD).write_bytes(record.encode("utf-8", "surrogatepass"))
    assert yours(shelf) == ["Scheduler.admits"]
    shelf.keep("scheduler", "Scheduler.finish", ADMITS.replace("admits", "finish"), "lab 4")
    assert yours(shelf) == ["Scheduler.finish", "Scheduler.admits"]


def test_a_byte_order_mark_and_line_ends_of_another_editor_are_no_change(shelf):
    path = shelf.keep("scheduler", "Scheduler.admits", ADMITS, "lab 4")
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    assert yours(shelf) == ["Scheduler.admits"]
    assert my_engine(shelf, quiet=True).Scheduler.admits.__doc__ == "Mine."


@pytest.mark.parametrize("before", [True, False])
def test_what_an_editor_saves_while_a_function_is_kept_is_kept_too(shelf, monkeypatch, before):
    path, swapped = shelf.keep("scheduler", "Scheduler.admits", ADMITS, "lab 4"), store.swap

    def save():
        text = shelf.path("scheduler").read_text()
        path.write_text(text.replace("newest.preemptions += 1", "newest.preemptions += 2"))

    def beside_an_editor(*args, **options):
        monkeypatch.setattr(store, "swap", swapped)
        if before:
            save()
        aside = swapped(*args, **options)
        if not before:
            save()
        return aside

    monkeypatch.setattr(store, "swap", beside_an_editor)
    shelf.keep("scheduler", "Scheduler.finish", ADMITS.replace("admits", "finish"), "lab 4")
    assert yours(shelf) == ["Scheduler.finish", "Scheduler.admits", "Scheduler._preempt"]


def test_two_kernels_that_keep_at_once_lose_no_function(shelf):
    names = ["admits", "finish", "commit", "schedule", "_decode", "_preempt"]
    begin = threading.Barrier(len(names))

    def keep(name):
        begin.wait()
        source = ADMITS.replace("admits", name)
        Store(shelf.folder).keep("scheduler", f"Scheduler.{name}", source, "lab 4")

    with ThreadPoolExecutor(len(names)) as kernels:
        list(kernels.map(keep, names))
    assert sorted(yours(shelf)) == sorted(f"Scheduler.{name}" for name in names)


def test_errors_of_every_engine_are_those_that_a_notebook_imports(shelf):
    shelf.keep("scheduler", "Scheduler.admits", ADMITS, "lab 4")
    for room in (my_engine(shelf, quiet=True), with_functions({})):
        assert room.PagePool is not labutils.engine.PagePool
        for name in ("OutOfPages", "PageLeak", "RequestTooLong"):
            course_own = getattr(labutils.engine, name)
            assert getattr(room, name) is getattr(room.pages, name) is course_own
        with pytest.raises(labutils.engine.OutOfPages):
            room.PagePool(2).take(3)
        with pytest.raises(labutils.engine.RequestTooLong):
            room.Scheduler(1, room.PagePool(1)).add(room.Request("a", 40, 1))
