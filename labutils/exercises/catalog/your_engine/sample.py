"""sampling.sample · The next token of each row · 8 minutes, optional

> Three kinds of rows: greedy, drawn, and drawn from what a cut has left. Compute each kind for all
  rows that need it, and choose at the end.
> Temperatures, limits and uniforms are columns, one number per row. Draw all rows from their
  shares; then sort, cut and draw again those with a limit, and put their tokens in the place of the
  others.
> shares = torch.softmax(logits.double() / temperature, -1), with 1 for a greedy row's temperature;
  drawn = draw(shares, uniform); for the rows `some` with a limit: largest, order =
  shares[some].sort(dim=-1, descending=True, stable=True), and drawn[some] = order.gather(-1,
  draw(cut(largest, …), uniform[some])).

Most rows of most servers are greedy or have no limits: the early return and the `some` save them a
sort of the whole vocabulary, which costs more than all the rest. Shares are computed in float64,
since a running sum over 150,000 tokens in float32 loses the rare ones. And nothing in here waits
for the device: `torch.where` chooses between rows that are both there.
"""

from labutils.exercises.checkers import piece_of
from labutils.exercises.definition.sheet import exercise


def sample_rows(engine, logits, samplings, uniforms):
    """The next token of each row; a sampling is (temperature, top_k, top_p)."""
    import torch

    hows = [engine.Sampling(temperature=t, top_k=k, top_p=p) for t, k, p in samplings]
    return engine.sampling.sample(torch.tensor(logits, dtype=torch.float64), hows, uniforms)


def some_logits():
    """Rows of seven logits in any order, no two alike; greedy, drawn and cut rows side by side."""
    from hypothesis import strategies as st

    logits = st.permutations(range(7)).map(lambda row: [round(0.7 * one - 2, 1) for one in row])
    how = st.sampled_from(
        [(0.0, None, None), (0.7, None, None), (1.6, 3, None), (1.0, None, 0.55), (2.5, 5, 0.8)]
    )
    uniform = st.sampled_from([0.03, 0.19, 0.36, 0.52, 0.68, 0.84, 0.97])
    rows = st.lists(st.tuples(logits, how, uniform), min_size=1, max_size=4)
    return rows.map(lambda rows: tuple(map(list, zip(*rows))))


_NEAR = [-2.0, 2.2, -0.6, 0.1, 1.5, -1.3, 0.8]
_NEAR_A_BORDER = ([_NEAR] * 3, [(0.7, None, None)] * 3, [0.63457, 0.64615, 0.67765])
"""Uniforms 3e-4 behind the border of a token: shares of three digits draw the one before."""

_NEARLY_ALIKE = ([[0.0, 5e-5, -2.0]] * 2, [(0.0, None, None), (0.7, None, None)], [0.0, 0.68])
_COLD = ([[100.0, 98.0, 0.0]], [(0.05, None, None)], [0.5])
"""e to the power of 2,000: more than a float holds."""

_MISTAKES = """
heat-after-the-softmax: The temperature changes nothing. Is it left out, or are the shares divided
    by it, which keep their proportions then? What does softmax have to see?
- shares = torch.softmax(logits.double() / temperature, -1)
+ shares = torch.softmax(logits.double(), -1) / temperature

greedy-divided-by-zero: A row at temperature 0 is divided by 0, and what is left are no numbers.
    Which token does it get?
- (one.temperature or 1.0, one.top_k or vocabulary, one.top_p or 1.0, uniform)
+ (one.temperature, one.top_k or vocabulary, one.top_p or 1.0, uniform)
- return torch.where(greedy, likeliest, drawn[:, 0])
+ return drawn[:, 0]

first-settings-for-all: All rows are drawn like the first one. Each request brings its own settings.
- likeliest = logits.argmax(-1)
+ samplings = [samplings[0]] * len(samplings)
+ likeliest = logits.argmax(-1)

shares-of-three-digits: Near the border of two tokens you draw the wrong one: shares of 16 bits have
    three digits. In which type do a running sum and a uniform meet?
- shares = torch.softmax(logits.double() / temperature, -1)
+ shares = torch.softmax((logits / temperature).bfloat16(), -1).double()

numbers-in-turn: A drawn row gets the number of another one. `uniforms` has one number for each row,
    greedy rows included.
= ]
+ turn = iter(uniforms)
+ table = [(*row[:3], next(turn) if one.temperature else 0.0) for row, one in zip(table, samplings)]

sorted-with-the-neighbours: A row without limits is drawn in the order of its ranks as soon as a
    neighbour is cut: then its token depends on the company.
- largest, order = shares[some].sort(dim=-1, descending=True, stable=True)
- places = draw(cut(largest, top_k[some], top_p[some]), uniform[some])
- drawn[some] = order.gather(-1, places)
+ largest, order = shares.sort(dim=-1, descending=True, stable=True)
+ places = draw(cut(largest, top_k, top_p), uniform)
+ drawn = order.gather(-1, places)

greedy-rows-are-drawn: A row at temperature 0 is drawn like the others. Which token does it get?
- return torch.where(greedy, likeliest, drawn[:, 0])
+ return drawn[:, 0]

place-for-token: A place in the sorted row is taken for a token. Which token stood there before the
    row was sorted?
- drawn[some] = order.gather(-1, places)
+ drawn[some] = places

times-the-temperature: A high temperature makes your draws surer. By what are logits divided?
- shares = torch.softmax(logits.double() / temperature, -1)
+ shares = torch.softmax(logits.double() * temperature, -1)

cuts-for-top-k-alone: A row with `top_p` alone is never cut.
- some = [row for row, one in enumerate(samplings) if one.top_k or one.top_p]
+ some = [row for row, one in enumerate(samplings) if one.top_k]

nearly-greedy: A row at temperature 0 is drawn at a very low one, and where two logits are nearly
    alike its number decides. Which token does it get?
- (one.temperature or 1.0, one.top_k or vocabulary, one.top_p or 1.0, uniform)
+ (one.temperature or 1e-6, one.top_k or vocabulary, one.top_p or 1.0, uniform)
- return torch.where(greedy, likeliest, drawn[:, 0])
+ return drawn[:, 0]

powers-overflow: At a low temperature your powers are larger than any number that a float holds, and
    their shares are no numbers. What can be taken off all logits of a row before?
- shares = torch.softmax(logits.double() / temperature, -1)
+ powers = torch.exp(logits.double() / temperature)
+ shares = powers / powers.sum(-1, keepdim=True)

cut-and-put-back: A row that is cut is drawn in the order of the vocabulary. Read once more in which
    order it is to be drawn.
- places = draw(cut(largest, top_k[some], top_p[some]), uniform[some])
- drawn[some] = order.gather(-1, places)
+ kept = cut(largest, top_k[some], top_p[some])
+ drawn[some] = draw(torch.zeros_like(kept).scatter(-1, order, kept), uniform[some])

heat-after-the-cut: You cut the shares of temperature 1, and heat what is left. Of which shares does
    `top_p` take its part?
- shares = torch.softmax(logits.double() / temperature, -1)
- drawn = draw(shares, uniform)
+ shares, power = torch.softmax(logits.double(), -1), 1 / temperature
+ drawn = draw(shares**power, uniform)
- places = draw(cut(largest, top_k[some], top_p[some]), uniform[some])
+ places = draw(cut(largest, top_k[some], top_p[some]) ** power[some], uniform[some])

largest-k-for-all: You look at no more ranks than the largest `top_k` of the rows, and a row without
    one is cut there: then its token depends on the company.
- largest, order = shares[some].sort(dim=-1, descending=True, stable=True)
+ most = max((samplings[row].top_k or 0) for row in some) or vocabulary
+ largest, order = shares[some].topk(most, dim=-1)

cuts-for-both-alone: A row with one of the two limits is never cut. How many does a row need?
- some = [row for row, one in enumerate(samplings) if one.top_k or one.top_p]
+ some = [row for row, one in enumerate(samplings) if one.top_k and one.top_p]

loses-an-axis: A single row gives a number instead of a list of one. Which axis is to go, and which
    one stays even if it has the length 1?
- return torch.where(greedy, likeliest, drawn[:, 0])
+ return torch.where(greedy, likeliest, drawn[:, 0]).squeeze()

all-rows-sorted: Rows without limits are drawn in the order of their ranks. A draw follows the
    vocabulary unless the row has to be sorted, to be cut.
- some = [row for row, one in enumerate(samplings) if one.top_k or one.top_p]
+ some = [row for row, one in enumerate(samplings) ]
"""

SAMPLE = exercise(
    __doc__,
    piece_of(
        "sampling:sample",
        tried=sample_rows,
        inputs=some_logits,
        num_inputs=60,
        always=(_NEAR_A_BORDER, _NEARLY_ALIKE, _COLD),
        mistakes=_MISTAKES,
    ),
)
