"""Which token may come next, and which one does."""

from labutils.exercises.checkers import piece_of
from labutils.exercises.definition.sheet import exercise

_TIES = (([[4, 2, 1, 1]], [4], [0.5]), ([[4, 2, 1, 1], [1, 1, 1, 1]], [4, 4], [0.75, 0.5]))
"""Sums that land on top_p exactly, however they are added up."""


_WRITES = "It writes into the shares that it was given, which its caller goes on using."


def _unless_written(result, given, before):
    """What was returned, or a sentence where a tensor that was handed in holds other numbers."""
    return result if given.nan_to_num(9.0).equal(before.nan_to_num(9.0)) else _WRITES


def says(got, _expected) -> str:
    """The sentence on what was handed in, if that was changed."""
    return got if isinstance(got, str) else ""


def cut_rows(engine, weights, top_k, top_p):
    """Sort and normalise rows of weights, cut them, and make what is left sum to 1."""
    import torch

    shares = torch.tensor(weights, dtype=torch.float64).sort(-1, descending=True)[0]
    limits = (torch.tensor(one, dtype=torch.float64)[:, None] for one in (top_k, top_p))
    shares /= shares.sum(-1, keepdim=True)
    before = shares.clone()
    kept = engine.sampling.cut(shares, *limits)
    is_like = getattr(kept, "shape", None) == shares.shape
    kept = kept / kept.sum(-1, keepdim=True) if is_like else kept
    return _unless_written(kept, shares, before)


def some_weights():
    """Rows of three to seven weights, each with limits of its own; now and then an exact tie."""
    from hypothesis import strategies as st

    def rows(width):
        one = st.lists(st.integers(1, 9), min_size=width, max_size=width)
        shares = st.sampled_from([0.31, 0.57, 0.83, 0.97, 1.0])
        return st.lists(st.tuples(one, st.integers(1, width), shares), min_size=1, max_size=3)

    drawn = st.integers(3, 7).flatmap(rows).map(lambda rows: tuple(map(list, zip(*rows))))
    return st.one_of(drawn, drawn, drawn, st.sampled_from(_TIES))


def draw_rows(engine, shares, uniforms):
    """Draw a place in each row of shares."""
    import torch

    columns = (torch.tensor(one, dtype=torch.float64) for one in (shares, uniforms))
    rows, uniform = columns
    before = rows.clone()
    return _unless_written(engine.sampling.draw(rows, uniform[:, None]), rows, before)


def some_shares():
    """Rows with zeros in front, between and behind; sums of 1 and others; all of the line."""
    from hypothesis import strategies as st

    part = st.sampled_from([0.0, 0.0, 0.25, 0.5, 1.0])
    unit = st.sampled_from([0.0, 0.12, 0.25, 0.37, 0.5, 0.71, 0.93, 1 - 2**-53, 1.0])
    broken = [float("nan")] * 4

    def row(drawn):
        parts, sum_of_one, uniform, is_broken = drawn
        parts = parts if any(parts) else [*parts[:-1], 1.0]
        whole = sum(parts) if sum_of_one else 1.0
        return (broken, uniform) if is_broken else ([one / whole for one in parts], uniform)

    rarely = st.sampled_from([False] * 7 + [True])
    parts = st.lists(part, min_size=4, max_size=4)
    one = st.tuples(parts, st.booleans(), unit, rarely).map(row)
    return st.lists(one, min_size=1, max_size=3).map(lambda rows: tuple(map(list, zip(*rows))))


_CUT_MISTAKES = """
first-k-for-all: All rows are cut at the first row's top_k. Each has its own.
- kept = torch.where(ranks < top_k, shares, 0.0)
+ kept = torch.where(ranks < top_k[0], shares, 0.0)

writes-into-the-shares: You zero the shares that were handed in. Whose are they, and what may the
    caller do with them afterwards?
- kept = torch.where(ranks < top_k, shares, 0.0)
+ kept = shares.masked_fill_(ranks >= top_k, 0.0)

k-or-p: Where top_k leaves tokens out, you leave top_p aside. It takes its share of what top_k has
    left.
- (before < top_p)
+ ((before < top_p) | (top_k < shares.shape[-1]))

cuts-the-crossing-too: The token with which the sum reaches top_p goes as well; then what is left
    falls short of it, or nothing is left. How much came *before* each token?
- before = kept.cumsum(-1) - kept
- return torch.where((before < top_p) | (ranks == 0), kept, 0.0)
+ before = kept.cumsum(-1)
+ return torch.where((before < top_p), kept, 0.0)

minus-infinity: These are shares, not logits: what can never be drawn has the share 0. Minus
    infinity spoils every sum.
- return torch.where((before < top_p) | (ranks == 0), kept, 0.0)
+ return torch.where((before < top_p) | (ranks == 0), kept, -torch.inf)

cuts-before-the-crossing: The token with which the sum reaches top_p goes as well; then what is left
    falls short of it. How much came *before* each token?
- before = kept.cumsum(-1) - kept
+ before = kept.cumsum(-1)

one-token-too-many: Where the tokens before one reach top_p exactly, it stays. Is it still needed to
    reach it?
- return torch.where((before < top_p) | (ranks == 0), kept, 0.0)
+ return torch.where((before <= top_p) | (ranks == 0), kept, 0.0)

share-of-the-old-whole: After top_k the rest no longer sums to 1. Of which whole does top_p take its
    share?
- kept = kept / kept.sum(-1, keepdim=True)

top-k-alone: Nothing happens for top_p. Which tokens does it leave out?
- return torch.where((before < top_p) | (ranks == 0), kept, 0.0)
+ return kept

top-p-alone: Nothing happens for top_k. Which ranks does it leave?
- kept = torch.where(ranks < top_k, shares, 0.0)
+ kept = shares

one-rank-more: One token more than top_k stays. Which rank does the first one have?
- kept = torch.where(ranks < top_k, shares, 0.0)
+ kept = torch.where(ranks <= top_k, shares, 0.0)

one-limit-for-all: Every row is cut like the first one. Each request brings its own limits.
- kept = torch.where(ranks < top_k, shares, 0.0)
+ kept = torch.where(ranks < top_k[:1], shares, 0.0)
- return torch.where((before < top_p) | (ranks == 0), kept, 0.0)
+ return torch.where((before < top_p[:1]) | (ranks == 0), kept, 0.0)
"""

CUT = exercise(
    """
sampling.cut · Which tokens may be drawn, for all rows at once · 4 minutes, optional

> Rows are sorted, so a rank is a column. `top_k` and `top_p` are columns of one number per row:
  compared with a line of ranks they broadcast.
> Zero what lies behind top_k and divide by the sum that is left. A token stays if what came before
  it is still below top_p: the running sum without the token itself.
> ranks = torch.arange(…); kept = torch.where(ranks < top_k, shares, 0.0), divided by its sum(-1,
  keepdim=True); before = kept.cumsum(-1) - kept; zero where before is not below top_p, but never at
  rank 0.

Nothing here asks a tensor what it holds: no `if`, no `.item()`, no loop over requests. So on a GPU
the host queues these operations behind the model and goes on, and one small copy brings all chosen
tokens back. With a loop over rows, each `.item()` would make the host wait for the device, once for
every request and step, and the device then waits for the host. The order of the cuts is a
convention: here, as in transformers and vLLM, top_k first, and top_p of what is left. Whether the
result sums to 1 is of no importance: the draw takes its number as a share of the whole that it
finds.
""",
    piece_of(
        "sampling:cut",
        tried=cut_rows,
        inputs=some_weights,
        num_inputs=60,
        says=says,
        mistakes=_CUT_MISTAKES,
    ),
)

_DRAW_MISTAKES = """
shares-unsummed: You compare the number with each share. It is the running sum that passes it.
- places = torch.searchsorted(upto, torch.minimum(uniform * whole, below), right=True)
+ places = (shares <= uniform * whole).sum(-1, keepdim=True)

beyond-the-last: If the number rounds up to the whole, or the shares are not numbers, your place
    lies behind the last token: there is none.
- places = torch.searchsorted(upto, torch.minimum(uniform * whole, below), right=True)
- return places.clamp_(max=shares.shape[-1] - 1)
+ places = torch.searchsorted(upto, uniform * whole, right=True)
+ return places

first-for-no-numbers: Shares that are not numbers give your first place. Every comparison with them
    is false: count those that are *not* above, and they give the last.
- places = torch.searchsorted(upto, torch.minimum(uniform * whole, below), right=True)
+ places = (upto <= torch.minimum(uniform * whole, below)).sum(-1, keepdim=True)

one-too-early: Your place is one too early. The place at which the running sum passes the number is
    that of the first sum above it.
- return places.clamp_(max=shares.shape[-1] - 1)
+ return (places - 1).clamp_(min=0, max=shares.shape[-1] - 1)

draws-a-zero: A token is drawn whose share is 0. At a uniform of 0, and wherever the running sum
    *equals* the number, which side has passed it?
- places = torch.searchsorted(upto, torch.minimum(uniform * whole, below), right=True)
+ places = torch.searchsorted(upto, torch.minimum(uniform * whole, below), right=False)

sums-in-place: Your running sum stands where the shares stood. Whose are they, and what may the
    caller do with them afterwards?
- upto = shares.cumsum(-1)
+ upto = shares.cumsum_(-1)

not-of-the-whole: The shares of a row need not sum to 1: `uniform` is a share of their sum.
- whole, below),
+ torch.ones_like(whole), below),

behind-the-last: If the number rounds up to the whole, no running sum passes it, and a token behind
    the last one with a share is drawn. Which number is the largest below the whole?
- places = torch.searchsorted(upto, torch.minimum(uniform * whole, below), right=True)
+ places = torch.searchsorted(upto, uniform * whole, right=True)

outside-the-row: Where shares are not numbers, the place lies behind the row's end. Which place is
    asked for then?
- return places.clamp_(max=shares.shape[-1] - 1)
+ return places
"""

DRAW = exercise(
    """
sampling.draw · Draw a token in each row · 4 minutes, optional

> Think of the shares as pieces of a stick, one behind the other, and of `uniform` as a place on it.
  In which piece does it lie?
> The running sum says where each piece ends. The piece is the first whose end lies beyond uniform
  times the whole; `torch.searchsorted(ends, place, right=True)` finds it in each row.
> upto = shares.cumsum(-1); whole = upto[:, -1:].contiguous(); the place is the smaller of uniform *
  whole and torch.nextafter(whole, zeros). Clamp what comes back to the last index.

One random number per row, and the token is a function of that number and of the row's own logits.
So neither the order of the rows nor their company changes what is drawn, and a request with a seed
can be repeated alone. The two odd cases are worth their lines: a number just below 1 may become 1
by rounding, and then a token that top_p had cut would be drawn, about once in a hundred million;
and a place behind the row, used as an index on a GPU, stops the device for everybody.
""",
    piece_of(
        "sampling:draw",
        tried=draw_rows,
        inputs=some_shares,
        num_inputs=60,
        says=says,
        mistakes=_DRAW_MISTAKES,
    ),
)
