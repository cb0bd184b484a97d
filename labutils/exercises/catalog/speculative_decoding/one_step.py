"""speculative.one_step · One step that verifies · 9 minutes

> A draft is packed as if it were known: the row of a request gets its own tokens and then its
  drafts. And k drafts want k + 1 rows of logits.
> For each chunk: text = request.tokens + extra, and Stretch(text, request.computed, computed + new
  + len(extra), request.pages) with new + len(extra) new tokens. Keep count of where the line ends.
  If computed + new == known, the places are end - 1 - len(extra) up to end - 1.
> wanted.append(Wanted(request, len(places), 1 + len(extra))) before places += range(end - 1 -
  len(extra), end). At the end: step = pack(rows, page_tokens, device); return replace(step,
  last=torch.tensor(places, dtype=torch.int64, device=device)), wanted.

To the model a draft is a token like any other: it has a position, a slot, and sees what stands
before it. A decode with k drafts is therefore a chunk of k + 1 tokens, exactly what a chunked
prefill computes. The one difference is that logits are wanted at each place. That is all that
verification is: the weights are read once for k + 1 places.
"""

from labutils.exercises.checkers import Function
from labutils.exercises.definition.sheet import exercise, mistakes_in

TOKENS = "You change `request.tokens`, which belongs to the answer; drafts may yet be refused."


def line_of(verification):
    """How the check tries ``verification``: ``line_of(verification)(rows, page_tokens)``.

    A row is (known, computed, new, drafts); returns the packed line and who wants which logits.
    """
    if not callable(verification):
        return verification

    def packed_line(rows, page_tokens):
        import torch

        from labutils.engine import Generation

        chunks, drafted, first = [], {}, 0
        for number, (known, computed, new, drafts) in enumerate(rows):
            tokens = [10 * number + at for at in range(known)]
            request = Generation(f"r{number}", tokens[: _prompt(known)], 9)
            request.tokens, request.known, request.computed = tokens, known, computed
            count = -(-(computed + new + len(drafts)) // page_tokens)
            request.pages, first = list(range(first, first + count))[::-1], first + count
            chunks.append((request, new))
            drafted |= {request: list(drafts)} if drafts else {}
        before = [list(request.tokens) for request, _ in chunks]
        step, wanted = verification(chunks, drafted, page_tokens, torch.device("cpu"))
        if [request.tokens for request, _ in chunks] != before:
            return TOKENS
        line = {name: getattr(step, name).tolist() for name in ("tokens", "positions", "slots")}
        places = {"logits at": step.last.tolist(), "contexts": list(step.contexts)}
        return {**line, **places, "wanted": [(w.request.id, w.first, w.count) for w in wanted]}

    return packed_line


def _prompt(known):
    """How many of the known tokens are prompt; the rest are answer."""
    return known - known // 4


def _house(rows, page_tokens):
    from labutils.serving.speculation.stretch import verification

    return line_of(verification)(rows, page_tokens)


def says(got, expected) -> str:
    """What is different, in a sentence."""
    if isinstance(got, str):
        return got
    for name, what in (
        ("tokens", "The tokens of the line"),
        ("positions", "The positions"),
        ("contexts", "The contexts behind each row"),
        ("logits at", "The places of the line whose logits are computed"),
        ("wanted", "Who wants logits, as (request, first row, rows)"),
    ):
        if got[name] != expected[name]:
            return f"{what}: {got[name]}, expected {expected[name]}."
    return ""


def _with(rows, page_tokens, counted):
    """The right line, with other places: ``counted(start, new, drafts, caught_up)`` for each row"""
    found, start, places, wanted = _house(rows, page_tokens), 0, [], []
    for number, (known, computed, new, drafts) in enumerate(rows):
        mine = counted(start, new, len(drafts), computed + new == known)
        if mine:
            wanted.append((f"r{number}", len(places), len(mine)))
        places += mine
        start += new + len(drafts)
    return {**found, "logits at": places, "wanted": wanted}


class Wrong:
    def ends_alone(rows, page_tokens):
        """Logits come from the end of each row alone. Behind the last draft the target says what
        comes next; whether it agrees with the drafts, the places before it say."""
        return _with(rows, page_tokens, lambda at, new, k, up: [at + new + k - 1] if up else [])

    def behind_the_known(rows, page_tokens):
        """Logits come from behind the last known token alone, as without drafts. That verifies the
        first draft. Which places verify the others?"""
        return _with(rows, page_tokens, lambda at, new, k, up: [at + new - 1] if up else [])

    def drafts_alone(rows, page_tokens):
        """The place of the last known token is missing, and with it what verifies the first draft.
        k drafts need k + 1 places."""

        def places(at, new, k, up):
            return list(range(at + new if k else at + new - 1, at + new + k)) if up else []

        return _with(rows, page_tokens, places)

    def without_the_last(rows, page_tokens):
        """The place of the last draft is missing: if all stay, that row gives a token for free. k
        drafts need k + 1 places."""

        def places(at, new, k, up):
            return list(range(at + new - 1, at + new + max(k - 1, 0))) if up else []

        return _with(rows, page_tokens, places)

    def a_place_late(rows, page_tokens):
        """Your places lie one behind those that are wanted. The first of them is that of the last
        known token: what follows it verifies the first draft."""

        def places(at, new, k, up):
            return list(range(at + new, at + new + k + 1)) if up else []

        return _with(rows, page_tokens, places)

    def first_in_the_line(rows, page_tokens):
        """`first` of your records is a place in the line. It counts rows of logits, and only wanted
        places have one."""
        found = _house(rows, page_tokens)
        wanted = [(who, found["logits at"][first], count) for who, first, count in found["wanted"]]
        return {**found, "wanted": wanted}

    def first_by_request(rows, page_tokens):
        """`first` of your records counts requests. It counts rows of logits, and one with k drafts
        has k + 1."""
        found = _house(rows, page_tokens)
        wanted = [(who, at, count) for at, (who, _, count) in enumerate(found["wanted"])]
        return {**found, "wanted": wanted}

    def k_for_k_plus_one(rows, page_tokens):
        """k drafts want k places with you, and none where there are no drafts. The place of the
        last known token verifies the first draft, or gives the next token: k + 1 in all."""
        return _with(
            rows, page_tokens, lambda at, new, k, up: list(range(at + new, at + new + k)) * up
        )

    def from_the_row_on(rows, page_tokens):
        """Your places begin with the row. In a chunk of a prompt the last known token stands at the
        end of what is new: count from there."""
        return _with(rows, page_tokens, lambda at, new, k, up: list(range(at, at + k + 1)) * up)

    def the_drafted_alone(rows, page_tokens):
        """A request without drafts that catches up wants one row, as ever. In yours it gets no
        token."""

        def places(at, new, k, up):
            return list(range(at + new - 1, at + new + k)) if k else []

        return _with(rows, page_tokens, places)

    def decodes_alone(rows, page_tokens):
        """A chunk that ends its prompt wants a row, too: it has caught up. Its length says nothing
        of that."""

        def places(at, new, k, up):
            return list(range(at + new - 1, at + new + k)) if new == 1 else []

        return _with(rows, page_tokens, places)

    def behind_the_prompt(rows, page_tokens):
        """You take a request for caught up once its prompt is computed. One that was preempted has
        its answer so far to compute as well."""
        found, start, places, wanted = _house(rows, page_tokens), 0, [], []
        for number, (known, computed, new, drafts) in enumerate(rows):
            if computed + new >= _prompt(known):
                wanted.append((f"r{number}", len(places), len(drafts) + 1))
                places += range(start + new - 1, start + new + len(drafts))
            start += new + len(drafts)
        return {**found, "logits at": places, "wanted": wanted}

    def prompts_too(rows, page_tokens):
        """A prompt that is not through yet wants logits, too, and would get a token that nobody
        asked for. Which requests have caught up after this step?"""
        return _with(
            rows, page_tokens, lambda at, new, k, up: list(range(at + new - 1, at + new + k))
        )

    def whole_rows(rows, page_tokens):
        """A prompt's logits are computed at each of its tokens. What follows them is known; the
        last place alone is of use."""
        return _with(
            rows, page_tokens, lambda at, new, k, up: list(range(at, at + new + k)) if up else []
        )

    def from_each_rows_start(rows, page_tokens):
        """Places count from the beginning of each row. All rows stand in one line: where does this
        one begin?"""
        return _with(
            rows, page_tokens, lambda at, new, k, up: list(range(new - 1, new + k)) if up else []
        )


def _some_rows():
    """One to four rows: decodes with up to three drafts, and chunks of prompts, through or not."""
    from hypothesis import strategies as st

    decode = st.tuples(st.integers(1, 9), st.lists(st.integers(90, 99), max_size=3)).map(
        lambda one: (one[0], one[0] - 1, 1, one[1])
    )
    chunk = st.tuples(st.integers(0, 5), st.integers(2, 4), st.integers(0, 3)).map(
        lambda one: (sum(one), one[0], one[1], [])
    )
    rows = st.lists(st.one_of(decode, chunk), min_size=1, max_size=4)
    return st.tuples(rows, st.integers(2, 5))


ONE_STEP = exercise(
    __doc__,
    Function(
        _house,
        _some_rows,
        num_inputs=50,
        says=says,
        always=(
            ([(6, 5, 1, [90, 91]), (5, 0, 3, []), (4, 0, 4, [])], 4),
            ([(3, 2, 1, []), (7, 6, 1, [95, 96, 97])], 3),
            ([(9, 2, 5, []), (3, 2, 1, [])], 4),  # its prompt is through, its answer so far is not
        ),
        misconceptions=mistakes_in(Wrong),
    ),
)
