"""A short examination of an engine, given as a package: raises if anything is wrong with it.

It needs seconds where all tests need minutes, and sees any engine made of the course's files.
"""

from unittest.mock import patch

import pytest
import torch

from . import test_attention, test_callbacks, test_lives, test_pages, test_sampling, test_troubles
from .echo import Echo
from .jobs import Allergic, answers_of, plain_answer, ragged_prompts, tiny_model

MOST_SILENT_STEPS = 200
WAYS = ((0.4, None, None), (1.7, 3, None), (2.0, 2, 0.55), (1.0, None, 0.6))


def examine(room) -> None:
    """``room`` has the modules and names of ``labutils.engine``."""
    for part in PARTS:
        part(room)


class Ending:
    """An engine that is silent for long fails, instead of running for ever."""

    silent = 0

    def step(self):
        told = super().step()
        self.silent = 0 if told or not self.open else self.silent + 1
        assert self.silent <= MOST_SILENT_STEPS, "no token in many steps"
        return told


def plans_by_hand(room) -> None:
    """What a few small steps hold, one for each rule of the scheduler."""
    chunked = story(room, 2, 9, 4, chunked=True, token_budget=8)
    requests = [room.Request(name, 5, 4) for name in "abc"]
    for one in requests:
        chunked.add(one)
    assert plan_of(chunked) == ([("a", 5), ("b", 3)], [])
    assert plan_of(chunked) == ([("a", 1), ("b", 2)], [])
    assert plan_of(chunked) == ([("a", 1), ("b", 1)], [])
    chunked.finish(requests[0])
    chunked.pool.check(requests)
    assert plan_of(chunked) == ([("b", 1), ("c", 5)], [])  # c takes the place of a
    assert plan_of(chunked) == ([("b", 1), ("c", 1)], [])
    assert plan_of(chunked) == ([("c", 1)], [])  # b's answer is full
    assert [one.known for one in requests] == [8, 9, 8]

    whole = story(room, 3, 9, 4, token_budget=8)
    for name, tokens in (("a", 5), ("b", 3), ("c", 9), ("d", 1)):
        whole.add(room.Request(name, tokens, 3))
    assert plan_of(whole) == ([("a", 5), ("b", 3)], [])
    assert plan_of(whole) == ([("c", 9)], [])  # longer than the budget: it goes alone
    assert plan_of(whole) == ([("a", 1), ("b", 1), ("c", 1)], [])
    full = story(room, 3, 9, 4, token_budget=8)
    for name, tokens in (("a", 5), ("b", 4)):
        full.add(room.Request(name, tokens, 3))
    assert [plan_of(full) for _ in "ab"] == [([("a", 5)], []), ([("b", 4)], [])]

    tight = story(room, 3, 4, 2, chunked=True, token_budget=8)
    requests = [room.Request(name, tokens, 5) for name, tokens in (("a", 3), ("b", 4), ("c", 1))]
    for one in requests:
        tight.add(one)
    assert plan_of(tight) == ([("a", 3), ("b", 4)], [])
    assert plan_of(tight) == ([("a", 1)], ["b"])  # nor may c start in such a step
    tight.pool.check(requests)
    assert [one.id for one in tight.waiting] == ["b", "c"] and requests[1].preemptions == 1
    for _ in range(3):
        assert plan_of(tight) == ([("a", 1)], [])
    assert plan_of(tight) is None  # a is full and was not told to end; b waits for its pages
    tight.finish(requests[0])
    assert plan_of(tight) == ([("b", 5), ("c", 1)], [])

    tiny = story(room, 3, 3, 2, token_budget=8)
    for name in "abc":
        tiny.add(room.Request(name, 2, 3))
    assert plan_of(tiny) == ([("a", 2), ("b", 2), ("c", 2)], [])
    assert plan_of(tiny) == ([("a", 1)], ["c", "b"])  # one page back is not enough

    late = story(room, 2, 4, 2, chunked=True, token_budget=8)
    for name, longest in (("a", 5), ("b", 1)):
        late.add(room.Request(name, 3, longest))
    assert plan_of(late) == ([("a", 3), ("b", 3)], [])
    assert plan_of(late) == ([("a", 1)], [])  # b has ended, and nobody has said so yet
    assert plan_of(late) == ([], ["a"])  # not b, which computes no more
    with pytest.raises(room.RequestTooLong):
        late.add(room.Request("c", 5, 5))
    late.add(room.Request("d", 5, 4))


def story(room, places, pages, size, **options):
    return room.Scheduler(places, room.PagePool(pages, size), **options)


def plan_of(scheduler):
    """The next step, carried out: pairs (id, new tokens), and who was preempted."""
    plan = scheduler.schedule(0.0)
    if plan is None:
        return None
    scheduler.commit(plan)
    return [(one.id, new) for one, new in plan.chunks], [one.id for one in plan.preempted]


def walk_of_pages(room) -> None:
    """The pool against the plain one, with ``check`` after each verb."""
    names = {name: getattr(room, name) for name in ("PagePool", "Request", "OutOfPages")}
    with patch.multiple(test_pages, **names):
        for seed in range(4):
            walk = test_pages.Walk(11, seed)
            for number in range(120):
                walk.step(number)
        test_pages.test_a_page_behind_a_gap_is_not_found()
        test_pages.test_hits_are_counted_at_the_first_start_alone()


def random_life(room) -> None:
    """Adds, cancels, raising callbacks, hooks and models; every context is read back."""
    engine = type("Watched", (Ending, Echo, room.Engine), {})
    with patch.multiple(test_lives, Scheduler=room.Scheduler, PagePool=room.PagePool):
        for kind in ("chunked", "prompts first"):
            seen = test_lives.long_life(test_lives.Life(kind, 17, engine=engine), 120)
            assert min(seen["hits"], seen["preempted"], seen["failed"], seen["cancelled"]) > 0


def token_jobs(room) -> None:
    """Three small jobs with a model, token for token, and a fault that ends one request alone."""
    engine = type("Ended", (Ending, room.Engine), {})
    prompts, lengths = ragged_prompts(9, seed=2, longest=20), [1 + 5 * at % 12 for at in range(9)]
    right = [plain_answer(*one) for one in zip(prompts, lengths)]
    tight = story(room, 5, 12, 4, chunked=True, token_budget=7)
    jobs = (
        engine(tiny_model(), tight),
        engine(tiny_model(), page_tokens=3, num_pages=90, chunked=False, token_budget=30),
        engine(tiny_model(), max_sequences=3, page_tokens=5, num_pages=60, prefix_sharing=False),
    )
    for slots, job in zip((4096, 30, 4096), jobs):
        with patch.object(room.attention, "BUCKET_SLOTS", slots):
            assert answers_of(job, prompts, lengths) == right
    assert sum(one.preemptions for one in jobs[0].requests.values()) > 0
    assert answers_of(jobs[1], prompts, lengths) == right
    cached = [jobs[1].requests[9 + at].cached for at in range(9)]
    assert cached == [(len(prompt) - 1) // 3 * 3 for prompt in prompts]
    assert not any(one.cached for one in jobs[2].requests.values())
    one_at_fault(engine)


def one_at_fault(engine) -> None:
    """A model that cannot read the token 60, and a request that stops by a token of its own."""
    poisoned = engine(tiny_model(), max_sequences=4, page_tokens=4)
    poisoned.model = Allergic(poisoned.model)
    at = [poisoned.add_request([n, 60] if n == 2 else [n], max_output_tokens=3) for n in range(4)]
    poisoned.run()
    reasons = [poisoned.requests[id].finish_reason for id in at]
    assert reasons == ["length", "length", "failed", "length"]
    expected = plain_answer([7, 8], 9)
    stopped = engine(tiny_model()).generate([[7, 8]], max_output_tokens=9, stop=expected[3:4])[0]
    assert stopped.answer == expected[: expected.index(expected[3]) + 1]


def callbacks(room) -> None:
    """Who cancels whom, and what a hook that raises may not lose."""
    engine = type("Ended", (Ending, room.Engine), {})
    with (
        patch.object(test_troubles.engine_of, "__defaults__", (engine,)),
        patch.object(test_callbacks, "Engine", engine),
    ):
        test_callbacks.test_who_is_cancelled_by_a_neighbours_listener_is_told_nothing_more()
        test_callbacks.test_who_cancels_itself_with_its_last_token_ends_once(False)
        test_callbacks.test_what_the_developers_hook_raises_loses_nothing()


def buckets_of_rows(room) -> None:
    """Which decoding rows are read together."""
    with (
        patch.multiple(test_attention, attention=room.attention, buckets=room.attention.buckets),
        pytest.MonkeyPatch.context() as changes,
    ):
        test_attention.test_a_bucket_is_padded_no_further_than_to_its_longest()
        test_attention.test_buckets_hold_each_decoding_row_once_and_are_as_large_as_they_may(
            changes
        )


def names_of_pages(room) -> None:
    """Equal names for equal prefixes, and for nothing else."""
    text = [*range(12)]
    names = room.page_keys(text, 4)
    assert len(names) == 3 and len(set(names)) == 3
    assert room.page_keys(text[:11], 4) == names[:2]
    other = room.page_keys([99, *text[1:]], 4)
    assert not set(other) & set(names)
    assert not set(room.page_keys(text, 4, salt="tenant")) & set(names)


def draws(room) -> None:
    """Shares of drawn tokens, worked out by hand."""
    with patch.multiple(test_sampling, sample=room.sampling.sample, Sampling=room.Sampling):
        for way in WAYS:
            test_sampling.test_shares_are_those_by_hand(*way)
        test_sampling.test_rows_do_not_see_each_other()
        test_sampling.test_the_ends_of_the_range_never_leave_what_may_be_drawn(torch.float32)


PARTS = (
    plans_by_hand, walk_of_pages, names_of_pages, buckets_of_rows, callbacks, draws, token_jobs,
    random_life,
)  # fmt: skip
