"""A chapter's page around its body: question, facts, contents, print, before and after."""

from collections.abc import Iterable

from labutils.authoring.site import markup
from labutils.authoring.site.chapters.chapter_page import ChapterPage, Part
from labutils.authoring.site.explorers import STYLE, scripts_of
from labutils.authoring.site.shell import chapter_link, counted, framed
from labutils.authoring.sources.course import Course
from labutils.authoring.sources.source import DEVICES, Chapter

NOTE = (
    '<p class="facts">This is a notebook to read: its cells are folded, and what they printed '
    "stands below them. Where the text says to run one, that has been done.</p>"
)
PRINT = (
    '<p class="print"><button type="button" data-print="open">Print as it is</button> '
    '<button type="button" data-print="all">Print with every answer</button></p>'
)


def chapter_html(course: Course, page: ChapterPage, body: str) -> str:
    """The page of a chapter around its ``body``."""
    chapter = page.chapter
    question = markup.inline(chapter.header.question)
    main = (
        f'<main id="main" data-page="{chapter.name}"><h1>{markup.inline(chapter.heading)}</h1>\n'
        f'<p class="question">{question}</p>\n<p class="facts">{_facts(course, page)}</p>\n{NOTE}\n'
        f"{body}\n{PRINT}{_pager(course, chapter)}</main>"
    )
    about = chapter.header.question
    html = contents(page.parts) + main
    scripts = scripts_of(chapter.name)
    needs = [STYLE, *scripts] if scripts else ()
    return framed(course, html, title=chapter.heading, about=about, kind="chapter", needs=needs)


def contents(parts: Iterable[Part]) -> str:
    """The contents list: what may be told before anything is opened."""
    rows = "".join(
        f'<li class="level{part.level}"><a href="#{part.anchor}">{markup.inline(part.title)}</a>'
        for part in parts
        if part.title and part.level <= 3 and not part.question
    )
    return (
        '<nav class="contents" aria-label="On this page"><details><summary>On this page</summary>'
        f"<ul>{rows}</ul></details></nav>\n"
    )


def _facts(course: Course, page: ChapterPage) -> str:
    header = page.chapter.header
    needs = [chapter_link(course.chapter(name)) for name in header.needs]
    facts = [
        f"{header.minutes} min{', optional' * header.optional}",
        f"needs {', '.join(needs)}" if needs else "needs no other chapter",
        DEVICES[header.gpu],
        counted(len(page.predictions), "prediction"),
        counted(len(page.exercises), "exercise"),
        '<a href="index.html#run">run the notebook</a>',
    ]
    return " · ".join(facts)


def _pager(course: Course, chapter: Chapter) -> str:
    before, after = course.neighbours(chapter)
    links = [
        f'<a rel="{rel}" href="{other.name}.html"><small>{word}</small> '
        f"{markup.inline(other.heading)}</a>"
        for other, rel, word in ((before, "prev", "Before"), (after, "next", "Next"))
        if other
    ]
    return f'<nav class="pager" aria-label="Before and after">{"".join(links)}</nav>'
