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
        "step 1: nothing is counted",
        "step 2: A starts; a 10",
        "step 3: a 15",
        *(f"step {n}: a 15" for n in range(4, 9)),
        "step 9: B starts; a 15, b 22",
    ]
