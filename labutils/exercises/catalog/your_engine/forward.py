"""loop.forward · One step on the model · 5 minutes

> Five things in a row: order the chunks, find the requests that will have caught up, run the packed
  step, take their random numbers, choose tokens.
> A request has caught up if `computed + new == known`: those are the rows with logits, in the order
  of the line. `_logits` calls self.model with step.tokens[None] and step.positions[None],
  attend=paged_attention(self.memory, step) and rows=step.last, and takes [0] of what comes back.
> chunks = sorted(chunks, key=lambda chunk: (chunk[1] > 1, chunk[0].computed)); rows = [one for one,
  new in chunks if …]; in torch.inference_mode(): logits = self._logits(pack(chunks,
  self.pool.page_tokens, self.device)), then the uniforms (one.random.random() if
  one.sampling.temperature else 0.0), then sample(logits, …); return list(zip(rows,
  tokens.tolist())).

This is the only place where a scheduler's plan meets tensors, and the only one that waits for the
device: `tolist()` brings all tokens of the step at once. The model is called once for all rows,
whatever they are, and reads its weights once. That is what batching is. The sort costs nothing
beside it; it lets rows of like length stand beside each other, so that they can be read in one
padded call without much padding.
"""

import contextlib
from random import Random

from labutils.exercises.checkers import piece_of
from labutils.exercises.definition.sheet import exercise

from .engine_machine import Model, make_engine, problem_of_pairs, prompt_of, touched

NUM_INPUTS = 24
MOST_STEPS = 30
_REORDERS = (
    "`_forward` changes the list `chunks`, which is the scheduler's plan: `commit` and the hook "
    "read it after you. Work on a list of your own: `sorted`, not `sort`."
)


def walk_forward(engine, requests, seats, budget, pages):
    """Serve requests (prompt tokens, answer tokens, seed or None for greedy) step by step.

    For each step: the tokens that came, the contexts of the decodes in the order in which they
    stand in the line, and whether gradients were off. At the end: how many random numbers each
    request has drawn. Greedy ones have a seed, too: whoever draws with their numbers by mistake
    gets the same ones again.
    """
    model = Model()
    whole = make_engine(engine, model, seats=seats, budget=budget, pages=pages)
    for number, (prompt, answer, seed) in enumerate(requests):
        how = engine.Sampling(temperature=1.3 if seed is not None else 0.0)
        whole.add_request(
            prompt_of(number, prompt), id=f"r{number}", max_output_tokens=answer, sampling=how
        )
        whole.requests[f"r{number}"].random = Counted(number if seed is None else seed)
    troubles = _watched(whole, engine.Generation)
    plans, steps = [], []
    whole.on_step = lambda _, plan: plans.append(plan)
    while whole.open and len(steps) < MOST_STEPS:
        told = whole.step()
        for trouble in troubles:
            if isinstance(trouble, Exception):
                raise trouble
            return trouble
        if told is None:
            return f"After `_forward` nothing is planned any more, with {len(whole.open)} open."
        decodes = sum(new == 1 for _, new in plans[-1].chunks)
        positions, _ = model.lines[-1]
        alone = positions[:decodes] if len(positions) > decodes else positions
        steps.append({"told": sorted(told), "decodes at": alone, "gradients": model.gradients})
    whole.check()
    drawn = {id: one.random.drawn for id, one in whole.requests.items()}
    return [*steps, {"numbers drawn": drawn, "where the model raises": _drawn_in_vain(engine)}]


def _drawn_in_vain(engine) -> int:
    """How many numbers a request draws in a step whose model raises: it will be computed again."""
    whole = make_engine(engine, Model(most_tokens=2), seats=2, budget=9, pages=9)
    whole.add_request(
        prompt_of(0, 3), id="r0", max_output_tokens=2, sampling=engine.Sampling(temperature=1.3)
    )
    whole.requests["r0"].random = Counted(4)
    plan = whole.scheduler.schedule(0.0)
    with contextlib.suppress(RuntimeError):
        whole._forward(plan.chunks)
    return whole.requests["r0"].random.drawn


class Counted(Random):
    """A request's random numbers, counted."""

    drawn = 0

    def random(self) -> float:
        """The next one."""
        self.drawn += 1
        return super().random()


def _watched(whole, generation: type) -> list[Exception | str]:
    """A list that gets what ``_forward`` raises, or what is wrong with what it leaves or returns.

    The engine would take either for an error of its request.
    """
    troubles: list[Exception | str] = []
    forward = whole._forward

    def watching(chunks):
        before, changes = list(chunks), touched([request for request, _ in chunks])
        try:
            pairs = forward(chunks)
        except Exception as error:
            troubles.append(error)
            return []
        if list(chunks) != before:
            troubles.append(_REORDERS)
        elif changed := changes():
            troubles.append(f"`_forward` counts, which is for `commit` to do: {changed}.")
        elif problem := problem_of_pairs(pairs, generation):
            troubles.append(f"`_forward` returns {problem}.")
        return [] if troubles else pairs

    whole._forward = watching
    return troubles


def says(got, expected) -> str:
    """What ``_forward`` leaves or returns; else which request drew how many numbers."""
    if isinstance(got, str):
        return got
    if in_vain := got[-1]["where the model raises"]:
        return f"Random numbers that a request draws where the model raises: {in_vain}, expected 0."
    drawn, wanted = (one[-1]["numbers drawn"] for one in (got, expected))
    for id, count in wanted.items():
        if drawn[id] != count:
            return f"Random numbers that {id} draws: {drawn[id]}, expected {count}."
    return ""


def some_requests():
    """Two to five requests, greedy ones and others, budgets that cut prompts, scarce pages."""
    from hypothesis import strategies as st

    one = st.tuples(st.integers(1, 9), st.integers(1, 4), st.sampled_from([None, None, 4, 9, 16]))
    requests = st.lists(one, min_size=2, max_size=5)
    drawn = st.tuples(requests, st.integers(2, 4), st.integers(0, 5), st.integers(8, 14))
    return drawn.map(lambda one: (one[0], one[1], one[1] + one[2], one[3]))


_ALWAYS = (
    ([(6, 4, None), (2, 4, 4)], 2, 2, 6),  # preempted, and computed again in parts
    ([(5, 3, 9), (6, 3, 4)], 2, 2, 11),  # a prompt cut to one token beside a decode
)
_MISTAKES = """
all-by-computed: You sort all rows by what is computed, and a new prompt comes first. Decodes stand
    in front, then chunks.
- chunks = sorted(chunks, key=lambda chunk: (chunk[1] > 1, chunk[0].computed))
+ chunks = sorted(chunks, key=lambda chunk: chunk[0].computed)

no-model-without-tokens: Where no request catches up you do not run the model, and the keys of that
    chunk are never written.
= rows = [one for one, new in chunks if one.computed + new == one.known]
+ if not rows:
+     return []

tensors-for-tokens: The tokens are tensors still. A stop token is a number, and no tensor is ever
    found among numbers: how do they come from the device, all at once?
- return list(zip(rows, tokens.tolist()))
+ return list(zip(rows, tokens))

in-the-plans-order: Rows stand in the order of the plan. Build 7 reads neighbours of like length
    together: decodes first, by rising context.
- chunks = sorted(chunks, key=lambda chunk: (chunk[1] > 1, chunk[0].computed))
+ chunks = list(chunks)

draws-before-the-model: A request draws its number before the model has run. If that raises, each
    row is computed again, and draws once more: its answer then depends on its company.
= with torch.inference_mode():
+     uniforms = [one.random.random() if one.sampling.temperature else 0.0 for one in rows]
= logits = self._logits(pack(chunks, self.pool.page_tokens, self.device))
- uniforms = [one.random.random() if one.sampling.temperature else 0.0 for one in rows]

prompts-end-behind: The last token of a prompt stands behind the decodes, though it comes alone.
    Rows of one new token are read alike, whatever the token is.
- (chunk[1] > 1,
+ (chunk[0].computed < chunk[0].prompt_tokens,

longest-first: The decodes stand in the line with the longest context first; asked is the shortest.
- chunks = sorted(chunks, key=lambda chunk: (chunk[1] > 1, chunk[0].computed))
+ chunks = sorted(chunks, key=lambda chunk: (chunk[1] > 1, -chunk[0].computed))

cut-prompts-answer: A prompt that was cut gets a token as well, that of another request. Which
    requests have caught up after this step?
- rows = [one for one, new in chunks if one.computed + new == one.known]
+ rows = [one for one, new in chunks]

draws-at-zero: Every draw falls on the first token. Each request has random numbers of its own:
    `random.random()`.
- uniforms = [one.random.random() if one.sampling.temperature else 0.0 for one in rows]
+ uniforms = [0.0 for one in rows]

prompts-alone-answer: Only the end of a prompt brings a token. Which others have caught up: a
    decode, a request that comes back after it was preempted?
- rows = [one for one, new in chunks if one.computed + new == one.known]
+ rows = [one for one, new in chunks if one.computed + new == one.prompt_tokens]

greedy-ones-draw: A greedy request draws a random number, and has no use for it. What does it take
    in its place?
- uniforms = [one.random.random() if one.sampling.temperature else 0.0 for one in rows]
+ uniforms = [one.random.random() for one in rows]

numbers-in-the-plans-order: The random numbers stand in the order of the plan, and the rows in that
    of the line: a request draws with another's number.
- chunks = sorted(chunks, key=lambda chunk: (chunk[1] > 1, chunk[0].computed))
+ planned = chunks
+ chunks = sorted(chunks, key=lambda chunk: (chunk[1] > 1, chunk[0].computed))
- 0.0 for one in rows]
+ 0.0 for one, new in planned if one.computed + new == one.known]

tokens-in-the-plans-order: Requests stand in the order of the plan, and their tokens in that of the
    line: a request gets the token of another.
- chunks = sorted(chunks, key=lambda chunk: (chunk[1] > 1, chunk[0].computed))
+ planned = chunks
+ chunks = sorted(chunks, key=lambda chunk: (chunk[1] > 1, chunk[0].computed))
- rows = [one for one, new in chunks if one.computed + new == one.known]
+ rows = [one for one, new in planned if one.computed + new == one.known]

tokens-to-the-plans-rows: Tokens stand in the order of the line, and you hand them out in that of
    the plan: a request gets the token of another. Of which list are the rows taken?
- chunks = sorted(chunks, key=lambda chunk: (chunk[1] > 1, chunk[0].computed))
+ planned = chunks
+ chunks = sorted(chunks, key=lambda chunk: (chunk[1] > 1, chunk[0].computed))
- return list(zip(rows, tokens.tolist()))
+ rows = [one for one, new in planned if one.computed + new == one.known]
+ return list(zip(rows, tokens.tolist()))

decodes-unsorted: Decodes stand in front, in the order of the plan. Build 7 reads neighbours of like
    length together: by what are they to be sorted?
- chunks = sorted(chunks, key=lambda chunk: (chunk[1] > 1, chunk[0].computed))
+ chunks = sorted(chunks, key=lambda chunk: chunk[1] > 1)

first-settings-for-all: All rows are drawn with the settings of the first one. Whose are they?
- [one.sampling for one in rows]
+ [one.sampling for one in rows[:1]] * len(rows)

another-number-for-each-part: A request whose prompt is cut uses up a random number in each part, so
    its answer depends on the budget. When does it need one?
- chunks = sorted(chunks, key=lambda chunk: (chunk[1] > 1, chunk[0].computed))
+ cut = [one for one, new in chunks if one.computed + new < one.known]
+ [one.random.random() for one in cut if one.sampling.temperature]
+ chunks = sorted(chunks, key=lambda chunk: (chunk[1] > 1, chunk[0].computed))

another-number-beside-others: A request whose prompt is cut uses up a random number in each part, so
    its answer depends on the budget. When does it need one?
- chunks = sorted(chunks, key=lambda chunk: (chunk[1] > 1, chunk[0].computed))
+ cut = [one for one, new in chunks if one.computed + new < one.known]
+ if len(cut) < len(chunks):
+     [one.random.random() for one in cut if one.sampling.temperature]
+ chunks = sorted(chunks, key=lambda chunk: (chunk[1] > 1, chunk[0].computed))

caught-up-with-the-prompt: A preempted request computes its answer again, in parts, and gets a token
    before it has caught up. What does it know besides its prompt?
- rows = [one for one, new in chunks if one.computed + new == one.known]
+ rows = [one for one, new in chunks if one.computed + new >= one.prompt_tokens]

by-what-is-known: Rows of one token stand by what their requests know. Of a prompt that was cut to
    one token, most is still to come: what is in memory?
- chunks = sorted(chunks, key=lambda chunk: (chunk[1] > 1, chunk[0].computed))
+ chunks = sorted(chunks, key=lambda chunk: (chunk[1] > 1, chunk[0].known))

by-what-is-left: A prompt that was cut to one token stands among the longer chunks: you ask what its
    request has left. How many tokens does it bring in this step?
- chunks = sorted(chunks, key=lambda chunk: (chunk[1] > 1, chunk[0].computed))
+ chunks = sorted(chunks, key=lambda chunk: (chunk[0].to_compute > 1, chunk[0].computed))

tokens-by-the-plans-rows: Requests stand in the order of the plan, and their tokens in that of the
    line: a request gets the token of another.
- chunks = sorted(chunks, key=lambda chunk: (chunk[1] > 1, chunk[0].computed))
+ planned = chunks
+ key = lambda chunk: (chunk[1] > 1, chunk[0].computed if chunk[1] == 1 else 0)
+ chunks = sorted(chunks, key=key)
- rows = [one for one, new in chunks if one.computed + new == one.known]
+ rows = [one for one, new in planned if one.computed + new == one.known]

keeps-gradients: The model runs with gradients on: torch keeps notes of every operation. Who would
    ever read them?
- with torch.inference_mode():
+ if True:
"""

FORWARD = exercise(
    __doc__,
    piece_of(
        "loop:Engine._forward",
        "loop:Engine._logits",
        tried=walk_forward,
        inputs=some_requests,
        num_inputs=NUM_INPUTS,
        always=_ALWAYS,
        says=says,
        mistakes=_MISTAKES,
    ),
)
