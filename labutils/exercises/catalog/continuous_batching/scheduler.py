"""continuous.scheduler · A scheduler that admits at every step · 8 minutes

> Two groups share the step: those who run, with one token each, and those whom you admit, with
  their whole prompt. Who is already in `chunks`?
> What is free for prompts: memory_tokens, less all that is held, less one token for each that runs.
  Admit from the left of `waiting` while there is a seat and the prompt fits.
> while self.waiting and len(chunks) < self.seats and self.waiting[0].prompt_tokens <= room: take it
  with pop(0), lower room by its prompt, append (request, prompt_tokens).

A scheduler for continuous batching is a loop over two lists. Its plan holds everybody who runs, one
token each, and whoever finds a seat and memory, with the whole prompt. It never asks how long an
answer will be, and it needs no clock: an answer that ends has left `held` before the next step is
planned. The loop stops at the first request that does not fit, so nobody overtakes and nobody
starves; the price is that a large prompt at the head makes smaller ones behind it wait.
"""

import itertools

from labutils.exercises.checkers import Function
from labutils.exercises.definition.exercise import Misconception, Raises
from labutils.exercises.definition.sheet import exercise, made, mistakes_in

from .wrong_schedulers import Seats, Wrong


def _driven(scheduler):
    def drive_mine(requests, seats, memory_tokens):
        from labutils.serving.walks import drive

        return drive(scheduler(seats, memory_tokens), requests)

    return drive_mine


def _mistaken(scheduler):
    """As ``_driven``; where a plan cannot be carried out, that error is what the mistake yields."""

    def drive_mine(requests, seats, memory_tokens):
        try:
            return _driven(scheduler)(requests, seats, memory_tokens)
        except ValueError:
            return Raises(ValueError)

    return drive_mine


def _says(got, expected):
    """The first step that differs, or who is never let in."""
    names = [{name for step in steps for name in step} for steps in (got, expected)]
    if never := sorted(names[1] - names[0]):
        return f"Request {never[0]!r} never gets a step."
    pairs = itertools.zip_longest(got, expected, fillvalue={})
    steps = ((number, *pair) for number, pair in enumerate(pairs, 1))
    number, mine, theirs = next(step for step in steps if step[1] != step[2])
    return f"The first step that differs is step {number}: expected {theirs}, got {mine}."


def _some_requests():
    """One to six requests for one to five seats, so that each mistake shows in a fifth of them."""
    from hypothesis import strategies as st

    # One number per request, taken apart: three draws each would take most of a check's time.
    numbers = st.integers(0, 6 * 6 * 3 - 1)
    count = st.sampled_from([1, 2, 3, 4, 5, 5, 5, 6, 6, 6, 6])
    codes = count.flatmap(lambda n: st.lists(numbers, min_size=n, max_size=n))

    def named(drawn):
        codes, seats, memory = drawn
        rows = [(1 + code // 36, 1 + code % 6, 2 + code // 6 % 6) for code in codes]
        rows.sort(key=lambda row: row[0])
        return [(name, *row) for name, row in zip("ABCDEF", rows)], seats, memory

    seats, memory = st.sampled_from([1, 3, 4, 5]), st.integers(8, 12)
    return st.tuples(codes, seats, memory).map(named)


def _mistake(name, scheduler, message) -> Misconception:
    return Misconception(name, _mistaken(scheduler), message)


SCHEDULER = exercise(
    __doc__,
    Function(
        _driven(Seats),
        _some_requests,
        says=_says,
        misconceptions=made(_mistaken, mistakes_in(Wrong)),
    ),
)
