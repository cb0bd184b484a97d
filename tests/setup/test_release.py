"""What a release says of itself: one version, a command, declared imports, a dated changelog."""

import re
import sys
import tomllib
from importlib import import_module
from importlib.metadata import packages_distributions
from pathlib import Path

import labutils
from tests.setup.test_environments_agree import ROOT, requirements

IMPORTED = re.compile(r"^ *(?:import|from) ([A-Za-z]\w*)", re.MULTILINE)  # not "from .one"

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def test_the_version_stands_in_one_place_and_the_changelog_begins_with_it():
    assert "version" in PROJECT["project"]["dynamic"]
    assert (ROOT / PROJECT["tool"]["hatch"]["version"]["path"]) == Path(labutils.__file__)
    heading = re.search(r"^## (\S+) \((\d{4}-\d\d-\d\d|unreleased)\)", changelog(), flags=re.M)
    assert heading[1] == labutils.__version__
    assert f"version: {labutils.__version__}" in (ROOT / "CITATION.cff").read_text()


def changelog() -> str:
    return (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_console_script_is_what_python_m_labutils_does(monkeypatch, capsys):
    module, _, name = PROJECT["project"]["scripts"]["labutils"].partition(":")
    monkeypatch.setattr(sys, "argv", ["labutils"])
    assert getattr(import_module(module), name)() == 0
    assert "preflight" in capsys.readouterr().out


def test_every_package_that_is_imported_is_declared():
    known, found = packages_distributions(), {}
    for folder in ("labutils", "tests", "benchmarks"):
        for file in (ROOT / folder).rglob("*.py"):
            for name in IMPORTED.findall(file.read_text(encoding="utf-8")):
                found.setdefault(name, file)
    missing = {
        name: str(file)
        for name, file in found.items()
        if name not in sys.stdlib_module_names and name in known
        if not {owner.lower().replace("_", "-") for owner in known[name]} & declared()
    }
    assert missing == {}


def declared() -> set[str]:
    return {*requirements(), "labutils", "ray"}  # Ray is what lab 9 offers to install
