"""The table of a recorded explorer: its controls, its pictures, and what each picture says."""

import ast
import hashlib
import inspect
import json
import time
from collections.abc import Iterator
from importlib import import_module
from itertools import product
from math import prod
from types import ModuleType

from labutils.authoring.site.recording.drawn import Drawings
from labutils.authoring.site.recording.load_table import load_entries
from labutils.authoring.site.recording.recordings import FOLDER, RECORDINGS, Recording
from labutils.authoring.sources.course import Course
from labutils.authoring.sources.python import parse, without_comments
from labutils.viz import Explorer
from labutils.viz.explorer import shown
from labutils.viz.style import title_of

KINDS = {"ToggleButtons": "buttons", "Dropdown": "list", "Checkbox": "switch"}  # else "steps"
TOGGLED = (("off", False), ("on", True))


def record(course: Course, names: list[str] = ()) -> list[str]:
    """Write the tables of the named explorers (all without names); print what each took.

    Returns one line for each name that nobody knows.
    """
    known = {recording.name: recording for recording in RECORDINGS}
    for name in [name for name in names or known if name in known]:
        start = time.perf_counter()
        table = table_of(course, known[name])
        path = course.root / FOLDER / f"{name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(to_json(table), encoding="utf-8")
        print(
            f"{path.relative_to(course.root)}: {number_of_settings(table):,} settings, "
            f"{path.stat().st_size / 1e3:,.0f} kB, {time.perf_counter() - start:,.0f} s",
            flush=True,
        )
    return [f"{name}: expected one of {', '.join(known)}" for name in names if name not in known]


def table_of(course: Course, recording: Recording) -> dict:
    """Record one explorer over its grid."""
    found = recording.excerpt(course)
    explorer = found.run()
    grid = grid_of(explorer, recording)
    begin, title = explorer.values, title_of(explorer.moved())
    about = {
        "name": recording.name,
        "recorded_from": digest_of(course, recording),
        "chapter": course.chapter(recording.chapter).name,
        "title": title,
        "coarse": bool(recording.values),
        "controls": [_control(explorer.controls[name], name, grid[name]) for name in grid],
        "start": [_place(grid, name, begin[name]) for name in grid],
    }
    return about | (load_entries(found, grid) if recording.kernel else _pictures(explorer, grid))


def _pictures(explorer: Explorer, grid: dict) -> dict:
    drawings, drawn, said = Drawings(), [], []
    for setting in settings(grid):
        figure = explorer.moved(**setting)
        drawn.append(drawings.add(figure))
        said.append(explorer.finding)
    findings = {text: at for at, text in enumerate(dict.fromkeys(said))}
    return {
        "columns": len({round(ax.get_position().x0, 2) for ax in figure.axes}),
        "size": [round(72 * inches) for inches in figure.get_size_inches()],
        "findings": list(findings),
        "said": [findings[text] for text in said],
        "drawn": drawn,
        "looks": drawings.looks,
        "nodes": drawings.nodes,
    }


def number_of_settings(table: dict) -> int:
    """How many settings the controls of a table have."""
    return prod(len(control["options"]) for control in table["controls"])


def digest_of(course: Course, recording: Recording) -> str:
    """Digest of what a table is made of, comments left aside.

    That is the chapter's lines, the grid, the explorer's module and those of its figures. What is
    simulated behind them a test compares, picture by picture.
    """
    found = recording.excerpt(course)
    (line,) = [text for text in found.statements if text.endswith(f" {recording.function}")]
    sources = [*found.statements, found.call, repr(recording.values)]
    for module in _drawn_by(line.split()[1]):
        sources.append(without_comments(inspect.getsource(module)))
    return hashlib.sha256("\0".join(sources).encode()).hexdigest()[:16]


def _drawn_by(name: str) -> list[ModuleType]:
    """The module of an explorer, and the modules of figures that it imports."""
    module = import_module(name)
    imported = (node for node in parse(inspect.getsource(module)).body)
    names = [node.module for node in imported if isinstance(node, ast.ImportFrom)]
    figures = [name for name in names if name.startswith("labutils.viz.figures.")]
    return [module, *map(import_module, figures)]


def grid_of(explorer: Explorer, recording: Recording) -> dict[str, list[tuple[str, object]]]:
    """For each control what its settings say, and their values.

    Raises ``ValueError`` unless the setting that the explorer begins with is among them.
    """
    grid = {
        name: _options(control, recording.values.get(name))
        for name, control in explorer.controls.items()
    }
    for name, value in explorer.values.items():
        if value not in [option for _, option in grid[name]]:
            raise ValueError(f"{recording.name}: the grid of {name} lacks {value!r}, its beginning")
    return grid


def settings(grid: dict) -> Iterator[dict]:
    """Every setting of a grid; the last control moves first."""
    for values in product(*([value for _, value in options] for options in grid.values())):
        yield dict(zip(grid, values))


def _options(control, values) -> list[tuple[str, object]]:
    if isinstance(control.value, bool):
        return list(TOGGLED)
    if hasattr(control, "options"):
        pairs = [one if isinstance(one, tuple) else (str(one), one) for one in control.options]
        return [pair for pair in pairs if values is None or pair[1] in values]
    if values is None:
        number = round((control.max - control.min) / control.step) + 1
        values = [control.min + control.step * at for at in range(number)]
    return [(format(value, control.readout_format), value) for value in values]


def _control(control, name: str, options: list) -> dict:
    return {
        "name": name,
        "label": control.description,
        "kind": KINDS.get(type(control).__name__, "steps"),
        "options": [words for words, _ in options],
        "shown": [shown(value) for _, value in options],
    }


def _place(grid: dict, name: str, value) -> int:
    return [option for _, option in grid[name]].index(value)


def to_json(table: dict) -> str:
    """One line for each entry, so that a comparison of two tables can be read."""
    entries = (
        f"{json.dumps(key)}:{json.dumps(value, ensure_ascii=False, separators=(',', ':'))}"
        for key, value in table.items()
    )
    return "{" + ",\n".join(entries) + "}\n"
