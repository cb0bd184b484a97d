"""What lab 8 measures and predicts: loads over HTTP, and the same on a simulated clock."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import NamedTuple

import numpy as np

from labutils.engine import Engine, Request
from labutils.loadtest import LoadPlan, PlannedRequest, RequestKind, Target
from labutils.metrics import RequestLog
from labutils.metrics.latency import percentile
from labutils.serving.checkpoints.checkpoint import course_model
from labutils.serving.fast import packed
from labutils.serving.scheduling.step_shape import StepShape
from labutils.serving.simulator import StepCost, simulate

WORDS, ANSWER = 24, 16
"""Of each request of the loads: words of its prompt, tokens of its answer."""

BURST_ANSWER, BURST_EVERY_S = 24, 0.6
SAMPLE = {"ignore_eos": True, "temperature": 0}
QUANTILES = (0.5, 0.9)


@cache
def model():
    """The larger of the course's trained models, laid out for speed, and its tokenizer.

    Its steps are longer than what the wire adds to them, and they are what is known best.
    """
    found, tokenizer = course_model("target")
    return packed(found), tokenizer


def engine(*, on_step=None):
    """A fresh engine of the course's with 16 places, and memory for all of them."""
    found, tokenizer = model()
    made = Engine(found, tokenizer=tokenizer, num_pages=512, prefix_sharing=False)
    made.on_step = on_step
    return made


def kind(**options) -> RequestKind:
    """The requests of this lab: equal lengths, so that little has to be explained by them."""
    return RequestKind(**{"prompt_words": WORDS, "max_tokens": ANSWER, **options})


def target(url: str) -> Target:
    """The server, asked for greedy answers of the full length."""
    return Target(url, "course", extra=SAMPLE)


def prompt_tokens(request: PlannedRequest) -> int:
    """How many tokens the server makes of its prompt."""
    return len(model()[1].encode(request.asked(request.id)))


def bursts(sizes, rounds: int, *, one_rests_s: float = 0.0) -> LoadPlan:
    """Bursts of several ``sizes`` in turn, one every ``BURST_EVERY_S``; their kind is the size.

    The first client of each burst rests for ``one_rests_s`` after each token.
    """
    requests = []
    for number, size in enumerate([*sizes] * rounds):
        for place in range(size):
            requests.append(
                PlannedRequest(
                    id=len(requests), at_s=BURST_EVERY_S * number, prompt_words=WORDS,
                    max_tokens=BURST_ANSWER, kind=str(size), pause_s=0.0 if place else one_rests_s,
                )
            )  # fmt: skip
    return LoadPlan(requests=requests, seconds=BURST_EVERY_S * (len(sizes) * rounds + 1))


class Wire(NamedTuple):
    """What HTTP adds, in seconds: to a request, to a step, to each token of it.

    The server is busy for ``busy_s`` of each request (it reads, checks and tokenises it, under the
    lock that the engine needs, too); ``request_s`` is what passes besides, while others compute.
    """

    request_s: float
    busy_s: float
    step_s: float
    token_s: float

    @classmethod
    def fitted(cls, records, cost: StepCost) -> "Wire":
        """From the records of ``bursts``: what their gaps are longer than the steps of ``cost``.

        The extra of a step over the size is a straight line, by least squares. So is what a whole
        burst takes besides its steps: its slope is ``busy_s``. The extra of a request is the median
        TTFT of one alone, less its prefill, such a step and ``busy_s``.
        """
        by_size: dict[int, list] = {}
        for record in records:
            by_size.setdefault(int(record.tags["kind"]), []).append(record)
        context = _context()
        logs = {size: RequestLog.of(some) for size, some in by_size.items()}
        gaps_s = {size: float(np.median(log.itl_s)) for size, log in logs.items()}
        middle = context + BURST_ANSWER // 2
        extra_s = [
            gap_s - cost.time_s(StepShape(0, 0, size, size * middle))
            for size, gap_s in gaps_s.items()
        ]
        token_s, step_s = np.polyfit([*gaps_s], extra_s, 1).clip(0).tolist()
        rest_s = [
            _burst_s(logs[size]) - _prefill_s(size, cost) - (BURST_ANSWER - 1) * gap_s
            for size, gap_s in gaps_s.items()
        ]
        busy_s = max(0.0, float(np.polyfit([*gaps_s], rest_s, 1)[0]))
        alone_s = float(np.median(logs[1].ttft_s))
        return cls(
            max(0.0, alone_s - _prefill_s(1, cost) - step_s - token_s - busy_s),
            busy_s, step_s, token_s,
        )  # fmt: skip

    def verdict(self, cost: StepCost) -> str:
        """One line for a reader, beside ``cost``, the engine's own.

        Noise makes a slope fall below 0, where ``fitted`` cuts it off, or a request wait for the
        machine many times as long as for its prompt.
        """
        named = zip(("a request", "being busy with it", "a step", "a token"), self)
        free = ", ".join(name for name, cost_s in named if cost_s == 0)
        if free:
            return f"Too noisy: on the wire {free} would cost nothing. Measure again."
        if self.request_s > 10 * _prefill_s(1, cost):
            return "Too noisy: a request would wait for the wire ten prefills long. Measure again."
        return "Each part of the wire costs something, as it should."

    def on(self, cost: StepCost) -> StepCost:
        """The cost of a step whose requests come and whose tokens go over the wire."""
        return replace(
            cost, base_s=cost.base_s + self.step_s,
            per_sequence_s=cost.per_sequence_s + self.token_s,
            per_prefill_token_s=cost.per_prefill_token_s + self.busy_s / _context(),
        )  # fmt: skip


@cache
def _context() -> int:
    """Tokens of a prompt of these loads."""
    return prompt_tokens(PlannedRequest(id=0, at_s=0, max_tokens=1, prompt_words=WORDS))


def _prefill_s(prompts: int, cost: StepCost) -> float:
    context = _context()
    pairs = context * (context + 1) // 2
    return cost.time_s(StepShape(prompts * context, prompts * pairs, 0, 0))


def _burst_s(log: RequestLog) -> float:
    """From the moment at which a burst is due to its last token, the median over bursts."""
    due_s = np.asarray(log.intended_arrival_s)
    return float(np.median([max(log.finish_s[due_s == at]) - at for at in np.unique(due_s)]))


def simulated(plan: LoadPlan, cost: StepCost):
    """The log of the requests of ``plan``, served on a simulated clock by an engine's scheduler."""
    asked = [Request(r.id, prompt_tokens(r), r.max_tokens, arrival_s=r.at_s) for r in plan.requests]
    return simulate(asked, engine().scheduler, cost).log


def capacity_per_s(cost: StepCost, *, requests: int = 200) -> float:
    """Answers a second, says the simulator, while all of ``requests`` wait from the start."""
    some = [PlannedRequest(id=n, at_s=0.0, prompt_words=WORDS, max_tokens=ANSWER)
            for n in range(requests)]  # fmt: skip
    log = simulated(LoadPlan(requests=some, seconds=1.0), cost)
    return requests / float(np.nanmax(log.finish_s))


def figures(log: RequestLog, *, wire_s: float = 0.0) -> Mapping[str, float]:
    """TTFT and TPOT of the answered, p50 and p90, in milliseconds; ``wire_s`` is added to TTFT."""
    found = {}
    for name, column, more_s in (("TTFT", log.ttft_s, wire_s), ("TPOT", log.tpot_s, 0.0)):
        known = np.asarray(column)[~np.isnan(column)]
        for q in QUANTILES:
            found[f"{name} p{100 * q:.0f}"] = 1e3 * (float(percentile(known, q)) + more_s)
    return found
