"""Predictions of the chapters that come back: what was the outcome that you saw?"""

import math
from collections.abc import Iterable
from datetime import datetime

from labutils.drills.definition.draw import Draw
from labutils.drills.definition.drill import Drill, Step
from labutils.drills.definition.template import Decision, Template
from labutils.drills.repetition.attempts import time_of
from labutils.exercises import catalog
from labutils.exercises.catalog import UnknownIdError
from labutils.exercises.definition.exercise import Prediction
from labutils.ground.units import format_quantity as fmt

TOLERANCE = 0.2
PREFIX = "recall_"


def seen_outcomes(log: Iterable[dict]) -> dict[str, tuple[str, float, datetime]]:
    """Template id -> (prediction id, the outcome shown last, when it was first shown)."""
    found: dict[str, tuple[str, float, datetime]] = {}
    for event in log:
        name, actual, at = event.get("id"), event.get("actual"), time_of(event)
        if event.get("event") != "outcome" or not isinstance(name, str) or at is None:
            continue
        if isinstance(actual, int | float) and math.isfinite(actual) and actual:
            key = PREFIX + name.replace(".", "_")
            found[key] = (name, float(actual), found.get(key, (0, 0, at))[2])
    return found


def recall_template(key: str, prediction_id: str, actual: float) -> Template:
    """A prediction as a drill: the answer is the ``actual`` that the learner's own run showed."""

    def make(draw: Draw) -> Drill:
        return _drill(catalog.prediction(prediction_id), actual)

    return Template(
        id=key,
        title=f"A prediction that came back: {prediction_id}",
        level=1,
        decision=Decision.estimate,
        topics=(),
        make=make,
        minutes=1,
        rough=False,
    )


def recalls(log: Iterable[dict]) -> dict[str, Template]:
    """Every prediction whose outcome was shown, as a template (read when it is asked)."""
    return {
        key: recall_template(key, name, actual)
        for key, (name, actual, _) in seen_outcomes(log).items()
    }


def is_known(template: Template) -> bool:
    """Whether the course still has this prediction."""
    try:
        template.drill(0)
    except UnknownIdError:
        return False
    return True


def _drill(prediction: Prediction, actual: float) -> Drill:
    low, high = sorted((actual / 4, actual * 2.5))
    unit = prediction.unit
    return Drill(
        story="You met this in the course, and saw the outcome.",
        question=prediction.question,
        answer=actual,
        unit=unit,
        tolerance=TOLERANCE,
        scale=False,
        hints=(
            "What did you expect at first, and did the outcome lie above or below?",
            "Which of the quantities in the question drives the outcome, and how strongly?",
            f"It lies between {fmt(low, unit)} and {fmt(high, unit)}.",
        ),
        steps=(Step(f"When you ran it, it was {fmt(actual, unit)}."),),
        moral=prediction.explanation,
    )
