"""The page of a mock's report: one HTML file without scripts, readable on paper too."""

from dataclasses import replace
from datetime import datetime
from html import escape

from labutils.drills.asking.asking import Asking
from labutils.drills.asking.wording import solution
from labutils.drills.interview.places import section
from labutils.drills.interview.report import MockReport, section_for, title_of
from labutils.drills.interview.result import Result
from labutils.drills.skills.skills import Skill
from labutils.exercises.display.card import Prose
from labutils.ground.files import publish
from labutils.ground.folder import my_folder

_STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.25rem; margin-top: 2rem; }
table { border-collapse: collapse; margin: 1rem 0; width: 100%; }
th, td { border-bottom: 1px solid #8a8f98; padding: 0.3rem 0.6rem; }
td { white-space: nowrap; } th[scope=row] { font-weight: normal; }
pre { white-space: pre-wrap; } .lead { font-size: 1.2rem; }
article { border-left: 4px solid #8a8f98; padding-left: 1rem; margin: 1.5rem 0; }
article.right { border-color: #2e9e5b; } article.wrong { border-color: #c77700; }
@media print { article { break-inside: avoid; } }
"""


def saved(report: MockReport, name: str) -> MockReport:
    """The report with its page written into ``my/reports``; it never replaces a file.

    Where the disk refuses, it says so, and the report keeps no ``path``.
    """
    stamp = f"{datetime.now():%Y-%m-%d_%H%M}"
    try:
        target = my_folder() / "reports" / f"{stamp}_{name}.html"
        publish(target, page(report, stamp).encode())
    except OSError as error:
        print(f"The report cannot be saved ({error.strerror or error}); it stands here alone.")
        return report
    return replace(report, path=target)


def page(report: MockReport, stamp: str) -> str:
    """The whole page."""
    day, _, clock = stamp.partition("_")
    title = f"Mock interview, {day} {clock[:2]}:{clock[2:]}"
    advice = "".join(f"<li>{_inline(text)}</li>" for text in report.advice())
    parts = [
        f"<h1>{escape(title)}</h1>",
        f'<p class="lead">{escape(report.headline())}</p>',
        report.questions().html(),
        report.answers().html(),
        report.kinds().html(),
        *(f"<p>{_inline(text)}</p>" for text in report.remarks()[:1]),
        f"<h2>What to do next</h2><ul>{advice}</ul>",
        f"<h2>All your drills so far</h2>{Skill.read().table().html()}",
        "<h2>The questions, with solutions</h2>",
        *(_article(*one) for one in report.numbered()),
    ]
    head = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head>"
    )
    return f"{head}<body><main>{''.join(parts)}</main></body></html>\n"


def _article(number: int, asking: Asking, item: Result | None) -> str:
    is_right, verdict = bool(item and item.is_right), item.verdict if item else None
    kind = "right" if is_right else "wrong"
    said = verdict.message if verdict else ""
    typed = f" You said: {item.typed}." if item and item.typed else ""
    missed = "Not right" if verdict else "Skipped" if item else "Not reached"
    label = "Right" if is_right else missed
    place = "" if is_right else section_for(item) if item else section(asking.template)
    read = f"<p>In the course: {escape(place)}</p>" if place else ""
    return (
        f'<article class="{kind}"><h3>{number}. {escape(title_of(asking))}</h3>'
        f"{''.join(part.html() for part in asking.told())}"
        f"<p><strong>{label}.</strong>{escape(typed)} {_inline(said)}</p>"
        f"{''.join(Prose(text).html() for text in solution(asking.template, asking.drill))}"
        f"{read}</article>"
    )


def _inline(text: str) -> str:
    return Prose(text).html()
