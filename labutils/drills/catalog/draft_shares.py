"""A draft that is kept or replaced: how often, and by what, from two tables of shares."""

from labutils.drills.definition.writing import Draw, Drill, listing, positive, template

_WORDS = (
    ("the", "a", "its", "no"),
    ("cat", "dog", "fox", "owl"),
    ("is", "was", "has", "had"),
    ("red", "blue", "green", "grey"),
)


@template("H14 H13", level=3, decision="model", minutes=4)
def draft_shares(draw: Draw) -> Drill:
    """Rejection sampling: the share of drafts that is kept, and what replaces the others."""
    words = draw.one_of(_WORDS)
    target, draft = _shares(draw), _shares(draw)  # in hundredths
    both = [min(pair) for pair in zip(target, draft)]
    more = [max(p - q, 0) for p, q in zip(target, draft)]
    answer = sum(both) / 100
    draw.require(sum(value > 0 for value in more) == 2 and 0.35 < answer < 0.9)
    likely = max(range(4), key=draft.__getitem__)
    both_say_the_same = positive(sum(p * q for p, q in zip(target, draft)) / 1e4)
    likeliest_draft_alone = positive(min(1, target[likely] / draft[likely]))
    ratios_averaged = positive(sum(min(1, p / q) for p, q in zip(target, draft)) / 4)
    never_too_much = positive(sum(q for p, q in zip(target, draft) if p >= q) / 100)
    return draw.drill(f"""
    A small model draws the next token, and a large one checks it. The token is kept with a
    probability that is its share in the large model over its share in the small one, always where
    that is 1 or more. In place of one that is not kept the large model draws another, so that what
    comes out is distributed exactly as if it had drawn everything itself. Their shares at this
    place: {listing(_table(words, target, draft))}

    ? What share of the drafts at this place is kept?
    = {answer} tolerance=0.02 telling=5
    - both-say-the-same {both_say_the_same}: You let both draw by themselves and compare. How often
      is a token kept that was drawn already, if it is one that the large model likes?
    - likeliest-draft-alone {likeliest_draft_alone}: That is for the draft's likeliest token. What
      about the others, and how often does each of them come?
    - difference-counted-twice {positive(1 - 2 * sum(more) / 100)}: You subtract what one has more
      and what the other has more. Which of the two is rejected?
    - the-rejected {positive(sum(more) / 100)}: That is the share of drafts that is not kept.
    - ratios-averaged {ratios_averaged}: You average over the tokens. Does the draft write each of
      them equally often?
    - never-too-much {never_too_much}: You drop every draft that comes too often. Is none of them
      kept?
    > How often is each token drafted and kept?
    > The sum of the smaller one of the two shares, over all tokens.
    > {" + ".join(f"{value / 100:g}" for value in both)}.
    . A token is drafted with q and kept with min(1, p ÷ q): min(p, q) in all.
      {", ".join(f"{word} {value / 100:g}" for word, value in zip(words, both))}
    * kept {answer}: The sum: {answer:g}
    ~ At least {max(both) / 100:g}, which one token gives by itself, and less than 1: the shares
      differ.

    Acceptance = Σ min(p, q) = 1 − the distance of the two distributions (Leviathan et al., 2023;
    Chen et al., 2023). It measures how alike they are, not how often the likeliest tokens agree,
    and temperature changes it.
    """).then(_instead(draw, words, target, draft, more))


def _shares(draw: Draw) -> list[int]:
    """Four shares in hundredths, multiples of 5, none of them 0."""
    cuts = sorted(draw.random.sample(range(1, 20), 3))
    return [5 * (high - low) for low, high in zip([0, *cuts], [*cuts, 20])]


def _table(words, target, draft) -> str:
    rows = [f"    {'':8}{'large':>8}{'small':>8}"]
    rows += [f"    {w:8}{p / 100:>8.2f}{q / 100:>8.2f}" for w, p, q in zip(words, target, draft)]
    return "\n".join(rows)


def _instead(draw: Draw, words, target, draft, more) -> Drill:
    token = draw.one_of([at for at, value in enumerate(more) if value])
    word, p, q = words[token], target[token], draft[token]
    answer, lacking = more[token] / sum(more), sum(more) / 100
    others = sum(share for share, value in zip(target, more) if value)
    draw.require(answer < 0.97)
    return draw.drill(f"""
    And now a draft at this place was rejected. The large model draws another token.

    ? With which probability is that token “{word}”?
    = {answer} tolerance=0.02 telling=4
    - own-share {p / 100}: That is its share in the large model. How much of that came through kept
      drafts already?
    - not-normalised {more[token] / 100}: That is what it lacks. Out of how much, once a draft is
      rejected?
    - shares-of-those-that-lack {p / others}: You compare the large model's shares. How much of each
      did the drafts bring?
    - of-the-differences {more[token] / (2 * sum(more))}: You divide by all differences. Which of
      them are still missing?
    - even 0.5: Equally often? Compare what each of the two lacks.
    > Which tokens come too seldom by kept drafts alone, and by how much?
    > The positive part of p − q, over the sum of all positive parts.
    > ({p / 100:g} − {q / 100:g}) ÷ {lacking:g}.
    . “{word}” lacks {p / 100:g} − {q / 100:g} = {more[token] / 100:g}
    * lacking {lacking}: All that lack something, together: {lacking:g}
    * share {answer}: {more[token] / 100:g} ÷ {lacking:g} = {answer:.4g}
    ~ A token that the small model has too often has no chance here.

    A rejected draft is replaced from the positive part of p − q, not from p: drawing from p would
    bring too often what drafts have brought. With both rules the output is that of the large model,
    whatever the drafts are like.
    """)
