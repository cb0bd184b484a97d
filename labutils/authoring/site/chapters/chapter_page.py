"""A chapter as a page: its cells in reading order, with everything that tells behind a fold."""

import re
from dataclasses import dataclass, field

from nbformat import NotebookNode

from labutils.authoring.site import markup
from labutils.authoring.site.chapters import asked
from labutils.authoring.site.chapters.folds import Folds, fold
from labutils.authoring.site.chapters.outputs import MAP, Pictures, is_explorer, output_html
from labutils.authoring.site.explorers import explorer_html
from labutils.authoring.site.python_code import code_html
from labutils.authoring.sources import solutions
from labutils.authoring.sources.executed import executed_cells, named, values_said
from labutils.authoring.sources.python import calls
from labutils.authoring.sources.source import Cell, Chapter
from labutils.exercises.definition.exercise import Exercise

EDITIONS = (
    ("optional", "optional", "Optional"),
    ("solution-only", "answer", "From the solution edition"),
)
FIRST = 2  # the author's first cell in an edition, behind title and set-up
LATER = "Show what came out"
AT_WORK = "Show what came out with an answer"
FOUND = re.compile(r"(?:^|(?<=\n\n))((?:\((?:[a-c]|1)[):].*?(?:\n\n|\Z))+)", flags=re.S)
"""Paragraphs that answer the questions (a), (b), (c) or 1 of an explorer or a figure."""
CHECKPOINT = re.compile(r"<p>(?=<em>Checkpoint, (\d+) minutes)")
DRAW = (
    '<p class="draw"><b>Draw it first</b>, on paper or with a finger on the '
    '<a href="index.html">first page</a>.</p>'
)
MEASURES = re.compile(r"\b(batch_cost|benchmark|token_time)_explorer\(")  # all others simulate
MEASURED = '<p class="measured">Measured on the author\'s machine; yours prints other numbers.</p>'


@dataclass
class Part:
    """What stands under one heading: where it is, and what a search finds in it.

    ``question`` is the part under which it lies folded behind an outcome or an answer: what may be
    told of it, and where a link may lead, before the fold is opened.
    """

    title: str
    anchor: str
    level: int
    question: "Part | None" = None
    words: list[str] = field(default_factory=list)

    @property
    def told(self) -> "Part":
        """The part that may be named to everybody."""
        return self.question or self


class ChapterPage:
    """The body of a chapter's page, and what other pages need to know of it."""

    def __init__(self, chapter: Chapter, links: markup.Links, pictures: Pictures, known: dict):
        self.chapter, self.links, self.pictures, self.known = chapter, links, pictures, known
        self.folds = Folds()
        self.parts = [Part("", "", 1)]
        self.predictions: list[str] = []
        self.exercises: list[str] = []
        self.checkpoints: set[int] = set()  # minutes; those to which a link may lead
        self._used: set[str] = set()
        self._answers: list[str] = []  # written in cells whose check is still to come

    def build(self, notebook: NotebookNode) -> str:
        """The whole body; ``notebook`` is the executed solution edition."""
        pairs = executed_cells(self.chapter, notebook)
        for place, (cell, node) in enumerate(pairs, start=FIRST):
            if "solution-only" in cell.tags and cell.kind == "code" and not node.get("outputs"):
                continue  # it asserts
            self._edition(cell)
            if cell.kind == "markdown":
                self._prose(cell)
            else:
                self._code(cell, node, place)
        self._flush()
        self.folds.end()
        return "".join(self.folds.html)

    def _edition(self, cell: Cell) -> None:
        """Begin and end the folds of cells that are optional, or in the solution edition alone."""
        for tag, kind, label in EDITIONS:
            if tag not in cell.tags and kind in self.folds.open:
                self._flush()
                self.folds.end(kind)
            labels_itself = tag == "optional" and cell.source.startswith("#")
            if tag in cell.tags and kind not in self.folds.open and not labels_itself:
                self._flush()
                self.folds.begin(kind, label)

    def _prose(self, cell: Cell) -> None:
        for number, text in enumerate(FOUND.split(cell.source)):
            if number % 2:
                self.folds.put(fold("answer", "What you should have found", self._markdown(text)))
            else:
                self._text(text, "optional" in cell.tags)

    def _text(self, text: str, optional: bool) -> None:
        """Prose without answers; a section begins outside of all folds."""
        at = markup.section_starts(text)
        if at is None:
            self._paragraphs(text, optional)
            return
        lines = text.splitlines()
        self._paragraphs("\n".join(lines[:at]), optional=False)
        self._flush()
        self.folds.end()
        self._paragraphs("\n".join(lines[at:]), optional)

    def _paragraphs(self, text: str, optional: bool) -> None:
        """Prose; the heading of an optional part becomes the label of its fold."""
        if text.startswith("#"):
            self._flush()
        if optional and text.startswith("#"):
            head, _, text = text.partition("\n")
            self.folds.end("optional")
            self.folds.begin("optional", self._markdown(head))
        if text.strip():
            self.folds.put(self._markdown(text))

    def _markdown(self, text: str) -> str:
        tokens = markup.tokens_of(text)
        html = markup.html_of(tokens, self.links.page_of, self._heading, self._read)
        return html if self.folds.hides_findings else CHECKPOINT.sub(self._checkpoint, html)

    def _checkpoint(self, found: re.Match) -> str:
        self.checkpoints.add(int(found[1]))
        return f'<p id="minute-{found[1]}">'

    def _read(self, text: str) -> None:
        self.parts[-1].words.append(markup.words(text))

    def _heading(self, level: int, title: str) -> str:
        """Open a part of the page under this heading; its id."""
        base, number = markup.slug(title), 2
        anchor = base
        while anchor in self._used:
            anchor, number = f"{base}-{number}", number + 1
        self._used.add(anchor)
        question = self.parts[-1].told if self.folds.hides_findings else None
        words = [markup.words(title)] if question else []  # found by them, and not named so
        self.parts.append(Part(title, anchor, level, question, words))
        return anchor

    def _code(self, cell: Cell, node: NotebookNode, place: int) -> None:
        shown = solutions.answered(cell.source)
        questions = named(shown, "predict", self.known)
        told = named(shown, "outcome", self.known)
        tasks = named(shown, "check", self.known)
        for prediction in questions:
            self.predictions.append(prediction.id)
            self.folds.put(asked.question(prediction))
        if questions and not told:
            return
        if told or ".reveal(" in shown:
            self.folds.begin("outcome", LATER, f' data-ids="{" ".join(p.id for p in told)}"')
        self._source(cell, shown, tasks)
        html = self._outputs(cell, node, place, cards=not (told or tasks))
        if solutions.blocks(cell.source):
            self._answers.append(code_html(shown) + html)
        elif html and self._tells_an_answer(shown):
            self.folds.put(fold("answer", AT_WORK, html))
        else:
            self.folds.put(html)
        for prediction, value in zip(told, values_said(node)):
            self.folds.put(asked.outcome(prediction, value))
        self._tasks(tasks)

    def _tells_an_answer(self, shown: str) -> bool:
        """Whether a cell puts an answer of this page to work, and nothing hides it yet."""
        used = {task.id for task in named(shown, "piece", self.known)}
        return bool(used.intersection(self.exercises)) and not self.folds.hides_findings

    def _source(self, cell: Cell, shown: str, tasks: list[Exercise]) -> None:
        """The code: a stub to fill, open; what defines something to read, open; the rest folded."""
        if solutions.blocks(cell.source):
            stub = code_html(solutions.blanked(cell.source))
            self.folds.put(f'<div class="task">{stub}</div>')
            return
        lines = shown.count("\n") + 1
        if tasks and lines < 3:
            return
        if list(calls(shown, ("Sketch",), "viz")):
            self.folds.put(DRAW)
        setup = shown.startswith(("import ", "from ")) or "parameters" in cell.tags
        label = f"{'Set-up' if setup else 'Cell'}, {lines} line{'s' * (lines > 1)}"
        is_read = re.search(r"^(async )?(def|class) ", shown, flags=re.M) and not setup
        html = fold("cell", label, code_html(shown))
        self.folds.put(html.replace("<details", "<details open", 1) if is_read else html)

    def _outputs(self, cell: Cell, node: NotebookNode, place: int, *, cards: bool) -> str:
        found, measured = [], "nbval-ignore-output" in cell.tags
        for output in node.get("outputs", ()):
            html = output_html(output, self.pictures, cards=cards)
            if is_explorer(output):
                html = explorer_html(self.chapter.name, place, html)
                measured = measured and bool(MEASURES.search(cell.source))
            found.append(html)
        html = "".join(found)
        return html + MEASURED if measured and html not in ("", MAP) else html

    def _tasks(self, tasks: list[Exercise]) -> None:
        """The exercises that are checked here for the first time, with the answers so far."""
        new = [task for task in tasks if task.id not in self.exercises]
        for task in new:
            self.exercises.append(task.id)
            answer = self._answer() if task is new[-1] else ""
            self.folds.put(asked.exercise(task, answer))

    def _answer(self) -> str:
        held, self._answers = "".join(self._answers), []
        return fold("answer", "One answer, and what it prints", held) if held else ""

    def _flush(self) -> None:
        """Put answers here that no check has asked for."""
        self.folds.put(self._answer())
