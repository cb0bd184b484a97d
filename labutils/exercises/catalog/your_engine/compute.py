"""loop.compute · One request breaks the step, the others go on · 4 minutes

> If a step fails, who is at fault cannot be seen from the error. What could be computed again, and
  with whom?
> Alone. A step of a single request that fails has found its culprit: note it in `failed`, with its
  error. In a larger one each chunk is tried by itself, and the pairs of all are put together.
> try: return self._forward(chunks) if chunks else []; except Exception as error: if len(chunks) ==
  1, failed[chunks[0][0]] = error and return []. Behind it: return [pair for chunk in chunks for
  pair in self._compute([chunk], failed)].

To compute a chunk a second time is harmless: the same keys and values go to the same slots. So a
failed step costs one step per request, once, and then the culprit is gone. Halves instead of single
requests would find one culprit among a hundred in fewer steps; with batches of this size it is not
worth the lines. What may not be caught is what ends the process: `KeyboardInterrupt` is no
`Exception`, and that is what the difference between the two is for.
"""

from labutils.exercises.checkers import piece_of
from labutils.exercises.definition.sheet import exercise

from .engine_machine import Model, ended, make_engine, problem_of_pairs, prompt_of

NUM_INPUTS = 30
MOST_STEPS = 30


def survive(engine, requests, most_tokens, halt=0):
    """Serve requests (prompt tokens, answer tokens, place of a token that breaks the model).

    A line of more than ``most_tokens`` breaks it as well. With ``halt`` the process is told to end
    in that call of the model in the second step. What ``_compute`` calls, leaves or returns may be
    wrong in itself: then a sentence says so.
    """
    model = Halting(most_tokens)
    whole = make_engine(engine, model, seats=4, budget=12, pages=20)
    for number, (prompt, answer, poison_at) in enumerate(requests):
        tokens = prompt_of(number, prompt, poison_at=poison_at)
        whole.add_request(tokens, id=f"r{number}", max_output_tokens=answer)
    calls, troubles = _watched(whole, engine.Generation)
    steps: list = []
    while whole.open and len(steps) < MOST_STEPS:
        model.halts_at = halt if len(steps) == 1 else 0
        try:
            steps.append(sorted(whole.step()))
        except Halt:
            return [*steps, "Halt came through"]
        if len(calls) > 1 and not any(calls):
            troubles.append(f"Nothing fails in this step, and the model is called {len(calls)} ×.")
        if troubles:
            return troubles[0]
        calls.clear()
    whole.check()
    return [*steps, ended(whole)]


def _watched(whole, generation: type) -> tuple[list[bool], list[str]]:
    """Whether each call of ``_forward`` raised, and what is wrong with ``_compute``'s results."""
    calls: list[bool] = []
    troubles: list[str] = []
    forward, compute = whole._forward, whole._compute

    def forwarding(chunks):
        calls.append(True)
        pairs = forward(chunks)
        calls[-1] = False
        return pairs

    def computing(chunks, failed):
        pairs = compute(chunks, failed)
        pairs = list(pairs) if isinstance(pairs, tuple) else pairs
        if problem := problem_of_pairs(pairs, generation):
            troubles.append(f"`_compute` returns {problem}.")
        if strangers := [one for one in failed if type(one) is not generation]:
            troubles.append(f"`failed` has the key {strangers[0]!r}: expected the request itself.")
        return pairs if not troubles else failed.clear() or []

    whole._forward, whole._compute = forwarding, computing
    return calls, troubles


def says(got, expected) -> str:
    """What is wrong with ``_compute`` in itself, if anything is."""
    return got if isinstance(got, str) else ""


class Halt(BaseException):
    """The process is to end: nothing that an engine may swallow."""


class Halting(Model):
    """The model of a process that may be told to end, in its ``halts_at``-th call from now."""

    halts_at = 0

    def __call__(self, tokens, positions, *, attend, rows):
        self.halts_at -= 1
        if not self.halts_at:
            raise Halt
        return super().__call__(tokens, positions, attend=attend, rows=rows)


def some_failures():
    """Two to four requests, some with a token that breaks the model; lines that are too long."""
    from hypothesis import strategies as st

    one = st.tuples(st.integers(1, 7), st.integers(1, 4), st.sampled_from([None, None, 0, 3]))
    requests = st.lists(one, min_size=2, max_size=4)
    halt = st.sampled_from([0] * 6 + [1])
    return st.tuples(requests, st.sampled_from([7, 100, 100]), halt)


_MISTAKES = """
one-error-ends-all: Whoever stands behind the first request at fault is neither computed nor failed.
    Where does your `try` stand, around the loop or in it?
- return [pair for chunk in chunks for pair in self._compute([chunk], failed)]
+ pairs = []
+ for chunk in chunks:
+     pairs += self._compute([chunk], failed)
+     if chunk[0] in failed:
+         break
+ return pairs

the-steps-error: You note the error of the whole step for each request at fault. Each has an error
    of its own, from its own attempt.
-     if len(chunks) == 1:
-         failed[chunks[0][0]] = error
-         return []
- return [pair for chunk in chunks for pair in self._compute([chunk], failed)]
+     first = error
+ pairs = []
+ for chunk in chunks:
+     try:
+         pairs += self._forward([chunk])
+     except Exception:
+         failed[chunk[0]] = first
+ return pairs

runtime-errors-alone: You catch RuntimeError alone. A request may fail with any Exception.
- except Exception as error:
+ except RuntimeError as error:

row-by-row: Every request is computed by itself, also in a step in which nothing fails: the model
    reads its weights once for each of them. Try the whole step first; when have they to be apart?
- return self._forward(chunks) if chunks else []
+ if len(chunks) < 2:
+     return self._forward(chunks) if chunks else []

everybody-fails: One request breaks the step, and all of the step fail. Which of them would have
    been computed without it?
- if len(chunks) == 1:
-     failed[chunks[0][0]] = error
+ if True:
+     failed.update({one: error for one, _ in chunks})

first-fails: The first request of the step is blamed, and the others get no token.
- if len(chunks) == 1:
+ if True:

swallows-the-end: Your engine survives what is to end the process, such as Ctrl-C. Which errors are
    a request's?
- except Exception as error:
+ except BaseException as error:

nobody-fails: A request that cannot be computed gets no token and no error: it comes again in each
    step, for ever.
- failed[chunks[0][0]] = error

the-last-is-dropped: After an error the last request of the step is not computed at all.
- return [pair for chunk in chunks for pair in self._compute([chunk], failed)]
+ return [pair for chunk in chunks[:-1] for pair in self._compute([chunk], failed)]
"""

COMPUTE = exercise(
    __doc__,
    piece_of(
        "loop:Engine._compute",
        tried=survive,
        inputs=some_failures,
        num_inputs=NUM_INPUTS,
        says=says,
        always=(
            ([(2, 3, None), (1, 3, None)], 100, 1),
            ([(7, 3, None), (7, 3, 6)], 100, 2),  # in the call of a request alone
            ([(5, 2, None), (4, 2, None), (2, 2, 0)], 7, 0),
        ),
        mistakes=_MISTAKES,
    ),
)
