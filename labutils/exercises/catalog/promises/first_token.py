"""promises.first_token · When would its first token come? · 6 minutes

> Walk from step to step until all prompt tokens ahead and its own are computed. What does one step
  take off, and how long does it last?
> In each step the decodes take their tokens first: budget - decoding are left for prompts. A step
  with `new` prompt tokens lasts base_s + new × per_prefill_token_s + decoding × per_sequence_s.
> while left > 0: new = min(left, budget - decoding); add the step's seconds; left -= new.

The forecast is the scheduler's own arithmetic, done in advance: chapter 07's chunks and chapter
05's step. It leaves out attention, places and memory, and what comes later and may stand before it.
So it is a lower limit for a queue in order of arrival. A refusal by a lower limit is safe: whoever
is refused would have been late.
"""

from labutils.exercises.checkers import Function
from labutils.exercises.definition.sheet import exercise, mistakes_in, says


def _step_s(new, decoding, cost):
    return cost.base_s + new * cost.per_prefill_token_s + decoding * cost.per_sequence_s


def _forecast(*, left=None, room=None, step_s=_step_s, tail=None):
    """The forecast with another idea of the work, of a step's room, its time, or the last step."""

    def first_token_s(ahead, prompt, decoding, budget, cost):
        todo = left(ahead, prompt) if left else ahead + prompt
        most = room(decoding, budget) if room else budget - decoding
        whole, rest = divmod(todo, most)
        seconds = whole * step_s(most, decoding, cost)
        if tail:
            return seconds + tail(rest, most, decoding, cost)
        return seconds + (step_s(rest, decoding, cost) if rest else 0.0)

    return first_token_s


class Wrong:
    forgets_those_ahead = says("""You compute its own prompt only. Whose prompts are computed before
        it?""")(_forecast(left=lambda ahead, prompt: prompt))
    stops_before_its_own = says("""You stop when those ahead are done. Which step brings its first
        token?""")(_forecast(left=lambda ahead, prompt: ahead))
    decodes_take_no_budget = says("""You give the whole budget to prompts. Who else takes tokens of
        each step?""")(_forecast(room=lambda decoding, budget: budget))
    last_step_is_full = says("""You charge the last step as a full one. How many tokens are left for
        it?""")(_forecast(tail=lambda rest, most, d, cost: _step_s(most, d, cost) if rest else 0))
    full_steps_alone = says("""The tokens that fill no whole step are missing. In which step are
        they computed?""")(_forecast(tail=lambda rest, most, d, cost: 0.0))
    a_share_of_a_step = says("""You take a share of a full step for the last one. Does a step with
        few tokens also read the weights?""")(
        _forecast(tail=lambda rest, most, d, cost: rest / most * _step_s(most, d, cost))
    )
    always_one_more = says("""Where the tokens fill the steps exactly, you add one without a
        token.""")(_forecast(tail=lambda rest, most, d, cost: _step_s(rest, d, cost)))

    def in_one_step(ahead, prompt, decoding, budget, cost):
        """You compute all of it in one step. What does the token budget allow?"""
        return _step_s(ahead + prompt, decoding, cost)

    def alone_in_its_steps(ahead, prompt, decoding, budget, cost):
        """You let its prompt begin a new step. What of the room that those ahead leave in their
        last one?"""
        # As if a prompt began a step of its own.
        whole = _forecast()
        return whole(ahead, 0, decoding, budget, cost) + whole(0, prompt, decoding, budget, cost)

    forgets_the_base = says("""A step takes base_s whatever is in it. How many steps are there?""")(
        _forecast(step_s=lambda new, d, cost: _step_s(new, d, cost) - cost.base_s)
    )

    def base_once(ahead, prompt, decoding, budget, cost):
        """You count base_s once. How many steps are there?"""
        return cost.base_s + _forecast(step_s=lambda new, d, c: _step_s(new, d, c) - c.base_s)(
            ahead, prompt, decoding, budget, cost
        )

    decodes_are_free = says("""Those who decode take time in each of these steps as well. Which cost
        is theirs?""")(_forecast(step_s=lambda new, d, cost: _step_s(new, 0, cost)))

    def decodes_once(ahead, prompt, decoding, budget, cost):
        """You count those who decode once. In how many of these steps do they take time?"""
        return decoding * cost.per_sequence_s + _forecast(step_s=lambda n, d, c: _step_s(n, 0, c))(
            ahead, prompt, decoding, budget, cost
        )

    def steps_rounded_down(ahead, prompt, decoding, budget, cost):
        """You round the number of steps down. In which step are the last tokens computed, and what
        does that step take besides?"""
        steps, rest = divmod(ahead + prompt, budget - decoding)
        full = _step_s(budget - decoding, decoding, cost)
        return steps * full + rest * cost.per_prefill_token_s

    def milliseconds(*args):
        """That is in milliseconds. The costs are in seconds; what was asked?"""
        return 1000 * _forecast()(*args)


def _some_queues():
    """Tokens ahead, a prompt, decodes, a budget, and a cost with every part in it."""
    from hypothesis import strategies as st

    from labutils.serving.simulator import StepCost

    costs = st.sampled_from(
        [StepCost(0.006, 0.001, 0.0, 0.002), StepCost(0.011, 0.0005, 0.0, 0.003)]
    )
    ahead, prompt = st.sampled_from([0, 7, 40, 93, 150, 260]), st.integers(1, 90)
    return st.tuples(ahead, prompt, st.integers(0, 9), st.sampled_from([16, 25, 64]), costs)


FIRST_TOKEN = exercise(
    __doc__, Function(_forecast(), _some_queues, misconceptions=mistakes_in(Wrong))
)
