"""Deal the parts of a chapter to slides: predictions before outcomes, one figure to a slide."""

from dataclasses import replace
from html import escape

from labutils.authoring.slides import blocks, markup, room, told
from labutils.authoring.slides.notes import expected
from labutils.authoring.slides.parts import (
    Answered,
    Asked,
    Checkpoint,
    Drawn,
    Picture,
    Printed,
    Prose,
    Section,
    Task,
)
from labutils.authoring.slides.room import ROOM
from labutils.authoring.slides.slide import Slide
from labutils.authoring.slides.slide_choice import Choice
from labutils.authoring.slides.takeaway import LEAD, height, takeaway
from labutils.authoring.sources.source import Chapter

TALL = 1.55  # pictures narrower than this have their text beside them
COMMIT = "Commit to a number, or to a range that you are 80 % sure of."
DRAW = "Draw it in the notebook, or on paper, before you go on. Two minutes; finished or not."
MEASURED = "measured on one machine: yours prints other numbers"


class Dealer:
    """Walks through the sections of one chapter and fills ``slides``."""

    def __init__(self, chapter: Chapter, choice: Choice):
        self.chapter, self.choice = chapter, choice
        self.slides: list[Slide] = []
        self.waiting: list[Prose] = []
        self.title = self.above = ""
        self.minute, self.first = 0, 0  # the last checkpoint, and the first slide since

    def deal(self, sections: list[Section]) -> list[Slide]:
        """The slides of these sections, without the title slide."""
        for section in sections:
            if section.title and self.choice.hides(section.title):
                self._skip(section)
                continue
            self._enter(section)
            for part in section.parts:
                self._take(part)
            self._leave()
        self._stamp(self.chapter.header.minutes)
        return self.slides

    def _skip(self, section: Section) -> None:
        """Of a section that stays off the slides the class still meets the checkpoint."""
        for part in section.parts:
            if isinstance(part, Checkpoint):
                self._checkpoint(part)

    def _enter(self, section: Section) -> None:
        if section.level <= 2:
            self.above = ""
        self.title = section.title or self.chapter.header.question
        self.begins = len(self.slides)
        self.kicker = self.above
        if section.level <= 2:
            self.above = section.title

    def _take(self, part) -> None:
        if isinstance(part, Prose):
            hidden = self.choice.hides(part.text)
            self.waiting.append(replace(part, tag="notes") if hidden else part)
            return
        takes = {
            Picture: self._picture,
            Printed: self._printed,
            Asked: self._asked,
            Drawn: self._drawn,
            Answered: self._answered,
            Task: self._task,
            Checkpoint: self._checkpoint,
        }
        takes[type(part)](part)

    def _new(self, kind: str, kicker: str = "") -> Slide:
        slide = Slide(kind, self.title, kicker or self.kicker)
        self.slides.append(slide)
        return slide

    def _picture(self, part: Picture) -> None:
        if self.choice.hides(part.alt):
            return
        lead = self._lead()
        slide = self._new("figure", "Explorer: live in the notebook" if part.live else "")
        self._say(slide, lead)
        slide.lines = max(slide.lines, ROOM)
        slide.add(f'<img class="picture" src="{part.source}" alt="{escape(part.alt, quote=True)}">')
        slide.tall = part.ratio < TALL

    def _lead(self) -> list[Prose]:
        """Prose light enough to stand above a figure; heavier prose gets a slide of its own."""
        shown = told.shown(self.waiting, self.choice)
        if all(p.kind == "paragraph" and p.tag in ("", "notes") for p, _ in shown):
            lead, self.waiting = self.waiting, []
            return lead
        self._write()
        return []

    def _say(self, slide: Slide, lead: list[Prose]) -> None:
        left = LEAD
        for _, text in told.shown(lead, self.choice):
            if len(text) <= left:
                slide.add(f'<p class="lead">{markup.inline_html(text)}</p>', 1 + len(text) / 75)
                left -= len(text)
        self._tell(slide, lead)

    def _printed(self, part: Printed) -> None:
        rows = room.rows(part.text)
        if not rows or self.choice.hides("\n".join(rows)):
            return
        follows_formula = any(p.kind == "formula" for p in self.waiting)
        chosen = self.choice.shows("\n".join(rows))
        if len(rows) < room.LEAST_PRINT and not follows_formula and not chosen:
            self.waiting.append(Prose("code", "```\n" + "\n".join(rows) + "\n```", "notes"))
            return
        self._write()
        last = self._last("text", "table")
        joins = last and last.lines + len(rows) + 1 <= ROOM
        slide = last if joins else self._new("table")
        slide.kind = "table"
        if part.measured:
            slide.kicker = MEASURED.capitalize()
        slide.add(f"<pre>{escape(chr(10).join(rows))}</pre>", len(rows) + 1)

    def _last(self, *kinds: str) -> Slide | None:
        """The last slide, if it belongs to this section and is of one of these kinds."""
        if len(self.slides) > self.begins and self.slides[-1].kind in kinds:
            return self.slides[-1]
        return None

    def _asked(self, part: Asked) -> None:
        slide = None if self.waiting else self._last("predict")
        slide = slide or self._new("predict", "Predict first")
        commit = f'<p class="commit">{COMMIT}</p>'
        slide.body = [html for html in slide.body if html != commit]
        slide.add(f'<p class="question">{markup.inline_html(part.prediction.question)}</p>', 4)
        slide.add(commit)
        slide.notes.ask.append(part.prediction.question)
        self._tell(slide, self.waiting)
        self.waiting = []

    def _drawn(self, part: Drawn) -> None:
        self._write()
        slide = self._new("predict", "Draw first")
        slide.add(f'<p class="question">{escape(part.title or self.title)}</p>', 4)
        slide.add(f"<p>Across: {escape(part.across)}. Upwards: {escape(part.upwards)}.</p>", 2)
        slide.add(f'<p class="commit">{DRAW}</p>')

    def _answered(self, part: Answered) -> None:
        self._show_evidence()
        self._write()
        found = part.prediction.finding.format(part.value)
        said = markup.inline_html(f"**{found}** {part.prediction.explanation}")
        html = f'<p class="outcome">{said}</p>'
        last = self._last("figure", "table", "outcome")
        slide = last if last and last.has_words(html) else self._new("outcome")
        slide.kicker = f"Outcome, {MEASURED}" if part.measured else "Outcome"
        slide.add(html, 3)

    def _show_evidence(self) -> None:
        """A print too short for a slide of its own stands above the outcome that it explains."""
        last = self.waiting[-1] if self.waiting else None
        is_print = last and last.kind == "code" and last.tag == "notes"
        if is_print and not self._last("figure", "table", "outcome"):
            self.waiting.pop()
            self._write()
            blocks.put(self._new("table"), last)

    def _task(self, part: Task) -> None:
        exercise, task, stub = part.exercise, self.waiting, room.rewrapped(part.stub)
        self.waiting = []
        kicker = f"Your turn · {exercise.minutes} minutes"
        slide = self._new("task", kicker)
        pieces = blocks.of_task(task, self.choice)
        for prose in pieces:
            needed = room.lines(prose) + (room.code_lines(stub) if prose is pieces[-1] else 0)
            if not slide.has_room(blocks.html(prose), needed):
                slide = self._new("task", kicker)
            blocks.put(slide, prose)
        if not slide.body:
            slide.add(f'<p class="question">{markup.inline_html(exercise.title)}</p>', 2)
        if stub:
            slide.add(f"<pre>{escape(stub)}</pre>", stub.count("\n") + 2)
        slide.notes.expect += expected(exercise)
        self._tell(slide, task)

    @staticmethod
    def _tell(slide: Slide | None, proses: list[Prose]) -> None:
        """Keep what was said for the speaker."""
        for prose in proses if slide else ():
            slide.notes.add_prose(prose.text)

    def _checkpoint(self, part: Checkpoint) -> None:
        self._leave()
        if part.text:
            slide = Slide("checkpoint", f"Minute {part.minute}", "Checkpoint")
            slide.add(f'<p class="question">{markup.inline_html(part.text)}</p>')
            self.slides.append(slide)
        self._stamp(part.minute)
        self.begins = len(self.slides)

    def _stamp(self, minute: int) -> None:
        """Tell the slides since the last checkpoint in which minutes they stand."""
        for slide in self.slides[self.first :]:
            slide.notes.minutes = f"Notebook minutes {self.minute} to {minute}."
        self.minute, self.first = minute, len(self.slides)

    def _leave(self) -> None:
        """The end of a section: what was said last is shown, or told over the last slide."""
        light = all(
            p.kind == "paragraph" and not p.tag for p, _ in told.shown(self.waiting, self.choice)
        )
        if light and self._takes_away():
            return
        if told.is_marked(self.waiting, self.choice) or len(self.slides) == self.begins:
            self._write()
        elif self.slides:
            self._tell(self.slides[-1], self.waiting)
        self.waiting = []

    def _takes_away(self) -> bool:
        """Put the conclusion under the figure or table that it follows, to appear on a key."""
        slide = self.slides[-1] if self.slides else None
        own = len(self.slides) > self.begins
        said = takeaway(slide, self.waiting, self.choice, heading="" if own else self.title)
        if not said:
            return False
        slide.add(f'<p class="takeaway fragment">{markup.inline_html(said)}</p>', height(said))
        self._tell(slide, self.waiting)
        self.waiting = []
        return True

    def _write(self) -> None:
        """Put the waiting prose on text slides."""
        proses, self.waiting = self.waiting, []
        shown = told.shown(proses, self.choice)
        if not shown and not proses:
            return
        slide = self._new("text") if shown else self.slides[-1] if self.slides else None
        for block, html, needed in blocks.with_room(shown):
            if not slide.has_room(html, needed):
                slide = self._new("text")
            blocks.put(slide, block)
        self._tell(slide, proses)
