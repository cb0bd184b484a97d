"""The home page's first screen: the question that chapter 03 answers."""

from html import escape
from pathlib import Path

from labutils.authoring.sources.course import Course

CHAPTER = "03_mm1_explosion"
QUESTION = "Your p99 is fine at 60\N{NO-BREAK SPACE}% load. Is it at 90\N{NO-BREAK SPACE}%?"
TASK = "Draw mean latency as load grows."


def home_sketch_html(next_page: str) -> str:
    """The question and the place for the sketch; ``next_page`` is the chapter that explains it."""
    return (
        f'<div id="home-sketch">\n<h1>{QUESTION}</h1>\n<p>{TASK}</p>\n'
        f'<p><a class="go" href="{escape(next_page)}">Read why</a></p></div>'
    )


def write_home_scripts(course: Course, folder: Path) -> list[Path]:
    """Write what the home page loads for its sketch to a folder of the site."""
    return []
