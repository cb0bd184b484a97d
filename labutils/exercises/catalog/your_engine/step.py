"""loop.step · The step, and the loop around it · 6 minutes

> The order is all: ask the scheduler; compute; tell the scheduler what ran; end what failed; let
  the hook look; hand out the tokens.
> `self._compute(plan.chunks, failed)` fills the dict `failed` with requests and their errors. They
  must not be in the plan that is committed: `plan._replace(chunks=…)`. The hook may raise, and the
  tokens have to be handed out all the same: `try … finally`.
> now_s = self.clock(); plan = self.scheduler.schedule(now_s); return None if it has no `chunks`;
  note admitted_s where it is None; tokens = self._compute(plan.chunks, failed); commit without the
  failed; self._end(request, "failed", error) for these; try the hook, finally told =
  self._hand_out(tokens); return told.

Between `schedule` and `commit` the plan is a promise; the counts move when it has run. That is why
a request whose computation failed can leave without a trace: its pages go back, nothing of it was
counted. The hook stands before the hand-out, so that it sees who ran and not who has just left. And
it must not be able to lose a token: an early version of this engine did, and the next step computed
the token 0 in its place, without a word.
"""

from labutils.engine import Plan
from labutils.exercises.checkers import piece_of
from labutils.exercises.definition.sheet import exercise

from .engine_machine import Model, ended, make_engine, names, prompt_of

NUM_INPUTS = 30
MOST_STEPS = 40
TROUBLES = ("hook", "no hook", "no plan", "waits", "empty", "run", "idle")
_MIXED = [(5, 3, None), (2, 4, None), (3, 2, 1)]
"""A prompt that is cut, so that a step may yield no token; one that fails at its second token."""


def watch_steps(engine, requests, seats, budget, pages, trouble):
    """Serve requests (prompt tokens, answer tokens, place of a token that breaks the model).

    Says in which order verbs are called, for whom; at the end each request's admission and answer.
    ``trouble``: "" or a step whose hook raises ("hook") or is None ("no hook"), one in which the
    scheduler has no plan ("no plan"), wants to wait ("waits") or has nothing to compute ("empty");
    "run" runs to the end at once, and so does "idle", with a scheduler that never has a plan.
    """
    whole = make_engine(engine, Model(), seats=seats, budget=budget, pages=pages)
    for number, (prompt, answer, poison_at) in enumerate(requests):
        tokens = prompt_of(number, prompt, poison_at=poison_at)
        whole.add_request(tokens, id=f"r{number}", max_output_tokens=answer)
    notes: list[str] = []
    whole.clock.now_s = -1.0  # the first step is at second 0
    _note_verbs(whole, notes, trouble)
    if trouble in ("idle", "run"):
        notes.append(_run(whole))
    for _ in range(0 if trouble == "idle" else MOST_STEPS):
        if not whole.open:
            break
        whole.clock.now_s += 1
        try:
            notes.append(f"step returns {_described(whole.step())}")
        except Grumble:
            notes.append("step raises Grumble")
    whole.check()
    what = {one.id: (one.admitted_s, *ended(whole)[one.id]) for one in whole.requests.values()}
    return [*notes, *(f"{id}, admitted at {at}: {how}" for id, (at, *how) in what.items())]


def _described(told) -> str:
    """What ``step`` returns, without addresses: an object by its kind, and its id if it has one."""
    if isinstance(told, list | tuple):
        inside = ", ".join(map(_described, told))
        return f"[{inside}]" if isinstance(told, list) else f"({inside})"
    if isinstance(told, str | int | float | None):
        return repr(told)
    kind = type(told).__name__
    return f"<{kind} {told.id}>" if hasattr(told, "id") else f"<{kind}>"


class Grumble(Exception):
    """What a hook of somebody else's raises."""


class Endless(Exception):
    """Ends a ``run`` that would go on for ever."""


def _note_verbs(whole, notes: list[str], trouble: str) -> None:
    """Let the scheduler and the engine's own verbs note when they are called."""
    scheduler, steps = whole.scheduler, [0]

    def scheduling(now_s):
        steps[0] += 1
        if steps[0] > MOST_STEPS:
            raise Endless
        notes.append(f"schedule({now_s})")
        odd = {"no plan": None, "waits": now_s + 1, "idle": None, "empty": Plan([], [])}
        if trouble in odd and (steps[0] == 2 or trouble == "idle"):
            return odd[trouble]
        return schedule(now_s)

    def noting(verb: str, call):
        def noted(given):
            chunks = getattr(given, "chunks", given)
            whom = names([one for one, _ in chunks]) if verb != "finish" else given.id
            notes.append(f"{verb} {whom}")
            return call(given)

        return noted

    def hook(_, plan):
        notes.append(f"on_step {names([one for one, _ in plan.chunks])}")
        if trouble == "hook" and steps[0] == 2:
            raise Grumble

    def computing(chunks, failed):
        whole.clock.now_s += 0.25
        return compute(chunks, failed)

    schedule, scheduler.schedule = scheduler.schedule, scheduling
    compute, whole._compute = whole._compute, computing
    scheduler.commit = noting("commit", scheduler.commit)
    scheduler.finish = noting("finish", scheduler.finish)
    whole._hand_out = noting("hand out", whole._hand_out)
    whole.on_step = None if trouble == "no hook" else hook


def _run(whole) -> str:
    """What comes of a run to the end."""
    try:
        whole.run()
    except Endless:
        return f"run goes on for ever: expected an end before step {MOST_STEPS}"
    except RuntimeError as error:
        named = any(id in str(error) for id in whole.open)
        return f"run raises RuntimeError, which names {'some' if named else 'no'} open requests"
    return "run ends"


def some_troubles():
    """Two to four requests, some of which break the model, and one trouble of the engine's."""
    from hypothesis import strategies as st

    one = st.tuples(st.integers(1, 7), st.integers(1, 5), st.sampled_from([None, None, 0, 1, 4]))
    requests = st.lists(one, min_size=2, max_size=4)
    limits = st.integers(2, 3), st.integers(0, 9), st.integers(6, 12)
    drawn = st.tuples(requests, *limits, st.sampled_from(("", *TROUBLES)))
    return drawn.map(lambda one: (one[0], one[1], one[1] + one[2], one[3], one[4]))


_MISTAKES = """
swallows-the-hook: The hook raised, and nobody hears of it. Its tokens are handed out, and then its
    error has to come through.
- finally:  # a hook that raises loses no token
+ except Exception:
+     pass
+ if True:

failed-go-on: A request that could not be computed stays open: it comes again in the next step, for
    ever.
- self._end(request, "failed", error)
+ pass

pairs-with-requests: `step` returns the pairs that it computed, with requests in them and with some
    that ended meanwhile. Its caller gets what `_hand_out` told: pairs (id, token).
- return told
+ return tokens

tokens-lost-with-the-hook: A hook that raises takes the step's tokens with it: they are computed,
    and nobody gets them.
- try:
+ if True:
- finally:  # a hook that raises loses no token
+ if True:  # a hook that raises loses no token

hands-out-first: The hook is called after the tokens were handed out. It is promised the step as it
    ran, before any request ends.
=     self._end(request, "failed", error)
+ told = self._hand_out(tokens)
= finally:  # a hook that raises loses no token
-     told = self._hand_out(tokens)
+     pass

a-hook-of-none: You call `on_step` though there is none. It may be None.
- if self.on_step is not None:
+ if True:

hook-without-the-engine: The hook gets the plan alone. It is promised the engine and the plan.
- self.on_step(self, plan)
+ self.on_step(plan)

error-untold: A request ends as "failed", and its error is lost. What would its caller want to read?
- self._end(request, "failed", error)
+ self._end(request, "failed")

returns-nothing-told: `step` hands its tokens out and returns None, which says that there was no
    step.
- return told
+ return None

counts-the-failed: A request that could not be computed is committed like the others: its keys count
    as written.
- plan._replace(chunks=[c for c in plan.chunks if c[0] not in failed])
+ plan

ends-before-it-commits: What failed ends while the step is still a promise: the scheduler hears of
    an end before it hears that the plan ran. Which of the two comes first?
- self.scheduler.commit(plan._replace(chunks=[c for c in plan.chunks if c[0] not in failed]))
=     self._end(request, "failed", error)
+ self.scheduler.commit(plan._replace(chunks=[c for c in plan.chunks if c[0] not in failed]))

commits-before-it-computes: The plan is committed before it is computed. `_compute` starts from what
    is counted, and what fails would count as computed, too.
- tokens = self._compute(plan.chunks, failed)
- self.scheduler.commit(plan._replace(chunks=[c for c in plan.chunks if c[0] not in failed]))
+ self.scheduler.commit(plan)
+ tokens = self._compute(plan.chunks, failed)

hook-hears-what-ran: The hook hears of the rows that ran. It is promised the plan as scheduled,
    failed rows included.
- self.on_step(self, plan)
+ self.on_step(self, plan._replace(chunks=[c for c in plan.chunks if c[0] not in failed]))

failed-stay-open: A request that failed never ends: it keeps its pages and comes again in the next
    step.
- self._end(request, "failed", error)
+ request.error = error

admitted-again: The time of admission moves with every step. When does a request begin to run for
    the first time?
- request.admitted_s = now_s if request.admitted_s is None else request.admitted_s
+ request.admitted_s = now_s

admitted-at-0: A request that was admitted at second 0 is admitted again: 0.0 is a time, and false.
- request.admitted_s is None
+ not request.admitted_s

admitted-when-computed: The time of admission is read after the step has been computed. Before it
    the request began to run.
- for request, _ in plan.chunks:
-     request.admitted_s = now_s if request.admitted_s is None else request.admitted_s
= tokens = self._compute(plan.chunks, failed)
+ for request, _ in plan.chunks:
+     if request.admitted_s is None:
+         request.admitted_s = self.clock()

never-committed: The scheduler never hears that its plan ran, so it plans the same step again.
- self.scheduler.commit(plan
+ (lambda ran: None)(plan

a-time-is-a-plan: A scheduler may answer with a time to wait for. Does that have chunks?
- if not hasattr(plan, "chunks"):  # None, or a time to wait for
+ if plan is None:  # None, or a time to wait for

false-for-none: Without a plan `step` returns False, and `run` goes on for ever. For what do all
    look who call `step`?
- return None
+ return False

no-tokens-for-no-plan: `run` gives up at a step that yields no token: a prompt that is cut yields
    none. What does `step` return if it had no plan?
- if self.step() is None:
+ if not self.step():

no-chunks-for-no-plan: A plan may have no chunks, and only say who was preempted. It is a plan all
    the same, and runs.
- if not hasattr(plan, "chunks"):  # None, or a time to wait for
+ if not getattr(plan, "chunks", None):  # None, or a time to wait for

one-step: `run` takes a single step. Until when is it to go on?
- while self.open:
+ if self.open:

names-nobody: The error of `run` names no request. Which ones would somebody look for?
- f"schedule planned no step; open: {list(self.open)[:4]}"
+ "schedule planned no step"

ends-with-open-requests: `run` ends quietly with requests open. What would their callers wait for?
- raise RuntimeError(f"schedule planned no step; open: {list(self.open)[:4]}")
+ return (f"schedule planned no step; open: {list(self.open)[:4]}")
"""

STEP = exercise(
    __doc__,
    piece_of(
        "loop:Engine.step",
        "loop:Engine.run",
        tried=watch_steps,
        inputs=some_troubles,
        always=tuple((_MIXED, 3, 4, 12, trouble) for trouble in TROUBLES),
        num_inputs=NUM_INPUTS,
        mistakes=_MISTAKES,
    ),
)
