"""Schedules by hand: what they hold, what makes them impossible, and the best of them."""

import itertools

import pytest

from labutils.laws.batching.seats import SeatProblem, SeatRequest, by_hand

SMALL = SeatProblem(
    (SeatRequest("a", 1, 2, 3), SeatRequest("b", 1, 4, 1), SeatRequest("c", 3, 3, 2)), 2, 7
)


def test_memory_holds_the_prompt_and_a_token_more_in_each_later_step():
    starts = {"a": 1, "b": 1, "c": 3}
    assert [SMALL.held(starts, step) for step in range(1, 6)] == [6, 3, 4 + 3, 4, 0]
    assert SMALL.fault(starts) is None and SMALL.last_step(starts) == 4
    assert SMALL.idle(starts) == 2 * 4 - 6


@pytest.mark.parametrize(
    ("starts", "kind", "text"),
    [
        ({"a": 1, "b": 1, "c": 2}, "too-early", "c comes in step 3."),
        ({"a": 2, "b": 1, "c": 3}, "overtakes", "b overtakes a."),
        ({"a": 1, "b": 3, "c": 3}, "no-seat", "In step 3 there run a, b, c."),
        ({"a": 1, "b": 2, "c": 3}, None, ""),
    ],
)
def test_what_makes_a_schedule_impossible(starts, kind, text):
    fault = SMALL.fault(starts)
    assert (fault and fault.kind, fault.text if fault else "") == (kind, text)


def test_too_little_memory_is_named_with_its_step():
    tight = SeatProblem(SMALL.requests, 2, 6)
    assert tight.fault({"a": 1, "b": 2, "c": 3}).kind == "no-memory"
    assert (
        "In step 2 the memory would hold 7 tokens (a, b)"
        in tight.fault({"a": 1, "b": 2, "c": 4}).text
    )


def test_static_batches_wait_for_their_longest():
    assert SMALL.static_starts() == {"a": 1, "b": 1, "c": 4}


def test_the_schedule_of_the_chapter_has_no_better_one_in_order_of_arrival():
    problem = by_hand()
    starts = problem.continuous_starts()
    assert problem.fault(starts) is None and problem.last_step(starts) == 28
    assert problem.last_step(problem.static_starts()) == 48
    assert problem.fault(problem.static_starts()) is None
    assert _ends_by(problem, 28) and not _ends_by(problem, 27)


def _ends_by(problem, last):
    """Whether some schedule without overtaking ends by a step: all of them are tried."""
    seats, held = [0] * (last + 1), [0] * (last + 1)

    def fits(number, earliest):
        if number == len(problem.requests):
            return True
        r = problem.requests[number]
        for start in range(max(earliest, r.arrival), last - r.output_tokens + 2):
            steps = range(start, start + r.output_tokens)
            if all(
                seats[k] < problem.seats
                and held[k] + r.prompt_tokens + k - start <= problem.memory_tokens
                for k in steps
            ):
                _add(seats, held, r, start, 1)
                found = fits(number + 1, start)
                _add(seats, held, r, start, -1)
                if found:
                    return True
        return False

    return fits(0, 1)


def _add(seats, held, request, start, sign):
    for step in range(start, start + request.output_tokens):
        seats[step] += sign
        held[step] += sign * (request.prompt_tokens + step - start)


def test_a_problem_that_needs_preemption_is_refused():
    both = (SeatRequest("a", 1, 2, 9), SeatRequest("b", 1, 2, 9))
    with pytest.raises(ValueError, match="needs preemption"):
        SeatProblem(both, 2, 10).continuous_starts()


def test_requests_are_named_apart():
    names = [r.name for r in by_hand().requests]
    assert all(one < two for one, two in itertools.pairwise(names))
