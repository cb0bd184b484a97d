"""The explorer of chapter 10: a flushed cache, and the smallest remedy that brings it back."""

import numpy as np

from labutils.ground.arguments import whole
from labutils.simulation.flush import CachedService, FlushRun, Remedy, flush_draws, run_flush
from labutils.viz.controls import steps, toggle
from labutils.viz.explorer import Explorer
from labutils.viz.figures.flush import curves_of, flush_panels
from labutils.viz.labels import readable

FLUSH_S, REMEDY_S = 60, 180
LIMITS = (300, 100, 60, 50, 40, 30, 20, 10, 5, 0)
WARM = (0, 100, 200, 400, 600, 800, 1000, 1200)
FIRST_WARM = 400  # it opens with a remedy that looks well for a while
NONE, YOURS, CONTROL = "no remedy", "with the remedy", "never flushed"
SINGLE, SKIP = "single flight", "skip computations that nobody waits for"
KEEP = "late answers are kept"


def flush_explorer(
    *, seed: int, service: CachedService | None = None, duration_s: int = 780
) -> Explorer:
    """Explore what brings a service back whose cache was emptied after a minute.

    The remedy comes at minute 3. The controls put it together: single flight, a limit for the
    backend's queue (``service.queue_limit`` and lower ones), how many of the most popular keys are
    warmed up, whether computations that nobody waits for are skipped, and whether late answers are
    kept in the cache. Every frame sends the same requests again for ``duration_s`` seconds,
    beside a run of them that is never flushed.
    """
    chosen = service or CachedService()
    view = _View(chosen, seed, whole("duration_s", duration_s, at_least=REMEDY_S + 60))
    first = int(chosen.queue_limit)
    limits = [first, *(limit for limit in LIMITS if limit < first)]
    warm = [count for count in WARM if count <= chosen.num_keys]
    controls = {
        "queue_limit": steps("queue limit", limits, first),
        "warm_keys": steps("keys warmed up", warm, max(n for n in warm if n <= FIRST_WARM)),
        "single_flight": toggle(SINGLE),
        "late_fills": toggle(KEEP),
        "drop_abandoned": toggle(SKIP),
    }
    for name in ("single_flight", "late_fills", "drop_abandoned"):
        controls[name].add_class("box-by-label")  # or the box keeps the room of a long label
    return Explorer(view.fig, view.update, controls=controls)


class _View:
    """The artists of the figure, and what moves them."""

    def __init__(self, service: CachedService, seed: int, duration_s: int):
        self._service, self._duration_s = service, duration_s
        self._draws = flush_draws(service, duration_s, np.random.default_rng(seed))
        nothing, calm = self._run(Remedy()), self._run(Remedy(), flush_s=np.inf)
        self.fig, (top, *_), drawn = flush_panels(
            {NONE: nothing, YOURS: nothing, CONTROL: calm},
            title="The traffic was fine before the flush. What is the least that brings it back?",
            remedy_s=REMEDY_S,
            in_time=_longest_in_time(service),
        )
        self._curves = drawn[YOURS]
        # The curves move, and begin in one place: their names stand above them.
        for x, (name, (curve, *_)) in zip((0.52, 0.75, 0.3), drawn.items()):
            look = {"color": readable(curve.get_color()), "fontsize": 10, "va": "bottom"}
            self.fig.text(x, 1.01, f"— {name}", transform=top.transAxes, **look)

    def update(self, **remedy) -> str:
        """Run the outage with one remedy; return whether and when the service came back."""
        run = self._run(Remedy(from_s=REMEDY_S, **remedy))
        for curve, values in zip(self._curves, curves_of(run)):
            curve.set_ydata(values)
        return _finding(run, self._service, remedy)

    def _run(self, remedy: Remedy, flush_s: float = FLUSH_S) -> FlushRun:
        return run_flush(
            self._service,
            self._draws,
            duration_s=self._duration_s,
            flush_s=flush_s,
            remedy=remedy,
        )


def _longest_in_time(service: CachedService) -> float:
    """The longest queue whose last client still waits when its answer is computed."""
    return max(0.0, service.timeout_s - service.mean_service_s) * service.backend_per_s


def _finding(run: FlushRun, service: CachedService, remedy: dict) -> str:
    end = run.good_share[-60:].mean()
    if run.back_at_s < np.inf:
        verdict = f"back {run.back_at_s - REMEDY_S:,.0f} s after it"
    else:
        verdict = f"not back: {100 * end:.0f} % of the last minute's requests are answered"
    return (
        f"{_said(service, remedy)}: {verdict}. {run.lost:,} of "
        f"{(run.arrival_s >= run.flush_s).sum():,} requests since the flush had no answer; "
        f"{run.wasted_per_s.sum():,} of {run.computed_per_s.sum():,} computations were for nobody."
    )


def _said(service: CachedService, remedy: dict) -> str:
    parts = []
    if remedy["single_flight"]:
        parts.append(SINGLE)
    if remedy["drop_abandoned"]:
        parts.append(SKIP)
    if remedy["late_fills"]:
        parts.append(KEEP)
    if remedy["queue_limit"] != service.queue_limit:
        parts.append(f"a queue limit of {remedy['queue_limit']}")
    if remedy["warm_keys"]:
        parts.append(f"{remedy['warm_keys']:,} keys warmed up")
    return ", ".join(parts).capitalize() or "No remedy"
