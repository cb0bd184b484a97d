"""Whole drills, each link's number, letter and slips, held against a solver of its words.

A solver takes the words of every link and returns (answer, words of the right option) of each, and
of each the values of some named mistakes.
"""

import pytest

from labutils.drills.catalog import find

from .test_caches_by_hand import links
from .test_capacity_by_hand import Words


def told(drill) -> list[Words]:
    """The words of every link, and its options."""
    found = links(drill)
    for words in found:
        words.options, drill = drill.options, drill.follow_up
    return found


def agrees(solve, seeds):
    """Answers, letters and slips follow from the printed words."""
    for seed in seeds:
        drill = find(solve.__name__).drill(seed)
        answers, wrong = solve(*told(drill))
        for (answer, chosen), slips in zip(answers, wrong, strict=True):
            if drill.answer is None:
                assert answer is None
            else:
                assert answer == pytest.approx(drill.answer, rel=drill.tolerance / 2 or 1e-9), seed
            if drill.options:
                assert chosen and chosen in drill.options.texts[drill.options.right], seed
            named = {item.name: item.value for item in drill.mistakes}
            for slip in set(slips) & set(named):
                assert named[slip] == pytest.approx(slips[slip], rel=0.01), (seed, slip)
            drill = drill.follow_up
        assert drill is None


def names_its_slips(solve):
    """The slips that are computed there are named by the drill for some seed."""
    _, wrong, *_ = solve(*told(find(solve.__name__).drill(0)))
    for link, slips in enumerate(wrong):
        named = set()
        for seed in range(40):
            drill = find(solve.__name__).drill(seed)
            for _ in range(link):
                drill = drill.follow_up
            named |= {item.name for item in drill.mistakes}
        assert set(slips) <= named, link
