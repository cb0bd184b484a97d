"""What a learner wrote in a chapter, carried into its new edition: placed, or kept and listed."""

import errno
import json
import os
from pathlib import Path

import nbformat
import pytest

from labutils.workspace import carry, reset, sync, waiting
from labutils.workspace.carry import Carried
from labutils.workspace.manifest import Manifest
from labutils.workspace.notebook import cell_id, text_of

from .conftest import CH03

STUB = "def wait(load):\n    raise NotImplementedError"
OLD = [
    ("markdown", "# 03"),
    ("code", "import labutils"),
    ("markdown", "Predict."),
    ("code", 'predict("mm1.wait", ...)'),
    ("code", STUB),
    ("code", 'check("mm1.wait", wait)'),
    ("code", 'load = ...\ncheck("mm1.load", load)'),
    ("code", "retired = ..."),
]
NEW = [
    ("markdown", "# 03, new"),  # reworded
    ("markdown", "A new first part."),  # added
    ("code", "import labutils"),
    ("code", 'predict("mm1.wait", ...)'),  # kept; the sentence before it is gone
    ("code", "def wait(load, service_s):\n    raise NotImplementedError"),  # another signature
    ("code", 'check("mm1.wait", wait)'),
    ("code", 'load = ...\ncheck("mm1.load", load)'),
]


def edition(cells) -> dict:
    made = [
        {"cell_type": kind, "id": cell_id(kind, source), "metadata": {}, "source": source}
        | ({"outputs": [], "execution_count": None} if kind == "code" else {})
        for kind, source in cells
    ]
    return {"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}


def own(kind: str, source: str, name: str) -> dict:
    return {"cell_type": kind, "id": name, "metadata": {}, "source": source} | (
        {"outputs": [], "execution_count": 7} if kind == "code" else {}
    )


@pytest.fixture
def copy(workspace):
    """A learner's copy of the old edition in which an answer stands; then the course moves on."""
    (workspace.root / CH03).write_text(json.dumps(edition(OLD)))
    sync(workspace)
    path = workspace.my / CH03
    notebook = json.loads(path.read_text())
    cells = notebook["cells"]
    answers = {
        3: 'predict("mm1.wait", low=2, high=9)',
        4: "def wait(load):\n    return load",
        6: 'load = 0.9\ncheck("mm1.load", load)',
        7: "retired = 3  # lines\nprint(retired)",
    }
    for place, answer in answers.items():
        cells[place]["source"] = answer.splitlines(keepends=True)
    cells[6]["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "Right."}]
    cells.insert(5, own("code", "wait(0.5)  # tried", "my-own-1"))
    cells.insert(0, own("markdown", "Notes: ask Ann.", "my-own-2"))
    path.write_text(json.dumps(notebook))
    (workspace.root / CH03).write_text(json.dumps(edition(NEW)))
    return path


def sources(path) -> list[str]:
    cells = json.loads(path.read_text())["cells"]
    return ["".join(cell["source"]) for cell in cells]


def test_answers_stand_in_the_new_edition_and_the_old_copy_is_kept(workspace, copy):
    before = copy.read_bytes()
    sync(workspace)
    assert waiting(workspace) == ["03_mm1_explosion"]
    step = carry("03", workspace)
    assert sources(copy) == [
        "Notes: ask Ann.",
        "# 03, new",
        "A new first part.",
        "import labutils",
        'predict("mm1.wait", low=2, high=9)',
        NEW[4][1],
        "# Yours, from your earlier copy: the task above has changed since.\n"
        "def wait(load):\n    return load",
        "wait(0.5)  # tried",
        'check("mm1.wait", wait)',
        'load = 0.9\ncheck("mm1.load", load)',
        "Yours, from your earlier copy: the new edition has no such cell.\n\n"
        "retired = 3  # lines\nprint(retired)",
    ]
    assert "with 5 cells of yours" in step.message
    assert step.message.endswith("does not run: retired = 3  # lines")
    (kept,) = (workspace.my / "backups").iterdir()
    assert kept.read_bytes() == before and kept.name in step.message


def test_what_it_writes_is_a_valid_notebook_without_results_of_the_old_edition(workspace, copy):
    carry("03", workspace)
    notebook = nbformat.read(copy, as_version=4)
    nbformat.validate(notebook)
    assert len({cell.id for cell in notebook.cells}) == len(notebook.cells)
    assert all(not cell.outputs for cell in notebook.cells if cell.cell_type == "code")
    assert notebook.cells[-1].cell_type == "raw"


def test_afterwards_the_offer_is_gone_and_nothing_is_left_to_carry(workspace, copy):
    sync(workspace)
    carry("03", workspace)
    assert not list(copy.parent.glob("*.updated*"))
    assert waiting(workspace) == [] and sync(workspace) == ()
    after = copy.read_bytes()
    assert "newest edition already" in carry("03", workspace).message
    assert copy.read_bytes() == after
    assert len(list((workspace.my / "backups").iterdir())) == 1


def test_what_was_carried_is_carried_again(workspace, copy):
    carry("03", workspace)
    (workspace.root / CH03).write_text(json.dumps(edition([*OLD[:5], *NEW[2:]])))
    carry("03", workspace)
    text = "\n".join(sources(copy))
    for mine in ("ask Ann", "low=2", "return load", "# tried", "load = 0.9", "print(retired)"):
        assert text.count(mine) == 1


def test_an_answer_keeps_running_over_two_updates_and_an_unwritten_manifest(
    workspace, copy, monkeypatch
):
    with monkeypatch.context() as patch:
        patch.setattr(Manifest, "save", full)
        assert "with 5 cells of yours" in carry("03", workspace).message
    first = sources(copy)
    carry("03", workspace)
    assert sources(copy) == first
    (workspace.root / CH03).write_text(json.dumps(edition([("markdown", "# 03, newer"), *NEW[1:]])))
    carry("03", workspace)
    assert sources(copy) == [text.replace("03, new", "03, newer") for text in first]
    changed = (NEW[4][0], NEW[4][1].replace("service_s", "mean_service_s"))
    (workspace.root / CH03).write_text(json.dumps(edition([*NEW[:4], changed, *NEW[5:]])))
    carry("03", workspace)
    assert sources(copy) == [
        text.replace("(load, service_s", "(load, mean_service_s") for text in first
    ]
    nbformat.validate(nbformat.read(copy, as_version=4))


def full(*_arguments):
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("code", [errno.EIO, errno.EMFILE])
def test_a_copy_that_cannot_be_read_when_it_is_moved_stays_in_its_place(
    workspace, copy, monkeypatch, code
):
    before, read = copy.read_bytes(), Path.read_bytes

    def refused(path):
        if path.parent.name == "backups":
            raise OSError(code, os.strerror(code), str(path))
        return read(path)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "read_bytes", refused)
        with pytest.raises(OSError):
            carry("03", workspace)
    assert copy.read_bytes() == before and not list((workspace.my / "backups").iterdir())


def test_a_copy_that_is_a_link_is_refused_and_left_alone(workspace, copy):
    copy.rename(copy.with_name("mine.ipynb"))
    copy.symlink_to("mine.ipynb")
    with pytest.raises(ValueError, match="is a link"):
        carry("03", workspace)
    assert copy.is_symlink() and copy.is_file()


def test_a_cell_of_another_editor_that_holds_a_courses_text_is_the_courses(workspace):
    old = [("code", "seed = 7"), ("code", "plot(seed)"), ("markdown", "It is 7.")]
    new = [("code", "seed = 11"), old[1], ("markdown", "It is 11.")]
    for ids in ((None, None, None), ("a1b2c3d4", "e5f6a7b8", "0123abcd")):
        theirs = [own(*cell, name) for cell, name in zip(old, ids)]
        known = frozenset(cell_id(*cell) for cell in old)
        carried = Carried(edition(new)["cells"], theirs, known)
        assert (carried.placed, carried.cells) == (0, edition(new)["cells"])
        mine = Carried(edition(new)["cells"], [own("code", "seed = 8", ids[0]), *theirs[1:]], known)
        assert [text_of(cell) for cell in mine.cells] == [
            "seed = 11",
            "# Yours, from your earlier copy: the task above has changed since.\nseed = 8",
            "plot(seed)",
            "It is 11.",
        ]


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_line_ends_and_ids_of_another_editor_make_no_cell_the_learners(workspace, copy, end):
    (workspace.root / CH03).write_text(json.dumps(edition(OLD)))
    reset("03", workspace)
    notebook = json.loads(copy.read_text())
    for number, cell in enumerate(notebook["cells"]):
        cell |= {"id": f"{number:08x}", "source": text_of(cell).replace("\n", end) + end}
    notebook["cells"].append(own("code", "mine = 1", "ffffffff"))
    copy.write_text(json.dumps(notebook))
    (workspace.root / CH03).write_text(json.dumps(edition(NEW)))
    sync(workspace)
    assert "with 1 cell of yours" in carry("03", workspace).message
    assert sources(copy) == [*(source for _, source in NEW), "mine = 1"]


@pytest.mark.parametrize("odd", [{"metadata": None}, {"metadata": [1]}, {"cell_type": ["code"]}])
def test_a_cell_that_is_none_is_named_and_nothing_changes(workspace, copy, odd):
    notebook = json.loads(copy.read_text())
    notebook["cells"][0] |= odd
    copy.write_text(json.dumps(notebook))
    before = copy.read_bytes()
    with pytest.raises(ValueError, match="cannot be read as a notebook"):
        carry("03", workspace)
    assert copy.read_bytes() == before


def without_ids(cell: dict) -> None:
    del cell["id"]


def as_colab_keeps_them(cell: dict) -> None:
    cell["metadata"]["id"] = cell.pop("id")


@pytest.mark.parametrize("change", [without_ids, as_colab_keeps_them])
def test_a_copy_from_another_editor_and_another_place_loses_nothing(
    workspace, copy, tmp_path, change
):
    notebook = json.loads(copy.read_text())
    for cell in notebook["cells"]:
        change(cell)
    elsewhere = tmp_path / "Copy of 03_mm1_explosion.ipynb"
    elsewhere.write_text(json.dumps(notebook | {"nbformat_minor": 0}))
    before = copy.read_bytes()
    carry(str(elsewhere), workspace)
    text = "\n".join(sources(elsewhere))
    for mine in ("ask Ann", "low=2", "return load", "# tried", "load = 0.9", "print(retired)"):
        assert mine in text
    assert text.count("A new first part.") == text.count("import labutils") == 1
    nbformat.validate(nbformat.read(elsewhere, as_version=4))
    assert copy.read_bytes() == before
    (kept,) = tmp_path.glob("Copy of 03_mm1_explosion.2*.ipynb")  # beside it: another disk, perhaps
    assert json.loads(kept.read_text())["cells"] == notebook["cells"]


def test_a_copy_that_is_no_notebook_stays_as_it_is(workspace, copy):
    copy.write_text("half a fi")
    with pytest.raises(ValueError, match="cannot be read as a notebook"):
        carry("03", workspace)
    assert copy.read_text() == "half a fi"


def test_without_a_copy_there_is_a_fresh_one(workspace, copy):
    copy.unlink()
    assert "fresh" in carry("03", workspace).message
    assert sources(copy) == [source for _, source in NEW]


def test_names_are_those_of_reset(workspace, copy):
    with pytest.raises(ValueError, match="expected a chapter or lab"):
        carry("77", workspace)
    assert "fresh" in reset("mm1_explosion", workspace).message
    assert "newest edition already" in carry("mm1_explosion", workspace).message
