"""The envelope: predictions that a steady machine bears out, and a busy one that judges nothing."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from labutils.metrics import RequestLog
from labutils.serving.simulator import StepCost
from labutils.serving.trials import TrialPlan, engines_of, envelope, seal, trial_bench
from labutils.serving.trials.load_figures import LoadFigures, backlog_slope, capacity_per_s
from labutils.serving.trials.records import StepLog, ran, work_of
from labutils.serving.trials.reveal import (
    OF_THE_STEPS,
    Reveal,
    Row,
    Steadiness,
    band,
    luck,
    spread,
)
from labutils.serving.trials.trial_bench import TrialBench, Yardstick, some_lengths, trial_model
from labutils.workspace.my_engine.texts.course_engine import course_sources
from labutils.workspace.my_engine.texts.load_pieces import load

COST = StepCost(2e-3, 20e-6, 0.2e-6, 120e-6, 0.3e-6)
SMALL = TrialPlan(requests=30, pieces=2, passes=3, at_most_s=600)  # in full on a busy machine too


class SteadyClock:
    """Moves when a step says so, ``slower`` and with ``jitter`` from pass to pass."""

    def __init__(self):
        self.now_s, self.slower, self.scale, self.yards_s = 9.0, 1.0, 1.0, [1.0]

    def __call__(self):
        return self.now_s

    def skip(self, seconds):
        self.now_s += max(0.0, seconds)

    def calibrate(self):
        """Nothing to do."""


class SteadyBench(TrialBench):
    """An engine whose steps take what ``COST`` says, times ``slower(step number)``."""

    slower = staticmethod(lambda passes: 1.0)

    def __init__(self, new_engine):
        super().__init__(new_engine)
        self.clock = SteadyClock()
        self.engine = self.fresh_engine()

    def fresh_engine(self):
        self.known = {}
        return super().fresh_engine()

    def _tick(self, engine, plan):
        took_s = COST.time_s(work_of(ran(plan, self.known))[0])
        self.clock.now_s += self.clock.scale * self.slower(self.load.passes) * took_s


@pytest.fixture(scope="module")
def model():
    return trial_model()


def on(bench, monkeypatch):
    monkeypatch.setattr(envelope, "TrialBench", bench)
    monkeypatch.setattr(envelope, "LEAST_REQUESTS", SMALL.requests)


@pytest.mark.parametrize("own", [False, pytest.param(True, marks=pytest.mark.full)])
def test_on_a_steady_machine_the_simulator_is_right(model, monkeypatch, own):
    """For the course's engine, and for one that comes from its text, with classes of its own."""
    on(SteadyBench, monkeypatch)
    sealed = seal(
        engines_of(load(course_sources()), model) if own else engines_of(model=model), SMALL
    )
    for name, value in vars(COST).items():
        assert getattr(sealed.calibration.cost, name) == pytest.approx(value, rel=1e-4, abs=1e-9)
    reveal = sealed.open(sealed.run())
    assert len(reveal.rows) == len(reveal.graded) == 9
    half, more = ({row.quantity: row for row in reveal.rows if row.share == x} for x in (0.5, 0.7))
    for name in half:  # both loads got the same draws
        assert half[name].predicted < more[name].predicted
        assert half[name].measured < more[name].measured
    for row in reveal.rows:
        assert abs(row.error) < (0.05 if row.quantity == "backlog_per_s" else 1e-3), row.line()
    assert reveal.holds and "9 of 9 predictions" in reveal.verdict()
    assert reveal.steady.before == pytest.approx(0, abs=1e-9)


@pytest.mark.full
def test_the_seal_depends_on_nothing_but_the_predictions(model, monkeypatch):
    on(SteadyBench, monkeypatch)
    one, again = (seal(engines_of(model=model), SMALL) for _ in range(2))
    other = seal(engines_of(model=model), replace(SMALL, seed=4))
    assert one.digest == again.digest != other.digest and len(one.digest) == 8
    before = one.digest
    one.run()
    assert one.digest == before


@pytest.mark.full
def test_a_slower_machine_is_taken_out_by_the_passes_in_between(model, monkeypatch):
    class Slower(SteadyBench):
        slower = staticmethod(lambda passes: 1.3 if passes >= SMALL.passes + 3 else 1.0)

    on(Slower, monkeypatch)
    sealed = seal(engines_of(model=model), SMALL)
    reveal = sealed.open(sealed.run())
    assert reveal.steady.drift == pytest.approx(0.3, abs=1e-6)
    assert not reveal.steady.is_busy and reveal.holds


@pytest.mark.full
def test_a_machine_that_changes_all_the_time_is_busy(model, monkeypatch):
    class Moody(SteadyBench):
        slower = staticmethod(lambda passes: 1.0 + 0.2 * (passes % 2))

    on(Moody, monkeypatch)
    sealed = seal(engines_of(model=model), SMALL)
    reveal = sealed.open(sealed.run())
    assert reveal.steady.is_busy and not reveal.holds
    assert reveal.verdict().startswith("The machine was busy")
    assert "says nothing about the simulator" in reveal.verdict()


def test_a_slow_machine_gets_less_of_a_plan():
    plan = TrialPlan(requests=250, pieces=7, at_most_s=40)
    assert plan.fitting(5.0) is plan
    sizes = [
        (some.pieces, some.requests) for some in map(plan.fitting, (6.0, 12.5, 16.0, 26.0, 100.0))
    ]
    assert sizes == [(7, 200), (3, 200), (3, 200), (1, 200), (1, 100)]
    assert TrialPlan(requests=30, pieces=2, at_most_s=40).fitting(80.0).requests == 15


@pytest.mark.full
def test_a_machine_that_slows_down_ends_early_and_is_graded_all_the_same(model, monkeypatch):
    on(SteadyBench, monkeypatch)
    sealed = seal(engines_of(model=model), replace(SMALL, pieces=3, passes=6, at_most_s=40))
    assert (sealed.plan.pieces, len(sealed.calibration.totals_s)) == (3, 6)
    late = iter((0.0, 1.0, 99.0, 999.0))
    monkeypatch.setattr(envelope, "time", SimpleNamespace(perf_counter=lambda: next(late)))
    reveal = sealed.open(sealed.run())
    assert {len(row.pieces) for row in reveal.rows} == {2} and reveal.holds


def test_passes_end_early_on_a_slow_machine(model):
    bench = SteadyBench(engines_of(model=model))
    times_s, step_s = bench.passes(99, at_most_s=1e-9)
    assert times_s.shape == (trial_bench.FEWEST_PASSES, len(bench.load.shapes)) and step_s > 0


@pytest.mark.full
def test_on_a_real_clock_it_runs(model):
    tiny = TrialPlan(requests=12, pieces=2, passes=2, shares=(0.5, 2.0))
    sealed = seal(engines_of(model=model), tiny)
    reveal = sealed.open(sealed.run())
    assert [row.share for row in reveal.rows] == [0.5] * 4 + [2.0]
    assert all(found > 0 for row in reveal.rows[:4] for _, found in row.pieces)
    assert reveal.steady.speed_range >= 1 and len(reveal.lines()) == 7
    assert not reveal.graded and not reveal.holds  # 12 answers are no percentile
    assert reveal.verdict().startswith("Not judged: 12 answers a piece, expected 200")


def test_a_load_is_watched_as_a_pass_is(model, monkeypatch):
    """To note a step takes a hundredth of its time, and the wait at 0.7 three times as much."""
    bench, watched = TrialBench(engines_of(model=model)), []
    monkeypatch.setattr(
        trial_bench, "replay", lambda engine, trace, seed: watched.append(engine.on_step)
    )
    bench.measure(some_lengths(3, seed=1), seed=0)
    [log] = watched
    assert isinstance(log, StepLog) and log.also == bench._tick


def test_the_yardstick_is_the_same_step_each_time(model):
    yardstick, steps = Yardstick(engines_of(model=model)(lambda: 0.0)), []
    yardstick.engine.on_step = lambda engine, plan: steps.append(sorted(n for _, n in plan.chunks))
    yardstick()
    yardstick()
    assert steps == [[1, 1, 6]] * 2 and not yardstick.engine.requests
    yardstick.engine.check()


def test_the_band_comes_from_the_machine():
    assert band(0.5, 0.0) == pytest.approx(0.05) == 2 * OF_THE_STEPS
    assert band(0.7, 0.03) == pytest.approx(11 / 60)
    assert band(1.5, 0.02) == pytest.approx(0.09)
    assert spread([2.0] * 9) == 0 and spread(range(90, 111)) == pytest.approx(0.08)


def test_a_band_is_as_wide_as_its_own_pieces_differ():
    ratios = (0.8, 0.9, 0.95, 1.0, 1.05, 1.1, 1.2)
    assert spread(ratios) == pytest.approx(0.14)
    assert band(0.5, 0.01, ratios) == pytest.approx(0.05 + 0.14)
    assert band(0.5, 0.1, ratios) == pytest.approx(0.05 + 0.2)  # the steps differ by more
    assert band(0.5, 0.01, (1.3,) * 7) == band(0.5, 0.01)  # all off by the same: the simulator's
    assert band(0.5, 0.01, (*ratios, np.nan)) == band(0.5, 0.01, ratios)


def revealed(inside, n=9, **options):
    off = [1.0] * inside + [2.0] * (n - inside)
    rows = [Row(0.5, "tpot_p50_s", ((said, 1.0),), 0.1, **options) for said in off]
    return Reveal(tuple(rows), Steadiness(0.01))


def test_how_many_of_nine_may_miss_by_luck():
    assert [luck(n, 9) for n in (9, 8, 7, 6)] == pytest.approx(
        [1.0, 0.3698, 0.0712, 0.0084], abs=5e-5
    )
    assert [revealed(n).holds for n in (9, 8, 7, 6)] == [True, True, True, False]
    assert not revealed(0, n=1).holds
    words = revealed(9).verdict().splitlines()
    assert words[:2] == [
        "9 of 9 predictions within their band;", "a right simulator has all 9 in 63 of 100 runs;"
    ]  # fmt: skip
    assert "in 63 of 100 runs, 7 or fewer in 7.1, by luck alone;" in revealed(7).verdict()


def test_nothing_to_judge_is_no_zero_of_zero():
    reveal = revealed(3, why_not="127 answers a piece, expected 200")
    said = reveal.verdict()
    assert said.startswith("Not judged: 127 answers a piece, expected 200. This says nothing")
    assert "0 of 0" not in said and not reveal.holds
    busy = Reveal(reveal.rows, Steadiness(0.2))
    assert "0 of 0" not in busy.verdict() and busy.verdict().startswith("Not judged")


@pytest.mark.full
def test_a_single_p99_is_not_judged(model, monkeypatch):
    on(SteadyBench, monkeypatch)
    sealed = seal(engines_of(model=model), replace(SMALL, pieces=1))
    reveal = sealed.open(sealed.run())
    assert [row.quantity[:8] for row in reveal.graded] == ["ttft_p50", "tpot_p50"] * 2 + [
        "backlog_"
    ]
    assert "5 of 5 predictions" in reveal.verdict()


def test_a_row_counts_its_middle_piece():
    row = Row(0.7, "ttft_p99_s", ((1.0, 1.04), (1.1, 9.0), (1.2, 1.14)), 0.07)
    assert row.error == pytest.approx(1.0 / 1.04 - 1) and row.inside
    assert (row.predicted, row.measured) == (1.1, 1.14)  # in the middle, each by itself
    assert not replace(row, band=0.03).inside
    ungraded = replace(row, why_not="too few answers")
    reveal = Reveal((row, ungraded), Steadiness(0.01))
    assert (reveal.inside, len(reveal.graded)) == (1, 1) and reveal.holds
    assert reveal.lines()[2].endswith("not judged: too few answers")
    assert not Reveal((ungraded,), Steadiness(0.01)).holds
    nothing = Row(0.7, "x", ((1.0, 0.0),), 0.1)
    assert np.isnan(nothing.ratios[0]) and np.isnan(nothing.error) and not nothing.inside


@pytest.mark.parametrize(
    ("options", "named"),
    [({"shares": (0.5, 1)}, "shares has 1"), ({"requests": 1}, "requests = 1"),
     ({"shares": (-0.5,)}, "shares = -0.5"), ({"at_most_s": 0}, "at_most_s = 0")],
)  # fmt: skip
def test_a_plan_that_cannot_be_is_named(options, named):
    with pytest.raises(ValueError, match=named):
        TrialPlan(**options)


def test_figures_by_hand():
    log = RequestLog.from_times(
        [0.0, 1.0, 2.0], [3.0, 5.0, 9.0], sent_s=[0, 1, 2], admitted_s=[0, 1, 2],
        first_token_s=[1.0, 3.0, 5.0], last_token_s=[3.0, 5.0, 9.0], output_tokens=[3, 2, 5],
    )  # fmt: skip
    figures = LoadFigures.of(log, 2.0)
    assert figures.ttft_p50_s == pytest.approx(2.0) and figures.tpot_p50_s == pytest.approx(1.0)
    assert figures.requests == 3


def test_backlog_slope_is_what_comes_in_less_what_goes_out():
    came, gone = np.arange(0, 10, 0.25), np.arange(0.5, 20.5, 0.5)  # 4 and 2 a second
    log = RequestLog.from_times(came, gone[: len(came)])
    assert backlog_slope(log, 10.0) == pytest.approx(2.0, rel=0.03)
    with pytest.raises(ValueError, match="until_s"):
        backlog_slope(log, 0.0)


def test_capacity_counts_while_some_request_waits():
    ends = np.concatenate([np.arange(3.0, 33.0, 0.5), [40.0, 60.0]])  # two a second, then the rest
    starts = np.maximum(ends - 3.0, 0.0).clip(max=29.5)
    log = RequestLog.from_times(np.zeros(ends.size), ends, admitted_s=starts)
    assert capacity_per_s(log) == pytest.approx(2.0, rel=0.05)
    with pytest.raises(ValueError, match="longer backlog"):
        capacity_per_s(RequestLog.from_times([0, 0], [1.0, 2.0], admitted_s=[0, 0.1]))
