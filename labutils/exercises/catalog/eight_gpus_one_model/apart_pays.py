"""layouts.apart · From which batch on apart is faster · 5 minutes

> For each batch compare two times between tokens. What is added to the step of the cards that do
  both?
> Of the others in the batch, batch - 1, each is replaced once during your answer, and its
  successor's prompt is read. Together (batch - 1) · prefill_s, spread over the answer's tokens.
> for batch, (together, apart) in enumerate(zip(together_s, apart_s), start=1): if apart < together
  + (batch - 1) * prefill_s / answer_tokens: return batch. And behind the loop?

Half of the cards read all the weights, so a step apart is slower by nearly a constant. What others'
prompts cost you grows with the batch. So there is a batch from which apart gives shorter gaps, and
it comes early where prompts are long and answers short. It says nothing of the first token: half of
the cards read the prompts, too, and the cache has to travel.
"""

from labutils.exercises.checkers import Function
from labutils.exercises.definition.sheet import exercise, mistakes_in, says


def _rule(others=lambda batch: batch - 1, of=lambda prefill, answer: prefill / answer, pays=None):
    """The search with another idea of who waits for whom, or of what pays."""
    pays = pays or (lambda apart, together: apart < together)

    def pays_from(together_s, apart_s, prefill_s, answer_tokens):
        for batch, (together, apart) in enumerate(zip(together_s, apart_s), start=1):
            if pays(apart, together + others(batch) * of(prefill_s, answer_tokens)):
                return batch
        return None

    return pays_from


_pays_from = _rule()


def _otherwise(value):
    def pays_from(*args):
        found = _pays_from(*args)
        return value if found is None else found

    return pays_from


class Wrong:
    counts_itself = says("""Your own prompt stands in your way too. It is read before your first
        token: whose prompts come while you decode?""")(_rule(others=lambda batch: batch))
    one_prompt = says("""One prompt is read while you decode, whatever the batch. How many of the
        others end, and are followed by a new one, during your answer?""")(
        _rule(others=lambda batch: 1)
    )
    one_other_fewer = says("""You count one of the others too few. The first entry of the lists is
        the step of a batch of 1, in which nobody else is.""")(
        _rule(others=lambda batch: batch - 2)
    )
    times_the_answer = says("""You multiply by the tokens of the answer. A prompt is read once in an
        answer: what is that for each of its tokens?""")(
        _rule(of=lambda prefill, answer: prefill * answer)
    )
    at_every_token = says("""You wait for all those prompts at every token. It happens once each in
        an answer: spread it over its tokens.""")(_rule(of=lambda prefill, answer: prefill))
    no_prompts = says("""You compare plain decode steps. What else do the cards do that have both
        jobs?""")(_rule(others=lambda batch: 0))
    ties_pay = says("""Where both are equal, nothing is gained yet.""")(
        _rule(pays=lambda apart, together: apart <= together)
    )

    def place_in_the_list(*args):
        """That is the place in the list. The first entry is the step of a batch of 1."""
        found = _pays_from(*args)
        return None if found is None else found - 1

    def counted_from_zero(together_s, apart_s, prefill_s, answer_tokens):
        """Your batches begin at 0. The first entry of the lists is the step of a batch of 1."""
        found = Wrong.one_other_fewer(together_s, apart_s, prefill_s, answer_tokens)
        return None if found is None else found - 1

    def whole_division(together_s, apart_s, prefill_s, answer_tokens):
        """You cut off the fraction of what a token waits for prompts. Why `//`?"""
        steps = enumerate(zip(together_s, apart_s))
        waits = ((n + 1, t + n * prefill_s // answer_tokens, a) for n, (t, a) in steps)
        return next((batch for batch, together, apart in waits if apart < together), None)

    minus_one_if_never = says("You return -1 where it never pays. What is asked for?")(
        _otherwise(-1)
    )
    zero_if_never = says("You return 0 where it never pays. What is asked for?")(_otherwise(0))

    def largest_if_never(*args):
        """You return the largest batch where it never pays. What is asked for?"""
        return _otherwise(len(args[0]))(*args)

    over_the_gaps = says("""You spread the prompts over the gaps between the answer's tokens. The
        text shares them out over all of its tokens.""")(
        _rule(of=lambda prefill, answer: prefill / (answer - 1))
    )

    def for_good(together_s, apart_s, prefill_s, answer_tokens):
        """You look for the batch from which on it pays for good. Asked is the first at which it
        pays."""
        steps = enumerate(zip(together_s, apart_s), start=1)
        pays = [a < t + (b - 1) * prefill_s / answer_tokens for b, (t, a) in steps]
        never = [batch for batch, one in enumerate(pays, start=1) if not one]
        first = max(never, default=0) + 1
        return first if first <= len(pays) else None

    def to_the_millisecond(together_s, apart_s, prefill_s, answer_tokens):
        """You round, or allow for a millisecond. A step takes a few of them: compare what was
        computed."""
        steps = enumerate(zip(together_s, apart_s), start=1)
        extra_s = prefill_s / answer_tokens
        both = ((b, round(t + (b - 1) * extra_s, 3), round(a, 3)) for b, (t, a) in steps)
        return next((batch for batch, together, apart in both if apart < together), None)

    def largest(together_s, apart_s, prefill_s, answer_tokens):
        """That is a later batch, the last at which it pays or the one that gains most. Where does
        it begin?"""
        steps = list(enumerate(zip(together_s, apart_s), start=1))
        return next(
            (b for b, (t, a) in reversed(steps) if a < t + (b - 1) * prefill_s / answer_tokens),
            None,
        )

    def where_together_pays(together_s, apart_s, prefill_s, answer_tokens):
        """You return a batch at which *together* is faster. Which way round is the comparison?"""
        steps = enumerate(zip(together_s, apart_s), start=1)
        return next((b for b, (t, a) in steps if a > t + (b - 1) * prefill_s / answer_tokens), None)


def _some_steps():
    """Steps of 1 to 14 sequences in ms, slower apart at first; some never cross."""
    from hypothesis import strategies as st

    def listed(shape):
        size, together, apart, grows, grows_apart = shape
        return (
            [together + grows * n for n in range(size)],
            [apart + grows_apart * n for n in range(size)],
        )

    steps = st.tuples(
        st.integers(1, 14), st.integers(4, 9), st.integers(7, 30), st.integers(0, 2),
        st.sampled_from([0, 0.5, 1.25, 3]),
    ).map(listed)  # fmt: skip
    return st.tuples(steps, st.sampled_from([10, 30, 75, 130]), st.sampled_from([5, 20, 50])).map(
        lambda drawn: (*drawn[0], drawn[1], drawn[2])
    )


APART_PAYS = exercise(
    __doc__,
    Function(
        _pays_from,
        _some_steps,
        always=(
            ([8, 8, 8, 8], [12, 12, 12, 12], 100, 50),
            ([8, 8, 8, 8], [7, 30, 30, 9], 100, 50),
            ([8, 8, 8], [12.1, 12.1, 12.1], 100, 50),
            ([0.0081, 0.0082, 0.0083, 0.0084], [0.0085, 0.0085, 0.0085, 0.0085], 0.006, 30),
            ([0.0081, 0.0082, 0.0083, 0.0084], [0.0089, 0.0089, 0.0089, 0.0089], 0.0085, 30),
            ([8, 8, 8], [13, 13, 13], 100, 50),
            ([8, 9, 10, 11, 12], [15, 16, 17, 18, 19], 120, 60),
            ([8, 9], [8, 9], 40, 40),
            ([9, 9], [8, 8], 40, 40),
            ([8, 8, 8, 8], [9, 9, 17, 17], 80, 40),
            ([8, 8, 8, 8, 8], [9, 9, 17, 17, 13], 80, 40),
            ([8, 8, 8], [8.5, 8.5, 8.5], 30, 50),  # a part of a millisecond counts
        ),
        misconceptions=mistakes_in(Wrong),
    ),
)
