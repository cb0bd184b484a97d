"""Why an answer ends: one token after the other is handed to an open request."""

from collections.abc import Callable

from labutils.exercises.checkers import Function
from labutils.exercises.definition.exercise import Exercise, Misconception

TWICE = "the same token twice"


def told(make: Callable) -> Callable:
    """A function that hands tokens to an open request; ``make()`` gives its class."""

    def take_all(tokens, most, stop):
        from labutils.serving.walk import hand_out

        return hand_out(make(), tokens, most, stop)

    return take_all


def _open_request():
    from labutils.serving.open_request import OpenRequest

    return OpenRequest


def _with(take) -> Callable:
    return told(lambda: type("OpenRequest", (_open_request(),), {"take": take}))


def _takes(*, length_first=False, one_more=0, prompt=False, keep=True, all_tokens=False):
    """``take`` with one of its rules changed."""

    def take(self, token, now_s):
        before = self.answer_tokens
        if keep or token not in (() if callable(self.stop) else self.stop):
            self.tokens.append(token)
            self.times_s.append(now_s)
        so_far = self.tokens if all_tokens else [*before, token]
        stops = self.stop(so_far) if callable(self.stop) else token in self.stop
        written = len(self.tokens) if prompt else len(before) + 1
        full = written >= self.request.max_output_tokens + one_more
        reasons = [(full, "length"), (stops, "stop")]
        reasons = reasons if length_first else reasons[::-1]
        return next((name for holds, name in reasons if holds), None)

    return take


def _some_answers():
    from hypothesis import strategies as st

    def asked(drawn):
        tokens, most, stop, case = drawn
        if case == "at the limit":
            return tokens, most, (tokens[most - 1],)
        if case == "like the prompt":  # whose last token is 5
            return [5, *tokens[1:]], most, TWICE
        return tokens, most, stop

    tokens = st.lists(st.integers(3, 9), min_size=9, max_size=9)
    stop = st.one_of(st.lists(st.integers(3, 9), max_size=3).map(tuple), st.just(TWICE))
    cases = st.sampled_from(["any", "any", "at the limit", "like the prompt"])
    return st.tuples(tokens, st.integers(1, 7), stop, cases).map(asked)


TAKE = Exercise(
    id="engine.take",
    title="Why an answer ends",
    minutes=6,
    checker=Function(
        reference=told(_open_request),
        inputs=_some_answers,
        misconceptions=(
            Misconception(
                "length-first",
                _with(_takes(length_first=True)),
                "An answer that says its stop token just when its room ends has ended by itself. "
                "Which of the two do you ask first?",
            ),
            Misconception(
                "one-too-many",
                _with(_takes(one_more=1)),
                "The answer gets one token more than it may have. Is this token counted already?",
            ),
            Misconception(
                "counts-the-prompt",
                _with(_takes(prompt=True)),
                "You count the prompt's tokens as the answer's. What does `max_output_tokens` "
                "limit?",
            ),
            Misconception(
                "swallows-the-stop",
                _with(_takes(keep=False)),
                "The stop token was computed, and it is part of what the model said: it belongs to "
                "the tokens, only not to the text. Yours is lost.",
            ),
            Misconception(
                "sees-the-prompt",
                _with(_takes(all_tokens=True)),
                "A function in `stop` is asked about the answer. Yours sees the prompt as well.",
            ),
        ),
    ),
    hints=(
        "Three things happen: the token is noted, with its time; then two reasons to end are "
        "looked at. What if both hold?",
        "`self.stop` is a set of tokens, or a function that is asked about `self.answer_tokens`. "
        "The limit is self.request.max_output_tokens. A stop comes before a length.",
        'Append to self.tokens and self.times_s. Return "stop" if self.stop(self.answer_tokens) '
        '(where it is callable) or token in self.stop; else "length" if len(self.times_s) has '
        "reached the limit; else None.",
    ),
    explanation=(
        'Finish reasons are an interface: a client that reads "length" knows that the answer was '
        'cut, and "stop" that it is whole. A stop token may be the very first token: the answer '
        "then ends with its prefill and never decodes. The other reasons come from outside: "
        '"cancelled" by the client, "failed" by an error of this request alone, "rejected" '
        "when it could never be served."
    ),
)
