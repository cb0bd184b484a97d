"""speculative.greedy · Drafts that stay, greedily · 4 minutes

> How many drafts, from the first one on, are what the target itself would have said?
> Count while drafted[same] == likeliest[same]. Those stay. What the target says at the next place
  is its own token, whether a draft was refused there or none was left.
> return [*drafted[:same], likeliest[same]]: one row more than there are drafts, so the index is
  always there.

Row i of the logits was computed behind the text, and behind the drafts before place i. As long as
those are the target's own tokens, row i is what the target would have computed alone. So the first
refused place still has a valid row, and gives the target's own token: a step never yields less than
one. Behind it nothing is valid.
"""

from labutils.exercises.checkers import Function
from labutils.exercises.definition.sheet import exercise, mistakes_in


def _house(drafted, likeliest):
    from labutils.serving.speculation import accepted_greedily

    return accepted_greedily(drafted, likeliest)


class Wrong:
    def drafts_alone(drafted, likeliest):
        """Only drafts come out. A request whose first draft is refused gets nothing from this step,
        and from the next one neither. What does the target say at the place of the refusal?"""
        return _house(drafted, likeliest)[:-1]

    def none_for_free(drafted, likeliest):
        """Where all drafts stay, the target has said one token more: its logits behind the last
        draft were computed as well. Who uses them?"""
        return _house(drafted, likeliest)[: len(drafted)]

    def every_match(drafted, likeliest):
        """You keep drafts behind a refused one. What they were verified against stands behind a
        token that is not in the answer."""
        same = [draft for draft, token in zip(drafted, likeliest) if draft == token]
        return [*same, likeliest[len(same)]]

    def with_the_refused(drafted, likeliest):
        """The refused draft is in the answer, and the target's token behind it. It should stand in
        its place."""
        same = len(_house(drafted, likeliest)) - 1
        return [*drafted[: same + 1], likeliest[same]]

    def own_from_the_end(drafted, likeliest):
        """The target's own token comes from the last row. That one was computed behind all drafts,
        the refused ones too. Which row belongs to the refused place?"""
        return [*_house(drafted, likeliest)[:-1], likeliest[-1]]

    def a_row_too_late(drafted, likeliest):
        """You hold each draft against the row behind it. Row i says what the target would have at
        the place of draft i."""
        pairs = enumerate(zip(drafted, likeliest[1:]))
        same = next((at for at, (draft, token) in pairs if draft != token), len(drafted))
        return [*drafted[:same], likeliest[same]]

    def nothing_without_drafts(drafted, likeliest):
        """Without drafts you return nothing. The target's own token comes out of every step."""
        return _house(drafted, likeliest) if drafted else []

    def all_or_nothing(drafted, likeliest):
        """One refused draft costs you all of them. Those before it were right."""
        return list(likeliest) if drafted == likeliest[:-1] else [likeliest[0]]

    def the_targets_row(drafted, likeliest):
        """You return whatever the target says at each place. Behind a refused draft its rows were
        computed with a wrong token in the text."""
        return list(likeliest)


def _pairs():
    """Up to five drafts of four words, of which the first few are the target's own."""
    from hypothesis import strategies as st

    said = st.lists(st.integers(0, 3), min_size=1, max_size=6)
    other = st.lists(st.integers(0, 3), min_size=5, max_size=5)
    both = st.tuples(said, other, st.integers(0, 5))
    return both.map(lambda one: ([*one[0][: one[2]], *one[1]][: len(one[0]) - 1], one[0]))


GREEDY = exercise(
    __doc__,
    Function(
        _house,
        _pairs,
        always=(([4, 8, 1], [4, 8, 2, 9]), ([5, 7, 5], [5, 6, 5, 8]), ([3, 3], [3, 3, 7])),
        misconceptions=mistakes_in(Wrong),
    ),
)
