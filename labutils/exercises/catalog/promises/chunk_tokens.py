"""promises.chunk · The chunk behind a promise · 4 minutes, optional

> Whoever reads gets a token a step. So how long may a step last, and what of that time is spent
  already?
> left_s = tpot_s - base_s - decoding × per_sequence_s, divided by per_prefill_token_s and rounded
  down. Then hold it between least and most. With no decodes: most.
> if decoding == 0: return most. tokens = int(left_s / cost.per_prefill_token_s); return max(least,
  min(tokens, most)).

The token budget of chapter 07 is a dial; this rule turns it in every step. While nobody reads,
prompts get all of it. The rule keeps every single gap within the promise, which is more than a TPOT
asks: a TPOT is a mean, and could be late now and early later. And it gives up below `least`, for a
prompt that never moves breaks a promise as well.
"""

import math

from labutils.exercises.checkers import Function
from labutils.exercises.definition.sheet import exercise, mistakes_in, says


def _fits(tpot_s, decoding, cost, *, base=True, decodes=True):
    left_s = tpot_s - cost.base_s * base - decoding * cost.per_sequence_s * decodes
    return left_s / cost.per_prefill_token_s


def _chunk(*, fits=_fits, whole=math.floor, clip=lambda n, least, most: max(least, min(n, most))):
    """The rule with another idea of what fits, of rounding, or of the limits."""

    def chunk_tokens(tpot_s, decoding, cost, least, most):
        if decoding == 0:
            return most
        return clip(whole(fits(tpot_s, decoding, cost)), least, most)

    return chunk_tokens


class Wrong:
    forgets_the_base = says("""You spend the whole promise on tokens. What does a step take that has
        none?""")(_chunk(fits=lambda *args: _fits(*args, base=False)))
    forgets_the_decodes = says("""Those who decode take time in this step as well.""")(
        _chunk(fits=lambda *args: _fits(*args, decodes=False))
    )
    tokens_only = says("""You spend the whole promise on the prompt. What else takes time in a
        step?""")(_chunk(fits=lambda *args: _fits(*args, base=False, decodes=False)))
    rounds_up = says("""You round up, and the step lasts longer than was promised.""")(
        _chunk(whole=math.ceil)
    )
    rounds_to_the_nearest = says("""You round to the nearest whole number. May the step be longer
        than was promised?""")(_chunk(whole=round))
    refuses_the_last_moment = says("""A step that lasts exactly as long as promised keeps the
        promise.""")(_chunk(whole=lambda tokens: math.ceil(tokens) - 1))
    parts_of_a_token = says("""You return a part of a token. How many whole ones fit?""")(
        _chunk(whole=lambda tokens: tokens)
    )
    decodes_as_tokens = says("""You take a token off for each that decodes. The promise is in
        seconds: what does one of them take?""")(
        _chunk(fits=lambda *args: _fits(*args, decodes=False) - args[1])
    )
    decodes_twice = says("""You take those who decode off twice: their seconds, and a token for
        each. Asked are the tokens of prompts.""")(
        _chunk(fits=lambda *args: _fits(*args) - args[1])
    )
    no_least = says("""With many decodes nothing is left for prompts, and then no prompt ever ends.
        What is `least` for?""")(_chunk(clip=lambda n, least, most: min(n, most)))
    none_at_least = says("""With many decodes nothing is left for prompts, and then no prompt ever
        ends. What is `least` for?""")(_chunk(clip=lambda n, least, most: max(0, min(n, most))))
    no_most = says("""You go beyond `most`. Memory for a step is limited as well.""")(
        _chunk(clip=lambda n, least, most: max(least, n))
    )
    limits_exchanged = says("""You took the wrong end of each limit: at least `least`, at most
        `most`.""")(_chunk(clip=lambda n, least, most: min(least, max(n, most))))

    def careful_for_nobody(tpot_s, decoding, cost, least, most):
        """Nobody decodes in this step. Whose reading would a long one disturb?"""
        return max(least, min(math.floor(_fits(tpot_s, decoding, cost)), most))

    def least_for_nobody(tpot_s, decoding, cost, least, most):
        """Nobody decodes in this step, and you take the least. Whose reading would a long step
        disturb?"""
        return _chunk()(tpot_s, decoding, cost, least, most) if decoding else least

    def tokens_of_the_step(tpot_s, decoding, cost, least, most):
        """You count the decodes' tokens in. Asked are the tokens of prompts alone."""
        return _chunk()(tpot_s, decoding, cost, least, most) + decoding


def _some_steps():
    """Promises below, within and above the limits.

    A whole number of tokens meets them exactly only where each cost is a power of two, so that
    every order of the arithmetic gives the same.
    """
    from hypothesis import strategies as st

    from labutils.serving.simulator import StepCost

    def step(drawn):
        tokens, part, decoding, (base_s, token_s, sequence_s), least, most = drawn
        cost = StepCost(base_s, token_s, 0.0, sequence_s)
        tokens += part if base_s < 1 else 0
        tpot_s = base_s + tokens * token_s + decoding * sequence_s
        return round(tpot_s, 9), decoding, cost, least, most

    costs = st.sampled_from([(0.006, 0.0001, 0.0003), (0.004, 0.0002, 0.0007), (8.0, 0.25, 0.125)])
    tokens = st.sampled_from([-19, 0, 3, 15, 21, 40, 77, 130, 300, 700])
    decoding = st.sampled_from([0, 1, 2, 5, 13, 40])
    limits = st.sampled_from([8, 16, 32]), st.sampled_from([128, 512])
    parts = st.sampled_from([0.3, 0.6])
    return st.tuples(tokens, parts, decoding, costs, *limits).map(step)


CHUNK = exercise(__doc__, Function(_chunk(), _some_steps, misconceptions=mistakes_in(Wrong)))
