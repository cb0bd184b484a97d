"""A scheduler for continuous batching: who computes what in the next step."""

import itertools

from labutils.exercises.checkers import Function
from labutils.exercises.definition.exercise import Exercise, Misconception, Raises

from . import wrong_schedulers as wrong
from .wrong_schedulers import Seats


def _driven(scheduler):
    def drive_mine(requests, seats, memory_tokens):
        from labutils.serving.walks import drive

        return drive(scheduler(seats, memory_tokens), requests)

    return drive_mine


def _mistaken(scheduler):
    """As ``_driven``; a plan that cannot be carried out is the mistake's own outcome."""

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


SCHEDULER = Exercise(
    id="continuous.scheduler",
    title="A scheduler that admits at every step",
    minutes=8,
    checker=Function(
        reference=_driven(Seats),
        inputs=_some_requests,
        says=_says,
        misconceptions=(
            _mistake(
                "static",
                wrong.Static,
                "You admit only when nobody runs any more: that is the static batch again. Which "
                "condition keeps a free seat empty?",
            ),
            _mistake(
                "one-per-step",
                wrong.OnePerStep,
                "You admit one request per step at most. How many seats may be free at once?",
            ),
            _mistake(
                "overtaking",
                wrong.Overtaking,
                "A request overtakes one that does not fit. Large prompts could then wait for "
                "ever: stop at the head of the line if it does not fit.",
            ),
            _mistake(
                "newest-first",
                wrong.NewestFirst,
                "You take the last of the line. Who has waited longest?",
            ),
            _mistake(
                "no-memory",
                wrong.NoMemory,
                "You fill every seat, whatever memory holds. What if the prompt has no room?",
            ),
            _mistake(
                "no-seats",
                wrong.NoSeats,
                "You admit as long as memory lasts. How many chunks may the step have?",
            ),
            _mistake(
                "seats-of-before",
                wrong.SeatsOfBefore,
                "You compare the seats with those who ran before this step. Where do the ones sit "
                "whom you have just admitted?",
            ),
            _mistake(
                "not-quite-full",
                wrong.NotQuiteFull,
                "A prompt that fits exactly has to wait. May memory be full?",
            ),
            _mistake(
                "no-growth",
                wrong.NoGrowth,
                "You count what is in memory now. Those who run compute a token each in this very "
                "step: where does its KV go?",
            ),
            _mistake(
                "free-newcomers",
                wrong.FreeNewcomers,
                "Two that are admitted in the same step both count on the same free memory.",
            ),
            _mistake(
                "prefill-first",
                wrong.PrefillFirst,
                "In a step with a new prompt nobody else computes. That is a policy too, and a "
                "later section looks at it. Here everybody who runs gets a token in every step.",
            ),
            _mistake(
                "one-seat-too-many",
                wrong.OneSeatTooMany,
                "One more gets a seat than there are. How many chunks are there when the last "
                "seat is taken?",
            ),
            _mistake(
                "reserves-the-next-token",
                wrong.ReservesTheNextToken,
                "You keep a token for each newcomer beside its prompt. This step writes the "
                "prompt alone; the token counts in the next one, where it is written.",
            ),
            _mistake(
                "counts-it-twice",
                wrong.HoldsThemItself,
                "You write a newcomer's tokens into `held`, and `commit` writes them once more. "
                "Which of the two knows what was really computed?",
            ),
            _mistake(
                "stays-in-the-line",
                wrong.StaysInTheLine,
                "A request that was admitted still stands in `waiting`, and is planned a second "
                "time. Who takes it out of the line?",
            ),
            _mistake(
                "never-admits", wrong.NeverAdmits, "Nobody is ever admitted. Who takes the seats?"
            ),
        ),
    ),
    hints=(
        "Two groups share the step: those who run, with one token each, and those whom you admit, "
        "with their whole prompt. Who is already in `chunks`?",
        "What is free for prompts: memory_tokens, less all that is held, less one token for each "
        "that runs. Admit from the left of `waiting` while there is a seat and the prompt fits.",
        "while self.waiting and len(chunks) < self.seats and self.waiting[0].prompt_tokens <= "
        "room: take it with pop(0), lower room by its prompt, append (request, prompt_tokens).",
    ),
    explanation=(
        "A scheduler for continuous batching is a loop over two lists. Its plan holds everybody "
        "who runs, one token each, and whoever finds a seat and memory, with the whole prompt. It "
        "never asks how long an answer will be, and it needs no clock: an answer that ends has "
        "left `held` before the next step is planned. The loop stops at the first request that "
        "does not fit, so nobody overtakes and nobody starves; the price is that a large prompt "
        "at the head makes smaller ones behind it wait."
    ),
)
