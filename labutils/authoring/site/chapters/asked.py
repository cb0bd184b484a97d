"""Predictions as forms, their outcomes, and exercises with what helps, each behind a fold."""

import math
from collections.abc import Iterable
from html import escape

from labutils.authoring.site.chapters.folds import fold
from labutils.authoring.site.markup import block, plain
from labutils.exercises.definition.exercise import Exercise, Prediction
from labutils.ground.units import UnreadableQuantity, WrongDimension, parse

_FIELD = '<label>{0} <input name="{0}" inputmode="decimal" autocomplete="off" size="7"></label>'


def question(prediction: Prediction) -> str:
    """A form that takes a range; ``static/predict.js`` keeps it in the browser."""
    unit = "" if prediction.unit == "1" else prediction.unit
    bounds = {"least": prediction.at_least, "most": prediction.at_most}
    data = "".join(f' data-{k}="{v:g}"' for k, v in bounds.items() if math.isfinite(v))
    return (
        f'<form class="predict" id="{prediction.id}" data-unit="{escape(unit)}"{data}>'
        f"<p><b>Predict.</b> {plain(prediction.question)}</p>"
        f'<p class="fields">{_FIELD.format("low")} {_FIELD.format("high")} '
        f"<span>{escape(unit)}</span> <button>Commit</button></p>"
        '<p class="said" role="status">A range that you are 80 % sure of. It stays in this '
        "browser.</p></form>\n"
    )


def outcome(prediction: Prediction, value: str) -> str:
    """What came out; the page's script sets what the reader predicted above it."""
    try:
        number = f' data-actual="{parse(value, prediction.unit):.6g}"'
    except (UnreadableQuantity, WrongDimension):
        number = ""
    found = prediction.finding.format(value)
    return (
        f'<aside class="told" data-id="{prediction.id}"{number}><p class="mine"></p>'
        f"<p><b>{plain(found)}</b> {plain(prediction.explanation)}</p></aside>\n"
    )


def hints(texts: Iterable[str]) -> str:
    """Hints, each behind a fold of its own."""
    paragraphs = (f"<p>{plain(text)}</p>" for text in texts)
    return "".join(fold("help", f"Hint {n}", text) for n, text in enumerate(paragraphs, 1))


def exercise(task: Exercise, answer: str) -> str:
    """An exercise: hints, named mistakes, explanation and ``answer`` (HTML), each behind a fold."""
    minutes = f"{task.minutes} min{', optional' * task.optional}"
    found = getattr(task.checker, "misconceptions", ()) or ()
    told = "".join(f"<li>{plain(one.message)}</li>" for one in found)
    mistakes = fold("help", "The usual mistakes", f"<ul>{told}</ul>") if told else ""
    return (
        f'<aside class="exercise" id="{task.id}"><p><b>{plain(task.title)}</b> '
        f"<small>{minutes} · <code>{task.id}</code></small></p>"
        f"{hints(task.hints)}{mistakes}"
        f"{fold('help answer', 'Explanation', block(task.explanation))}{answer}</aside>\n"
    )
