"""A reset hands out a fresh copy and keeps the old one, dated."""

import errno
import os
import re

import pytest

from labutils.workspace import reset, sync

from .conftest import CH03, LAB1, notebook


@pytest.fixture
def worked_on(workspace, learner):
    sync(workspace)
    return learner.write(CH03, "rho = 0.9")


@pytest.mark.parametrize(
    "name",
    ["03", "3", "mm1_explosion", "03_mm1_explosion", "03_MM1_explosion.ipynb", CH03, " 03 "],
)
def test_every_way_to_name_a_chapter(workspace, learner, worked_on, name):
    step = reset(name, workspace)
    assert learner.path(CH03).read_bytes() == (workspace.root / CH03).read_bytes()
    (backup,) = (workspace.my / "backups").iterdir()
    assert backup.read_bytes() == worked_on
    assert re.fullmatch(r"03_mm1_explosion\.\d{4}-\d\d-\d\d_\d{6}\.ipynb", backup.name)
    assert f"my/backups/{backup.name}" in step.message
    assert sync(workspace) == ()


def test_labs_go_by_their_short_name(workspace, learner):
    sync(workspace)
    learner.write(LAB1, "measure = 3")
    reset("lab1", workspace)
    assert learner.path(LAB1).read_bytes() == (workspace.root / LAB1).read_bytes()


def test_resets_within_one_second_keep_every_version(workspace, learner, worked_on):
    kept = [worked_on]
    for value in (0.8, 0.7, 0.6):
        reset("03", workspace)
        kept.append(learner.write(CH03, f"rho = {value}"))
    reset("03", workspace)
    backups = {path.read_bytes() for path in (workspace.my / "backups").iterdir()}
    assert backups >= set(kept)


def test_a_reset_takes_the_newest_edition_and_withdraws_the_offer(workspace, learner, worked_on):
    newer = notebook("import labutils", "# newer\nrho = ...")
    (workspace.root / CH03).write_bytes(newer)
    sync(workspace)
    beside = learner.path("notebooks/03_mm1_explosion.updated.ipynb")
    assert beside.exists()
    reset("03", workspace)
    assert not beside.exists()
    assert learner.path(CH03).read_bytes() == newer
    learner.run(CH03)  # from here on the copy counts as untouched: the next edition replaces it
    (workspace.root / CH03).write_bytes(notebook("import labutils", "# newest\nrho = ..."))
    assert [step.kind for step in sync(workspace)] == ["updated"]


def test_an_offer_that_the_learner_used_survives_the_reset(workspace, learner, worked_on):
    (workspace.root / CH03).write_bytes(notebook("# newer", "rho = ..."))
    sync(workspace)
    used = learner.write("notebooks/03_mm1_explosion.updated.ipynb", "rho = 0.5")
    reset("03", workspace)
    assert learner.path("notebooks/03_mm1_explosion.updated.ipynb").read_bytes() == used


def test_a_missing_copy_is_handed_out(workspace, learner):
    assert reset("03", workspace).message == "my/notebooks/03_mm1_explosion.ipynb is fresh"
    assert learner.path(CH03).exists()
    assert not (workspace.my / "backups").exists()


@pytest.mark.parametrize("name", ["99", "", "explosion", "lab"])
def test_an_unknown_name_is_told_with_what_comes_close(workspace, worked_on, learner, name):
    with pytest.raises(ValueError, match=re.escape(f"name = {name!r}: expected a chapter or lab")):
        reset(name, workspace)
    assert learner.path(CH03).read_bytes() == worked_on
    with pytest.raises(ValueError, match=r"such as 03_mm1_explosion$"):
        reset("mm1_explosoin", workspace)


def test_on_a_read_only_disk_a_reset_changes_nothing(workspace, learner, worked_on, monkeypatch):
    def refuse(*_args, **_options):
        raise OSError(errno.EROFS, "Read-only file system")

    with monkeypatch.context() as patch:
        for name in ("replace", "link", "mkdir"):
            patch.setattr(os, name, refuse)
        patch.setattr("builtins.open", refuse)
        with pytest.raises(OSError, match="Read-only"):
            reset("03", workspace)
    assert learner.path(CH03).read_bytes() == worked_on
