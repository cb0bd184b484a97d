"""Write the whole site to ``build/site/``."""

import shutil
import time
from pathlib import Path

from labutils.authoring.pages.offers import HOME
from labutils.authoring.site import markup
from labutils.authoring.site.chapters.article import chapter_html
from labutils.authoring.site.chapters.chapter_page import ChapterPage
from labutils.authoring.site.chapters.outputs import Pictures
from labutils.authoring.site.explorers import write_scripts
from labutils.authoring.site.home_sketch import QUESTION, write_home_scripts
from labutils.authoring.site.others import reference
from labutils.authoring.site.others.drills import drills_html
from labutils.authoring.site.others.home import home_html
from labutils.authoring.site.others.topics import Topics, topics_html
from labutils.authoring.site.shell import STATIC, framed
from labutils.authoring.site.whole.search_index import index_script
from labutils.authoring.sources.course import Course
from labutils.authoring.sources.definitions import read_definitions
from labutils.authoring.sources.executed import read_executed

FOLDER = "build/site"


def write_site(course: Course, folder: Path | None = None) -> list[str]:
    """Write every page to ``folder``, which is emptied first; one line for each fault.

    Raises ``ValueError`` where an executed edition is missing or older than its source.
    """
    started, folder = time.perf_counter(), folder or course.root / FOLDER
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(STATIC, folder)
    write_scripts(folder)
    sketch = [path.name for path in write_home_scripts(course, folder)]
    files, faults = site_files(course, sketch)
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    written = [path for path in folder.rglob("*") if path.is_file()]
    size = sum(path.stat().st_size for path in written) / 1e6
    pages = sum(path.suffix == ".html" for path in written)
    seconds = time.perf_counter() - started
    print(f"{folder / 'index.html'}: {pages} pages, {size:.1f} MB, in {seconds:.1f} s")
    return faults


def site_files(course: Course, sketch: list[str]) -> tuple[dict[str, str | bytes], list[str]]:
    """All pages and pictures by name, and a line for each link that leads nowhere.

    ``sketch`` names what the home page loads.
    """
    links, pictures, known = markup.Links(course), Pictures(), read_definitions().by_id
    pages, files = {}, {}
    for chapter in course.chapters:
        page = ChapterPage(chapter, links, pictures, known)
        body = page.build(read_executed(course.root, chapter))
        pages[chapter.name] = page
        files[f"{chapter.name}.html"] = chapter_html(course, page, body)
    topics = Topics(course, pages)
    files["search_rows.js"] = index_script(pages, topics)
    home = home_html(course, pages)
    files["index.html"] = framed(course, home, about=QUESTION, kind="home", needs=sketch)
    files |= _reference(course, topics)
    files |= pictures.files
    return files, [f"no page of the site: {address}" for address in sorted(links.lost)]


def _reference(course: Course, topics: Topics) -> dict[str, str]:
    home = next(c.name for c in course.chapters if c.header.slug == HOME)
    return {
        "topics.html": framed(course, topics_html(topics), title="Topics"),
        "cards.html": framed(course, reference.cards_html(), title="Reference cards"),
        "glossary.html": framed(course, reference.glossary_html(course), title="Glossary"),
        "drills.html": framed(course, drills_html(home), title="Drills"),
        "404.html": framed(course, reference.NOT_FOUND, title="No such page"),
    }
