"""The simulator, fitted on the engine, against the engine itself: same arrivals, same lengths."""

from collections.abc import Iterator
from statistics import median

from labutils.serving.trials import TrialPlan, engines_of, seal
from labutils.serving.trials.reveal import Reveal

from .registry import Goal, Row, Settings, benchmark

RUNS, MUST_HOLD = 10, 8

LABELS = {
    "ttft_p50_s": "TTFT p50",
    "ttft_p99_s": "TTFT p99",
    "tpot_p50_s": "TPOT p50",
    "tpot_p99_s": "TPOT p99",
    "backlog_per_s": "backlog slope",
}


@benchmark
def predicted_against_measured(settings: Settings) -> Iterator[Row]:
    """Simulator against engine: envelopes sealed and opened anew, predicted by measured, less 1"""
    reveals = []
    for seed in range(settings.choose(RUNS, 1)):
        reveals.append(one_run(settings, seed))
        yield run_row(seed, reveals[-1])
    held = sum(reveal.holds for reveal in reveals)
    goal = None if settings.quick else Goal(MUST_HOLD, at_least=True)
    inside, graded = (sum(each) for each in zip(*((r.inside, len(r.graded)) for r in reveals)))
    name = f"runs of {len(reveals)} with no more outside than by luck"
    yield Row(name, held, "", goal=goal, note=f"{inside} of {graded} predictions in their bands")
    for rows in zip(*(reveal.rows for reveal in reveals)):
        yield figure_row(rows)


def one_run(settings: Settings, seed: int) -> Reveal:
    """Fit, seal, run and open."""
    sizes = {"requests": 20, "pieces": 2, "passes": 3} if settings.quick else {}
    sealed = seal(engines_of(), TrialPlan(seed=seed, at_most_s=600, **sizes))
    return sealed.open(sealed.run())


def run_row(seed: int, reveal: Reveal) -> Row:
    """How many predictions of one run hold, and what the machine was like."""
    graded = len(reveal.graded)
    return Row(f"run {seed + 1}, held of {graded}", reveal.inside, "", note=reveal.verdict())


def figure_row(rows) -> Row:
    """One quantity under one load over all runs: the middle error, and in how many it held."""
    error, first = median(row.error for row in rows), rows[0]
    held = f"in its band in {sum(row.inside for row in rows)} of {len(rows)} runs"
    note = f"signed {error:+.3f}; {held}; band {100 * median(row.band for row in rows):.0f} %"
    name = f"at {first.share:.1f} of capacity, {LABELS[first.quantity]}"
    return Row(name, median(abs(row.error) for row in rows), "", note=note)
