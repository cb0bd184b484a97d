"""The next token of each row: greedy, drawn, or drawn from what a cut has left."""

from labutils.exercises.checkers import piece_of, slip
from labutils.exercises.definition.exercise import Exercise


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


SAMPLE = Exercise(
    id="sampling.sample",
    title="The next token of each row",
    minutes=14,
    optional=True,
    checker=piece_of(
        "sampling:sample",
        tried=sample_rows,
        inputs=some_logits,
        num_inputs=60,
        mistakes=(
            (
                "heat-after-the-softmax",
                slip(
                    "torch.softmax(logits.double() / temperature, -1)",
                    "torch.softmax(logits.double(), -1) / temperature",
                ),
                "The temperature changes nothing. Is it left out, or are the shares divided by it, "
                "which keep their proportions then? What does softmax have to see?",
            ),
            (
                "greedy-divided-by-zero",
                slip(
                    "one.temperature or 1.0",
                    "one.temperature",
                    "torch.where(greedy, likeliest, drawn[:, 0])",
                    "drawn[:, 0]",
                ),
                "A row at temperature 0 is divided by 0, and what is left are no numbers. Which "
                "token does it get?",
            ),
            (
                "first-settings-for-all",
                slip(
                    "likeliest = logits.argmax(-1)",
                    "samplings = [samplings[0]] * len(samplings)\n    likeliest = "
                    "logits.argmax(-1)",
                ),
                "All rows are drawn like the first one. Each request brings its own settings.",
            ),
            (
                "numbers-in-turn",
                slip(
                    "zip(samplings, uniforms, strict=True)\n    ]\n",
                    "zip(samplings, uniforms, strict=True)\n    ]\n    turn = iter(uniforms)\n    "
                    "table = [(*row[:3], next(turn) if one.temperature else 0.0) for row, one in "
                    "zip(table, samplings)]\n",
                ),
                "A drawn row gets the number of another one. `uniforms` has one number for each "
                "row, greedy rows included.",
            ),
            (
                "sorted-with-the-neighbours",
                slip(
                    "shares[some]",
                    "shares",
                    "top_k[some], top_p[some]",
                    "top_k, top_p",
                    "uniform[some]",
                    "uniform",
                    "drawn[some] =",
                    "drawn =",
                ),
                "A row without limits is drawn in the order of its ranks as soon as a neighbour "
                "is cut: then its token depends on the company.",
            ),
            (
                "greedy-rows-are-drawn",
                slip("torch.where(greedy, likeliest, drawn[:, 0])", "drawn[:, 0]"),
                "A row at temperature 0 is drawn like the others. Which token does it get?",
            ),
            (
                "place-for-token",
                slip("order.gather(-1, places)", "places"),
                "A place in the sorted row is taken for a token. Which token stood there before "
                "the row was sorted?",
            ),
            (
                "times-the-temperature",
                slip("logits.double() / temperature", "logits.double() * temperature"),
                "A high temperature makes your draws surer. By what are logits divided?",
            ),
            (
                "cuts-for-top-k-alone",
                slip("if one.top_k or one.top_p]", "if one.top_k]"),
                "A row with `top_p` alone is never cut.",
            ),
            (
                "all-rows-sorted",
                slip("if one.top_k or one.top_p]", "]"),
                "Rows without limits are drawn in the order of their ranks. A draw follows the "
                "vocabulary unless the row has to be sorted, to be cut.",
            ),
        ),
    ),
    hints=(
        "Three kinds of rows: greedy, drawn, and drawn from what a cut has left. Compute each kind "
        "for all rows that need it, and choose at the end.",
        "Temperatures, limits and uniforms are columns, one number per row. Draw all rows from "
        "their shares; then sort, cut and draw again those with a limit, and put their tokens in "
        "the place of the others.",
        "shares = torch.softmax(logits.double() / temperature, -1), with 1 for a greedy row's "
        "temperature; drawn = draw(shares, uniform); for the rows `some` with a limit: largest, "
        "order = shares[some].sort(dim=-1, descending=True, stable=True), and drawn[some] = "
        "order.gather(-1, draw(cut(largest, …), uniform[some])).",
    ),
    explanation=(
        "Most rows of most servers are greedy or have no limits: the early return and the `some` "
        "save them a sort of the whole vocabulary, which costs more than all the rest. Shares are "
        "computed in float64, since a running sum over 150,000 tokens in float32 loses the rare "
        "ones. And nothing in here waits for the device: `torch.where` chooses between rows that "
        "are both there."
    ),
)
