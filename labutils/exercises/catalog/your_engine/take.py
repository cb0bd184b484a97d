"""request.take · Why an answer ends · 5 minutes

> Three things happen in `take`: the token is noted, its time is noted, then two reasons to end are
  looked at. What if both hold?
> `self.stop` is a rule to be called with `self.answer`, or a set of token numbers and strings. A
  number ends the answer if it *is* the newest token; a string if the text of the last few tokens
  contains it.
> take: append to self.tokens and self.times_s; "stop" if self.stops(); "length" if
  len(self.times_s) has reached self.max_output_tokens; else None. stops: for each str `word` of
  self.stop, look for it in self.tokenizer.decode(self.tokens[-n:]), where n is len(word.encode()),
  but never more than the tokens of the answer.

Finish reasons are an interface: a client that reads "length" knows that the answer was cut, and
"stop" that it is whole. A stop token may be the very first token: the answer then ends with its
prefill and never decodes. Only the last tokens are looked at, as many as the string has bytes: to
decode or copy the whole answer after each token costs more with every token, and a server that did
so grew slower the longer it talked. The other reasons come from outside: "cancelled" by the client,
"failed" by an error of this request alone, "rejected" when it could never be served.
"""

from labutils.exercises.checkers import piece_of
from labutils.exercises.comparing.trial import Property
from labutils.exercises.definition.sheet import exercise

from .engine_machine import touched

TWICE = "the same token twice"


PIECES = (b"a", b"b", b"ab", b".", b"b.a", "é".encode()[:1], "é".encode()[1:], b"aa", b"\n")
"""What each token of a small tokenizer stands for; an é takes two of them."""


SPELT = (
    ("ab", [0, 1]), ("ab", [0, 4]), ("é", [5, 6]), ("b.", [1, 3]), ("b.", [4]), ("a\n", [0, 8]),
    ("éé", [5, 6, 5, 6]), ("aab", [0, 2]), ("aa", [0, 7]),
)  # fmt: skip
"""Stop strings, and tokens that spell them, some with more behind."""


ALIKE = (
    ([6, 0], 2, ("é",)), ([1, 8], 9, ("b.", "\n")), ([1, 3], 9, ("b.", "\n")),
)  # fmt: skip
"""The prompt and the first token spell a stop string; two stop strings, of which either comes."""


_ENDS = (
    ([3, 1, 7, 0], 9, (7,)),  # a stop token
    ([3, 8, 7, 0], 9, ()),  # nothing ends it here
    ([3, 8, 7, 0], 3, ()),  # the limit
    ([3, 8, 7, 0], 3, (7,)),  # both at once
    ([7, 0, 1], 9, (7,)),  # the very first token
    ([3, 0, 1, 3], 9, ("ab",)),  # a string in two tokens
    ([3, 1, 4, 0], 9, ("b.",)),  # one inside a token, with more behind
    ([3, 5, 6, 5, 6, 1], 9, ("éé",)),  # one of two letters, four bytes and as many tokens
    ([3, 2, 5, 6, 1], 9, ("abé",)),  # as many tokens as characters
    ([1, 3, 0, 1], 9, ("ab", "b.")),  # either of two strings
    ([3, 5, 6, 0], 9, ("ab", "é")),  # the second of two
    ([3, 8, 7, 0], 9, ("ab", 7)),  # a token beside a string
    ([0, 3, 3, 1], 9, TWICE),  # a rule
    ([5, 0, 1], 9, TWICE),  # one that the prompt's last token would meet
    *ALIKE,
)


class Pieces:
    """A tokenizer of nine tokens."""

    def decode(self, tokens) -> str:
        """Text; the replacement character stands for half a letter."""
        return b"".join(PIECES[token] for token in tokens).decode("utf-8", "replace")


def hand_tokens(engine, tokens, most, stop):
    """Hand tokens to a request with a prompt of 3, 5 until it ends: reason, answer, times.

    ``changed`` says which counts of the request are others than before, in words.
    ``stop`` is a tuple of tokens and strings, or text: then it stops when two tokens are equal.
    """
    rule = (lambda answer: answer[-2:-1] == answer[-1:]) if isinstance(stop, str) else stop
    request = engine.Generation("A", [3, 5], most, stop=rule, tokenizer=Pieces())
    reason, changes = None, touched([request])
    for number, token in enumerate(tokens):
        reason = request.take(token, number / 8)
        if reason is not None:
            break
    answer, times_s = request.answer, request.times_s
    return {"reason": reason, "answer": answer, "times_s": times_s, "changed": changes()}


def some_answers():
    """Nine tokens, a limit, and what ends the answer: tokens, strings of one or more, a rule."""
    from hypothesis import strategies as st

    def asked(drawn):
        tokens, most, stop, case = drawn
        if case == "at the limit":
            return tokens, most, (tokens[most - 1],)
        if case == "like the prompt":  # whose last token is 5
            return [5, *tokens[1:]], most, TWICE
        return tokens, most, stop

    often = st.sampled_from([0, 0, 1, 2, 3, 4, 5, 5, 6, 6, 7, 8])
    tokens = st.lists(often, min_size=9, max_size=9)
    strings = st.sampled_from(["ab", "é", "b.", "a\n", "aab", "éé"])
    ends = st.lists(st.one_of(st.integers(0, 8), strings, strings), max_size=2).map(tuple)
    cases = st.sampled_from(["any", "any", "at the limit", "like the prompt"])
    stops = st.one_of(ends, ends, st.just(TWICE))
    drawn = st.tuples(tokens, st.integers(1, 9), stops, cases).map(asked)
    spelt = st.tuples(st.lists(often, max_size=3), st.sampled_from(SPELT), st.integers(0, 8))
    spelt = spelt.map(lambda one: _spelt(*one))
    return st.one_of(drawn, spelt)


def _spelt(before: list[int], spelt: tuple[str, list[int]], behind: int):
    """An answer that a string ends, spelt in several tokens."""
    word, tokens = spelt
    return [*before, *tokens, behind], 9, (word,)


_MISTAKES = """
asks-before-it-notes: You ask for an end before the token is noted, and learn of it one token late.
    What do `stops` and the count look at?
- self.tokens.append(token)
+ stops = bool(self.answer) and self.stops()
+ full = len(self.times_s) >= self.max_output_tokens
+ self.tokens.append(token)
- if self.stops():
+ if stops:
- return "length" if len(self.times_s) >= self.max_output_tokens else None
+ return "length" if full else None

length-first: An answer that says its stop token just when its room ends has ended by itself, and
    yours ends by its length.
- if self.stops():
+ full = len(self.tokens) == self.most
+ if not full and self.stops():

one-too-many: The answer gets one token more than it may have. Is this token counted already?
- return "length" if len(self.times_s) >= self.max_output_tokens else None
+ return "length" if len(self.times_s) > self.max_output_tokens else None

counts-the-prompt: You count the prompt's tokens as the answer's. What does `max_output_tokens`
    limit?
- return "length" if len(self.times_s) >= self.max_output_tokens else None
+ return "length" if len(self.tokens) >= self.max_output_tokens else None

sees-the-prompt: The rule in `stop` is asked about the prompt as well: there the answer is wanted
    alone.
- self.stop(self.answer)
+ self.stop(self.tokens)

text-of-the-prompt: A stop string that begins in the prompt ends the answer. Whose tokens may form
    it?
- min(own, len(word.encode()))
+ len(word.encode())

strings-unread: Stop strings end nothing. Which text do the newest tokens stand for?
- if isinstance(word, str))
+ if False)

newest-token-alone: A stop string is looked for in the newest token alone. May it begin in the token
    before?
- min(own, len(word.encode()))
+ 1

at-the-very-end: A stop string ends the answer only if it is the last thing in it. May a token go on
    behind it?
- word in self.tokenizer.decode(tokens[-min(own, len(word.encode())) :])
+ self.tokenizer.decode(tokens[-min(own, len(word.encode())) :]).endswith(word)

decodes-one-by-one: You decode each token by itself, and a letter that takes two of them falls
    apart. What do the tokens spell together?
- self.tokenizer.decode(tokens[-min(own, len(word.encode())) :])
+ "".join(self.tokenizer.decode([one]) for one in tokens[-min(own, len(word.encode())) :])

numbers-unread-beside-strings: Where `stop` holds a string, its token numbers end nothing. Can it
    hold both?
- words = (word for word in self.stop if isinstance(word, str))
- return tokens[-1] in self.stop or any(
+ words = [word for word in self.stop if isinstance(word, str)]
+ return not words and tokens[-1] in self.stop or any(

numbers-unread: A token number in `stop` ends nothing. It is no string, and needs no text.
- return tokens[-1] in self.stop or any(
+ return any(

stops-in-the-prompt: A stop token in the prompt ends the answer. Which token has just come?
- tokens[-1] in self.stop
+ any(token in self.stop for token in tokens)

not-noted: You end the answer before its stop token is noted. `take` notes each token; `words` is
    what leaves it out.
= self.tokens.append(token)
- self.times_s.append(now_s)
+ if not callable(self.stop) and token in self.stop:
+     self.tokens.pop()
+     return "stop"
+ self.times_s.append(now_s)

asked-of-a-token: The rule in `stop` is asked about the newest token. It is a function of the
    answer, a list of tokens.
- self.stop(self.answer)
+ self.stop(self.tokens[-1])

shortest-window: You look no further back than the shortest of the stop strings asks for. How far
    back can the longest begin?
- words = (word for word in self.stop if isinstance(word, str))
+ words = [word for word in self.stop if isinstance(word, str)]
- min(own, len(word.encode()))
+ min(own, *(len(one.encode()) for one in words))

characters-for-tokens: One letter may take several tokens: a token holds at least one *byte*. How
    far back can a string begin?
- len(word.encode())
+ len(word)
"""


TAKE = exercise(
    __doc__,
    piece_of(
        "request:Generation.take",
        "request:Generation.stops",
        tried=hand_tokens,
        inputs=some_answers,
        always=_ENDS,
        properties=(
            Property(
                "changes-the-counts",
                lambda result, *_: not result["changed"],
                "`take` notes a token and its time, and says why the answer ends. It counts "
                "nothing: the scheduler's `commit` moves `known` and `computed`, and `_end` sets "
                "the reason. `changed` says what yours leaves behind.",
            ),
        ),
        mistakes=_MISTAKES,
    ),
)
