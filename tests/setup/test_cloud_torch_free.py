"""The chapters that docs/cloud/without_torch.md promises run where torch cannot be imported."""

import ast
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from labutils.authoring.sources.source import read_chapter

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "cloud" / "without_torch.md"
WITHOUT = ("01", "02", "03", "03b", "08", "10", "12b", "14", "90", "lab3")
WITH = (
    "00",
    "04",
    "05",
    "06",
    "07",
    "09",
    "11",
    "12",
    "13",
    "lab1",
    "lab2",
    "lab4",
    "lab5",
    "lab6",
    "lab7",
    "lab8",
    "lab9",
)

WITHOUT_TORCH = """
import json, sys
class NoTorch:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "torch":
            raise ModuleNotFoundError("No module named 'torch'", name="torch")
sys.meta_path.insert(0, NoTorch())
import matplotlib
matplotlib.use("agg")
"""
IMPORTS = """
found = {}
for name, code in json.load(sys.stdin).items():
    try:
        exec(code, {})
        found[name] = ""
    except ModuleNotFoundError as error:
        found[name] = error.name
print(json.dumps(found))
"""
RUN = """
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance(colors="NoColor")
failed = [c for c in json.load(sys.stdin) if not shell.run_cell(c, silent=True).success]
print(json.dumps(failed))
"""


def edition(label: str) -> Path:
    """The learner edition of a chapter or lab."""
    (path,) = [*ROOT.glob(f"notebooks/{label}_*.ipynb"), *ROOT.glob(f"labs/{label}_*.ipynb")]
    return path


def cells(label: str) -> list[dict]:
    notebook = json.loads(edition(label).read_text(encoding="utf-8"))
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def imports(label: str) -> str:
    """All imports of an edition, as one piece of code."""
    lines = []
    for cell in cells(label):
        text = re.sub(r"^\s*[%!?].*$", "pass", "".join(cell["source"]), flags=re.MULTILINE)
        tree = compile(text, label, "exec", ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        nodes = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
        lines += [ast.unparse(node) for node in nodes]
    return "\n".join(lines)


def answer(code: str, given, folder: Path):
    """What a fresh Python without torch prints on its last line."""
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_TORCH + code],
        input=json.dumps(given),
        env={**os.environ, "LABUTILS_MY": str(folder), "IPYTHONDIR": str(folder / "ipython")},
        cwd=ROOT / "notebooks",
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.full
def test_exactly_the_promised_editions_import_without_torch(tmp_path):
    found = answer(IMPORTS, {label: imports(label) for label in (*WITHOUT, *WITH)}, tmp_path)
    assert found == dict.fromkeys(WITHOUT, "") | dict.fromkeys(WITH, "torch")


@pytest.mark.full  # runs a chapter
def test_a_chapter_runs_whole_without_torch(tmp_path):
    (source,) = ROOT.glob("solutions/02_*.py")
    small = "\n".join(f"{k} = {v!r}" for k, v in read_chapter(source).header.small.items())
    sources = []
    for cell in cells("02"):
        tags = cell["metadata"].get("tags", [])
        if "raises-exception" not in tags:
            sources.append("".join(cell["source"]) + ("\n" + small) * ("parameters" in tags))
    assert answer(RUN, sources, tmp_path) == []


def test_the_page_names_every_edition():
    row = PAGE.read_text(encoding="utf-8").partition("| --- |")[2].partition("\n\n")[0]
    left = " ".join(line.split("|")[1] for line in row.splitlines()[1:])
    right = " ".join(line.split("|")[2] for line in row.splitlines()[1:])
    for labels, said in ((WITHOUT, left), (WITH, right)):
        numbers = set(re.findall(r"\b\d+b?\b", said))
        assert numbers == {label.removeprefix("lab") for label in labels}
    there = {
        p.name.partition("_")[0]
        for p in [*ROOT.glob("notebooks/*.ipynb"), *ROOT.glob("labs/*.ipynb")]
    }
    assert there == {*WITHOUT, *WITH}


@pytest.mark.parametrize("line", ["-c ../constraints.txt", "."])
def test_binder_installs_the_tested_set_and_no_torch(line):
    lines = (ROOT / ".binder" / "requirements.txt").read_text().splitlines()
    assert line in lines
    assert not any("torch" in each for each in lines if not each.startswith("#"))
