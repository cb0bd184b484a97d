"""speculative.look_back · A draft for nothing · 7 minutes

> Which end of the text do you look for, and where may it lie so that something follows?
> Lengths from min(self.longest, len(text) - 1) down to self.shortest; for each, places from
  len(text) - length - 1 down to 0. The first that is found wins.
> if list(text[at : at + length]) == list(text[-length:]): return list(text[at + length : at +
  length + count]). Behind all loops: [].

Prompt look-up (Saxena, 2023) drafts for nothing where the answer repeats its prompt: edits of code,
summaries, answers that quote. Elsewhere it is seldom asked twice, since most ends are found
nowhere, and then a step costs what it did before.
"""

from types import SimpleNamespace

from labutils.exercises.checkers import Function
from labutils.exercises.definition.sheet import exercise, mistakes_in


class _Draft(SimpleNamespace):
    """What ``self`` is in a check: settings that stay, since one draft serves many texts."""

    def __setattr__(self, name, value):
        if name in vars(self):
            raise AttributeError(f"self.{name} = {value!r}: the next text needs it as it was")
        super().__setattr__(name, value)


def on_text(followed):
    """How the check tries ``followed``: with the lengths that it looks for."""
    if not callable(followed):
        return followed

    def looked_up(text, count, longest, shortest):
        return followed(_Draft(shortest=shortest, longest=longest), text, count)

    return looked_up


def _house(text, count, longest, shortest):
    from labutils.serving.speculation import LookupDraft

    return LookupDraft(longest=longest, shortest=shortest).followed(text, count)


def _looked(text, count, lengths, places):
    for length in lengths:
        end = text[-length:]
        for at in places(len(text) - length):
            if text[at : at + length] == end:
                return text[at + length : at + length + count]
    return []


def _lengths(text, longest, shortest):
    return range(min(longest, len(text) - 1), shortest - 1, -1)


class Wrong:
    def first_place(text, count, longest, shortest):
        """You take the first place where these tokens stood. What followed the latest time is
        likelier to follow again."""
        return _looked(text, count, _lengths(text, longest, shortest), range)

    def shortest_first(text, count, longest, shortest):
        """You look for one token first, which is found nearly anywhere. A longer end says more."""
        lengths = reversed(_lengths(text, longest, shortest))
        return _looked(text, count, lengths, lambda n: range(n - 1, -1, -1))

    def finds_itself(text, count, longest, shortest):
        """You find the end of the text in the end of the text, and nothing follows it."""
        return _looked(text, count, _lengths(text, longest, shortest), lambda n: range(n, -1, -1))

    def longest_alone(text, count, longest, shortest):
        """If the longest end is not found you give up. A shorter one may be."""
        found = _lengths(text, longest, shortest)[:1]
        return _looked(text, count, found, lambda n: range(n - 1, -1, -1))

    def with_the_words_themselves(text, count, longest, shortest):
        """You return the tokens that were looked for. Asked is what followed them."""
        for length in _lengths(text, longest, shortest):
            for at in range(len(text) - length - 1, -1, -1):
                if text[at : at + length] == text[-length:]:
                    return text[at : at + count]
        return []


def _some_texts():
    from hypothesis import strategies as st

    text = st.lists(st.integers(0, 3), min_size=1, max_size=12)
    lengths = st.sampled_from([(1, 1), (2, 1), (3, 1), (2, 2), (3, 2)])
    drawn = st.tuples(text, st.integers(1, 4), lengths)
    return drawn.map(lambda one: (one[0], one[1], *one[2]))


LOOK_BACK = exercise(
    __doc__,
    Function(
        _house,
        _some_texts,
        always=(
            ([7, 1, 2, 3, 9, 1, 2], 3, 3, 1),
            ([1, 2, 5, 9, 2, 6, 1, 2], 2, 2, 1),
            ([3, 3, 3], 4, 3, 1),
            ([2, 5, 9, 2, 6, 1, 2], 4, 3, 1),
            ([1, 2, 3], 4, 2, 1),
            ([2, 5, 9, 2], 3, 3, 2),
        ),
        misconceptions=mistakes_in(Wrong),
    ),
)
