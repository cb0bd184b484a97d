"""A walk through a fair scheduler tells what a reckoning by hand tells."""

from labutils.serving.promises.policies import TokenCounters
from labutils.serving.walks import fair_walk


def test_two_tenants_by_hand():
    """One place; a prompt costs 2 a token, an answer 5; b has bought twice the share."""
    rows = [("A", "a", 1, 3, 2), ("B", "b", 1, 4, 1), ("C", "a", 1, 1, 1)]
    assert fair_walk(TokenCounters, rows, {"a": 1, "b": 2}, 1, 20) == [
        "step 1: A starts; a 11, b 0",
        "step 2: a 16, b 0",
        "step 3: B starts; a 16, b 6.5",
        "step 4: C starts; a 23, b 6.5",
    ]


def test_a_prompt_that_is_cut_makes_no_token_and_idle_steps_are_told():
    rows = [("A", "a", 2, 5, 1), ("B", "b", 9, 1, 1)]
    assert fair_walk(TokenCounters, rows, {"a": 1, "b": 1}, 2, 3) == [
        "step 1: a 0, b 0",
        "step 2: A starts; a 10, b 0",
        "step 3: a 15, b 0",
        *(f"step {n}: a 15, b 0" for n in range(4, 9)),
        "step 9: B starts; a 15, b 22",
    ]


def test_a_prompt_that_is_cut_so_that_one_token_is_left_makes_none_either():
    rows = [("A", "a", 1, 4, 1), ("B", "b", 1, 2, 1)]
    assert fair_walk(TokenCounters, rows, {"a": 1, "b": 1}, 1, 3) == [
        "step 1: A starts; a 8, b 0",
        "step 2: a 13, b 0",
        "step 3: B starts; a 13, b 9",
    ]


def test_who_loses_its_memory_starts_again_and_has_paid():
    """Room for seven tokens: A and B hold 2 and 3, then 3 and 4; the eighth finds none."""
    rows = [("A", "a", 1, 2, 5), ("B", "b", 1, 3, 3)]
    assert fair_walk(TokenCounters, rows, {"a": 1, "b": 1}, 2, 20, 7) == [
        "step 1: A, B start; a 9, b 11",
        "step 2: a 14, b 16",
        "step 3: B loses its memory; a 19, b 16",
        "step 4: a 24, b 16",
        "step 5: a 29, b 16",
        "step 6: B starts; a 29, b 21",
    ]
