"""The frame around every page, and what several kinds of page share."""

from html import escape
from pathlib import Path
from string import Template

from labutils.authoring.sources.course import Course
from labutils.authoring.sources.source import Chapter

HERE = Path(__file__).parent
STATIC = HERE / "static"
LOADED = {
    ".js": '<script src="{}" defer></script>',
    ".css": '<link rel="stylesheet" href="{}">',
}


def framed(
    course: Course, body: str, *, title: str = "", about: str = "", kind: str = "page", needs=()
) -> str:
    """A whole page; ``needs`` are scripts and styles that it loads beside those of every page."""
    return Template((HERE / "shell.html").read_text(encoding="utf-8")).substitute(
        title=escape(f"{title} · {course.title}" if title else course.title),
        description=escape(about or course.title, quote=True),
        course=escape(course.title),
        kind=kind,
        body=body,
        needs="\n".join(LOADED[Path(name).suffix].format(name) for name in needs),
    )


def counted(number: int, noun: str) -> str:
    """``1 prediction``, ``2 predictions``."""
    return f"{number} {noun}{'s' * (number != 1)}"


def chapter_link(chapter: Chapter, text: str = "") -> str:
    """A link to a chapter's page, by its label if there is no other text."""
    return f'<a href="{chapter.name}.html">{text or escape(chapter.label)}</a>'
