"""How fast an engine is: beside the course's, one request at a time, and the machine's floor."""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from types import ModuleType

from labutils.measure.timing import Timing

from .course import course_sources
from .engine import my_engine
from .load import load

YOURS, COURSE, NAIVE = "yours", "the course's", "one at a time"
LIMITS = {"num_pages": 256, "max_sequences": 12, "token_budget": 64, "prefix_sharing": False}
ANSWER = 24


@dataclass(frozen=True)
class Bench:
    """``timings`` of one job by engine, its ``tokens``, and the ``floor_s`` of this machine.

    The floor is the time in which the job's bytes and operations pass at the rates that were
    measured (``memory_floor``): no engine here is faster.
    """

    timings: Mapping[str, Timing]
    tokens: int
    floor_s: float

    @property
    def share(self) -> float:
        """Tokens per second of yours over those of the course's engine."""
        return self.timings[COURSE].median_s / self.timings[YOURS].median_s

    @property
    def floor_share(self) -> float:
        """The floor's time over that of yours."""
        return self.floor_s / self.timings[YOURS].median_s

    def __repr__(self) -> str:
        lines = [f"{'':14}{'tokens/s':>10}{'of the course':>16}{'of the floor':>15}"]
        for name, timing in self.timings.items():
            steady = "" if timing.is_steady else "   too noisy: run it again"
            lines.append(self._line(name, timing.median_s) + steady)
        return "\n".join([*lines, self._line("the floor", self.floor_s)])

    def _line(self, name: str, time_s: float) -> str:
        course = 100 * self.timings[COURSE].median_s / time_s
        return (
            f"{name:14}{self.tokens / time_s:10,.0f}{course:14.0f} %"
            f"{100 * self.floor_s / time_s:13.0f} %"
        )


def bench(
    room: ModuleType | None = None, *, requests: int = 32, rounds: int = 5, device: str = "cpu"
) -> Bench:
    """Time the engine of ``room`` (default: the one in ``my/engine``) on a job of the course model.

    ``requests`` with prompts of 8 to 40 drawn tokens, twelve at a time, greedy. The engines serve
    it in turn, ``rounds`` times each, so that a noisy moment hits all of them.
    """
    from labutils import measure
    from labutils.serving import course_model

    model, _ = course_model("target", device=device)
    prompts = _prompts(requests, model.spec.vocab_size)
    room, course = room or my_engine(), load(course_sources())
    calls = {
        YOURS: lambda: _serve(room, model, prompts, **LIMITS),
        COURSE: lambda: _serve(course, model, prompts, **LIMITS),
        NAIVE: lambda: _serve(course, model, prompts, **{**LIMITS, "max_sequences": 1}),
    }
    timings = measure.timed_in_turn(
        calls, repeats=rounds, warm_up=1, min_total_s=0, synchronize=measure.synchronizer(device)
    )
    return Bench(timings, requests * ANSWER, _floor_s(model.spec, prompts, device))


def _prompts(requests: int, vocabulary: int) -> list[list[int]]:
    draw = random.Random(1)
    lengths = [draw.randint(8, 40) for _ in range(requests)]
    return [[draw.randrange(vocabulary) for _ in range(length)] for length in lengths]


def _serve(room: ModuleType, model, prompts: list[list[int]], **limits) -> None:
    engine = room.Engine(model, **limits)
    done = engine.generate(prompts, max_output_tokens=ANSWER)
    errors = [one.error for one in done if one.error is not None]
    if errors:
        raise errors[0]


def _floor_s(spec, prompts: list[list[int]], device: str) -> float:
    from labutils import measure
    from labutils.serving.trials.floor import memory_floor
    from labutils.workload import RequestTrace

    n = len(prompts)
    job = RequestTrace([0.0] * n, [len(prompt) for prompt in prompts], [ANSWER] * n)
    profile = measure.MachineProfile.load(device=device)
    if profile.copy_bandwidth_bytes_per_s is None or profile.matrix_flops_per_s is None:
        profile = profile.with_copy_bandwidth(measure.copy_bandwidth(device=device))
        profile = profile.with_matrix_rate(measure.matrix_rate(device=device))
    limits = {name: LIMITS[name] for name in ("max_sequences", "token_budget")}
    return memory_floor(spec, job, profile, **limits).time_s
