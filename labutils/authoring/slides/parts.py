"""A chapter cut into sections, and each section into the parts that slides are made of."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import unescape

from nbformat import NotebookNode

from labutils.authoring.slides import markup
from labutils.authoring.sources import solutions
from labutils.authoring.sources.executed import PICTURE, executed_cells, named, values_said
from labutils.authoring.sources.python import calls
from labutils.authoring.sources.source import SLIDE_TAG, Cell, Chapter
from labutils.authoring.sources.stretches import CHECKPOINT
from labutils.exercises.definition.exercise import Exercise, Prediction

LEFT_OUT = ("optional", "parameters", "solution-only", f"{SLIDE_TAG}skip")
LONGEST_STUB = 14
FOLDING = re.compile(r"</?(details|summary|b)>")
"""What folds a text in the notebook; slides and notes carry its words."""


@dataclass(frozen=True)
class Prose:
    """Markdown of one ``kind``: paragraph, list, table, formula or code."""

    kind: str
    text: str
    tag: str = ""  # show, fragment or notes, where the author tagged the cell


@dataclass(frozen=True)
class Picture:
    """A figure, or the still of an explorer (``live``)."""

    source: str
    alt: str
    live: bool = False
    ratio: float = 1.9  # width over height


@dataclass(frozen=True)
class Printed:
    """What a cell printed; ``measured``: on one machine, other machines print other numbers."""

    text: str
    measured: bool


@dataclass(frozen=True)
class Asked:
    """A prediction is asked here."""

    prediction: Prediction


@dataclass(frozen=True)
class Drawn:
    """A curve is to be sketched here, before the real one is shown."""

    title: str
    across: str
    upwards: str


@dataclass(frozen=True)
class Answered:
    """A prediction meets its outcome here; ``value`` with its unit."""

    prediction: Prediction
    value: str
    measured: bool = False


@dataclass(frozen=True)
class Task:
    """A core exercise; ``stub`` is the signature that the learner fills, if it is a function."""

    exercise: Exercise
    stub: str


@dataclass(frozen=True)
class Checkpoint:
    """Here the notebook says which minute it is."""

    minute: int
    text: str


Part = Prose | Picture | Printed | Asked | Drawn | Answered | Task | Checkpoint


@dataclass
class Section:
    """What stands under one heading; ``title`` is empty before the first."""

    title: str
    level: int
    parts: list[Part] = field(default_factory=list)
    stub: str = ""  # what the learner is given of the function written last
    held: list[Part] = field(default_factory=list)  # shows the answer to a task still to come
    checked: set[str] = field(default_factory=set)  # a second check is a demonstration


def sections(chapter: Chapter, notebook: NotebookNode, known: dict) -> list[Section]:
    """The sections of a chapter in reading order, optional ones left out.

    ``known`` maps ids to the catalog's exercises and predictions. Raises ``ValueError`` when the
    notebook is not this source's executed edition.
    """
    found = [Section("", 1)]
    for cell, node in executed_cells(chapter, notebook):
        if set(cell.tags) & set(LEFT_OUT):
            continue
        tag = next((t.removeprefix(SLIDE_TAG) for t in cell.tags if t.startswith(SLIDE_TAG)), "")
        if cell.kind == "markdown":
            _read_prose(found, cell.source, tag)
        else:
            found[-1].parts += _code_parts(found[-1], cell, node, known)
    return [s for s in found if s.parts and s.title != "Sources"]


def _read_prose(found: list[Section], source: str, tag: str) -> None:
    for kind, text in markup.blocks(source):
        if kind == "heading":
            marks, _, title = text.partition(" ")
            found.append(Section(title.strip(), len(marks)))
        elif at := CHECKPOINT.match(text):
            words = text.strip("*").partition(".")[2].strip()
            found[-1].parts.append(Checkpoint(int(at[1]), words))
        elif kind in KINDS and (text := FOLDING.sub("", text).strip()):
            found[-1].parts.append(Prose(KINDS[kind], text, tag))


KINDS = {
    "paragraph": "paragraph",
    "bullet_list": "list",
    "ordered_list": "list",
    "table": "table",
    "math_block": "formula",
    "fence": "code",
    "code_block": "code",
    "blockquote": "paragraph",
}


def _code_parts(section: Section, cell: Cell, node: NotebookNode, known) -> Iterator[Part]:
    """The parts of a code cell. What shows the answer to a task comes behind the task."""
    shown, outputs = solutions.answered(cell.source), node.get("outputs", ())
    yield from map(Asked, named(shown, "predict", known))
    yield from (_drawn(call) for _, call in calls(shown, ("Sketch",), "viz"))
    measured = "nbval-ignore-output" in cell.tags
    own = [part for output in outputs for part in _shown(output, measured=measured)]
    if solutions.blocks(cell.source):
        section.held += own
    else:
        yield from own
    for prediction, value in zip(named(shown, "outcome", known), values_said(node)):
        yield Answered(prediction, value, measured)
    section.stub = _stub(cell.source) or section.stub
    for exercise in named(shown, "check", known):
        if not exercise.optional and exercise.id not in section.checked:
            yield Task(exercise, section.stub)
            section.checked.add(exercise.id)
            yield from section.held
            section.held = []


def _drawn(call: ast.Call) -> Drawn:
    """What a sketch asks for, as far as its words stand in the cell."""
    said = {
        keyword.arg: keyword.value.value
        for keyword in call.keywords
        if isinstance(keyword.value, ast.Constant)
    }
    scale = ", logarithmic" if said.get("y_log") else ""
    return Drawn(said.get("title", ""), said["x_label"], said["y_label"] + scale)


def _stub(source: str) -> str:
    """What the learner is given of a function to write: signature and docstring."""
    if not solutions.blocks(source):
        return ""
    lines = solutions.blanked(source).strip().splitlines()
    given = [x for x in lines if "NotImplementedError" not in x and not x.startswith("check(")]
    has_function = any(re.match(r"\s*(async )?(def|class) ", line) for line in given)
    return "\n".join(given).strip() if has_function and len(given) <= LONGEST_STUB else ""


def _shown(output: NotebookNode, *, measured: bool) -> Iterator[Part]:
    if output.output_type == "stream":
        yield Printed(output.text.strip("\n"), measured)
    elif found := PICTURE.search(output.get("data", {}).get("text/html", "")):
        html = output.data["text/html"]
        ratio = int(found[2]) / int(found[3])
        yield Picture(found[4], unescape(found[1]), "house-explorer" in html, ratio)
