"""Kinds of requests, and the plans that are drawn from them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from labutils.ground import arguments
from labutils.workload import RequestMix, RequestTrace

from .load_arrivals import Arrivals
from .load_plan import MOST_REQUESTS, LoadPlan
from .planned_request import Limits, PlannedRequest, name_of


@dataclass(frozen=True, kw_only=True)
class RequestKind:
    """What requests of one kind look like, and how their clients behave.

    A request is of this kind with probability ``weight`` over all weights of the mix. Its prompt
    has ``prompt_words`` words and its answer at most ``max_tokens`` tokens; with ``lengths`` (a
    ``labutils.workload.mix``) both are drawn instead. The first ``prefix_words`` are shared by all
    requests of its group, one of ``prefix_groups`` drawn evenly.

    A share ``leave_share`` of clients leaves after ``leave_after`` tokens; a share ``slow_share``
    rests for ``slow_pause_s`` after each token.
    """

    name: str = "any"
    weight: float = 1.0
    tenant: str = "anybody"
    limits: Limits = field(default_factory=Limits)
    prompt_words: int = 64
    max_tokens: int = 32
    lengths: RequestMix | None = None
    prefix_words: int = 0
    prefix_groups: int = 1
    leave_share: float = 0.0
    leave_after: int = 1
    slow_share: float = 0.0
    slow_pause_s: float = 0.05

    def __post_init__(self):
        name_of("name", self.name), name_of("tenant", self.tenant)
        arguments.positive("weight", self.weight)
        for name in ("prompt_words", "max_tokens", "prefix_groups", "leave_after"):
            arguments.whole(name, getattr(self, name))
        arguments.whole("prefix_words", self.prefix_words, at_least=0)
        if self.lengths is None and self.prefix_words > self.prompt_words:
            raise ValueError(
                f"prefix_words = {self.prefix_words}: expected at most "
                f"prompt_words = {self.prompt_words}"
            )
        for name in ("leave_share", "slow_share"):
            if getattr(self, name) != 0:
                arguments.share(name, getattr(self, name))
        arguments.positive("slow_pause_s", self.slow_pause_s)

    def request(self, id: int, at_s: float, rng: np.random.Generator, **said) -> PlannedRequest:
        """One request of this kind; ``said`` overrules what would be drawn."""
        words, tokens = self.prompt_words, self.max_tokens
        if self.lengths is not None and "max_tokens" not in said:
            words, tokens = (int(drawn[0]) for drawn in self.lengths.draw(1, rng))
        shared = ()
        if self.prefix_words:
            shared = ((f"{self.name} {rng.integers(self.prefix_groups)}", self.prefix_words),)
        leaves, slow = rng.random(2) < (self.leave_share, self.slow_share)
        return PlannedRequest(
            id=id, at_s=float(at_s), kind=self.name, tenant=self.tenant,
            leave_after=self.leave_after if leaves else None,
            pause_s=self.slow_pause_s if slow else 0.0,
            **{"prompt_words": words, "max_tokens": tokens, "shared": shared, **said},
        )  # fmt: skip


def open_plan(
    arrivals: Arrivals, seconds: float, kinds: Sequence[RequestKind], *, seed: int
) -> LoadPlan:
    """A plan in which requests come as ``arrivals`` say, and each is of a kind drawn by weight.

    One seed gives the same moments whatever the kinds are.
    """
    when, what = _generators(seed)
    moments = arrivals.moments(seconds, when)
    _check_count(len(moments), f"{arrivals}, for {seconds:g} s")
    return _plan(moments, kinds, what, seconds=seconds, name=str(arrivals))


def closed_plan(
    users: int, seconds: float, kinds: Sequence[RequestKind], *, think_s: float = 0.0, seed: int,
    requests: int = 1000,
) -> LoadPlan:  # fmt: skip
    """A plan for ``users`` users who wait for each answer and then think for ``think_s`` seconds.

    The thinking is exponential with that mean. They take ``requests`` different requests in turn.
    """
    think_s = arguments.non_negative("think_s", think_s)
    count = max(arguments.whole("requests", requests), arguments.whole("users", users))
    when, what = _generators(seed)
    name = f"{users} users who think for {think_s:g} s"
    _check_count(count, name)
    thinking = when.exponential(think_s, count)
    return _plan(thinking, kinds, what, seconds=seconds, users=users, name=name)


def replay_plan(
    trace: RequestTrace, kinds: Sequence[RequestKind] = (RequestKind(),), *, seed: int
) -> LoadPlan:
    """The requests of a trace at their moments, from 0 on, with their lengths in words and tokens.

    Where the trace names the blocks of its prompts, equal blocks become equal words. Kinds give
    names, promises and manners alone.
    """
    _check_count(len(trace), f"the trace {trace.name!r}")
    moments = trace.arrival_s - trace.arrival_s[0]
    said = [
        {
            "prompt_words": int(trace.prompt_tokens[i]),
            "max_tokens": int(trace.output_tokens[i]),
            "shared": _blocks(trace, i),
        }
        for i in range(len(trace))
    ]
    seconds = float(moments[-1]) or 1.0  # all at once: anything that is not 0
    _, what = _generators(seed)
    return _plan(moments, kinds, what, seconds=seconds, name=f"replay of {trace.name}", said=said)


def _plan(
    moments: np.ndarray, kinds: Iterable[RequestKind], rng, *, said: list[dict] | None = None,
    **about,
) -> LoadPlan:  # fmt: skip
    kinds = list(kinds)
    if not kinds:
        raise ValueError("kinds = []: expected at least one kind of requests")
    if len({kind.name for kind in kinds}) < len(kinds):
        raise ValueError(f"kinds = {[kind.name for kind in kinds]}: expected each name once")
    weights = np.array([kind.weight for kind in kinds])
    chosen = rng.choice(len(kinds), size=len(moments), p=weights / weights.sum())
    requests = [
        kinds[k].request(i, at_s, rng, **(said[i] if said else {}))
        for i, (at_s, k) in enumerate(zip(moments, chosen))
    ]
    promises = {kind.name: kind.limits for kind in kinds if kind.limits.finite()}
    return LoadPlan(requests=requests, promises=promises, **about)


def _generators(seed: int) -> list[np.random.Generator]:
    seeds = np.random.SeedSequence(arguments.whole("seed", seed, at_least=0)).spawn(2)
    return [np.random.default_rng(one) for one in seeds]


def _check_count(count: int, what: str) -> None:
    if not 0 < count <= MOST_REQUESTS:
        raise ValueError(f"{what}: {count:,} requests, expected 1 to {MOST_REQUESTS:,}")


def _blocks(trace: RequestTrace, i: int) -> tuple[tuple[str, int], ...]:
    if trace.prefix_keys is None:
        return ()
    return tuple((f"block {key}"[:200], trace.prefix_page_tokens) for key in trace.prefix_keys[i])
