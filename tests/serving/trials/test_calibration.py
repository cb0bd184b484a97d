"""Fitting a step cost to an engine: an engine whose steps cost a known amount gives it back."""

from types import SimpleNamespace

import numpy as np
import pytest

from labutils.engine import Generation, PagePool, Scheduler
from labutils.measure import Machine, MachineProfile
from labutils.serving.scheduling import StepShape
from labutils.serving.simulator import StepCost
from labutils.serving.trials.calibration import calibrate, fitted, known_step_cost
from labutils.serving.trials.records import planned, work_of

TRUE = StepCost(3.1e-3, 41e-6, 2.3e-9, 17e-6, 0.9e-6)


class ScriptedEngine:
    """Takes the steps of a real scheduler, and as long for them as ``cost`` says."""

    def __init__(self, cost=TRUE, jitter=0.0, seed=5):
        self.pool = PagePool(400, 16)
        self.scheduler = Scheduler(11, self.pool, token_budget=160, chunked=True)
        self.model = SimpleNamespace(spec=SimpleNamespace(vocab_size=97))
        self.open, self.prompts, self.steps, self.on_step = {}, [], 0, None
        self.cost, self.jitter, self.now_s = cost, jitter, 40.0
        self.draws = np.random.default_rng(seed)

    def clock(self):
        return self.now_s

    def add_request(self, prompt, *, max_output_tokens, stop):
        request = Generation(len(self.prompts), prompt, max_output_tokens, stop=stop)
        self.prompts.append(tuple(prompt))
        self.open[request.id] = request
        self.scheduler.add(request)

    def step(self):
        plan = self.scheduler.schedule(self.now_s)
        shape = work_of(planned(plan))[0]
        self.now_s += self.cost.time_s(shape) * np.exp(self.jitter * self.draws.normal())
        yields = [one for one, new in plan.chunks if one.computed + new == one.known]
        self.scheduler.commit(plan)
        self.steps += 1
        self.on_step(self, plan)
        for request in yields:
            request.tokens.append(0)
            if request.known == request.most:
                del self.open[request.id]
                self.scheduler.finish(request)

    def run(self):
        while self.open:
            self.step()


def test_the_true_cost_comes_back():
    engine = ScriptedEngine()
    found = calibrate(lambda: engine, seconds=0.01, longest_prompt=300, longest_answer=40)
    for name, true in vars(TRUE).items():
        if not name.startswith("_"):
            assert getattr(found.cost, name) == pytest.approx(true, rel=1e-6), name
    assert found.relative_rms < 1e-9 and found.noise < 1e-9 and not found.is_noisy
    assert len(found.totals_s) == 3
    batches = {shape.decode_sequences for shape in found.shapes}
    assert {1, 2, 4, 8, 11} <= batches and max(batches) == 11


def test_no_prompt_comes_twice():
    """A prefix found again would make a step of the second repetition another one."""
    engine = ScriptedEngine()
    calibrate(lambda: engine, seconds=0.01, longest_prompt=60, longest_answer=9)
    long_ones = [prompt for prompt in engine.prompts if len(prompt) > 4]
    assert len(set(long_ones)) == len(long_ones)


def test_it_goes_on_for_the_seconds_that_were_given():
    short, long = ScriptedEngine(), ScriptedEngine()
    few = calibrate(lambda: short, seconds=0.01, longest_answer=9)
    many = calibrate(lambda: long, seconds=7.5 * few.totals_s[0], longest_answer=9)
    assert len(many.totals_s) == 8


def test_jitter_shows_as_noise_and_not_as_bias():
    engine = ScriptedEngine(jitter=0.2)
    found = calibrate(lambda: engine, seconds=12, longest_prompt=200, longest_answer=20)
    total_s = sum(TRUE.time_s(shape) for shape in found.shapes)
    predicted_s = sum(found.cost.time_s(shape) for shape in found.shapes)
    assert predicted_s == pytest.approx(np.median(found.totals_s), rel=1e-9)
    assert predicted_s == pytest.approx(total_s * np.exp(0.2**2 / 2), rel=0.03)
    assert 0 < found.noise < 0.2


def test_a_machine_that_disagrees_with_itself_is_too_noisy():
    shapes = tuple(StepShape(0, 0, batch, 50 * batch + 7) for batch in (1, 2, 3, 5, 8))
    times = np.array([TRUE.time_s(shape) for shape in shapes])
    steady = fitted(shapes, times * np.array([[1.0], [1.02], [0.99]]))
    moody = fitted(shapes, times * np.array([[1.0], [1.02], [1.3]]))
    assert steady.noise == pytest.approx(0.03) and not steady.is_noisy
    assert moody.is_noisy and "Too noisy" in moody.verdict()
    assert moody.noise == pytest.approx(0.3 / 1.02, rel=1e-9)
    assert "Too noisy" not in steady.verdict()


def test_residuals_say_which_steps_the_line_misses():
    shapes = tuple(StepShape(0, 0, batch, 40) for batch in (1, 2, 4, 8, 16))
    times = np.array([1.0, 1.0, 1.0, 1.0, 2.0])
    found = fitted(shapes, np.stack([times] * 3))
    predicted = np.array([found.cost.time_s(shape) for shape in shapes])
    np.testing.assert_allclose(found.residuals, predicted / times - 1)
    assert found.relative_rms == pytest.approx(np.sqrt(np.mean((predicted / times - 1) ** 2)))
    assert found.residuals[-1] < -0.02 < 0.02 < found.residuals[3]


def test_the_profile_keeps_it(tmp_path):
    place, laptop = tmp_path / "machine.json", Machine("cpu", "Small Core, 4 cores")
    empty = MachineProfile.load(place, machine=laptop)
    assert empty.step_cost is None and known_step_cost(empty) is None
    found = calibrate(ScriptedEngine, seconds=0.01, longest_answer=9)
    empty.with_step_cost(found, engine="tiny, 11 seats", note="plugged in").save()
    again = MachineProfile.load(place, machine=laptop)
    assert known_step_cost(again) == found.cost
    kept = again.step_cost
    assert (kept.engine, kept.note, kept.steps) == (
        "tiny, 11 seats",
        "plugged in",
        len(found.shapes),
    )
    assert (kept.relative_rms, kept.noise) == (found.relative_rms, found.noise)
    with pytest.raises(ValueError, match="step_cost"):
        empty.with_value("step_cost", 1, low=1, high=1, unit="s")


def test_an_engine_that_looks_at_a_clock_is_refused():
    class Moody(ScriptedEngine):
        def step(self):
            if self.steps == 500:
                self.scheduler.token_budget = 40
            super().step()

    with pytest.raises(RuntimeError, match="other steps"):
        calibrate(Moody, seconds=0.01, longest_answer=9)
