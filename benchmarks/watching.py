"""Watching: a month of minutes under the alert rules, a large scrape, a live wall refreshed."""

import time
from collections.abc import Iterator

import numpy as np

from labutils.telemetry.watching import (
    PAGES,
    TICKETS,
    Incident,
    alarms,
    daily_wave,
    draw_minutes,
    judge,
    read_exposition,
)

from .registry import Goal, Row, Settings, benchmark
from .timing import Contender, side_by_side

OBJECTIVE = 0.999
BASE = 0.0004
INCIDENTS = (Incident(3_000, 12, 0.5), Incident(17_000, 90, 0.03), Incident(30_000, 600, 0.008))
RULES = (*PAGES, *TICKETS)


@benchmark
def month(settings: Settings) -> Iterator[Row]:
    """Burn-rate alerts over 30 days at a minute's resolution, three rules, three incidents"""
    wave = daily_wave(300.0)
    rng = np.random.default_rng(13)
    minutes = draw_minutes(wave, BASE, INCIDENTS, rng=rng)
    few = settings.choose(2_000, 200)
    short = draw_minutes(wave[:few], BASE, rng=rng)
    timings = side_by_side(
        {
            "draw": Contender(lambda: draw_minutes(wave, BASE, INCIDENTS, rng=rng), wave.size),
            "judge": Contender(lambda: judge(minutes, RULES, OBJECTIVE), wave.size),
            "loops": Contender(lambda: alarms(short, RULES, OBJECTIVE), few),
        },
        rounds=settings.choose(7, 2),
    )
    both_ms = [
        sum(getattr(timings[name], figure) for name in ("draw", "judge")) * wave.size / 1e6
        for figure in ("best_ns", "median_ns")
    ]
    yield Row("a month, drawn and judged", both_ms[0], "ms", both_ms[1], Goal(50))
    for name, timing in timings.items():
        yield Row(f"  a minute, {name}", timing.best_ns, "ns", timing.median_ns)
    best, median = timings["loops"].times_slower_than(timings["judge"])
    yield Row("  loops / judge", best, "×", median)


@benchmark
def scrape(settings: Settings) -> Iterator[Row]:
    """Reading a scrape of 5,000 series with two labels each"""
    series = settings.choose(5_000, 500)
    text = "# TYPE requests_total counter\n" + "".join(
        f'requests_total{{path="/v1/{number}",code="200"}} {number * 7}\n'
        for number in range(series)
    )
    timings = side_by_side(
        {"read": Contender(lambda: read_exposition(text), series)}, rounds=settings.choose(7, 2)
    )
    yield Row("a series", timings["read"].best_ns / 1e3, "µs", timings["read"].median_ns / 1e3)


@benchmark
def live_wall(settings: Settings) -> Iterator[Row]:
    """A refresh of ten live panels: scrape, compute and draw, beside a server under load"""
    from labutils.live.live_wall import PERIOD_S, WALLS, LiveWall

    wall = LiveWall(7)
    wall.start()
    try:
        wall.service.follow(settings.choose(60, 5), PERIOD_S)
        for name in WALLS:
            wall.explorer(wall=name)
            taken_s = []
            for _ in range(settings.choose(20, 3)):
                began_s = time.perf_counter()
                wall.refresh()
                taken_s.append(time.perf_counter() - began_s)
            median_s = float(np.median(taken_s))
            yield Row(f"the slowest refresh, {name}", max(taken_s), "s", median_s, Goal(1))
    finally:
        wall.close()
