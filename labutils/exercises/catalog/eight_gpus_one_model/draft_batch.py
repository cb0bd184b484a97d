"""layouts.drafts · Up to which batch speculation pays · 5 minutes, optional

> Try the batches from 1 on, until one does not gain. What does a round of speculation yield for a
  request, and what does it cost?
> It yields 1 + α + … + α^k tokens. It costs k draft steps of the batch and one step of the target
  over batch · (k + 1) rows; without speculation a token costs a step over batch rows.
> gain = sum(acceptance**n for n in range(drafts + 1)) * step_ms(batch) / (step_ms(batch * (drafts +
  1)) + drafts * draft_ms(batch)). At the first batch with gain <= 1 return batch - 1. And if none
  comes?

While the step waits for memory, $k$ more rows cost little, and speculation turns what the step has
to spare into tokens. Once $(k+1)B$ rows wait for arithmetic, or for exchanges, each refused draft
is work that nobody gets. So the same pair of models gains at four users and loses at a hundred:
engines switch drafting off by the batch, not by the model.
"""

from dataclasses import dataclass

from labutils.exercises.checkers import Function
from labutils.exercises.definition.exercise import Raises
from labutils.exercises.definition.sheet import exercise, mistakes_in, says


@dataclass(frozen=True)
class Step:
    """A step of so many rows: as long as the memory takes, or the arithmetic.

    Arithmetic takes rows in blocks of ``tile``, as kernels do: a block begun costs a whole one, so
    a gain that was lost can come back. A plain function to whoever calls it; printed, it can be
    pasted.
    """

    memory_ms: float
    row_ms: float
    tile: int = 1

    def __call__(self, rows):
        return max(self.memory_ms, self.row_ms * self.tile * -(-rows // self.tile))

    def __repr__(self):
        counted = "n" if self.tile == 1 else f"{self.tile} * -(-n // {self.tile})"
        return f"lambda n: max({self.memory_ms}, {self.row_ms} * {counted})"


def _tokens(acceptance, drafts):
    return sum(acceptance**n for n in range(drafts + 1))


def _rule(
    tokens=_tokens,
    rows=lambda batch, drafts: batch * (drafts + 1),
    drafted=lambda draft_ms, drafts, batch: draft_ms(batch) * drafts,
    plain=lambda step, batch: step(batch),
    pays=lambda gain: gain > 1,
):
    """The search with another idea of what a step yields, verifies or costs."""

    def up_to(acceptance, drafts, draft_ms, step_ms, most):
        for batch in range(1, most + 1):
            cost = step_ms(rows(batch, drafts)) + drafted(draft_ms, drafts, batch)
            if not pays(tokens(acceptance, drafts) * plain(step_ms, batch) / cost):
                return batch - 1
        return most

    return up_to


_up_to = _rule()


def _pays_at(acceptance, drafts, draft_ms, step_ms, batch):
    gained = _tokens(acceptance, drafts) * step_ms(batch)
    return gained > step_ms(batch * (drafts + 1)) + drafts * draft_ms(batch)


def _closed(drafts_more):
    """The sum of powers in its closed form, of which α = 1 makes 0/0."""
    found = _rule(tokens=lambda acceptance, drafts: _tokens(acceptance, drafts + drafts_more))

    def up_to(acceptance, *rest):
        return Raises(ZeroDivisionError) if acceptance == 1 else found(acceptance, *rest)

    return up_to


class Wrong:
    a_term_too_few = says("""A round yields one token more than you count. How many tokens come
        where every draft stays?""")(_rule(tokens=lambda a, k: _tokens(a, k - 1)))
    closed_form_a_term_too_few = says("""Your closed form sums one term too few, and it divides by
        1 - α. How many tokens come where every draft stays?""")(_closed(-1))
    closed_form = says("""Your closed form divides by 1 - α. What if every draft stays?""")(
        _closed(0)
    )
    forgets_its_own_token = says("""You count accepted drafts alone. The target adds one token of
        its own, in place of the first refused draft or behind the last.""")(
        _rule(tokens=lambda a, k: sum(a**n for n in range(1, k + 1)))
    )
    each_on_its_own = says("""You count each draft as accepted by its own luck. A draft stays only
        if all before it stayed.""")(_rule(tokens=lambda a, k: 1 + a * k))
    all_accepted = says("""You let every draft be accepted. What does `acceptance` say?""")(
        _rule(tokens=lambda a, k: k + 1)
    )
    drafts_only_rows = says("""You verify the drafts alone. The row of the last known token is
        passed, too: how many rows has a request?""")(
        _rule(rows=lambda batch, drafts: batch * drafts)
    )
    verifying_is_free = says("""Verifying costs you one ordinary step. A row is a row: how many does
        the target pass?""")(_rule(rows=lambda batch, drafts: batch))
    one_request = says("""You look at one request alone. All in the batch verify in the same
        step.""")(
        _rule(
            rows=lambda batch, drafts: drafts + 1,
            drafted=lambda draft_ms, drafts, batch: draft_ms(1) * drafts,
            plain=lambda step, batch: step(1),
        )
    )
    rows_added = says("""You add the drafts of one request to the batch. Every request brings its
        own.""")(_rule(rows=lambda batch, drafts: batch + drafts))
    drafted_once = says("""You pay one draft step. Drafts come one after the other, each from the
        last.""")(_rule(drafted=lambda draft_ms, drafts, batch: draft_ms(batch)))
    drafts_are_free = says("""Your drafts cost nothing. Who pays for the draft's steps?""")(
        _rule(drafted=lambda draft_ms, drafts, batch: 0.0)
    )
    drafted_per_request = says("""You draft for one request after the other. One draft step drafts
        for the whole batch, and `draft_ms(batch)` is its time.""")(
        _rule(drafted=lambda draft_ms, drafts, batch: draft_ms(batch) * drafts * batch)
    )
    drafted_for_one = says("""Your draft step is always that of one request. The whole batch is
        drafted for: what does `draft_ms` take?""")(
        _rule(drafted=lambda draft_ms, drafts, batch: draft_ms(1) * drafts)
    )
    drafted_for_all_rows = says("""Your draft step has as many rows as the verification. One draft
        step makes one draft for each request of the batch.""")(
        _rule(drafted=lambda draft_ms, drafts, batch: draft_ms(batch * (drafts + 1)) * drafts)
    )
    ties_pay = says("""Where the gain is exactly 1, nothing is gained.""")(
        _rule(pays=lambda gain: gain >= 1)
    )

    def smallest(*args):
        """That is the smallest batch at which it pays. Up to which batch does it?"""
        *costs, most = args
        return next((batch for batch in range(1, most + 1) if _pays_at(*costs, batch)), 0)

    def last_that_pays(*args):
        """It pays at that batch, but not at all smaller ones: a gain can be lost and come back.
        Asked is the batch before the first loss."""
        *costs, most = args
        return max((batch for batch in range(1, most + 1) if _pays_at(*costs, batch)), default=0)

    def first_that_does_not(*args):
        """That is one batch further: there it does not pay any more."""
        return _up_to(*args) + 1


def _some_costs():
    """Memory-bound first, arithmetic later: the break-even lies inside, or nowhere."""
    from hypothesis import strategies as st

    def costs(memory_ms, row_ms, tile=(1,)):
        return st.builds(Step, *map(st.sampled_from, (memory_ms, row_ms, tile)))

    return st.tuples(
        st.sampled_from([0.3, 0.5, 0.65, 0.8, 0.9]),
        st.integers(1, 5),
        costs([0.4, 1.1, 2.3, 6.7], [0.02, 0.09, 0.23]),
        costs([7.3, 10.1, 14.7], [0.13, 0.29, 0.61], [1, 16]),
        st.integers(5, 60),
    )


DRAFT_BATCH = exercise(
    __doc__,
    Function(
        _up_to,
        _some_costs,
        always=(
            (0.8, 3, Step(1.1, 0.05), Step(10.1, 0.13), 60),
            (0.8, 3, Step(1.1, 0.05), Step(10.1, 0.13), 45),
            (0.8, 3, Step(1.1, 0.05), Step(10.1, 0.13), 44),
            (0.5, 5, Step(6.7, 0.0), Step(10.1, 0.13), 40),
            (0.65, 2, Step(0.4, 0.09), Step(14.7, 0.61), 30),
            (0.9, 4, Step(0.4, 0.02), Step(7.3, 0.29), 12),
            (0.9, 1, Step(0.4, 0.01), Step(7.3, 0.61, 16), 40),
            (0.5, 1, Step(0.0, 0.0), Step(9.0, 0.5), 40),
            (1.0, 1, Step(0.0, 0.0), Step(8.0, 1.0), 20),
            (0.3, 5, Step(0.4, 0.02), Step(7.3, 0.61), 14),
            (0.3, 5, Step(0.4, 0.0), Step(8.0, 1.0), 9),
            (0.9, 2, Step(0.4, 0.23), Step(10.1, 0.13), 60),
        ),
        misconceptions=mistakes_in(Wrong),
    ),
)
