"""The set-up cell: does nothing at home, installs away from home, runs twice."""

import dataclasses
import json
import subprocess
import sys

import pytest

from labutils.authoring.editions.opening import setup_text, title_text
from labutils.authoring.sources.course import read_course
from tests.authoring.fake_course import write_course

ADDRESS = "https://github.com/someone/tokens-in-flight"

# An IPython shell whose pip "installs" by putting a module on the path.
SHELL = """
import json, sys
from pathlib import Path
from IPython.core.interactiveshell import InteractiveShell

cell, folder, at_home = json.loads(sys.stdin.read())
sys.path = [entry for entry in sys.path if not (Path(entry) / "labutils").exists()]
sys.meta_path = [f for f in sys.meta_path if "editable" not in getattr(f, "__module__", "")]
shell, asked = InteractiveShell.instance(), []
sys.path.insert(0, folder)

def pip(line):
    asked.append(line)
    Path(folder, "labutils.py").write_text("")

shell.register_magic_function(pip, "line", "pip")
if at_home:
    Path(folder, "labutils.py").write_text("")
results = [shell.run_cell(cell, store_history=True) for _ in range(2)]
found = shell.run_cell("import labutils")
print(json.dumps([asked, [r.success for r in [*results, found]], [str(r.result) for r in results]]))
"""


def run_twice(cell, folder, *, at_home):
    shell = subprocess.run(
        [sys.executable, "-c", SHELL],
        input=json.dumps([cell, str(folder), at_home]),
        capture_output=True,
        text=True,
        check=True,
        cwd=folder,
    )
    return json.loads(shell.stdout.splitlines()[-1]), shell.stdout


@pytest.fixture
def course(tmp_path):
    return read_course(write_course(tmp_path / "course"))


@pytest.mark.parametrize("repository", ["", ADDRESS])
def test_at_home_the_setup_cell_does_nothing(course, tmp_path, repository):
    cell = setup_text(dataclasses.replace(course, repository=repository))
    (asked, success, shown), stdout = run_twice(cell, tmp_path, at_home=True)
    assert (asked, success, shown) == ([], [True] * 3, ["None"] * 2)
    assert len(stdout.splitlines()) == 1


@pytest.mark.parametrize(
    ("repository", "wanted"), [("", "install -q .."), (ADDRESS, f"install -q git+{ADDRESS}")]
)
def test_away_from_home_it_installs_once(course, tmp_path, repository, wanted):
    cell = setup_text(dataclasses.replace(course, repository=repository))
    (asked, success, shown), _ = run_twice(cell, tmp_path, at_home=False)
    assert (asked, success, shown) == ([wanted], [True] * 3, ["None"] * 2)


def test_the_colab_link_appears_with_the_address(course):
    chapter = course.chapters[0]
    published = dataclasses.replace(course, repository=ADDRESS)
    link = (
        "[Open in Colab](https://colab.research.google.com/github/someone/tokens-in-flight"
        "/blob/main/notebooks/01_alpha.ipynb)"
    )
    assert link in title_text(published, chapter, solution=False)
    assert "Colab" not in title_text(published, chapter, solution=True)
    assert "Colab" not in title_text(course, chapter, solution=False)


@pytest.mark.parametrize("address", ["https://example.org/x/y", "git@github.com:a/b", ""])
def test_other_hosts_get_no_colab_link(course, address):
    elsewhere = dataclasses.replace(course, repository=address)
    assert elsewhere.github_name == ""


@pytest.mark.parametrize("suffix", ["", "/", ".git"])
def test_github_addresses_are_understood(course, suffix):
    published = dataclasses.replace(course, repository=ADDRESS + suffix)
    assert published.github_name == "someone/tokens-in-flight"
