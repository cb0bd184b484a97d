"""Traces made by hand and by chance, for the tests of this room."""

import random

from labutils.telemetry import Span


def spans(*rows) -> list[Span]:
    """Spans from (id, parent, start, end), each named by its id."""
    return [Span("t", name, parent, name, start, end) for name, parent, start, end in rows]


def random_trace(seed: int, size: int = 9) -> list[Span]:
    """A tree whose children overlap and may outlive their parents; whole milliseconds."""
    rng = random.Random(seed)
    made = [Span("t", "0", None, "s0", 0.0, rng.randint(20, 60) / 1000)]
    for number in range(1, size):
        parent = rng.choice(made)
        low, high = round(1000 * parent.start_s), round(1000 * parent.end_s)
        start = rng.randint(low, high)
        end = rng.randint(start, high + (5 if rng.random() < 0.2 else 0))
        name = f"s{rng.randint(1, 4)}"
        made.append(Span("t", str(number), parent.id, name, start / 1000, end / 1000))
    rng.shuffle(made)
    return made


def serial_trace(seed: int, names=("embed", "search", "rerank", "generate")) -> list[Span]:
    """Stages one after the other, with the root's own work in between."""
    rng = random.Random(seed)
    now, made = rng.random(), []
    begin = now
    for number, name in enumerate(names):
        now += rng.expovariate(10)
        start, now = now, now + rng.expovariate(2)
        made.append(Span("t", str(number), "r", name, start, now))
    return [Span("t", "r", None, "request", begin, now + 0.25), *made]
