"""How many drafts pay, by what is accepted and what the steps cost."""

from collections.abc import Mapping
from typing import NamedTuple

from labutils.ground import arguments
from labutils.llm.levers.speculation import speculation_speedup


class Choice(NamedTuple):
    """``drafts`` a step, and how many times as fast tokens are then expected to come."""

    drafts: int
    gain: float


def gains(
    acceptance: float, verify_s: Mapping[int, float], *, draft_s: float, batch: int = 1, most: int
) -> dict[int, float]:
    """The expected gain of 0 to ``most`` drafts, from steps that were timed one by one.

    ``verify_s[rows]`` is the time of a step of the target over so many rows, and ``draft_s`` that
    of the draft's step over ``batch`` rows. To verify k drafts of each request takes the step over
    batch · (k + 1) rows: a row is a row, whoever it belongs to. Chunks with their attention one by
    one cost more than that, so an expected gain is the best that can be had.

    >>> steps = {1: 10e-3, 2: 11e-3, 3: 12e-3}
    >>> {k: round(gain, 2) for k, gain in gains(0.6, steps, draft_s=2e-3, most=2).items()}
    {0: 1.0, 1: 1.23, 2: 1.22}
    """
    arguments.whole("batch", batch)
    arguments.whole("most", most, at_least=0)
    arguments.non_negative("draft_s", draft_s)
    found = {}
    for drafts in range(most + 1):
        rows = batch * (drafts + 1)
        if rows not in verify_s:
            raise ValueError(f"verify_s has no step of {rows} rows: expected one for each count")
        step = arguments.positive(f"verify_s[{batch}]", verify_s[batch])
        found[drafts] = speculation_speedup(
            acceptance, drafts, draft_s / step, verification_cost=verify_s[rows] / step
        )
    return found


def best_drafts(acceptance: float, verify_s: Mapping[int, float], **costs) -> Choice:
    """The number of drafts with the largest of ``gains``, 0 if all lose; the fewest of equals.

    >>> steps = {rows: 10e-3 + rows * 1e-3 for rows in range(1, 100)}
    >>> best_drafts(0.8, steps, draft_s=1e-3, most=8).drafts
    4
    >>> best_drafts(0.8, steps, draft_s=6e-3, batch=11, most=8)
    Choice(drafts=0, gain=1.0)
    """
    expected = gains(acceptance, verify_s, **costs)
    drafts = max(expected, key=expected.get)
    return Choice(drafts, expected[drafts])
