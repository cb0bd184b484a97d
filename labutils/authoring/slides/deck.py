"""One deck as one HTML file: reveal.js, style, pictures and formulas all inside."""

from functools import cache
from html import escape
from importlib.util import find_spec
from pathlib import Path
from string import Template

from labutils.authoring.slides import markup
from labutils.authoring.slides.notes import Notes
from labutils.authoring.slides.parts import sections
from labutils.authoring.slides.slide import Slide
from labutils.authoring.slides.slide_choice import Choice, read_choices
from labutils.authoring.slides.slide_pages import Dealer
from labutils.authoring.sources.course import Course
from labutils.authoring.sources.definitions import read_definitions
from labutils.authoring.sources.executed import read_executed
from labutils.authoring.sources.source import DEVICES, Chapter

HERE = Path(__file__).parent
FOLDER = "build/slides"


def write_decks(course: Course, names: list[str] = ()) -> list[str]:
    """Write the decks of the named chapters (all without names) and the page that lists all.

    Prints one line a deck; returns one line for each that cannot be built.
    """
    choices, failures = read_choices(course.root), []
    for chapter in [course.chapter(name) for name in names] or course.chapters:
        choice = choices.get(chapter.name, Choice())
        try:
            slides = slides_of(course, chapter, choice)
            html = deck_html(chapter, slides)
        except ValueError as error:
            failures.append(str(error))
            continue
        _write(course.root / FOLDER / chapter.name / "index.html", html)
        failures += [
            f"data/slides.json, {chapter.name}: no text begins with {words!r}; the deck is "
            "written without that choice"
            for words in choice.stale
        ]
        print(f"{FOLDER}/{chapter.name}/index.html: {len(slides)} slides, {len(html) / 1e6:.1f} MB")
    _write(course.root / FOLDER / "index.html", _contents(course))
    return failures


def slides_of(course: Course, chapter: Chapter, choice: Choice | None = None) -> list[Slide]:
    """The slides of one chapter, from its source and its executed solution edition.

    Raises ``ValueError`` when that edition is missing or older than the source.
    """
    found = sections(chapter, read_executed(course.root, chapter), _known())
    dealt = Dealer(chapter, choice or Choice()).deal(found)
    return [_title_slide(course, chapter), *dealt]


def deck_html(chapter: Chapter, slides: list[Slide]) -> str:
    """The deck as one HTML page that needs nothing else."""
    code = "\n".join([_script("reveal.js"), _script("plugin/notes.js"), _script("plugin/zoom.js")])
    return Template((HERE / "deck.html").read_text(encoding="utf-8")).substitute(
        title=escape(chapter.heading),
        style=_asset("reveal.css") + (HERE / "theme.css").read_text(encoding="utf-8"),
        slides="\n".join(_section(chapter, slide) for slide in slides),
        script=code,
        start=(HERE / "start.js").read_text(encoding="utf-8"),
    )


def _title_slide(course: Course, chapter: Chapter) -> Slide:
    header = chapter.header
    needs = ", ".join(course.chapter(name).label for name in header.needs)
    facts = [f"{header.minutes} minutes", f"needs {needs}" if needs else "needs no other chapter"]
    slide = Slide("title", chapter.heading, course.title)
    slide.add(f'<p class="question">{markup.inline_html(header.question)}</p>')
    slide.add(f'<p class="facts">{escape(" · ".join([*facts, DEVICES[header.gpu]]))}</p>')
    slide.notes = Notes(
        minutes=f"{header.minutes} minutes in the notebook, reading and exercises together.",
        say=[
            "Everybody opens the notebook now. The slides show what the class sees together; where "
            "a slide says *Your turn*, people work in their own copy. Press S for these notes, "
            "arrow keys to move, Esc for all slides; Alt and a click (Linux: Ctrl) enlarges a "
            "figure."
        ],
    )
    return slide


def _section(chapter: Chapter, slide: Slide) -> str:
    kicker = f'<p class="kicker">{escape(slide.kicker)}</p>' if slide.kicker else ""
    tall = " tall" if slide.sits_beside else ""
    return (
        f'<section class="{slide.kind}{tall}">\n<header>{kicker}'
        f"<h2>{markup.inline_html(slide.title)}</h2></header>\n"
        f'<div class="body">{chr(10).join(slide.body)}</div>\n'
        f"<footer>{escape(chapter.heading)}</footer>\n"
        f'<aside class="notes">{slide.notes.html()}</aside>\n</section>'
    )


def _contents(course: Course) -> str:
    ready = [c for c in course.chapters if (course.root / FOLDER / c.name / "index.html").exists()]
    links = [f'<a href="{c.name}/index.html">{escape(c.heading)}</a>' for c in ready]
    facts = [f"{escape(c.header.question)} ({c.header.minutes} minutes)" for c in ready]
    rows = "\n".join(f"<li>{link} {fact}</li>" for link, fact in zip(links, facts))
    style = (HERE / "theme.css").read_text(encoding="utf-8")
    return Template((HERE / "contents.html").read_text(encoding="utf-8")).substitute(
        title=escape(course.title), style=style, rows=rows
    )


@cache
def _known() -> dict:
    return read_definitions().by_id


@cache
def _asset(name: str) -> str:
    """A file of reveal.js, as the package pyreveal carries it (nothing of it is imported)."""
    spec = find_spec("pyreveal")
    folders = spec.submodule_search_locations if spec else ()
    for folder in folders or ():
        path = Path(folder) / "revealjs/dist" / name
        if path.exists():
            return path.read_text(encoding="utf-8")
    raise ValueError(f"reveal.js ({name}) is not installed; run: make slides")


def _script(name: str) -> str:
    """A script that may stand inside a page."""
    return _asset(name).replace("</script", r"<\/script")


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
