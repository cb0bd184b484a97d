"""Handing out, updating, offering: what happens to each state of a learner's copy."""

import errno
import json
import os
import sys
import threading

import pytest

from labutils.workspace import Workspace, sync
from labutils.workspace.manifest import NAME as MANIFEST
from labutils.workspace.server import summary

from .conftest import CH00, CH03, LAB1, Learner, notebook

V2 = notebook("import labutils", "# a better text\nrho = ...")
V3 = notebook("import labutils", "# better still\nrho = ...")


def kinds(steps) -> dict[str, str]:
    return {step.name: step.kind for step in steps}


def files(folder) -> set[str]:
    return {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and path.name != MANIFEST
    }


def backups(workspace: Workspace) -> list[bytes]:
    return [path.read_bytes() for path in sorted((workspace.my / "backups").glob("*"))]


@pytest.fixture
def handed_out(workspace) -> Workspace:
    sync(workspace)
    return workspace


def test_the_first_sync_hands_out_every_edition_byte_for_byte(workspace):
    steps = sync(workspace)
    assert list(kinds(steps).values()) == ["new"] * 3
    assert files(workspace.my) == {CH00, CH03, LAB1}
    for key in (CH00, CH03, LAB1):
        assert (workspace.my / key).read_bytes() == (workspace.root / key).read_bytes()


def test_the_second_sync_does_nothing(handed_out):
    before = {key: (handed_out.my / key).stat().st_mtime_ns for key in (CH00, CH03, LAB1)}
    assert sync(handed_out) == ()
    assert before == {key: (handed_out.my / key).stat().st_mtime_ns for key in before}


def test_a_changed_copy_stays_and_the_update_lies_beside_it_once(handed_out, learner):
    mine = learner.write(CH03, "rho = 0.9")
    (handed_out.root / CH03).write_bytes(V2)
    (step,) = sync(handed_out)
    assert step.kind == "offered"
    assert "my/notebooks/03_mm1_explosion.updated.ipynb" in step.message
    assert "\n" not in step.message
    assert learner.path(CH03).read_bytes() == mine
    assert learner.path("notebooks/03_mm1_explosion.updated.ipynb").read_bytes() == V2
    assert sync(handed_out) == ()


def test_cards_are_laid_out_where_the_course_itself_is_out_of_reach(workspace, tmp_path):
    cards = workspace.root / "docs" / "cards.html"
    cards.parent.mkdir()
    cards.write_text("ridge: 295")
    away = Workspace(workspace.root, tmp_path / "home" / "my")
    for text in ("ridge: 295", "ridge: 300"):
        cards.write_text(text)
        sync(away)
        assert (away.my / "docs" / "cards.html").read_text() == text
    assert sync(away) == ()
    sync(workspace)
    assert not (workspace.my / "docs").exists()


def test_two_versions_of_the_course_on_one_folder_are_told_so(handed_out, learner):
    first = (handed_out.root / CH03).read_bytes()
    told = []
    for edition in (V2, first, V2, V3):
        learner.run(CH03)
        (handed_out.root / CH03).write_bytes(edition)
        steps = sync(handed_out)
        told.append((steps[0].kind, "\n".join(summary(steps, handed_out))))
    assert [kind for kind, _ in told] == ["updated", "back", "back", "updated"]
    hint = "If two versions of the course use my/, give each its own: make lab LABUTILS_MY="
    assert [hint in text for _, text in told] == [False, True, True, False]
    assert all("your run of it is kept as my/backups/" in text for _, text in told)
    assert len(backups(handed_out)) == 4


def test_what_a_newer_course_writes_into_the_manifest_does_no_harm(handed_out):
    path = handed_out.my / MANIFEST
    stored = json.loads(path.read_bytes())
    for entry in stored["files"].values():
        entry["of_tomorrow"] = 1
    path.write_text(json.dumps(stored))
    (handed_out.root / CH03).write_bytes(V2)
    assert kinds(sync(handed_out)) == {"03_mm1_explosion": "updated"}


def test_an_offer_that_the_learner_threw_away_does_not_come_back(handed_out, learner):
    learner.write(CH03, "rho = 0.9")
    (handed_out.root / CH03).write_bytes(V2)
    sync(handed_out)
    beside = learner.path("notebooks/03_mm1_explosion.updated.ipynb")
    beside.unlink()
    assert sync(handed_out) == ()
    assert not beside.exists()
    (handed_out.root / CH03).write_bytes(V3)  # the next version is offered again
    assert kinds(sync(handed_out)) == {"03_mm1_explosion": "offered"}
    assert beside.read_bytes() == V3


def test_a_run_that_was_killed_before_it_wrote_down_its_offer_leaves_no_second_one(
    handed_out, learner
):
    learner.write(CH03, "rho = 0.9")
    (handed_out.root / CH03).write_bytes(V2)
    before = (handed_out.my / MANIFEST).read_bytes()
    sync(handed_out)
    (handed_out.my / MANIFEST).write_bytes(before)
    assert kinds(sync(handed_out)) == {"03_mm1_explosion": "offered"}
    assert sync(handed_out) == ()
    offers = sorted((handed_out.my / CH03).parent.glob("*.updated*"))
    assert [offer.read_bytes() for offer in offers] == [V2]


def test_a_newer_offer_replaces_an_untouched_one_and_spares_a_used_one(handed_out, learner):
    learner.write(CH03, "rho = 0.9")
    (handed_out.root / CH03).write_bytes(V2)
    sync(handed_out)
    used = learner.write("notebooks/03_mm1_explosion.updated.ipynb", "rho = 0.8")
    (handed_out.root / CH03).write_bytes(V3)
    sync(handed_out)
    assert learner.path("notebooks/03_mm1_explosion.updated.ipynb").read_bytes() == used
    assert learner.path("notebooks/03_mm1_explosion.updated.2.ipynb").read_bytes() == V3
    v4 = notebook("import labutils", "# the fourth\nrho = ...")
    (handed_out.root / CH03).write_bytes(v4)
    sync(handed_out)
    names = {path.name for path in learner.path("notebooks").glob("03*")}
    assert names == {
        "03_mm1_explosion.ipynb",
        "03_mm1_explosion.updated.ipynb",
        "03_mm1_explosion.updated.2.ipynb",
    }
    assert learner.path("notebooks/03_mm1_explosion.updated.2.ipynb").read_bytes() == v4


def test_taking_the_update_by_renaming_it_makes_it_the_copy(handed_out, learner):
    learner.write(CH03, "rho = 0.9")
    (handed_out.root / CH03).write_bytes(V2)
    sync(handed_out)
    os.replace(learner.path("notebooks/03_mm1_explosion.updated.ipynb"), learner.path(CH03))
    assert sync(handed_out) == ()
    (handed_out.root / CH03).write_bytes(V3)
    assert kinds(sync(handed_out)) == {"03_mm1_explosion": "updated"}


def test_an_untouched_copy_is_updated_without_a_backup(handed_out):
    (handed_out.root / CH03).write_bytes(V2)
    assert kinds(sync(handed_out)) == {"03_mm1_explosion": "updated"}
    assert (handed_out.my / CH03).read_bytes() == V2
    assert backups(handed_out) == []


def test_a_copy_that_was_only_run_is_updated_and_its_results_kept(handed_out, learner):
    run = learner.run(CH03, "an hour of results")
    assert sync(handed_out) == ()  # running alone changes nothing
    (handed_out.root / CH03).write_bytes(V2)
    (step,) = sync(handed_out)
    assert step.kind == "updated"
    assert "my/backups/03_mm1_explosion." in step.message
    assert learner.path(CH03).read_bytes() == V2
    assert backups(handed_out) == [run]


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_a_copy_whose_line_ends_another_editor_changed_is_updated(handed_out, learner, end):
    def change(body):
        body["cells"][0]["source"] = f"import labutils{end}"
        body["cells"][1]["source"] = f"# two lines{end}rho = ..."

    (handed_out.root / CH03).write_bytes(notebook("import labutils", "# two lines\nrho = ..."))
    sync(handed_out)
    learner.save(CH03, change)
    (handed_out.root / CH03).write_bytes(V2)
    assert kinds(sync(handed_out)) == {"03_mm1_explosion": "updated"}


def test_a_name_in_the_manifest_that_no_file_can_have_does_no_harm(handed_out):
    path = handed_out.my / MANIFEST
    stored = json.loads(path.read_text())
    stored["files"][CH03]["offered_as"] = "\ud800"
    path.write_text(json.dumps(stored))
    (handed_out.root / CH03).write_bytes(V2)
    assert kinds(sync(handed_out)) == {"03_mm1_explosion": "offered"}  # all is unknown then


def test_new_tags_alone_reach_a_copy_that_was_run(handed_out, learner):
    run = learner.run(CH03)
    tagged = json.loads((handed_out.root / CH03).read_bytes())
    tagged["cells"][1]["metadata"]["tags"] = ["raises-exception"]
    (handed_out.root / CH03).write_bytes(json.dumps(tagged).encode())
    assert kinds(sync(handed_out)) == {"03_mm1_explosion": "updated"}
    assert b"raises-exception" in learner.path(CH03).read_bytes()
    assert backups(handed_out) == [run]


@pytest.mark.parametrize(
    "change",
    [
        lambda body: body["cells"].append(
            {"cell_type": "markdown", "id": "n", "metadata": {}, "source": "a note of mine"}
        ),
        lambda body: body["cells"].reverse(),
        lambda body: body["cells"].pop(),
        lambda body: body["cells"][1].update(cell_type="raw"),
        lambda body: body["cells"][1].update(source=["rho = ...", " "]),
        lambda body: body["cells"][0].update(attachments={"a.png": {"image/png": "AAAA"}}),
        lambda body: body["cells"].append(
            {"cell_type": "markdown", "metadata": {}, "source": "", "attachments": {"a.png": {}}}
        ),
    ],
    ids=["added", "reordered", "removed", "retyped", "one blank", "picture", "only a picture"],
)
def test_every_kind_of_change_counts_as_the_learners(handed_out, learner, change):
    mine = learner.save(CH03, change)
    (handed_out.root / CH03).write_bytes(V2)
    assert kinds(sync(handed_out)) == {"03_mm1_explosion": "offered"}
    assert learner.path(CH03).read_bytes() == mine


@pytest.mark.parametrize(
    "mine",
    [b"", b"not a notebook", b'{"cells": 3}', b"[]", b'{"cells": [', b"\xff\xfe", b"[" * 5000],
)
def test_a_file_that_is_no_notebook_is_the_learners(handed_out, learner, mine):
    learner.path(CH03).write_bytes(mine)
    assert sync(handed_out) == ()
    (handed_out.root / CH03).write_bytes(V2)
    assert kinds(sync(handed_out)) == {"03_mm1_explosion": "offered"}
    assert learner.path(CH03).read_bytes() == mine


@pytest.mark.parametrize(
    "manifest",
    [
        *(None, b"", b"{", b"[]", b'{"files": [1]}', b'{"files": {"x": {"bytes": 1}}}', b"\xff"),
        *(b'{"files": {"x": {"offered_as": 7}}}', b'{"files": {"x": {"offered_as": "../y"}}}'),
        *(b'{"files": {"x": {"offered_as": "."}}}', b'{"files": {"x": {"offered_as": ".."}}}'),
        *(b'{"files": {"x": {"offered_as": "a\\u0000"}}}', b'{"files":' * 50_000),
    ],
    ids=range(13),
)
def test_without_a_readable_manifest_everything_that_differs_is_the_learners(
    handed_out, learner, manifest
):
    mine = learner.write(CH03, "rho = 0.9")
    run = learner.run(CH00)
    handed_out.my.joinpath(MANIFEST).unlink()
    if manifest is not None:
        handed_out.my.joinpath(MANIFEST).write_bytes(manifest)
    (handed_out.root / LAB1).write_bytes(V3)
    steps = sync(handed_out)
    # lab1 was untouched, but nobody knows that any more: it stays
    assert kinds(steps) == {"03_mm1_explosion": "offered", LAB1[5:-6]: "offered"}
    assert learner.path(CH03).read_bytes() == mine
    assert learner.path(CH00).read_bytes() == run
    assert sync(handed_out) == ()


def test_a_deleted_copy_comes_back_fresh_and_a_renamed_one_is_left_alone(handed_out, learner):
    mine = learner.write(CH03, "rho = 0.9")
    renamed = learner.path("notebooks/03 my try.ipynb")
    learner.path(CH03).rename(renamed)
    learner.path(CH00).unlink()
    duplicate = learner.path("labs/lab1_measure_your_machine-Copy1.ipynb")
    duplicate.write_bytes(b"anything")
    assert kinds(sync(handed_out)) == {"00_start_here": "new", "03_mm1_explosion": "new"}
    assert renamed.read_bytes() == mine
    assert duplicate.read_bytes() == b"anything"
    assert learner.path(CH03).read_bytes() == (handed_out.root / CH03).read_bytes()


def test_a_chapter_that_leaves_the_course_stays_with_the_learner(handed_out, learner):
    mine = learner.write(CH03, "rho = 0.9")
    (handed_out.root / CH03).rename(handed_out.root / "notebooks/04_mm1.ipynb")
    assert kinds(sync(handed_out)) == {"04_mm1": "new"}
    assert learner.path(CH03).read_bytes() == mine


def test_progress_backups_and_strangers_are_not_touched(handed_out):
    strangers = {"progress/log.jsonl": b"{}\n", "notes.txt": b"mine", "notebooks/x.csv": b"1,2"}
    for name, content in strangers.items():
        path = handed_out.my / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
    (handed_out.root / CH03).write_bytes(V2)
    sync(handed_out)
    assert {name: (handed_out.my / name).read_bytes() for name in strangers} == strangers


def test_a_linked_copy_and_a_folder_in_its_place_are_left_alone(handed_out, learner, tmp_path):
    elsewhere = tmp_path / "elsewhere.ipynb"
    learner.path(CH03).rename(elsewhere)
    learner.path(CH03).symlink_to(elsewhere)
    learner.path(CH00).unlink()
    learner.path(CH00).mkdir()
    before = elsewhere.read_bytes()
    (handed_out.root / CH03).write_bytes(V2)
    (handed_out.root / CH00).write_bytes(V3)
    assert kinds(sync(handed_out)) == {"03_mm1_explosion": "offered", "00_start_here": "problem"}
    assert elsewhere.read_bytes() == before
    assert learner.path(CH03).is_symlink()
    elsewhere.unlink()
    assert kinds(sync(handed_out))["00_start_here"] == "problem"
    assert learner.path(CH03).is_symlink()  # it points nowhere now, and is still the learner's


def test_a_damaged_edition_is_named_and_not_handed_out(workspace):
    (workspace.root / CH03).write_bytes(b"<<<<<<< HEAD\n{}")
    steps = sync(workspace)
    assert kinds(steps)["03_mm1_explosion"] == "damaged"
    assert CH03 in next(step.message for step in steps if step.kind == "damaged")
    assert not (workspace.my / CH03).exists()
    assert (workspace.my / LAB1).exists()


def test_below_a_regular_file_the_trouble_is_told_and_nothing_raises(workspace, tmp_path):
    (tmp_path / "file").write_text("x")
    steps = sync(Workspace(workspace.root, tmp_path / "file" / "my"))
    assert {step.kind for step in steps} == {"problem"}
    assert "directory" in steps[0].message


@pytest.mark.parametrize("call", ["link", "fsync", "replace"])
def test_a_full_disk_leaves_every_copy_whole(handed_out, learner, monkeypatch, call):
    run, mine = learner.run(CH00), learner.write(CH03, "rho = 0.9")
    for key in (CH00, CH03, LAB1):
        (handed_out.root / key).write_bytes(V2)

    def full(*_args, **_options):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, call, full)
        if call == "link":
            patch.setattr(os, "rename", full)
        sync(handed_out)
    kept = {path.read_bytes() for path in handed_out.my.rglob("*.ipynb")}
    assert {run, mine} <= kept
    steps = sync(handed_out)
    assert {step.kind for step in steps} <= {"new", "again", "updated", "offered"}
    for step in steps:
        assert (step.kind == "again") == ("your last backup of it is my/backups/" in step.message)
    assert [step.message for step in steps if step.kind == "again"] == [
        line for line in summary(steps, handed_out) if "was gone and is fresh" in line
    ]
    assert any(step.kind == "again" for step in steps) == (call == "link")
    assert {run, mine} <= {path.read_bytes() for path in handed_out.my.rglob("*.ipynb")}
    assert not list(handed_out.my.rglob("*.part"))
    assert all(path.stat().st_size for path in (handed_out.my / "backups").glob("*"))


def test_a_copy_is_on_the_disk_before_it_has_its_name(workspace, monkeypatch):
    done = []
    for name in ("fsync", "link"):
        real = getattr(os, name)
        monkeypatch.setattr(os, name, lambda *a, n=name, r=real: (done.append(n), r(*a))[1])
    sync(workspace)
    assert done[:6] == ["fsync", "link"] * 3


def test_disks_without_hard_links_serve_as_well(workspace, monkeypatch):
    def none(*_args, **_options):
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", none)
    assert len(sync(workspace)) == 3
    learner = Learner(workspace.my)
    mine = learner.write(CH03, "rho = 0.9")
    (workspace.root / CH03).write_bytes(V2)
    sync(workspace)
    assert learner.path(CH03).read_bytes() == mine
    used = learner.write("notebooks/03_mm1_explosion.updated.ipynb", "rho = 0.8")
    (workspace.root / CH03).write_bytes(V3)
    sync(workspace)
    assert learner.path("notebooks/03_mm1_explosion.updated.ipynb").read_bytes() == used
    assert learner.path("notebooks/03_mm1_explosion.updated.2.ipynb").read_bytes() == V3


def test_a_save_between_the_look_and_the_update_wins(handed_out, learner, monkeypatch):
    (handed_out.root / CH03).write_bytes(V2)
    late, real = notebook("import labutils", "rho = 0.95"), os.replace

    def replace(source, target):
        if source == learner.path(CH03):  # the learner saves at the worst moment
            learner.path(CH03).write_bytes(late)
        return real(source, target)

    monkeypatch.setattr(os, "replace", replace)
    assert sync(handed_out) == ()
    assert learner.path(CH03).read_bytes() == late
    monkeypatch.undo()
    assert kinds(sync(handed_out)) == {"03_mm1_explosion": "offered"}


def test_many_syncs_at_once_lose_nothing(handed_out, learner):
    old = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for version in range(25):
            run = learner.run(CH00, f"results {version}")
            mine = learner.write(CH03, f"rho = 0.{version}")
            for key in (CH00, CH03, LAB1):
                source = f"# version {version} of {key}"
                (handed_out.root / key).write_bytes(notebook(source))
            together(lambda: sync(handed_out), times=4)
            kept = [path.read_bytes() for path in handed_out.my.rglob("*.ipynb")]
            assert run in kept
            assert learner.path(CH03).read_bytes() == mine
            for key in (CH00, LAB1):
                assert learner.path(key).read_bytes() == (handed_out.root / key).read_bytes()
            assert not list(handed_out.my.rglob("*.part"))
    finally:
        sys.setswitchinterval(old)


def together(action, *, times: int) -> None:
    """Run ``action`` in several threads that start at the same moment; their errors surface."""
    gate, errors = threading.Barrier(times), []

    def go():
        gate.wait()
        try:
            action()
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=go) for _ in range(times)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []


def test_leftovers_of_a_killed_run_are_swept_after_an_hour(handed_out):
    young, old = (handed_out.my / "notebooks" / f".x.{n}.part" for n in ("young", "old"))
    for path in (young, old):
        path.write_bytes(b"half")
    os.utime(old, (1e9, 1e9))
    sync(handed_out)
    assert young.exists() and not old.exists()
