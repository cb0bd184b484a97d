"""The cells that every notebook shares: its opening, the recap at its end, its closing links."""

import os

from labutils.authoring.sources.course import Course
from labutils.authoring.sources.source import DEVICES, Chapter
from labutils.workspace.address import COLAB

SETUP = """\
# At home this does nothing. On Colab or Kaggle it installs the course's package.
import importlib.util
if importlib.util.find_spec("labutils") is None:
    get_ipython().run_line_magic("pip", "install -q {package}")"""


RECAP = """\
# Your predictions beside the outcomes, and what you built. Kept in my/recaps, to be printed.
from labutils.course import recap

recap("{number}")"""


def title_text(course: Course, chapter: Chapter, *, solution: bool) -> str:
    """The first cell: title, time and needs, the question; links where they lead somewhere."""
    header = chapter.header
    facts = [f"{header.minutes} min", *(["optional"] if header.optional else [])]
    facts += [_needs(course, chapter, solution), DEVICES[header.gpu]]
    if course.github_name and not solution:
        address = COLAB.format(name=course.github_name) + chapter.learner_path
        facts.append(f"[Open in Colab]({address})")
    lines = [f"# {chapter.heading}", "", " · ".join(facts), "", f"**{header.question}**"]
    if solution:
        lines += ["", _edition_note(chapter)]
    return "\n".join(lines)


def setup_text(course: Course) -> str:
    """The guarded set-up line: installs ``labutils`` only where it is missing."""
    return SETUP.format(package=f"git+{course.repository}" if course.repository else "..")


def recap_text(chapter: Chapter) -> str:
    """The cell behind the last of the author's: what became of the chapter."""
    return RECAP.format(number=chapter.name.partition("_")[0])


def closing_text(course: Course, chapter: Chapter, *, solution: bool) -> str:
    """Links to the chapters before and after, saying which are optional; empty without any."""
    before, after = course.neighbours(chapter)
    parts = [
        f"{word}: {_link(chapter, other, solution)}{' (optional)' * other.header.optional}"
        for word, other in (("Next", after), ("Before", before))
        if other is not None
    ]
    return "---\n" + " · ".join(parts) if parts else ""


def _needs(course: Course, chapter: Chapter, solution: bool) -> str:
    if not chapter.header.needs:
        return "needs no other chapter"
    needed = [course.chapter(name) for name in chapter.header.needs]
    return "needs " + ", ".join(_link(chapter, other, solution) for other in needed)


def _link(chapter: Chapter, other: Chapter, solution: bool) -> str:
    path = other.solution_path if solution else other.learner_path
    here = os.path.dirname(chapter.solution_path if solution else chapter.learner_path)
    return f"[{other.heading}]({os.path.relpath(path, here)})".replace(os.sep, "/")


def _edition_note(chapter: Chapter) -> str:
    return (
        "*Solution edition: the answers stand filled in and the outputs are kept. "
        f"To work through the chapter, open [the learner edition](../{chapter.learner_path}).*"
    )
