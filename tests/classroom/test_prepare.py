"""A class in one command: what is in the copies, where their links lead, what is refused."""

import ast
import io
import json
import re
import zipfile
from pathlib import Path

import nbformat
import pytest
from IPython.core.inputtransformer2 import TransformerManager

from labutils import course
from labutils.__main__ import main
from labutils.classroom.page import loads_from_elsewhere
from labutils.classroom.prepare import class_folder as folder, set_up
from labutils.classroom.prepare.class_folder import prepare
from labutils.classroom.prepare.class_links import Links
from labutils.classroom.prepare.plans import find_plan, read_plans
from labutils.classroom.prepare.sittings import labels, sittings
from labutils.workspace import Workspace, carry
from labutils.workspace.address import checked, github_name

ROOT = Path(__file__).resolve().parents[2]
GUIDE = (ROOT / "INSTRUCTOR.md").read_text(encoding="utf-8")
ADDRESS = "https://github.com/someone/flight"
HALF_DAY = ("00_start_here", "03_mm1_explosion", "07_continuous_batching")
HALF_DAY = (*HALF_DAY, "lab4_continuous_batcher")
PLANS = [plan.name for plan in read_plans(GUIDE) if plan.kind == "plan"]
LINKED = re.compile(r"\]\(([^)\s]+)\)")


@pytest.fixture
def out(tmp_path):
    return tmp_path / "class"


@pytest.fixture
def here():
    return Workspace(ROOT, ROOT / "my")


def cells(path: Path) -> list[dict]:
    return nbformat.read(path, as_version=4).cells


def edition(name: str) -> Path:
    (path,) = [*ROOT.glob(f"notebooks/{name}.ipynb"), *ROOT.glob(f"labs/{name}.ipynb")]
    return path


def texts(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.ipynb")}


@pytest.mark.parametrize("to", set_up.PLATFORMS)
def test_copies_are_whole_editions_and_need_no_hand(out, here, to):
    prepared = prepare(ADDRESS, to=to, out=out, workspace=here)
    assert prepared.notebooks == tuple(f"{name}.ipynb" for name in HALF_DAY)
    for name in HALF_DAY:
        copy, original = cells(out / f"{name}.ipynb"), cells(edition(name))
        nbformat.validate(nbformat.read(out / f"{name}.ipynb", as_version=4))
        assert not any("OWNER/NAME" in cell.source for cell in copy)
        kept = [cell for cell in copy if not cell.source.startswith("> **")]
        assert [cell.id for cell in kept] == [cell.id for cell in original]
        code = [cell.source for cell in kept if cell.cell_type == "code"]
        assert code[1:] == [c.source for c in original if c.cell_type == "code"][1:]
        assert (code[0] == original[1].source) == (to == "hub")
        ast.parse(TransformerManager().transform_cell(code[0]))


def test_the_first_cell_holds_the_address_and_drive(out, here):
    prepare(ADDRESS, drive=True, out=out, workspace=here)
    for name in HALF_DAY:
        first = next(c.source for c in cells(out / f"{name}.ipynb") if c.cell_type == "code")
        assert first.endswith(set_up.set_up_cell("colab", ADDRESS, drive=True))
        assert f'COURSE = "{ADDRESS}"' in first and "%env LABUTILS_MY=" in first


def test_a_copy_says_when_the_class_works_in_it_and_where_it_stops(out, here):
    prepare(ADDRESS, start="13:30", out=out, workspace=here)
    copy = cells(out / "03_mm1_explosion.ipynb")
    (hours, stop) = [at for at, cell in enumerate(copy) if cell.source.startswith("> **")]
    assert hours == 1 and "from 14:00 to 14:37, to the checkpoint of minute 37" in copy[1].source
    assert re.search(r"^\*Checkpoint, 37 min", copy[stop - 1].source, flags=re.M)
    assert "at 14:37. It goes on at 15:07: 07 · Continuous batching." in copy[stop].source
    last = cells(out / "lab4_continuous_batcher.ipynb")
    assert any("The rest is for afterwards" in cell.source for cell in last)


def test_a_stretch_to_the_end_names_no_checkpoint(out, here):
    prepare("https://hub.org", to="hub", plan="third day", out=out, workspace=here)
    copy = cells(out / "lab6_your_engine.ipynb")
    assert "0:10 to" not in copy[1].source and "from minute 43 to the end" in copy[1].source
    stops = [cell.source for cell in copy if "The class stops here" in cell.source]
    assert stops == [
        "> **The class stops here**, at 5:25. It goes on at 5:40: Lab 6 · Your engine."
    ]
    sheet = (out / folder.SHEET).read_text(encoding="utf-8")
    assert "https://hub.org/hub/user-redirect/lab/tree/my/class/lab6_your_engine.ipynb" in sheet


@pytest.mark.parametrize("name", PLANS)
def test_every_plan_has_its_copies_and_its_sheet(out, here, name):
    prepared = prepare(ADDRESS, plan=name, out=out, workspace=here)
    plan = find_plan(name, GUIDE)
    assert len(prepared.notebooks) == len(labels(plan))
    assert (labels(plan)[0] == "00") == (not plan.after)
    last = sittings(plan)[-1]
    assert last.ends == plan.minutes
    sheet = (out / folder.SHEET).read_text(encoding="utf-8")
    assert not loads_from_elsewhere(sheet)
    assert all(file in sheet for file in prepared.notebooks if not file.startswith("00"))


def test_links_lead_to_the_class_to_the_course_or_are_words(out, here):
    prepare("https://git.example.org/flight", out=out, workspace=here)
    targets = {t for text in texts(out).values() for t in LINKED.findall(text)}
    assert targets == set()
    links = Links.on("colab", ADDRESS, "class")
    text = "[3](03_mm1.ipynb#b) [4](../labs/lab4_x.ipynb#a) [new](https://x.org) ![p](p.png)"
    said = links.relinked(text, "notebooks", {"03_mm1.ipynb"})
    colab = "https://colab.research.google.com/github/someone/flight/blob/main"
    assert f"[3]({colab}/class/03_mm1.ipynb#b)" in said
    assert f"[4]({colab}/labs/lab4_x.ipynb#a)" in said
    assert said.endswith("[new](https://x.org) ![p](p.png)")


def test_on_a_hub_links_stay_inside_the_home(out, here):
    prepare("https://hub.example.org", to="hub", out=out, workspace=here)
    for text in texts(out).values():
        for target in LINKED.findall(text):
            name = target.removeprefix("../")
            inside = ROOT / name if name != target else out / name
            assert target.startswith("http") or inside.is_file(), target


def test_in_the_checkout_the_sheet_opens_what_will_be_pushed(workspace_like):
    prepare(ADDRESS, workspace=workspace_like)
    sheet = (workspace_like.root / "class" / folder.SHEET).read_text(encoding="utf-8")
    base = "https://colab.research.google.com/github/someone/flight/blob/main/class"
    assert all(f'href="{base}/{name}.ipynb"' in sheet for name in HALF_DAY)


@pytest.fixture
def workspace_like(tmp_path):
    """A course in a folder of its own: the editions and the guide of this one."""
    root = tmp_path / "course"
    root.mkdir()
    for name in ("notebooks", "labs", "INSTRUCTOR.md"):
        (root / name).symlink_to(ROOT / name)
    return Workspace(root, root / "my")


def test_the_zip_holds_the_folder_the_same_each_time(out, here, tmp_path):
    prepare(ADDRESS, out=out, workspace=here)
    prepare(ADDRESS, out=tmp_path / "again", workspace=here)
    whole = (out / folder.ALL).read_bytes()
    assert whole == (tmp_path / "again" / folder.ALL).read_bytes()
    with zipfile.ZipFile(io.BytesIO(whole)) as archive:
        held = {name: archive.read(name) for name in archive.namelist()}
    others = [path for path in out.iterdir() if path.name != folder.ALL]
    assert held == {f"class/{path.name}": path.read_bytes() for path in others}


def test_without_an_address_the_course_travels_as_a_zip(out, here, monkeypatch, tmp_path):
    monkeypatch.setattr(folder, "_whole_course", lambda root: b"PK")
    prepare(to="zip", drive=True, out=out, workspace=here)
    assert (out / "course.zip").read_bytes() == b"PK"
    first = cells(out / "00_start_here.ipynb")[2].source
    assert first.index("drive.mount") < first.index("unzip -q /content/drive/MyDrive/course.zip")
    assert "course.zip" in (out / folder.SHEET).read_text(encoding="utf-8")
    monkeypatch.undo()
    with pytest.raises(ValueError, match="made by git from what is committed"):
        folder._whole_course(tmp_path)


BAD = [
    (["--address", "OWNER/NAME"], "expected an address such as https://github.com/OWNER/NAME"),
    (["--address", f"{ADDRESS};rm -r ~"], "expected an address"),
    (["--address", f"{ADDRESS}$(id)"], "expected an address"),
    (["--address", "file:///etc"], "expected an address"),
    (["--address", "http://[x"], "expected an address"),
    (["--address", "https://me:secret@example.org/x"], "which the whole class would read"),
    ([], "without one take --to zip"),
    (["--address", ADDRESS, "--plan", "lunch"], "'90 minutes', 'half a day', 'half a day in the"),
    (["--address", ADDRESS, "--drive", "--to", "kaggle"], "Google Drive belongs to Colab"),
    (["--address", ADDRESS, "--start", "25:00"], "expected a time of the day"),
]


@pytest.mark.parametrize(("words", "message"), BAD)
def test_what_cannot_be_is_one_line_and_writes_nothing(out, capsys, words, message):
    assert main(["cloud", *words, "--out", str(out)]) == 1
    said = capsys.readouterr().err
    assert message in said and len(said.splitlines()) == 1 and "secret" not in said
    assert not out.exists()


def test_a_folder_that_exists_is_left_alone(out, capsys):
    out.mkdir()
    (out / "notes.txt").write_text("mine")
    assert main(["cloud", "--address", ADDRESS, "--out", str(out)]) == 1
    assert "is there already" in capsys.readouterr().err
    assert [path.name for path in out.iterdir()] == ["notes.txt"]


def test_a_notebook_has_the_same_word(out, tmp_path, capsys):
    course.cloud(ADDRESS, drive=True, plan="first-day", out=out)
    first = capsys.readouterr().out
    words = ["--address", ADDRESS, "--drive", "--plan", "first day", "--out", str(tmp_path / "b")]
    assert main(["cloud", *words]) == 0
    assert capsys.readouterr().out.splitlines()[1:] == first.splitlines()[1:]
    assert texts(out) == texts(tmp_path / "b")


@pytest.mark.parametrize("name", ["half-day-cloud", "Half a day in the cloud", "half day cloud"])
def test_a_plan_answers_to_a_short_name(name):
    assert find_plan(name, GUIDE).name == "half a day in the cloud"


def test_what_github_calls_a_repository():
    for address in (ADDRESS, f"{ADDRESS}.git", f"{ADDRESS}/"):
        assert github_name(checked(address)) == "someone/flight"
    assert github_name("https://git.example.org/someone/flight") == ""


def test_what_was_answered_in_a_copy_can_be_carried_into_a_new_edition(out, tmp_path):
    prepare(ADDRESS, out=out, workspace=Workspace(ROOT, tmp_path / "my"))
    path = out / "03_mm1_explosion.ipynb"
    body = json.loads(path.read_text(encoding="utf-8"))
    at = next(at for at, c in enumerate(body["cells"]) if "load_for_ten = " in "".join(c["source"]))
    body["cells"][at]["source"] = "".join(body["cells"][at]["source"]).replace("...", "0.9", 1)
    path.write_text(json.dumps(body), encoding="utf-8")
    carry(str(path), Workspace(ROOT, tmp_path / "my"))
    carried = [cell.source for cell in cells(path)]
    assert body["cells"][at]["source"] in carried
    assert any(text.endswith(set_up.set_up_cell("colab", ADDRESS)) for text in carried)


def test_a_door_to_the_courses_own_notebook_is_left_out(out, workspace_like):
    own = json.loads(edition("00_start_here").read_text(encoding="utf-8"))
    own["cells"][0]["source"] = "# 00 · Start here\n\nCPU · [Open in Colab](https://x.org/00.ipynb)"
    folder_of_editions = workspace_like.root / "notebooks"
    folder_of_editions.unlink()
    folder_of_editions.mkdir()
    for name in HALF_DAY[:3]:
        (folder_of_editions / f"{name}.ipynb").symlink_to(edition(name))
    (folder_of_editions / "00_start_here.ipynb").unlink()
    (folder_of_editions / "00_start_here.ipynb").write_text(json.dumps(own), encoding="utf-8")
    prepare(ADDRESS, out=out, workspace=workspace_like)
    assert cells(out / "00_start_here.ipynb")[0].source == "# 00 · Start here\n\nCPU"
