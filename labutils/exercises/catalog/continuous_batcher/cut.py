"""Sampling on the device: all rows at once, without a look at any of them."""

from collections.abc import Callable

from labutils.exercises.checkers import Function
from labutils.exercises.definition.exercise import Exercise, Misconception


def on_rows(cut: Callable) -> Callable:
    """A function of lists around one of tensors."""

    def cut_rows(weights, top_k, top_p):
        import torch

        shares = torch.tensor(weights, dtype=torch.float64).sort(-1, descending=True)[0]
        shares = shares / shares.sum(-1, keepdim=True)
        limits = (torch.tensor(one, dtype=torch.float64)[:, None] for one in (top_k, top_p))
        return cut(shares, *limits).tolist()

    return cut_rows


def _reference(shares, top_k, top_p):
    from labutils.serving.sampling import cut

    return cut(shares, top_k, top_p)


def _cuts(*, again=True, k_too=True, p_too=True, crossing=True, first_row=False):
    """``cut`` with a part missing; ``crossing``: the token that reaches ``top_p`` stays."""

    def cut(shares, top_k, top_p):
        import torch

        if first_row:
            top_k, top_p = top_k[:1], top_p[:1]
        ranks = torch.arange(shares.shape[-1])
        kept = torch.where(ranks < top_k, shares, 0.0) if k_too else shares
        kept = kept / kept.sum(-1, keepdim=True) if again else kept
        upto = kept.cumsum(-1)
        reached = upto - kept if crossing else upto
        return torch.where((reached < top_p) | (ranks == 0), kept, 0.0) if p_too else kept

    return on_rows(cut)


def _some_rows():
    from hypothesis import strategies as st

    def rows(width):
        one = st.lists(st.integers(1, 9), min_size=width, max_size=width)
        return st.lists(st.tuples(one, st.integers(1, width), shares), min_size=1, max_size=3)

    shares = st.sampled_from([0.31, 0.57, 0.83, 0.97])
    return st.integers(3, 7).flatmap(rows).map(lambda drawn: tuple(map(list, zip(*drawn))))


CUT = Exercise(
    id="engine.cut",
    title="Which tokens may be drawn, for all rows at once",
    minutes=8,
    checker=Function(
        reference=on_rows(_reference),
        inputs=_some_rows,
        num_inputs=50,
        misconceptions=(
            Misconception(
                "cuts-before-the-crossing",
                _cuts(crossing=False),
                "The token with which the sum reaches top_p goes as well; then what is left falls "
                "short of it. How much came *before* each token?",
            ),
            Misconception(
                "no-second-sum",
                _cuts(again=False),
                "After top_k the rest no longer sums to 1. Of which whole does top_p take its "
                "share?",
            ),
            Misconception(
                "top-k-alone",
                _cuts(p_too=False),
                "Nothing happens for top_p. Which tokens does it leave out?",
            ),
            Misconception(
                "top-p-alone",
                _cuts(k_too=False),
                "Nothing happens for top_k. Which ranks does it leave?",
            ),
            Misconception(
                "one-limit-for-all",
                _cuts(first_row=True),
                "Every row is cut like the first one. Each request brings its own limits.",
            ),
        ),
    ),
    hints=(
        "Rows are sorted, so a rank is a column. `top_k` and `top_p` are columns of one number per "
        "row: compared with a line of ranks they broadcast.",
        "Zero what lies behind top_k and divide by the sum that is left. A token stays if what "
        "came before it is still below top_p: the running sum without the token itself.",
        "ranks = torch.arange(…); kept = torch.where(ranks < top_k, shares, 0.0), divided by its "
        "sum(-1, keepdim=True); before = kept.cumsum(-1) - kept; zero where before is not below "
        "top_p, but never at rank 0.",
    ),
    explanation=(
        "Nothing here asks a tensor what it holds: no `if`, no `.item()`, no loop over requests. "
        "So on a GPU the host queues these operations behind the model and goes on, and one small "
        "copy brings all chosen tokens back. With a loop over rows, each `.item()` would make the "
        "host wait for the device, once for every request and step, and the device then waits for "
        "the host. The order of the cuts is a convention: here, as in transformers and vLLM, top_k "
        "first, and top_p of what is left."
    ),
)
