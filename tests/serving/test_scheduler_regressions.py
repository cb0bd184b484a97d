"""Bugs that bit real engines, met by a scheduler (nano-vllm #144, #208, #210, #211, #233)."""

from labutils.serving import BlockManager, Continuous, Request, simulate

from .workloads import COST

PAGE = 4


def keyed(name, prompt, answer, path, arrival_s=0.0):
    """A request whose pages are named by ``path``: equal beginnings are shared."""
    keys = tuple(tuple(path[: at + 1]) for at in range(prompt // PAGE))
    return Request(name, prompt, answer, arrival_s, lambda page_tokens: keys)


def served(requests, pages, *, answers=None, **options):
    plans = []
    scheduler = Continuous(4, BlockManager(pages, PAGE), **options)
    run = simulate(
        requests,
        scheduler,
        COST,
        output_tokens=answers,
        jumps=False,
        watch=lambda now_s, plan, steps: plans.append(plan),
    )
    scheduler.blocks.check()
    first_hits = sum(record.cached_tokens for record in run.records())
    assert scheduler.blocks.hits * PAGE == first_hits  # those after a preemption do not count
    return run, plans


def test_fully_cached_prompt():
    """Its last page is computed again: a query of no tokens has no logits."""
    requests = [keyed("a", 12, 3, "xyz"), keyed("b", 12, 3, "xyz", arrival_s=1.0)]
    run, plans = served(requests, 20)
    starts = [plan for plan in plans if plan.cached]
    assert starts[0].cached == (("b", 8),)
    assert dict(starts[0].chunks) == {"b": 4}
    assert [record.cached_tokens for record in run.records()] == [0, 8]


def test_prompt_with_one_token_behind_its_cached_pages_still_prefills():
    """One new token does not make a decode: the phase is not guessed from the size of the chunk."""
    requests = [keyed("a", 8, 2, "xy"), keyed("b", 9, 3, "xy", arrival_s=1.0)]
    run, plans = served(requests, 20, chunked=True)
    start = next(plan for plan in plans if plan.cached)
    assert start.chunks == (("b", 1),)
    assert start.shape.prefill_tokens == 1 and start.shape.decode_sequences == 0
    assert run.log.output_tokens.tolist() == [2, 3]


def test_hit_together_with_preemption():
    """The preempted request finds its own prompt again, and only what it lost is computed."""
    requests = [keyed("a", 8, 16, "xy"), keyed("b", 8, 12, "pq")]
    for chunked in (False, True):
        run, plans = served(requests, 8, chunked=chunked, token_budget=32)
        again = [plan for plan in plans if plan.cached]
        assert [record.preemptions for record in run.records()] == [0, 1]
        assert dict(again[0].cached) == {"b": 8}
        assert run.records()[1].cached_tokens == 0  # counted at the first admission
        before = plans[: plans.index(again[0])]
        already_out = sum("b" in dict(plan.chunks) for plan in before)
        assert dict(again[0].chunks)["b"] == already_out  # the answer so far
        assert run.log.output_tokens.tolist() == [16, 12]
        assert run.telemetry.hit_rate[-1] == 0.0


def test_what_is_computed_in_this_step_is_not_found_in_this_step():
    """Two requests with one prompt, admitted together: the pages have no content to share yet."""
    requests = [keyed("a", 8, 2, "xy"), keyed("b", 8, 2, "xy")]
    run, plans = served(requests, 20)
    assert plans[0].cached == ()
    assert dict(plans[0].chunks) == {"a": 8, "b": 8}
    assert run.telemetry.hit_rate[-1] == 0.0


def test_a_cut_prompt_shares_only_what_it_has_computed():
    """The first chunk is computed: six tokens, one full page."""
    requests = [keyed("a", 12, 2, "xyz"), keyed("b", 12, 2, "xyz", arrival_s=0.001)]
    _, plans = served(requests, 20, chunked=True, token_budget=6)
    start = next(plan for plan in plans if plan.cached)
    assert plans[0].chunks == (("a", 6),)
    # The second step finishes "a" with its whole budget, so that "b" starts behind all of it.
    assert plans[1].chunks == (("a", 6),) and start.cached == (("b", 8),)


def test_stale_key_after_reuse():
    """A page that was given to somebody else is not found under its old key."""
    requests = [
        keyed("a", 12, 1, "xyz"),
        keyed("flood", 20, 1, "12345", arrival_s=1.0),
        keyed("b", 12, 1, "xyz", arrival_s=2.0),
    ]
    run, _ = served(requests, 5)
    assert [record.cached_tokens for record in run.records()] == [0, 0, 0]
    assert run.log.ok.all()


def test_matched_block_evicted():
    """A page that a newcomer shares is not the one evicted to make room for its other pages."""
    requests = [
        keyed("a", 8, 1, "xy"),
        keyed("other", 8, 1, "pq", arrival_s=1.0),
        keyed("b", 16, 2, "xyzw", arrival_s=2.0),
    ]
    run, plans = served(requests, 5)  # pages x, y, p, q and one blank; b needs x, y and three more
    start = plans[-2]
    assert start.cached == (("b", 8),) and dict(start.chunks) == {"b": 8}
    assert run.log.ok.all()


def test_rejoining_after_a_preemption_before_the_prompt_was_done():
    """Preempted in mid-prompt: nothing came out yet, and the whole prompt is computed again."""
    requests = [Request("a", 7, 9), Request("b", 15, 2, 0.0005)]
    run, plans = served(requests, 6, chunked=True, token_budget=5)
    lost = [plan for plan in plans if "b" in plan.preempted]
    assert len(lost) == 1
    records = run.records()
    assert records[1].preemptions == 1 and records[1].output_tokens == 2
    spans = run.timeline
    of_b = spans.phase[spans.request == 1].tolist()
    assert of_b == ["queue", "prefill", "preempted", "prefill", "decode"]
