"""All drills with one set of numbers: the story, hints, and the worked solution behind folds."""

from html import escape

from labutils.authoring.site.chapters.asked import hints
from labutils.authoring.site.chapters.folds import fold
from labutils.authoring.site.markup import block, plain
from labutils.drills.asking.wording import solution, told
from labutils.drills.catalog import templates
from labutils.drills.definition.drill import Drill
from labutils.drills.definition.template import Template

SEED = 3
RULES = """\
Nobody names the topic, and a number may be missing: that is how interviewers ask. Each drill stands
here with one set of numbers. Write your answer down, with its unit, before you open anything. Three
rules make it practice: first a bound that needs no calculator, then the number; a hint only after
two minutes of your own; and a drill that you missed comes back tomorrow.

In the notebook the numbers are fresh every time, a wrong answer is told apart by its mistake, and
what is due comes back by itself.
"""


def drills_html(home: str) -> str:
    """The body of the page of drills; ``home`` is the page of the chapter that asks them."""
    levels: dict[int, list[Template]] = {}
    for template in templates():
        levels.setdefault(template.level, []).append(template)
    rows = [f'<main id="main"><h1>Drills</h1>{block(RULES)}']
    rows.append(f'<p><a href="{home}.html">The chapter of the drills</a></p>')
    for level, group in sorted(levels.items()):
        rows.append(f'<h2 id="level-{level}">Level {level}</h2><ol class="drills">')
        rows += [_drill(template) for template in group]
        rows.append("</ol>")
    return "\n".join([*rows, "</main>"])


def _drill(template: Template) -> str:
    drill = template.drill(SEED)
    minutes = f"about {template.minutes:g} min"
    return (
        f'<li id="{template.id}">{_asked(drill)}<p><small>{minutes} · '
        f"<code>{escape(template.id)}</code></small></p>"
        f"{hints(drill.hints)}"
        f"{fold('help answer', 'Worked solution', _solution(template, drill))}</li>"
    )


def _asked(drill: Drill) -> str:
    parts = [part.html() for part in told(drill.story)]
    question = f"<p><b>{plain(drill.question)}</b></p>" if drill.question else ""
    if drill.options is None:
        return "".join([*parts, question])
    asked = drill.options.question
    other = f"<p>{plain(asked)}</p>" if asked not in ("", drill.question) else ""
    options = plain("\n".join(drill.options.lines()))
    return "".join([*parts, question, other, f"<p>{options}</p>"])


def _solution(template: Template, drill: Drill) -> str:
    paragraphs = [template.title, *solution(template, drill)]
    return "".join(f"<p>{plain(paragraph)}</p>" for paragraph in paragraphs)
