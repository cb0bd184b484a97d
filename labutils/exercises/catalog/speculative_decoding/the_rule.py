"""speculative.rule · The rule that keeps the distribution · 9 minutes

> Go from the first draft to the last. Each takes one number from `chance`. What has to happen at
  the first refusal, and what if there is none?
> A draft stays if chance() < p/q; written as chance() * q < p it needs no minimum. At the first
  refusal: what stayed so far, and one word drawn from missing(target, draft).
> for place, token in enumerate(drafted): ... if chance() * float(draft[token]) >=
  float(target[token]): return [*drafted[:place], drawn(missing(target, draft), chance())]. At the
  end: [*drafted, drawn(target_shares[len(drafted)], chance())].

A word comes out in one of two ways. It is drafted and stays: q · min(1, p/q) = min(p, q). Or some
draft is refused, with probability 1 − Σ min(p, q), and the word is drawn from (p − q)⁺, whose sum
is just that. Together: min(p, q) + (p − q)⁺ = p. Nothing in it asks how good the draft is. A bad
one is refused more often, and the answer is the same.
"""

from labutils.exercises.checkers import Function
from labutils.exercises.definition.sheet import exercise, mistakes_in, says

from .missing_part import shares_of


class Numbers:
    """Gives its numbers in turn, as ``chance()`` does."""

    def __init__(self, numbers):
        self.numbers, self.used = numbers, 0

    def __call__(self) -> float:
        self.used += 1
        return self.numbers[min(self.used, len(self.numbers)) - 1]


def by_numbers(accepted):
    """How the check tries ``accepted``: shares as lists, and the numbers that chance will give."""
    if not callable(accepted):
        return accepted

    def next_tokens(drafted, draft_shares, target_shares, numbers):
        import torch

        words = len(target_shares[0])
        tables = (
            torch.tensor(one, dtype=torch.float64).reshape(-1, words)
            for one in (draft_shares, target_shares)
        )
        chance = Numbers(numbers)
        run = accepted(drafted, *tables, chance)
        return {"tokens": [int(token) for token in run], "numbers used": chance.used}

    return next_tokens


def _house(drafted, draft_shares, target_shares, numbers):
    from labutils.serving.speculation import accepted

    return by_numbers(accepted)(drafted, draft_shares, target_shares, numbers)


def difference(got, expected) -> str:
    """Which of the two is different."""
    for name, what in (
        ("tokens", "The next tokens"),
        ("numbers used", "The random numbers that it takes"),
    ):
        if got[name] != expected[name]:
            return f"{what}: {got[name]}, expected {expected[name]}."
    return ""


def _wrong(keeps=None, instead=None, *, for_free=True, takes="each", stays=0):
    """A rule with a fault: ``keeps(target, draft, token, u)`` says which drafts stay, and
    ``instead(targets, place, draft, u, chance)`` what comes for the first that does not.

    ``takes`` says which drafts take a number, and ``stays`` how many refused ones are kept."""

    def rule(drafted, draft_shares, target_shares, chance):
        early = [chance() for _ in (drafted if takes == "all" else [1] * (takes == "one"))]
        for place, token in enumerate(drafted):
            target, draft = target_shares[place], draft_shares[place]
            is_sure = takes == "unsure" and target[token] >= draft[token]
            u = early[place % len(early)] if early else 0.0 if is_sure else chance()
            if not (keeps or _by_the_rule)(target, draft, token, u):
                found = (instead or _owed)(target_shares, place, draft, u, chance)
                return [*drafted[: place + stays], found]
        if not for_free:
            return list(drafted)
        return [*drafted, _drawn(target_shares[len(drafted)], chance())]

    return by_numbers(rule)


def _by_the_rule(target, draft, token, u):
    return u * draft[token] < target[token]


def _owed(targets, place, draft, u, chance):
    from labutils.serving.speculation.acceptance import missing

    return _drawn(missing(targets[place], draft), chance())


def _cut_at(target, draft, uniform):
    """Where the running sum of what is owed passes ``uniform``; behind it all is the last word."""
    passed = (target - draft).clamp(min=0).cumsum(-1) > uniform
    return int(passed.int().argmax()) if passed.any() else len(target) - 1


def _drawn(shares, uniform):
    from labutils.serving.speculation.shares import drawn

    return drawn(shares, uniform)


_always = _wrong(lambda target, draft, token, u: True)
_if_likelier = _wrong(lambda target, draft, token, u: target[token] >= draft[token])
_by_p_alone = _wrong(lambda target, draft, token, u: u < target[token])
_upside_down = _wrong(lambda target, draft, token, u: u * target[token] < draft[token])
_if_likeliest = _wrong(lambda target, draft, token, u: token == int(target.argmax()))
_from_the_target = _wrong(instead=lambda targets, at, draft, u, c: _drawn(targets[at], c()))
_from_the_last_row = _wrong(instead=lambda targets, at, draft, u, c: _drawn(targets[-1], c()))
_the_likeliest_instead = _wrong(instead=lambda targets, at, *_: int(targets[at].argmax()))
_with_the_same_number = _wrong(
    instead=lambda targets, at, draft, u, chance: _owed(targets, at, draft, u, lambda: u)
)
_not_made_a_whole = _wrong(
    instead=lambda targets, at, draft, u, chance: _cut_at(targets[at], draft, chance())
)

_none_for_free = _wrong(for_free=False)
_from_the_draft = _wrong(instead=lambda targets, at, draft, u, chance: _drawn(draft, chance()))


def _on_and_on(drafted, draft_shares, target_shares, chance):
    """Drafts behind a refused one, too."""
    found = []
    for place, token in enumerate(drafted):
        target, draft, u = target_shares[place], draft_shares[place], chance()
        stays = _by_the_rule(target, draft, token, u)
        found.append(token if stays else _owed(target_shares, place, draft, u, chance))
    return [*found, _drawn(target_shares[len(drafted)], chance())]


def _cases():
    """Up to three drafts of three words, each with a share above 0 in its row."""
    from hypothesis import strategies as st

    row = st.lists(st.integers(0, 9), min_size=3, max_size=3).map(shares_of)
    place = st.tuples(row, row, st.integers(0, 8)).map(
        lambda one: (*one[:2], _said(one[0], one[2]))
    )
    number = st.integers(0, 96).map(lambda n: (n + 0.37) / 97)
    numbers = st.lists(number, min_size=4, max_size=4)
    drawn = st.tuples(st.lists(place, max_size=3), row, numbers)
    return drawn.map(
        lambda one: (
            [word for _, _, word in one[0]],
            [draft for draft, _, _ in one[0]],
            [*(target for _, target, _ in one[0]), one[1]],
            one[2],
        )
    )


def _said(draft, at):
    possible = [word for word, share in enumerate(draft) if share]
    return possible[at % len(possible)]


class Wrong:
    always = says("""Every draft stays, however unlikely the target finds it. What comes out is the
        draft's text, and not the target's.""")(_always)
    if_likelier = says("""You refuse every draft that the target finds less likely than the draft
        does. Then such a word hardly ever comes: with which probability should it stay?""")(
        _if_likelier
    )
    by_p_alone = says("""A draft stays with the target's probability p. It was drawn with
        probability q already, so it comes out with p · q. Which factor makes that at most p?""")(
        _by_p_alone
    )
    upside_down = says("""You keep it with probability q/p. A word that the target never says would
        always stay.""")(_upside_down)
    if_likeliest = says("""A draft stays if it is the target's likeliest word. That is the greedy
        rule; here the target draws, and other words have their share.""")(_if_likeliest)
    from_the_target = says("""The refused draft is replaced by a draw from all of the target. What
        both have in common was given out before: those words now come too often.""")(
        _from_the_target
    )
    from_the_last_row = says("""The replacement comes from the last row, which stands behind all
        drafts, the refused one too. Which row belongs to the refused place?""")(_from_the_last_row)
    the_likeliest_instead = says("""The refused draft is replaced by the target's likeliest word. A
        request that samples has to draw.""")(_the_likeliest_instead)
    with_the_same_number = says("""The replacement is drawn with the number that refused the draft.
        A refusal needs a large number, so the draw always falls to the right.""")(
        _with_the_same_number
    )
    not_made_a_whole = says("""You draw from what is owed as if it summed to 1, and what is short of
        1 falls to the last word. How large is the sum?""")(_not_made_a_whole)
    from_the_draft = says("""The refused draft is replaced by a draw from the draft's shares. Of
        which words is the target short?""")(_from_the_draft)
    goes_on = says("""You go on behind a refused draft. The next ones were drawn behind a word that
        is not in the answer.""")(by_numbers(_on_and_on))
    with_the_refused = says("""The refused draft is in the answer, and its replacement behind it. It
        should stand in its place.""")(_wrong(stays=1))
    numbers_in_advance = says("""You take a number for each draft in advance. Behind a refused one
        nobody looks at the others, and those take none.""")(_wrong(takes="all"))
    one_number_for_all = says("""You hold all drafts against one number. They are independent: each
        that is looked at takes one.""")(_wrong(takes="one"))
    none_for_the_sure = says("""A draft that stays for certain takes no number with you. Each that
        is looked at takes one.""")(_wrong(takes="unsure"))
    keeps_the_impossible = says("""A word that the target never says stays where chance gives 0.
        With probability 0 it stays never: is the limit itself below?""")(
        _wrong(lambda target, draft, token, u: u * draft[token] <= target[token])
    )
    none_for_free = says("""All drafts stay, and the last row of the target is thrown away. It was
        computed in the same step: a token for free.""")(_none_for_free)


RULE = exercise(
    __doc__,
    Function(
        _house,
        _cases,
        says=difference,
        always=(
            (
                [1, 2],
                [[0.2, 0.5, 0.3], [0.1, 0.1, 0.8]],
                [[0.2, 0.4, 0.4], [0.6, 0.2, 0.2], [0.1, 0.8, 0.1]],
                [0.5, 0.7, 0.3, 0.9],
            ),
            ([0], [[1.0, 0.0, 0.0]], [[0.0, 0.5, 0.5], [0.2, 0.3, 0.5]], [0.0, 0.6, 0.1, 0.1]),
            ([0], [[0.5, 0.25, 0.25]], [[0.25, 0.35, 0.4], [0.2, 0.3, 0.5]], [0.6, 0.75, 0.1, 0.1]),
        ),
        misconceptions=mistakes_in(Wrong),
    ),
)
