"""Rules on what instructors read: its minutes, its ids and what it says that notebooks print.

Timings rot. Here they cannot: every part of a plan takes its minutes from the header, the
checkpoints or the catalog of the chapter that it names, and the sums are checked.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import nbformat

from labutils.authoring.sources.course import Course
from labutils.authoring.sources.definitions import Definitions
from labutils.authoring.sources.source import Chapter
from labutils.authoring.sources.stretches import boundaries, stretch_of
from labutils.classroom.prepare.plans import GUIDE_PATH, Part, Plan, read_plans

REFERENCE_PATH = "INSTRUCTOR_CHAPTERS.md"
LONGEST_SITTING = 100  # minutes without a break
SAID = ("talk", "break", "slack")  # parts that are no chapter's
EXERCISE = re.compile(r"`([a-z0-9_]+(?:\.[a-z0-9_]+)+)` \((\d+) min\)")
MISTAKE = re.compile(r"`([a-z0-9_]+(?:\.[a-z0-9_]+)+): ([a-z0-9-]+)`")
SECTION = re.compile(r"^### (.+), (\d+) minutes$", flags=re.M)
PRINTS = re.compile(r"^\| `(\w+)` prints \| `(.+?)` \|", flags=re.M)


def guide_findings(course: Course, definitions: Definitions) -> Iterator[str]:
    """Findings on the guide and its reference; none where a course has no such guide."""
    texts = {path: _text(course.root / path) for path in (GUIDE_PATH, REFERENCE_PATH)}
    if not texts[GUIDE_PATH]:
        return
    try:
        plans = read_plans(texts[GUIDE_PATH])
    except ValueError as error:
        yield f"{GUIDE_PATH}: {error}"
        return
    guide = Guide(course, definitions, plans)
    yield from (f"{GUIDE_PATH}: {fault}" for fault in guide.faults())
    for path, text in texts.items():
        yield from (f"{path}: {fault}" for fault in (*guide.said(text), *guide.printed(text)))
    for fault in guide.sections(texts[REFERENCE_PATH]):
        yield f"{REFERENCE_PATH}: {fault}"


class Guide:
    """The plans of a guide beside the chapters that they are made of."""

    def __init__(self, course: Course, definitions: Definitions, plans: list[Plan]):
        self.course = course
        self.chapters = {chapter.short_name: chapter for chapter in course.chapters}
        self.by_slug = {c.header.slug: name for name, c in self.chapters.items()}
        self.exercises = {e.id: e for group in definitions.exercises.values() for e in group}
        self.homes = {e.id: s for s, group in definitions.exercises.items() for e in group}
        self.plans = {plan.name: plan for plan in plans if plan.kind == "plan"}
        self.cuts = [plan for plan in plans if plan.kind == "cuts"]

    def faults(self) -> Iterator[str]:
        """What is wrong with the plans and their cut lists."""
        for plan in self.plans.values():
            for fault in (*self._rows(plan), *self._sitting(plan), *self._needs(plan)):
                yield f"plan {plan.name!r}: {fault}"
        for cut in self.cuts:
            for fault in self._cut(cut):
                yield f"cuts {cut.name!r}: {fault}"
        for name in sorted(set(self.plans) ^ {cut.name for cut in self.cuts}):
            yield f"{name!r} has a plan without cuts, or cuts without a plan"

    def _rows(self, plan: Plan) -> Iterator[str]:
        clock, seen = 0, set()
        for row in plan.rows:
            if row.at != clock:
                yield f"{row.text!r} starts at {_time(row.at)}, expected {_time(clock)}"
            clock = row.at + row.minutes
            known = [self.minutes_of(part) for part in row.parts]
            yield from (fault for fault in known if isinstance(fault, str))
            total = sum(minutes for minutes in known if isinstance(minutes, int))
            if not row.parts:
                yield f"{row.text!r} names no part; write talk {row.minutes}, or a chapter"
            elif total != row.minutes and all(isinstance(m, int) for m in known):
                yield f"{row.text!r} takes {row.minutes} min, its parts {total}"
            for part in row.parts:
                if part.kind not in SAID and part in seen:
                    yield f"{part} stands twice"
                seen.add(part)
        if clock != plan.minutes:
            yield f"ends after {clock} min, expected {plan.minutes}"
        free = sum(part.last for row in plan.rows for part in row.parts if part.kind == "slack")
        if free < plan.slack / 100 * plan.minutes:
            yield f"keeps {free} min free, expected {plan.slack} % of {plan.minutes}"

    def minutes_of(self, part: Part) -> int | str:
        """The minutes of a part as its chapter states them, or what is wrong with it."""
        if part.kind in SAID:
            return part.last
        if part.kind == "exercise":
            exercise = self.exercises.get(part.name)
            return exercise.minutes if exercise else f"no exercise {part.name!r}"
        chapter = self.chapters.get(part.name)
        if chapter is None:
            return f"no chapter {part.name!r}; known are {', '.join(self.chapters)}"
        if part.kind == "chapter":
            return chapter.header.minutes
        edges = boundaries(chapter)
        if not {part.first, part.last} <= set(edges) or part.first >= part.last:
            return f"{part}: stretches of {part.name} end at {', '.join(map(str, edges))}"
        return part.last - part.first

    def _sitting(self, plan: Plan) -> Iterator[str]:
        since = 0
        for row in plan.rows:
            rest = sum(part.last for part in row.parts if part.kind == "break")
            if rest >= 10:
                if row.at - since > LONGEST_SITTING:
                    yield f"{row.at - since} min without a break before {_time(row.at)}"
                since = row.at + row.minutes
        if plan.minutes - since > LONGEST_SITTING:
            yield f"{plan.minutes - since} min without a break at the end"

    def _needs(self, plan: Plan) -> Iterator[str]:
        had = set(plan.given)
        if plan.after:
            before = self.plans.get(plan.after)
            if before is None:
                yield f"comes after {plan.after!r}, which is no plan"
            else:
                had |= {*before.given, *(part.name for row in before.rows for part in row.parts)}
        for name in (part.name for row in plan.rows for part in row.parts):
            chapter = self.chapters.get(name)
            for need in chapter.header.needs if chapter else ():
                if self.by_slug[need] not in had:
                    yield f"{name} needs {self.by_slug[need]}: put it before, or name it in given="
            had.add(name)

    def _cut(self, cut: Plan) -> Iterator[str]:
        plan = self.plans.get(cut.name)
        for row in cut.rows:
            known = [self.minutes_of(part) for part in row.parts]
            yield from (fault for fault in known if isinstance(fault, str))
            won = sum(minutes for minutes in known if isinstance(minutes, int))
            if won < row.minutes:
                yield f"{row.text!r} wins {won} min, expected {row.minutes}"
            for part in row.parts:
                if plan and not self._planned(part, plan):
                    yield f"{part} is not in the plan"

    def _planned(self, part: Part, plan: Plan) -> bool:
        held = [one for row in plan.rows for one in row.parts]
        if part.kind in SAID:
            return part in held
        name, span = part.name, (part.first, part.last)
        if part.kind == "exercise":
            chapter = self._home(part.name)
            name = chapter.short_name if chapter else ""
            span = (chapter and stretch_of(chapter, part.name)) or (0, 0)
        elif part.kind == "chapter" and name in self.chapters:
            span = (0, self.chapters[name].header.minutes)
        return any(one.name == name and _within(span, one) for one in held)

    def _home(self, exercise_id: str) -> Chapter | None:
        return self.chapters.get(self.by_slug.get(self.homes.get(exercise_id, ""), ""))

    def said(self, text: str) -> Iterator[str]:
        """Minutes of exercises and names of mistakes that stand in the prose."""
        for exercise_id, minutes in EXERCISE.findall(text):
            exercise = self.exercises.get(exercise_id)
            if exercise is None or exercise.minutes != int(minutes):
                known = f"takes {exercise.minutes}" if exercise else "is in no catalog"
                yield f"`{exercise_id}` ({minutes} min): the exercise {known}"
        for exercise_id, name in MISTAKE.findall(text):
            checker = getattr(self.exercises.get(exercise_id), "checker", None)
            names = [one.name for one in getattr(checker, "misconceptions", ())]
            if name not in names:
                yield f"`{exercise_id}: {name}`: no such mistake; known are {', '.join(names)}"

    def sections(self, text: str) -> Iterator[str]:
        """Every chapter has its section, with the chapter's minutes."""
        found = dict(SECTION.findall(text))
        for chapter in self.course.chapters:
            minutes = found.get(chapter.heading)
            if minutes != str(chapter.header.minutes):
                stands = "lacks its section" if minutes is None else f"has {minutes} minutes"
                yield (
                    f"{chapter.heading} {stands}; expected the heading "
                    f"'### {chapter.heading}, {chapter.header.minutes} minutes'"
                )

    def printed(self, text: str) -> Iterator[str]:
        """What the guide says that a notebook prints stands in its solution edition."""
        for name, expected in PRINTS.findall(text):
            if name not in self.chapters:
                yield f"`{name}` prints: no such chapter"
            elif expected not in self._outputs(self.chapters[name]):
                yield f"`{name}` prints `{expected}`: its solution edition does not"

    def _outputs(self, chapter: Chapter) -> str:
        path = self.course.root / chapter.solution_path
        if not path.exists():
            return ""
        outputs = [o for cell in nbformat.read(path, 4).cells for o in cell.get("outputs", ())]
        texts = [o.get("text", "") or o.get("data", {}).get("text/plain", "") for o in outputs]
        return "\n".join(texts)


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


def _within(span: tuple[int, int], part: Part) -> bool:
    """Whether a span of minutes lies inside what a part of the plan takes of its chapter."""
    return part.kind == "chapter" or part.first <= span[0] < span[1] <= part.last


def _time(minutes: int) -> str:
    return f"{minutes // 60}:{minutes % 60:02}"
