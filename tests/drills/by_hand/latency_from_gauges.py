"""Little's law backwards, from the printed gauges."""

from tests.drills.printed import count, rates


def solve(drill):
    inside, running = (
        count(rf"([\d,]+) {what}", drill.story) for what in ("requests inside", "sequences")
    )
    (rate,) = rates(drill.story)
    wrong = {"running-only": running / rate, "both-gauges": (inside + running) / rate}
    return [inside / rate, (inside - running) / rate], wrong
