"""Bugs that bit real engines, met by a scheduler (nano-vllm #144, #208, #210, #211, #233)."""

from typing import NamedTuple

import numpy as np
import pytest

from labutils.engine import PagePool, Request, Scheduler
from labutils.serving.simulator import simulate
from tests.serving.workloads import COST

PAGE = 4


def keyed(name, prompt, answer, path, arrival_s=0.0):
    """A request whose pages are named by ``path``: equal beginnings are shared."""
    keys = tuple(tuple(path[: at + 1]) for at in range(prompt // PAGE))
    return Request(name, prompt, answer, arrival_s, keys=keys)


class Noting(Scheduler):
    """Writes down what each step computes, and behind how many cached tokens requests start."""

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self.steps = []

    def schedule(self, now_s):
        waited = list(self.waiting)
        plan = super().schedule(now_s)
        if plan is not None:
            chunks = {one.id: new for one, new in plan.chunks}
            found = {one.id: one.computed for one, _ in plan.chunks if one in waited}
            self.steps.append(Step(chunks, found, [one.id for one in plan.preempted]))
        return plan


class Step(NamedTuple):
    chunks: dict
    starts: dict  # by request: cached tokens
    preempted: list

    @property
    def found(self):
        return {name: cached for name, cached in self.starts.items() if cached}


def served(requests, pages, *, answers=None, **options):
    scheduler = Noting(4, PagePool(pages, PAGE), **options)
    run = simulate(requests, scheduler, COST, output_tokens=answers, token_times=True)
    scheduler.pool.check()
    firsts = {}
    for step in scheduler.steps:
        firsts = {**step.starts, **firsts}
    assert {one.id: one.cached_tokens for one in run.records()} == firsts
    return run, scheduler.steps


def test_fully_cached_prompt():
    """Its last page is computed again: a query of no tokens has no logits."""
    requests = [keyed("a", 12, 3, "xyz"), keyed("b", 12, 3, "xyz", arrival_s=1.0)]
    run, steps = served(requests, 20)
    start = next(step for step in steps if step.found)
    assert start.found == {"b": 8}
    assert start.chunks == {"b": 4}
    assert [record.cached_tokens for record in run.records()] == [0, 8]


def test_prompt_with_one_token_behind_its_cached_pages_decodes_at_once():
    """One token to compute is a decode, whether it belongs to a prompt or to an answer."""
    requests = [keyed("a", 8, 2, "xy"), keyed("b", 9, 3, "xy", arrival_s=1.0)]
    run, steps = served(requests, 20, chunked=True)
    start = next(step for step in steps if step.found)
    assert start.chunks == {"b": 1} and start.found == {"b": 8}
    row = int(np.flatnonzero(run.telemetry.time_s == 1.0)[0])
    assert run.telemetry.prefill_tokens[row] == 0 < run.telemetry.decode_tokens[row]
    first = COST.base_s + COST.per_sequence_s + 9 * COST.per_context_token_s
    assert run.log.ttft_s[1] == pytest.approx(first)
    assert run.log.output_tokens.tolist() == [2, 3]


def test_hit_together_with_preemption():
    """The preempted request finds its own prompt again, and only what it lost is computed."""
    requests = [keyed("a", 8, 16, "xy"), keyed("b", 8, 12, "pq")]
    for chunked in (False, True):
        run, steps = served(requests, 8, chunked=chunked, token_budget=32)
        again = next(step for step in steps if step.found)
        assert [record.preemptions for record in run.records()] == [0, 1]
        assert again.found == {"b": 8}
        assert run.records()[1].cached_tokens == 0  # counted at the first admission
        already_out = sum("b" in step.chunks for step in steps[: steps.index(again)])
        assert again.chunks["b"] == already_out  # the answer so far
        assert run.log.output_tokens.tolist() == [16, 12]
        assert run.telemetry.hit_rate[-1] == 0.0


def test_what_is_computed_in_this_step_is_not_found_in_this_step():
    """Two requests with one prompt, admitted together: the pages have no content to share yet."""
    requests = [keyed("a", 8, 2, "xy"), keyed("b", 8, 2, "xy")]
    run, steps = served(requests, 20)
    assert not steps[0].found
    assert steps[0].chunks == {"a": 8, "b": 8}
    assert run.telemetry.hit_rate[-1] == 0.0


def test_a_cut_prompt_shares_only_what_it_has_computed():
    """The first chunk is computed: six tokens, one full page."""
    requests = [keyed("a", 12, 2, "xyz"), keyed("b", 12, 2, "xyz", arrival_s=0.001)]
    _, steps = served(requests, 20, chunked=True, token_budget=6)
    start = next(step for step in steps if step.found)
    assert steps[0].chunks == {"a": 6}
    # The second step finishes "a" with its whole budget, so that "b" starts behind all of it.
    assert steps[1].chunks == {"a": 6} and start.found == {"b": 8}


def test_stale_key_after_reuse():
    """A page that was given to another request is not found under its old key."""
    requests = [
        keyed("a", 12, 1, "xyz"),
        keyed("flood", 20, 1, "12345", arrival_s=1.0),
        keyed("b", 12, 1, "xyz", arrival_s=2.0),
    ]
    run, _ = served(requests, 5)
    assert [record.cached_tokens for record in run.records()] == [0, 0, 0]
    assert run.log.ok.all()


def test_matched_page_evicted():
    """A page that a newcomer shares is not the one evicted to make room for its other pages."""
    requests = [
        keyed("a", 8, 1, "xy"),
        keyed("other", 8, 1, "pq", arrival_s=1.0),
        keyed("b", 16, 2, "xyzw", arrival_s=2.0),
    ]
    run, steps = served(requests, 5)  # pages x, y, p, q and one blank; b needs x, y and three more
    start = steps[-2]
    assert start.found == {"b": 8} and start.chunks == {"b": 8}
    assert run.log.ok.all()


def test_rejoining_after_a_preemption_before_the_prompt_was_done():
    """Preempted in mid-prompt: nothing came out yet, and the whole prompt is computed again."""
    requests = [Request("a", 7, 9), Request("b", 15, 2, 0.0005)]
    run, steps = served(requests, 6, chunked=True, token_budget=5)
    lost = [step for step in steps if "b" in step.preempted]
    assert len(lost) == 1
    records = run.records()
    assert records[1].preemptions == 1 and records[1].output_tokens == 2
    spans = run.timeline
    of_b = spans.phase[spans.request == 1].tolist()
    assert of_b == ["queue", "prefill", "preempted", "prefill", "decode"]
