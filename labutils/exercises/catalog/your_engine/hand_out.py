"""Tokens to those who asked, and the end of a request, whatever it ends with."""

from labutils.exercises.checkers import piece_of, slip
from labutils.exercises.definition.exercise import Exercise
from labutils.exercises.trials.trial import Property

from .compute import Halt
from .engine_machine import Model, ended, make_engine, prompt_of

NUM_INPUTS = 30
MOST_STEPS = 30
_TAKE = "reason, error = request.take(token, now_s), None"
_ENDED = "if request.finish_reason is not None:\n            continue"
_TELL = "request.on_token(request.id, token)"
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


HAND_OUT = Exercise(
    id="loop.hand_out",
    title="Hand out the tokens, end a request, cancel one",
    minutes=12,
    checker=piece_of(
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
        mistakes=(
            (
                "a-failure-has-no-pair",
                slip(
                    "        told.append((request.id, token))\n",
                    "",
                    '            reason, error = "failed", raised\n',
                    '            reason, error = "failed", raised\n        else:\n'
                    "            told.append((request.id, token))\n",
                ),
                "A token whose listener or rule raises is not among the pairs. It was computed, "
                "and its request was open when its turn came.",
            ),
            (
                "rule-breaks-the-engine",
                slip(
                    "        try:\n            reason, error = request.take(token, now_s), None\n",
                    "        reason, error = request.take(token, now_s), None\n        try:\n",
                ),
                "A stop rule that raises stops the engine for all. Its request alone has failed.",
            ),
            (
                "ended-is-unknown",
                slip("if id not in self.requests:", "if id not in self.open:"),
                "You refuse the id of a request that has ended. It is known: there is nothing to "
                "cancel, and the answer is False.",
            ),
            (
                "last-token-untold",
                slip(
                    "told.append((request.id, token))\n        ",
                    "",
                    "self._end(request, reason, error)",
                    "self._end(request, reason, error)\n        else:\n"
                    "            told.append((request.id, token))",
                ),
                "The token with which a request ends is not among the pairs. It was computed, and "
                "its request was open when its turn came.",
            ),
            (
                "one-for-all",
                slip('reason, error = "failed", raised', "raise"),
                "A listener that raises stops the engine, and the other requests with it. Whose "
                "trouble is it?",
            ),
            (
                "tells-the-ended",
                slip(_ENDED, "pass"),
                "A request that was cancelled in this step hears its token all the same. Who may "
                "have ended it since the step was computed?",
            ),
            (
                "stops-at-the-ended",
                slip(_ENDED, _ENDED.replace("continue", "break")),
                "Behind a request that has ended meanwhile nobody hears a token any more, and it "
                "is lost.",
            ),
            (
                "ends-twice",
                slip("reason is not None and request.finish_reason is None", "reason is not None"),
                "A listener cancelled its own request with the last token, and yours ends it a "
                "second time. Which reason does it have by then?",
            ),
            (
                "fails-the-ended",
                slip(
                    'reason, error = "failed", raised',
                    'self._end(request, "failed", raised)\n            continue',
                ),
                "A listener cancels its own request and then raises, and yours ends it a second "
                "time. A request ends only once: has it a reason already?",
            ),
            (
                "keeps-the-pages",
                slip("self.scheduler.finish(request)", "pass"),
                "The scheduler never hears of the end: the request keeps its place and its pages.",
            ),
            (
                "stays-open",
                slip("del self.open[request.id]", "pass"),
                "The request stays among those that are open. When would `run` come back?",
            ),
            (
                "listener-before-the-note",
                slip(_TAKE, "pass", _TELL, f"{_TELL}\n            {_TAKE}"),
                "The listener hears a token that its request does not hold yet. What if it asks "
                "for the answer so far, or cancels?",
            ),
            (
                "cancels-the-ended",
                slip("return was_open", "return True"),
                "`cancel` says True for a request that had ended before. What did it end?",
            ),
            (
                "unknown-id",
                slip("if id not in self.requests:", "if False:"),
                "An id that nobody has is taken for a request that has ended.",
            ),
            (
                "words-break-the-engine",
                slip('request.finish_reason, request.error = "failed", error or raised', "raise"),
                "The tokenizer fails at one answer, and the engine stops for all.",
            ),
            (
                "swallows-the-end",
                slip(
                    "except Exception as raised:\n            reason",
                    "except BaseException as raised:\n            reason",
                ),
                "Your engine survives what is to end the process, such as Ctrl-C while a listener "
                "runs. Which errors are a request's?",
            ),
            (
                "error-not-told",
                slip("self._end(request, reason, error)", "self._end(request, reason)"),
                'A request ends as "failed", and its `error` is None. What would its caller want '
                "to read?",
            ),
            (
                "last-error-wins",
                slip("error or raised", "raised"),
                "A request that had failed before fails again in its words, and the first error is "
                "gone. Which one would you want to read?",
            ),
        ),
    ),
    hints=(
        "For each request of the step: has it ended meanwhile? Let it take its token, then let its "
        "listener hear it. Whatever raises in these two ends this request, and no other.",
        "`_end` has an order: the scheduler's `finish` gives the pages back; the request leaves "
        "`self.open`; then its time, reason and error; last its text, which may fail as well. "
        '`cancel` calls it with "cancelled", if the request is open.',
        "_hand_out: skip if request.finish_reason is not None; told.append; try: reason, error = "
        "request.take(token, now_s), None, then the listener; except Exception as raised: reason, "
        'error = "failed", raised. If reason is not None and request.finish_reason is None: '
        "self._end(request, reason, error).",
    ),
    explanation=(
        "Everything that somebody else wrote runs inside one `try`: the stop rule, the listener, "
        "the tokenizer. A listener may do more than raise: it may cancel its own request, or one "
        "whose token of this same step is not handed out yet. That is why the reason is looked at "
        "twice. The pages go back in `_end` and nowhere else, so there is a single place to look "
        "at when `check` finds a leak."
    ),
)
