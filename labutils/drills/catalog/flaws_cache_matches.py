"""Faults in what a cache serves and in what is loaded for nothing."""

from textwrap import dedent

from labutils.drills.definition.writing import (
    FLAW,
    Draw,
    Drill,
    line_of,
    lines_of,
    listing,
    numbered,
    quantity,
    template,
)

FAULTS = {"first_above_the_threshold": ("X76",), "import_nobody_needs": ("X77", "X34")}


@template("T14 F02", level=1, decision="limit", form="flaw", minutes=1.5, rough=False, trivia=True)
def first_above_the_threshold(draw: Draw) -> Drill:
    """A semantic cache must serve the best match, not the first."""
    threshold = draw.one_of((0.88, 0.9, 0.92, 0.94))
    first = round(threshold + draw.one_of((0.01, 0.02, 0.03)), 2)
    best = round(min(first + draw.one_of((0.01, 0.02, 0.03)), 0.99), 2)
    draw.require(best > first)
    below = [round(threshold - draw.share(0.02, 0.4), 2) for _ in range(3)]
    order = [below[0], first, below[1], best, below[2]]
    code = f"""
        def get(self, query):
            wanted = unit(self.embed(query))
            for entry in self.entries:
                similarity = wanted @ entry.vector
                if similarity >= {threshold:g}:
                    return entry.answer
            return MISSING
        """
    line = line_of(code)
    return draw.drill(f"""
    Users complain of answers that belong to another, similar question. Entries are stored with
    vectors of length one, in the order in which they came. For one complaint the similarities to
    the entries are {", ".join(f"{value:.2f}" for value in order)}.

    {listing(numbered(code))}
    ? What is the similarity of the entry that `get` should have served?
    = {best} tolerance=0 absolute=0.0005 scale=off
    - first-match {first}: That is the first one above the threshold: what the code serves. Have you
      looked at those behind it?
    - threshold {threshold}: That is the threshold. Which of the entries do you serve?
    ? Which line serves the wrong entry?
    | {line(2)}
    ! It makes the query comparable: length one, as the entries have it.
    | {line(4)}
    ! For vectors of length one the product is the cosine.
    | {line(5)}
    ! It keeps out entries that are too far away, as a threshold should.
    | {line(6)}
    | {line(7)}
    ! Nobody was similar enough: a miss, and the model is asked.
    > Look at all five similarities. Which of them would you serve?
    > Serve the entry with the largest similarity, if that reaches the threshold.
    > Two of them reach {threshold:g}. Take the better one.
    . At {threshold:g} or above: {first:.2f} and {best:.2f}
    * best {best}: The best of all, {best:.2f}, passes the threshold
    . Mended: scores = matrix @ wanted; one product and one argmax, no loop.
    ~ No other entry is more similar.

    Which entry is the first above a threshold depends on the order of insertion. Take the best one,
    by one matrix product, which is also far faster than a loop. Keep the entries of tenants and of
    models apart, evict and expire, and sample hits to see how often a near match was a wrong one.
    """)


# Import -> its line, the milliseconds that it takes, and what it is read by further down.
_IMPORTS = {
    "json": ("import json", (2, 9), "Its `json.dumps` writes what the function returns."),
    "numpy": ("import numpy as np", (60, 150), "Its `np.quantile` is the cut itself."),
    "pandas": ("import pandas as pd", (250, 600), "Its `pd.read_csv` reads the log."),
    "requests": ("import requests", (70, 180), "Its `requests.get` asks for the target."),
    "scipy.stats": ("from scipy import stats", (500, 1500), "Its `stats.binom` bounds the ranks."),
}
_WITHOUT = ("pandas", "requests", "scipy.stats")  # the function can do without one of these


def _code_without(unused: str) -> str:
    """A function that imports all five and uses all but ``unused``."""
    targets = "open(TARGETS).read()" if unused == "requests" else "requests.get(TARGETS).text"
    log = "np.loadtxt(path)" if unused == "pandas" else 'pd.read_csv(path)["ms"]'
    ranks = "len(log)" if unused == "scipy.stats" else "stats.binom.interval(0.95, len(log), leaf)"
    found = "measured" if unused == "scipy.stats" else "ranks"
    lines = [line for line, _, _ in _IMPORTS.values()]
    body = f"""
        def effective_quantile(path, num_calls):
            leaf = float({targets}) ** (1 / num_calls)
            log = {log}
            {found} = {ranks}
            return json.dumps({{"cut": np.quantile(log, leaf), "{found}": {found}}})
        """
    return "\n".join([*lines, "", *dedent(body).strip().split("\n")])


@template("P03 O03", level=1, decision="limit", form="flaw", minutes=1.5, trivia=True)
def import_nobody_needs(draw: Draw) -> Drill:
    """An import is a cost, used or not."""
    costs = {name: draw.whole(*span) for name, (_, span, _) in _IMPORTS.items()}
    starts, unused = draw.whole(20, 90), draw.one_of(_WITHOUT)
    code, cost = _code_without(unused), costs[unused]
    saved = cost * starts / 1000
    other = max(value for name, value in costs.items() if name != unused)
    against = (
        f"The name is read further down. {use}" if name != unused else FLAW
        for name, (_, _, use) in _IMPORTS.items()
    )
    return draw.drill(f"""
    A worker that computes percentiles starts cold {starts} times an hour, and its users wait for
    that. Measured with `-X importtime`, in a fresh process:
    {", ".join(f"{name} {cost} ms" for name, cost in costs.items())} (each without what was loaded
    before it).

    {listing(numbered(code))}
    ? How many seconds of cold start per hour are saved without that line?
    = {saved} s tolerance=0.02
    - all-imports {sum(costs.values()) * starts / 1000}: You take out all the imports. Does the
      function still run?
    - one-start {cost / 1000}: That is one cold start. How many are there in an hour?
    - the-dearest-of-the-others {other * starts / 1000}: That import is used. Look for each name
      below the imports, not for the largest time.
    > Look for each imported name below the imports.
    > Saved = time of the import × cold starts.
    > {cost} ms × {starts}.
    . Nothing below the imports reads what `{_IMPORTS[unused][0]}` brings.
    * saved {saved} s: {cost} ms × {starts} = {quantity(saved, "s")} an hour
    ~ Less than {starts} times all the imports together.

    What is not used still loads: imports are part of a cold start, and of what must be installed,
    patched and shipped. A linter finds unused names; `-X importtime` says what each import costs.
    Arguments that no line reads can go for the same reason.
    """).also(options=lines_of(code, "Which line can go?", dict(enumerate(against, 1))))
