"""loop.hand_out · Hand out the tokens, end a request, cancel one · 7 minutes

> For each request of the step: has it ended meanwhile? Let it take its token, then let its listener
  hear it. Whatever raises in these two ends this request, and no other.
> `_end` has an order: the scheduler's `finish` gives the pages back; the request leaves
  `self.open`; then its time, reason and error; last its text, which may fail as well. `cancel`
  calls it with "cancelled", if the request is open.
> _hand_out: skip if request.finish_reason is not None; told.append; try: reason, error =
  request.take(token, now_s), None, then the listener; except Exception as raised: reason, error =
  "failed", raised. If reason is not None and request.finish_reason is None: self._end(request,
  reason, error).

Everything that somebody else wrote runs inside one `try`: the stop rule, the listener, the
tokenizer. A listener may do more than raise: it may cancel its own request, or one whose token of
this same step is not handed out yet. That is why the reason is looked at twice. The pages go back
in `_end` and nowhere else, so there is a single place to look at when `check` finds a leak.
"""

from labutils.exercises.checkers import piece_of
from labutils.exercises.comparing.trial import Property
from labutils.exercises.definition.sheet import exercise

from .compute import Halt
from .engine_machine import Model, ended, make_engine, prompt_of

NUM_INPUTS = 30
MOST_STEPS = 30
_FOUR = [(2, 2, ""), (5, 3, ""), (4, 2, ""), (1, 2, "")]
_ALWAYS = (
    (_FOUR, [(0, "r3"), (1, "r1")], None),  # one that waits is cancelled, and one that runs
    ([(1, 3, "r1"), (2, 2, ""), (3, 2, "")], [], None),  # the one in the middle is cancelled
    ([(2, 3, "halts"), (1, 2, "")], [], None),
    ([(2, 3, "cancels itself, raises"), (1, 2, "")], [], None),
    ([(1, 1, "cancels itself"), (2, 4, ""), (3, 3, "raises")], [(2, "r0"), (3, "nobody")], "all"),
    ([(1, 1, "cancels itself"), (2, 4, "")], [(2, "r0"), (3, "nobody")], None),
    (_FOUR, [(1, "r0")], "none"),
)


class Broken:
    """A tokenizer that fails at one token, or at "all"; else it says how many there are."""

    def __init__(self, token: int | str | None):
        self.token = token

    def decode(self, tokens) -> str:
        """A text, or ``LookupError``."""
        if self.token == "all" or self.token in tokens:
            raise LookupError(self.token)
        return f"{len(tokens)} tokens"


def tell_clients(engine, requests, cancels, broken_token=None):
    """Serve requests (prompt tokens, answer tokens, what its listener does), and note who hears.

    A listener "is deaf", "raises" at its second token, "halts" the process there, "cancels itself"
    (or does, and then raises), or cancels another request by its id when it hears its first token;
    a stop rule "breaks" at the second. ``cancels`` are pairs (step, id) from outside.
    ``broken_token`` cannot be put into words; with "none" there is no tokenizer. ``kept`` says what
    an ended request still holds.
    """
    tokenizer = None if broken_token == "none" else Broken(broken_token)
    whole = make_engine(engine, Model(), seats=3, budget=9, pages=14, tokenizer=tokenizer)
    heard: list = []
    for number, (prompt, answer, trouble) in enumerate(requests):
        whole.add_request(
            prompt_of(number, prompt), id=f"r{number}", max_output_tokens=answer,
            on_token=None if trouble == "is deaf" else _listener(whole, heard, trouble),
            stop=_breaking if trouble == "stop breaks" else (),
        )  # fmt: skip
    steps = []
    while whole.open and len(steps) < MOST_STEPS and not _kept(whole):
        whole.clock.now_s += 1
        for step, id in cancels:
            if step == len(steps):
                steps.append(f"cancel({id!r}) is {_cancel(whole, id)}")
        if _kept(whole):
            break
        try:
            steps.append(whole.step())
        except Halt:
            steps.append("Halt comes through")
            break
    last = {id: (one.finish_s, one.times_s, one.text) for id, one in whole.requests.items()}
    return {
        "kept": _kept(whole),
        "steps": steps,
        "heard": heard,
        "ended": ended(whole),
        "last": last,
    }


def _kept(whole) -> str:
    """What requests that have ended keep, in words; "" if they keep nothing."""
    scheduler, kept = whole.scheduler, []
    for id, one in whole.requests.items():
        if one.finish_reason is None:
            continue
        kept += [f"{id} runs, pages: {len(one.pages)}"] if one in scheduler.running else []
        kept += [f"{id} waits"] if one in scheduler.waiting else []
        kept += [f"{id} is open"] if id in whole.open else []
    held = sum(len(one.pages) for one in scheduler.running)
    lost = whole.pool.num_pages - whole.pool.num_free - held
    return ", ".join([*kept, f"{lost} pages are lost"] if lost else kept)


def _listener(whole, heard: list, trouble: str):
    def on_token(id, token):
        heard.append((id, token))
        mine = [one for one, _ in heard if one == id]
        if trouble == "raises" and len(mine) == 2:
            raise OSError("the connection is gone")
        if trouble == "halts" and len(mine) == 2:
            raise Halt
        if trouble.startswith("cancels itself"):
            whole.cancel(id)
        if trouble.endswith(", raises"):
            raise OSError("the connection is gone")
        if trouble in whole.requests:
            whole.cancel(trouble)

    return on_token


def _breaking(answer):
    if len(answer) == 2:
        raise KeyError("no such rule")
    return False


def _cancel(whole, id) -> str:
    try:
        return repr(whole.cancel(id))
    except ValueError:
        return "ValueError"


def some_clients():
    """Two to four requests, listeners of all kinds, cancellations from outside."""
    from hypothesis import strategies as st

    own = ["", "", "is deaf", "raises", "raises", "stop breaks", "halts"]
    troubles = [*own, "cancels itself", "cancels itself, raises", "r0", "r1", "r2"]
    one = st.tuples(st.integers(1, 6), st.integers(1, 4), st.sampled_from(troubles))
    cancel = st.tuples(st.integers(0, 5), st.sampled_from(["r0", "r1", "r2", "nobody"]))
    token = st.sampled_from([None, None, None, 0, 4, "all", "none"])
    lists = st.lists(one, min_size=2, max_size=4), st.lists(cancel, max_size=2)
    return st.tuples(*lists, token)


_MISTAKES = """
a-failure-has-no-pair: A token whose listener or rule raises is not among the pairs. It was
    computed, and its request was open when its turn came.
- told.append((request.id, token))
=     reason, error = "failed", raised
+ else:
+     told.append((request.id, token))

rule-breaks-the-engine: A stop rule that raises stops the engine for all. Its request alone has
    failed.
= told.append((request.id, token))
+ reason, error = request.take(token, now_s), None
= try:
-     reason, error = request.take(token, now_s), None

ended-is-unknown: You refuse the id of a request that has ended. It is known: there is nothing to
    cancel, and the answer is False.
- if id not in self.requests:
+ if id not in self.open:

last-token-untold: The token with which a request ends is not among the pairs. It was computed, and
    its request was open when its turn came.
- told.append((request.id, token))
=     self._end(request, reason, error)
+ else:
+     told.append((request.id, token))

ends-unheard: The listener does not hear the token with which its request ends. Is it not part of
    the answer?
- if request.on_token is not None:
+ if request.on_token is not None and reason is None:

a-listener-of-none: You call `on_token` though there is none, and the request fails. It may be None.
- if request.on_token is not None:
+ if True:

one-for-all: A listener that raises stops the engine, and the other requests with it. Whose trouble
    is it?
- reason, error = "failed", raised
+ raise

tells-the-ended: A request that was cancelled in this step hears its token all the same. Who may
    have ended it since the step was computed?
- if request.finish_reason is not None:
-     continue

stops-at-the-ended: Behind a request that has ended meanwhile nobody hears a token any more, and it
    is lost.
- continue
+ break

ends-twice: A listener cancelled its own request with the last token, and yours ends it a second
    time. Which reason does it have by then?
- if reason is not None and request.finish_reason is None:
+ if reason is not None:

fails-the-ended: A listener cancels its own request and then raises, and yours ends it a second
    time. A request ends only once: has it a reason already?
- reason, error = "failed", raised
+ self._end(request, "failed", raised)
+ continue

keeps-the-pages: The scheduler never hears of the end: the request keeps its place and its pages.
- self.scheduler.finish(request)

pages-alone: The pages go back, and the request keeps its place among those that run or wait. Which
    verb of the scheduler frees both?
- self.scheduler.finish(request)
+ self.pool.release(request)

stays-open: The request stays among those that are open. When would `run` come back?
- del self.open[request.id]

listener-before-the-note: The listener hears a token that its request does not hold yet. What if it
    asks for the answer so far, or cancels?
- reason, error = request.take(token, now_s), None
=     request.on_token(request.id, token)
+ reason, error = request.take(token, now_s), None

cancels-the-ended: `cancel` says True for a request that had ended before. What did it end?
- return was_open
+ return True

cancel-says-nothing: `cancel` returns nothing. Was the request open?
- return was_open

unknown-id: An id that nobody has is taken for a request that has ended.
- if id not in self.requests:
+ if False:

words-break-the-engine: The tokenizer fails at one answer, and the engine stops for all.
- request.finish_reason, request.error = "failed", error or raised
+ raise

words-of-no-tokenizer: You ask for words where there is no tokenizer, and the request fails. Then
    its text is None.
- self.tokenizer and request.words()
+ request.words()

words-fail-unseen: The words of an answer fail, and its reason says that all was well.
- request.finish_reason, request.error = "failed", error or raised
+ request.error = error or raised

swallows-the-end: Your engine survives what is to end the process, such as Ctrl-C while a listener
    runs. Which errors are a request's?
=         request.on_token(request.id, token)
- except Exception as raised:
+ except BaseException as raised:

error-not-told: A request ends as "failed", and its `error` is None. What would its caller want to
    read?
- self._end(request, reason, error)
+ self._end(request, reason)

last-error-wins: A request that had failed before fails again in its words, and the first error is
    gone. Which one would you want to read?
- request.finish_reason, request.error = "failed", error or raised
+ request.finish_reason, request.error = "failed", raised
"""

HAND_OUT = exercise(
    __doc__,
    piece_of(
        "loop:Engine._hand_out",
        "loop:Engine._end",
        "loop:Engine.cancel",
        tried=tell_clients,
        inputs=some_clients,
        num_inputs=NUM_INPUTS,
        always=_ALWAYS,
        properties=(
            Property(
                "leak",
                lambda result, *_: not result["kept"],
                "A request has ended and is not gone: a leak. `kept` says where it still stands, "
                "or how many pages nobody can have any more. Which verb of the scheduler takes it "
                "out, whether it runs or waits?",
            ),
        ),
        mistakes=_MISTAKES,
    ),
)
