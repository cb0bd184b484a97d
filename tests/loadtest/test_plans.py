"""Plans: drawn from a seed, mixed by weight, written and read without loss."""

import json
import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from labutils.loadtest import (
    Arrivals,
    Limits,
    LoadPlan,
    PlannedRequest,
    RequestKind,
    closed_plan,
    open_plan,
    replay_plan,
)
from labutils.workload import RequestTrace, mix

CHAT = RequestKind(name="chat", weight=3, limits=Limits(ttft_s=0.2, tpot_s=0.05), tenant="blue")
BATCH = RequestKind(name="batch", weight=1, prompt_words=500, max_tokens=7, tenant="red")


def plan(*kinds: RequestKind, seed: int = 7, seconds: float = 50.0) -> LoadPlan:
    return open_plan(Arrivals.poisson(20), seconds, kinds or [CHAT, BATCH], seed=seed)


def one(**said) -> PlannedRequest:
    return PlannedRequest(**{"id": 1, "at_s": 0.0, "max_tokens": 5, "prompt_words": 3, **said})


def test_a_mix_gives_each_kind_its_share_with_its_own_tenant_and_promise():
    drawn = plan()
    counts = Counter((request.kind, request.tenant) for request in drawn.requests)
    assert set(counts) == {("chat", "blue"), ("batch", "red")}
    n = len(drawn)
    assert abs(counts["chat", "blue"] / n - 0.75) < 4.5 * math.sqrt(0.75 * 0.25 / n)
    assert drawn.promises == {"chat": CHAT.limits}
    by_kind = {
        request.kind: (request.prompt_words, request.max_tokens) for request in drawn.requests
    }
    assert by_kind == {"chat": (64, 32), "batch": (500, 7)}


def test_a_seed_is_a_plan_and_kinds_do_not_move_the_moments():
    assert plan() == plan() != plan(seed=8)
    assert [r.at_s for r in plan().requests] == [r.at_s for r in plan(BATCH).requests]


def test_shares_of_clients_leave_and_read_slowly():
    kind = replace(CHAT, leave_share=0.3, leave_after=4, slow_share=0.6, slow_pause_s=0.25)
    requests = plan(kind).requests
    leaving = np.array([request.leave_after == 4 for request in requests])
    slow = np.array([request.pause_s == 0.25 for request in requests])
    assert all(request.leave_after in (4, None) for request in requests)
    for found, share in ((leaving, 0.3), (slow, 0.6), (leaving & slow, 0.18)):
        assert abs(found.mean() - share) < 4.5 * math.sqrt(share * (1 - share) / len(requests))
    assert not any(request.is_slow or request.leave_after for request in plan(CHAT).requests)


def test_a_group_shares_its_first_words_and_nothing_else():
    kind = replace(CHAT, prompt_words=40, prefix_words=25, prefix_groups=3)
    texts = [request.asked(request.id).split() for request in plan(kind, seconds=5).requests]
    assert {len(words) for words in texts} == {40}
    assert len({tuple(words[:25]) for words in texts}) == 3
    assert len({tuple(words[25:]) for words in texts}) == len(texts)
    unshared = [tuple(r.asked(r.id).split()[:25]) for r in plan(CHAT, seconds=5).requests]
    assert len(set(unshared)) == len(unshared)


def test_lengths_come_from_the_table_of_a_trace():
    table = mix("azure-conversation")
    requests = plan(replace(CHAT, lengths=table)).requests
    words = np.array([request.prompt_words for request in requests])
    assert words.mean() == pytest.approx(table.prompt_tokens.mean, rel=0.15)
    assert len(set(words)) > len(words) / 3


def test_a_trace_is_replayed_at_its_moments_and_equal_blocks_are_equal_words():
    trace = RequestTrace(
        [5.0, 5.5, 7.25], [10, 7, 9], [3, 4, 5],
        prefix_keys=(("a", "ab"), ("a",), ("x", "xb")), prefix_page_tokens=4,
    )  # fmt: skip
    replayed = replay_plan(trace, [CHAT], seed=1)
    assert [r.at_s for r in replayed.requests] == [0, 0.5, 2.25] and replayed.seconds == 2.25
    assert [(r.prompt_words, r.max_tokens) for r in replayed.requests] == [(10, 3), (7, 4), (9, 5)]
    first, second, third = (r.asked(r.id).split() for r in replayed.requests)
    assert [len(words) for words in (first, second, third)] == [10, 7, 9]
    assert first[:4] == second[:4] != third[:4]
    assert first[4:7] != second[4:7]
    assert {request.kind for request in replayed.requests} == {"chat"}


def test_users_of_a_closed_loop_think_as_long_as_said_in_the_mean():
    closed = closed_plan(3, 9.0, [CHAT], think_s=0.4, seed=2, requests=4000)
    assert closed.users == 3 and not closed.is_open and len(closed) == 4000
    assert np.mean([r.at_s for r in closed.requests]) == pytest.approx(0.4, rel=0.08)
    assert {r.at_s for r in closed_plan(3, 9.0, [CHAT], seed=2).requests} == {0.0}


@pytest.mark.parametrize("parts", [1, 2, 5])
def test_parts_hold_every_request_once_and_divide_the_users(parts):
    whole = closed_plan(7, 3.0, [CHAT, BATCH], seed=4, requests=23)
    divided = [whole.part(which, parts) for which in range(parts)]
    assert sorted(r.id for part in divided for r in part.requests) == list(range(23))
    assert sum(part.users for part in divided) == 7
    assert max(map(len, divided)) - min(map(len, divided)) <= 1
    with pytest.raises(ValueError, match="parts = 8: expected at most 7"):
        whole.part(0, 8)


names = st.text(min_size=1, max_size=12).filter(str.strip)
texts = st.text(min_size=1, max_size=30)
prompts = st.one_of(
    st.fixed_dictionaries({"prompt": texts}),
    st.fixed_dictionaries({"prompt": st.lists(st.integers(0, 2**31), min_size=1).map(tuple)}),
    st.fixed_dictionaries(
        {
            "prompt_words": st.integers(1, 99),
            "shared": st.lists(st.tuples(names, st.integers(0, 9)), max_size=3).map(tuple),
        }
    ),
)
limits = st.floats(min_value=1e-9, max_value=1e9) | st.just(math.inf)


@st.composite
def plans(draw) -> LoadPlan:
    users = draw(st.none() | st.integers(1, 50))
    moments = sorted(draw(st.lists(st.floats(0, 1e6), min_size=1, max_size=8)))
    requests = [
        PlannedRequest(
            id=3 * i, at_s=at_s, max_tokens=draw(st.integers(1, 999)), kind=draw(names),
            tenant=draw(names), leave_after=draw(st.none() | st.integers(1, 9)),
            pause_s=draw(st.floats(0, 9)), **draw(prompts),
        )
        for i, at_s in enumerate(moments)
    ]  # fmt: skip
    promises = draw(
        st.dictionaries(names, st.builds(Limits, ttft_s=limits, tpot_s=limits, e2e_s=limits))
    )
    return LoadPlan(
        requests=requests, seconds=2e6, users=users, promises=promises, name=draw(names)
    )


@given(plans())
@settings(max_examples=25)
def test_a_plan_is_read_as_it_was_written(written):
    assert LoadPlan.from_json(written.to_json()) == written


BAD_ROWS = [
    ({"at_s": -1}, "requests[1]: at_s = -1"),
    ({"at_s": math.nan}, "requests[1]: at_s = nan"),
    ({"max_tokens": 0}, "requests[1]: max_tokens = 0"),
    ({"id": 0}, "expected each id once"),
    ({"at_s": 0.2}, "requests[1].at_s = 0.2: expected 0.5"),
    ({"at_s": 99.0}, "requests[1].at_s = 99.0"),
    ({"color": "red"}, "requests[1]: got an unexpected keyword argument 'color'"),
    ({"prompt": ""}, "requests[1]: prompt of 0 characters"),
    ({"prompt": [1, -2]}, "requests[1]: prompt[1] = -2"),
    ({"shared": [["a"]]}, "requests[1]: shared[0] = ['a']"),
    ({"shared": 7}, "requests[1]: shared[0] = 7"),
    ({"kind": " "}, "requests[1]: kind = ' '"),
    ({"tenant": 5}, "requests[1]: tenant = 5"),
    ({"leave_after": 0}, "requests[1]: leave_after = 0"),
    ({"pause_s": -0.1}, "requests[1]: pause_s = -0.1"),
]


@pytest.mark.parametrize(("wrong", "message"), BAD_ROWS)
def test_what_is_wrong_in_a_plan_is_named_with_its_place(wrong, message):
    rows = [one(id=0, at_s=0.5), one(id=1, at_s=0.7), one(id=2, at_s=0.9)]
    content = json.loads(LoadPlan(requests=rows, seconds=1.0).to_json())
    content["requests"][1] |= wrong
    with pytest.raises(ValueError) as found:
        LoadPlan.from_json(json.dumps(content))
    assert message in str(found.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "plan: expected JSON"),
        ("[" * 100_000, "plan: expected JSON"),
        ("[]", "plan = []: expected a JSON object"),
        ("{}", "plan: expected a JSON object whose format is"),
        ('{"format": "labutils load plan 1"}', "requests: expected a list"),
        ('{"format": "labutils load plan 1", "requests": []}', "plan: "),
        ('{"format": "labutils load plan 1", "requests": [], "seconds": 1}', "0 of them"),
        ('{"format": "labutils load plan 1", "requests": [3]}', "requests[0] = 3"),
        ('{"format": "labutils load plan 1", "requests": [], "promises": 1}', "promises = 1"),
        (
            '{"format": "labutils load plan 1", "requests": [], "promises": {"a": {"ttft_s": 0}}}',
            "promises['a']: ttft_s = 0",
        ),
        (None, "plan: expected JSON"),
    ],
)
def test_what_is_no_plan_is_refused(text, message):
    with pytest.raises(ValueError) as found:
        LoadPlan.from_json(text)
    assert message in str(found.value)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: plan(CHAT, CHAT), r"kinds = \['chat', 'chat'\]: expected each name once"),
        (lambda: open_plan(Arrivals.poisson(3), 5, [], seed=1), r"kinds = \[\]"),
        (lambda: open_plan(Arrivals.evenly(0.1), 5, [CHAT], seed=1), "0 requests, expected 1 to"),
        (lambda: open_plan(Arrivals.evenly(1e4), 50, [CHAT], seed=1), "500,000 requests"),
        (lambda: RequestKind(leave_share=1.2), "leave_share = 1.2: expected a share"),
        (lambda: RequestKind(slow_share=-0.2), "slow_share = -0.2: expected a share"),
        (lambda: RequestKind(slow_share=math.nan), "slow_share = nan: expected a share"),
        (lambda: RequestKind(weight=0), "weight = 0"),
        (lambda: RequestKind(prompt_words=5, prefix_words=6), "prefix_words = 6: expected at most"),
        (lambda: RequestKind(name=""), "name = ''"),
        (lambda: Limits(ttft_s=-1), "ttft_s = -1"),
        (lambda: closed_plan(0, 5, [CHAT], seed=1), "users = 0"),
        (lambda: closed_plan(2, 5, [CHAT], think_s=-1, seed=1), "think_s = -1"),
        (lambda: one(prompt="x", shared=(("a", 1),)), "expected none beside a given prompt"),
    ],
)
def test_bad_arguments_are_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()
