"""The largest batch at which speculation still pays."""

from dataclasses import dataclass

from labutils.exercises.checkers import Function
from labutils.exercises.definition.exercise import Exercise, Misconception


@dataclass(frozen=True)
class Step:
    """A step of so many rows: as long as the memory takes, or the arithmetic.

    A plain function to whoever calls it; printed, it can be pasted.
    """

    memory_ms: float
    row_ms: float

    def __call__(self, rows):
        return max(self.memory_ms, self.row_ms * rows)

    def __repr__(self):
        return f"lambda rows: max({self.memory_ms}, {self.row_ms} * rows)"


def _tokens(acceptance, drafts):
    return sum(acceptance**n for n in range(drafts + 1))


def _rule(
    tokens=_tokens,
    rows=lambda batch, drafts: batch * (drafts + 1),
    drafted=lambda draft, drafts, batch: draft * drafts,
    plain=lambda step, batch: step(batch),
    pays=lambda gain: gain > 1,
):
    """The search with another idea of what a step yields, verifies or costs."""

    def largest(acceptance, drafts, draft_ms, step_ms, most):
        paying = 0
        for batch in range(1, most + 1):
            cost = step_ms(rows(batch, drafts)) + drafted(draft_ms, drafts, batch)
            gain = tokens(acceptance, drafts) * plain(step_ms, batch) / cost
            if pays(gain):
                paying = batch
        return paying

    return largest


_largest = _rule()


def _smallest(acceptance, drafts, draft_ms, step_ms, most):
    for batch in range(1, most + 1):
        if _largest(acceptance, drafts, draft_ms, step_ms, batch) == batch:
            return batch
    return 0


def _first_that_does_not(*args):
    return _largest(*args) + 1


def _some_costs():
    """Memory-bound first, arithmetic later: the break-even lies inside, or nowhere."""
    from hypothesis import strategies as st

    return st.tuples(
        st.sampled_from([0.3, 0.5, 0.65, 0.8, 0.9]),
        st.integers(1, 5),
        st.sampled_from([0.4, 1.1, 2.3, 6.7]),
        st.tuples(st.sampled_from([7.3, 10.1, 14.7]), st.sampled_from([0.13, 0.29, 0.61])).map(
            lambda pair: Step(*pair)
        ),
        st.integers(5, 60),
    )


DRAFT_BATCH = Exercise(
    id="layouts.drafts",
    title="The largest batch at which speculation pays",
    minutes=5,
    checker=Function(
        reference=_largest,
        inputs=_some_costs,
        always=(
            (0.8, 3, 1.1, Step(10.1, 0.13), 60),
            (0.5, 5, 6.7, Step(10.1, 0.13), 40),
            (0.65, 2, 0.4, Step(14.7, 0.61), 30),
            (0.9, 4, 0.4, Step(7.3, 0.29), 12),
            (0.5, 1, 0.0, Step(9.0, 0.5), 40),
            (1.0, 1, 0.0, Step(8.0, 1.0), 20),
            (0.3, 5, 0.4, Step(7.3, 0.61), 14),
            (0.3, 5, 0.4, Step(8.0, 1.0), 9),
        ),
        misconceptions=(
            Misconception(
                "forgets-its-own-token",
                _rule(tokens=lambda a, k: sum(a**n for n in range(1, k + 1))),
                "You count accepted drafts alone. The target adds one token of its own, in place "
                "of the first refused draft or behind the last.",
            ),
            Misconception(
                "each-on-its-own",
                _rule(tokens=lambda a, k: 1 + a * k),
                "You count each draft as accepted by its own luck. A draft stays only if all "
                "before it stayed.",
            ),
            Misconception(
                "all-accepted",
                _rule(tokens=lambda a, k: k + 1),
                "You let every draft be accepted. What does `acceptance` say?",
            ),
            Misconception(
                "drafts-only-rows",
                _rule(rows=lambda batch, drafts: batch * drafts),
                "You verify the drafts alone. The row of the last known token is passed, too: how "
                "many rows has a request?",
            ),
            Misconception(
                "verifying-is-free",
                _rule(rows=lambda batch, drafts: batch),
                "Verifying costs you one ordinary step. A row is a row: how many does the target "
                "pass?",
            ),
            Misconception(
                "one-request",
                _rule(rows=lambda batch, drafts: drafts + 1, plain=lambda step, batch: step(1)),
                "You look at one request alone. All in the batch verify in the same step.",
            ),
            Misconception(
                "rows-added",
                _rule(rows=lambda batch, drafts: batch + drafts),
                "You add the drafts of one request to the batch. Every request brings its own.",
            ),
            Misconception(
                "drafted-once",
                _rule(drafted=lambda draft, drafts, batch: draft),
                "You pay one draft step. Drafts come one after the other, each from the last.",
            ),
            Misconception(
                "drafts-are-free",
                _rule(drafted=lambda draft, drafts, batch: 0.0),
                "Your drafts cost nothing. Who pays for the draft's steps?",
            ),
            Misconception(
                "drafted-per-request",
                _rule(drafted=lambda draft, drafts, batch: draft * drafts * batch),
                "You draft for one request after the other. One draft step drafts for the whole "
                "batch, and `draft_ms` is its time.",
            ),
            Misconception(
                "ties-pay",
                _rule(pays=lambda gain: gain >= 1),
                "Where the gain is exactly 1, nothing is gained.",
            ),
            Misconception(
                "smallest",
                _smallest,
                "That is the smallest batch at which it pays. Asked is the largest.",
            ),
            Misconception(
                "first-that-does-not",
                _first_that_does_not,
                "That is one batch further: there it does not pay any more.",
            ),
        ),
    ),
    hints=(
        "Try every batch up to `most`. What does a round of speculation yield for a request, and "
        "what does it cost?",
        "It yields 1 + α + … + α^k tokens. It costs k draft steps and one step of the target over "
        "batch · (k + 1) rows; without speculation a token costs a step over batch rows.",
        "gain = sum(acceptance**n for n in range(drafts + 1)) * step_ms(batch) / (step_ms(batch * "
        "(drafts + 1)) + drafts * draft_ms). Keep the last batch with gain > 1, starting from 0.",
    ),
    explanation=(
        "While the step waits for memory, $k$ more rows cost nothing, and speculation turns idle "
        "arithmetic into tokens. Once $(k+1)B$ rows wait for arithmetic, each refused draft is "
        "work that nobody gets. So the same pair of models gains at four users and loses at a "
        "hundred: engines switch drafting off by the batch, not by the model."
    ),
)
