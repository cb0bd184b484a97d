"""pyproject.toml, constraints.txt and environment.yml name one set, and it is what runs here."""

import re
import tomllib
from importlib.metadata import requires, version
from itertools import chain
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).resolve().parents[2]
CONDA_NAMES = {
    "pytorch": "torch",
    "matplotlib-base": "matplotlib",
    "prometheus_client": "prometheus-client",
    "jupyter_server": "jupyter-server",
    "jupyterlab_server": "jupyterlab-server",
}

# Pulled in on other systems alone, by Python before 3.11.3 (async-timeout), or with a GPU build of
# torch: any version will do.
ELSEWHERE = re.compile(r"appnope|async-timeout|colorama|pywinpty|triton|nvidia-.*|cuda-.*")


def requirements() -> dict[str, Requirement]:
    """What pyproject.toml asks for, extras included, by canonical name."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    groups = [project["dependencies"], *project["optional-dependencies"].values()]
    parsed = [Requirement(line) for line in chain.from_iterable(groups)]
    return {canonicalize_name(need.name): need for need in parsed}


def constraints() -> dict[str, str]:
    """The tested version by canonical name."""
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    pinned = [Requirement(line) for line in lines if line and not line.startswith("#")]
    assert all(re.fullmatch(r"==[\w.]+", str(need.specifier)) for need in pinned)
    return {canonicalize_name(n.name): str(n.specifier).removeprefix("==") for n in pinned}


CONDA_SPEC = re.compile(r"([a-z][\w-]*)(?: (\d+(?:\.\d+)*\.\*|[<>]=?[\d.]+(?:,[<>]=?[\d.]+)*))?")
"""``name 1.2.*`` or ``name >=1.2,<2``, which mean the same to conda and to pip; or a name alone."""


def conda_spec(line: str) -> tuple[str, SpecifierSet]:
    """A line of environment.yml as a name and versions; ``ValueError`` where it is neither form."""
    if not (found := CONDA_SPEC.fullmatch(line)):
        raise ValueError(f"{line!r}: expected a name with 1.2.* or >=1.2,<2")
    name, versions = found[1], found[2] or ""
    return name, SpecifierSet(f"=={versions}" if versions.endswith("*") else versions)


def environment() -> tuple[dict[str, SpecifierSet], dict[str, Requirement]]:
    """The conda specs and the pip requirements of environment.yml, by canonical name."""
    listed = yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]
    conda = dict(conda_spec(line) for line in listed if isinstance(line, str))
    (pip,) = [entry["pip"] for entry in listed if isinstance(entry, dict)]
    parsed = [Requirement(line) for line in pip if line != "-e ."]
    assert "-e ." in pip
    named = {CONDA_NAMES.get(name, name): spec for name, spec in conda.items()}
    return named, {canonicalize_name(need.name): need for need in parsed}


def test_conda_and_pip_together_bring_all_that_pyproject_asks_for_and_nothing_else():
    conda, pip = environment()
    assert set(conda) & set(pip) == set()
    assert (set(conda) - {"python", "pip"}) | set(pip) == set(requirements())


@pytest.mark.parametrize("name", sorted(requirements()))
def test_the_tested_version_suits_everyone_and_runs_here(name):
    tested, need = constraints()[name], requirements()[name]
    assert need.specifier.contains(tested)
    conda, pip = environment()
    if name in conda:
        assert conda[name].contains(tested)
        major = int(tested.split(".")[0])
        assert not conda[name].contains(f"{major + 1}.0")
    else:
        assert pip[name].specifier.contains(tested)
    assert Version(version(name)).public == tested


def test_every_constraint_is_what_is_installed():
    installed = {name: Version(version(name)).public for name in constraints()}
    assert installed == constraints()


def test_whatever_a_package_pulls_in_is_pinned_too():
    pinned, needed, seen = set(constraints()), [*requirements().values()], set()
    while needed:
        need = needed.pop()
        name = canonicalize_name(need.name)
        if (name, *need.extras) not in seen:
            seen.add((name, *need.extras))
            assert name in pinned or ELSEWHERE.fullmatch(name), f"{name} has no constraint"
            needed += [more for more in pulled_in(name) if applies(more, need.extras)]


def pulled_in(name: str) -> list[Requirement]:
    return [Requirement(line) for line in requires(name) or []]


def applies(need: Requirement, extras: set[str]) -> bool:
    chosen = [{"extra": extra} for extra in ("", *extras)]
    return need.marker is None or any(need.marker.evaluate(extra) for extra in chosen)


def test_each_python_that_conda_may_choose_is_one_that_the_project_allows():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    allowed = Requirement(f"python{project['requires-python']}").specifier
    spec = environment()[0]["python"]
    for minor in range(8, 20):
        if spec.contains(f"3.{minor}.1"):
            assert allowed.contains(f"3.{minor}.1")
    assert spec.contains("3.11.0") and not spec.contains("3.15.0")


def test_a_malformed_conda_spec_would_be_noticed():
    for line in ("numpy =>2", "numpy 2", "numpy 2.*.1", "numpy==2.0"):
        with pytest.raises(ValueError, match=r"expected a name with"):
            conda_spec(line)
    assert conda_spec("numpy 2.4.*")[1].contains("2.4.9")
    assert not conda_spec("numpy 2.4.*")[1].contains("2.5.0")


def test_cloud_notebooks_keep_the_packages_they_come_with():
    preinstalled = {"numpy": "2.0.2", "matplotlib": "3.7.5", "ipywidgets": "7.7.1"}
    for name, found in preinstalled.items():
        assert requirements()[name].specifier.contains(found)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert not any(line.startswith("torch") for line in project["dependencies"])
