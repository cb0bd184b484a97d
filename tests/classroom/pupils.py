"""Invented progress: events such as a learner's store holds them, from a seed."""

import random
from datetime import UTC, datetime, timedelta

from labutils.classroom import vocabulary
from labutils.drills.catalog import templates

START = datetime(2031, 5, 4, 9, 13, 7, tzinfo=UTC)


def at(seconds: float) -> str:
    """A moment as the store writes it."""
    return (START + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def event(kind: str, item_id: str, moment: float, /, **fields) -> dict:
    """One event of the store."""
    return {"v": 1, "at": at(moment), "by": "f00d", "event": kind, "id": item_id, **fields}


def diary(seed: int, *, parts: int = 3, drills: int = 4) -> list[dict]:
    """The events of a learner who goes through the first exercises, wrong, then right."""
    draw, clock, found = random.Random(seed), 0.0, []
    for item_id, exercise in list(vocabulary.exercises().items())[: 7 * parts]:
        clock += draw.expovariate(1 / 240)
        names = list(vocabulary.mistakes_of(item_id))
        own = [item.name for item in getattr(exercise.checker, "misconceptions", ())] or names
        while draw.random() < 0.45:
            wrong = {"status": "misconception", "diagnosis": draw.choice(own)}
            found.append(event("check", item_id, clock, seconds=0.3, value=17.25, **wrong))
            clock += draw.expovariate(1 / 90)
            if draw.random() < 0.4:
                found.append(event("hint", item_id, clock, level=1))
                clock += 20
        if draw.random() < 0.85:
            found.append(event("check", item_id, clock, seconds=0.2, status="right"))
    for item_id in list(vocabulary.predictions())[: 4 * parts]:
        low, high, is_held = draw.random(), 1 + draw.random(), draw.random() < 0.6
        found.append(event("predict", item_id, clock, low=low, high=high))
        found.append(event("outcome", item_id, clock + 9, actual=3.0, held=is_held, point=False))
        clock += 30
    return found + _drills(draw, clock, drills)


def _drills(draw: random.Random, clock: float, number: int) -> list[dict]:
    found = []
    for template in draw.sample(templates(), k=min(number, len(templates()))):
        seed, clock = draw.randrange(1000), clock + 120
        drill = template.drill(seed)
        about = {"seed": seed, "link": 0, "mode": "exact", "hints": draw.randrange(3)}
        about |= {"revealed": False, "seconds": round(draw.uniform(20, 200), 3)}
        status, diagnosis = "right", None
        if drill.mistakes and draw.random() < 0.6:
            status, diagnosis = "misconception", draw.choice(drill.mistakes).name
        item_id = f"drill.{template.id}"
        found.append(event("drill", item_id, clock, status=status, diagnosis=diagnosis, **about))
    return found
