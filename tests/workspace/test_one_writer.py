"""Whatever writes files goes through ``labutils.ground.files``, so nobody's work is lost."""

import ast
import re
from pathlib import Path

import pytest

import labutils

PACKAGE = Path(labutils.__file__).parent
ELSEWHERE = {
    "authoring": "writes the course's own files, never the learner's",
    "caching/levels/stores/redis_server.py": "the log of a server, in its private folder",
    "loadtest/nginx.py": "the configuration of a server, in its private folder",
    "ray_fleet/this_machine.py": "what Ray keeps and a token, in a private folder that goes",
    "measure/sharing.py": "a lock that a class shares; nothing is kept in it",
    "workspace/my_engine/export.py": "a package of its own, into an empty folder",
    "serving/multi_gpu/kept_maps.py": "many maps of layouts, at a place that the caller names",
    "serving/multi_gpu/layout_map.py": "a map of layouts, at a place that the caller names",
    "serving/runs/chrome_trace.py": "a trace of a run, at a place that the caller names",
}
WORDS = re.compile(r"open\(|write_|\b(os|tempfile|shutil)\.")  # in each of their texts
OF_OS = {"open", "fdopen", "mkstemp", "replace", "rename", "link", "symlink", "truncate", "move"}


def writers(tree: ast.AST) -> list[int]:
    """The lines that create, replace or write a file."""
    found = []
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call):
            continue
        name, owner = _name(call.func)
        of_os = owner in ("os", "tempfile", "shutil")
        opens = name == "open" and not of_os and _mode(call) & set("wxa+")
        if opens or name in ("write_text", "write_bytes") or (of_os and name in OF_OS):
            found.append(call.lineno)
    return found


def _name(function: ast.expr) -> tuple[str, str]:
    if isinstance(function, ast.Name):
        return function.id, ""
    if isinstance(function, ast.Attribute):
        return function.attr, getattr(function.value, "id", "")
    return "", ""


def _mode(call: ast.Call) -> set[str]:
    given = [*call.args, *(word.value for word in call.keywords if word.arg == "mode")]
    texts = [item.value for item in given if isinstance(item, ast.Constant)]
    return {letter for text in texts if isinstance(text, str) and len(text) < 4 for letter in text}


@pytest.mark.parametrize(
    "code",
    [
        "open(path, 'w')",
        "path.open(mode='ab')",
        "path.write_text('x')",
        "import os; os.replace(a, b)",
        "import os; os.open(a, os.O_CREAT)",
    ],
)
def test_a_writer_is_seen(code):
    assert writers(ast.parse(code)) == [1] and WORDS.search(code)


def test_who_only_reads_is_no_writer():
    code = "open(path); path.open('rb'); text.replace('a', 'b'); window.open('door')"
    assert writers(ast.parse(code)) == []


def test_nothing_but_files_writes():
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        name, text = path.relative_to(PACKAGE), path.read_text("utf-8")
        lines = writers(ast.parse(text)) if WORDS.search(text) else []
        known = name.as_posix() in ("ground/files.py", *ELSEWHERE) or name.parts[0] in ELSEWHERE
        if lines and not known:
            found[name.as_posix()] = lines
    assert not found, f"use labutils.ground.files: {found}"
