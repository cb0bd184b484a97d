"""request.words · What the client reads · 3 minutes, optional

> Two things are not for the reader: a stop token at the end, and a stop string with all that
  follows.
> Leave the last token out if it is in `self.stop`; decode; then cut the text where the first of the
  strings in `self.stop` begins. A rule has neither.
> stop = () if callable(self.stop) else self.stop; decode answer[:-1] if answer and answer[-1] in
  stop; found = the places text.find(word) of the strings that are in the text; return text[:
  min(found, default=None)].

Tokens and text are two answers. The tokens are what the model computed, and what a log should hold;
the text is what was asked for. The newest token may hold a stop string and more: the text is cut
inside of it. That is why a server that streams text holds back what may be the beginning of a stop
string until the next token has decided it.
"""

from labutils.exercises.checkers import piece_of
from labutils.exercises.definition.sheet import exercise

from .take import Pieces


class _InOrder(frozenset):
    """A set that everybody goes through in the order in which it was given, in each process."""

    def __new__(cls, given):
        made = super().__new__(cls, given)
        made.given = tuple(given)
        return made

    def __iter__(self):
        return iter(self.given)


def text_of(engine, answer, stop):
    """The words of an answer that has ended; ``stop`` is text where a rule ended it.

    Where the request's tokens are others afterwards, a sentence says so in place of the text.
    """
    rule = (lambda answer: True) if isinstance(stop, str) else stop
    request = engine.Generation("A", [3, 5], 20, stop=rule, tokenizer=Pieces())
    if not callable(rule):
        request.stop = _InOrder(rule)
    request.tokens += answer
    other = "length" if len(answer) % 2 else "cancelled"
    request.finish_reason = "stop" if answer and request.stops() else other
    before = list(request.tokens)
    text = request.words()
    same = request.tokens == before
    return text if same else f"`words` leaves the tokens {request.tokens} of {before}"


_OVERLAPPING = (
    ([0, 1, 3], ("ab", "b.")),
    ([0, 0, 3], ("a.", "aa")),
    ([1, 0, 1], ("ab", "ba")),
    ([1, 1, 3], ("b.", "bb")),
    ([0, 1, 0], ("ba", "ab")),
    ([0, 1, 3], (".", "ab")),
    ([1, 0, 3], ("b", "a.")),
    ([1, 0, 3], ("a.", "b")),
)
"""Answers in which one stop string begins before another."""


def some_texts():
    """Answers that a stop token or a string has ended, or the limit."""
    from hypothesis import strategies as st

    def as_taken(drawn):
        """The first stop token ends an answer: none stands before the last token."""
        answer, stop = drawn
        first = next((i for i, token in enumerate(answer) if token in stop), len(answer))
        return answer[: first + 1], stop

    tokens = st.lists(st.integers(0, 8), min_size=1, max_size=6)
    strings = st.sampled_from(["ab", "é", "b.", "a\n", ".b", "aa"])
    ends = st.lists(st.one_of(st.integers(0, 8), strings), max_size=3).map(tuple)
    ended = st.tuples(tokens, ends)
    by_token = st.tuples(tokens, strings).map(lambda one: (one[0], (one[1], one[0][-1])))
    letters = st.lists(st.sampled_from([0, 1, 2, 3, 4]), min_size=3, max_size=6)
    by_two = st.tuples(
        letters, st.sampled_from([("ab", "b."), ("b.", "a"), ("aa", "b"), (".", "ab")])
    )
    return st.one_of(ended, by_token, by_two).map(as_taken)


_MISTAKES = """
first-of-the-set: You cut at the first string of `stop` that is in the text. Another one may begin
    before it.
- found = [text.find(word) for word in stop if isinstance(word, str) and word in text]
+ found = [text.find(word) for word in stop if isinstance(word, str) and word in text][:1]

longest-of-the-set: You cut at the longest string of `stop` that is in the text. A shorter one may
    begin before it.
- found = [text.find(word) for word in stop if isinstance(word, str) and word in text]
+ words = sorted((word for word in stop if isinstance(word, str)), key=len, reverse=True)
+ found = [text.find(word) for word in words if word in text][:1]

string-after-string: You cut the text for one string, and look for the next in what is left. That
    one may begin before it, with an end that you have cut off.
- found = [text.find(word) for word in stop if isinstance(word, str) and word in text]
- return text[: min(found, default=None)]
+ for word in sorted(one for one in stop if isinstance(one, str)):
+     text = text.partition(word)[0]
+ return text

token-by-token: You turn each token into text on its own. A character may need two of them.
- text = self.tokenizer.decode(answer[:-1] if answer and answer[-1] in stop else answer)
+ shown = answer[:-1] if answer and answer[-1] in stop else answer
+ text = "".join(self.tokenizer.decode([token]) for token in shown)

suffix-alone: You take a stop string off the end of the text alone. A token may go on behind it.
- found = [text.find(word) for word in stop if isinstance(word, str) and word in text]
+ found = [len(text) - len(word) for word in stop if isinstance(word, str) and text.endswith(word)]

less-when-stopped: You leave the last token out of every answer that its length did not end. A stop
    string may begin within that token, and a cancelled answer has no stop token.
- answer[-1] in stop
+ self.finish_reason != "length"

less-at-every-stop: You leave the last token out wherever the reason is `stop`. A string or a rule
    ends an answer, too: what may stand in its last token?
- answer[-1] in stop
+ (self.finish_reason == "stop" or answer[-1] in stop)

nothing-at-the-end: An answer may be empty, where a request is cancelled while it waits. Which is
    its last token?
- if answer and answer[-1] in stop
+ if not callable(self.stop) and answer[-1] in stop

strings-as-patterns: Your stop strings are read as patterns, and in one of them a dot means any
    character. How do you look for the dot itself?
- found = [text.find(word) for word in stop if isinstance(word, str) and word in text]
+ import re
+
+ hits = [re.search(word, text) for word in stop if isinstance(word, str)]
+ found = [hit.start() for hit in hits if hit]

without-the-newest-token: Where a stop string ended the answer, you leave out its newest token. A
    string may begin in the middle of a token, or some tokens before.
- return text[: min(found, default=None)]
+ return self.tokenizer.decode(answer[:-1]) if found else text

with-the-stop-string: The text still ends with the stop string. Cut where it begins.
- text.find(word) for
+ text.find(word) + len(word) for

cut-at-the-end: You cut the string's length off the end. Text may stand behind the string: where
    does it begin?
- text.find(word) for
+ len(text) - len(word) for

prompt-too: The text begins with the prompt. Which tokens are the answer?
- answer, stop = self.answer, () if callable(self.stop) else self.stop
+ answer, stop = self.tokens, () if callable(self.stop) else self.stop

takes-the-token-away: You take the stop token out of the request itself. The text is made for the
    reader: who else reads `tokens`, and its times?
- text = self.tokenizer.decode(answer[:-1] if answer and answer[-1] in stop else answer)
+ if answer and answer[-1] in stop:
+     self.tokens.pop()
+ text = self.tokenizer.decode(self.answer)

minus-one: `find` says -1 of a string that is not there, and your text loses its last letter. Which
    strings are to be looked for?
- [text.find(word) for word in stop if isinstance(word, str) and word in text]
+ [text.find(word) for word in stop if isinstance(word, str)]

last-occurrence: You cut where a string stands last. Where did the text end for the reader when it
    stands there twice?
- text.find(word) for
+ text.rfind(word) for

stripped: Blanks and line ends at the edges of the text are gone. Did the model not write them?
- return text[: min(found, default=None)]
+ return text[: min(found, default=None)].strip()

shows-the-stop-token: A stop token is among the tokens, and the reader must not see it.
- text = self.tokenizer.decode(answer[:-1] if answer and answer[-1] in stop else answer)
+ text = self.tokenizer.decode(answer)

shows-the-stop-string: The text holds the string that ended it, and what came behind.
- return text[: min(found, default=None)]
+ return text

always-one-less: The last token goes, whatever it is. Which tokens are not for the reader?
- text = self.tokenizer.decode(answer[:-1] if answer and answer[-1] in stop else answer)
+ text = self.tokenizer.decode(answer[:-1])

rule-for-a-set: `stop` may be a rule, a function of the answer: nothing can be looked up in it, and
    it leaves the whole text.
- answer, stop = self.answer, () if callable(self.stop) else self.stop
+ answer, stop = self.answer, self.stop

cuts-at-the-last: The text goes on behind the first stop string, up to another one. Which of them
    ended the answer?
- return text[: min(found, default=None)]
+ return text[: max(found, default=None)]

one-cut-after-the-other: You cut the text for one string, and look for the next in what is left.
    That one may begin before it, with an end that you have cut off.
- found = [text.find(word) for word in stop if isinstance(word, str) and word in text]
- return text[: min(found, default=None)]
+ for word in sorted(one for one in stop if isinstance(one, str))[::-1]:
+     text = text.partition(word)[0]
+ return text
"""


WORDS = exercise(
    __doc__,
    piece_of(
        "request:Generation.words",
        tried=text_of,
        inputs=some_texts,
        always=(
            *((letters, pair) for letters, pair in _OVERLAPPING),
            ([0, 1, 3], "a rule"),
            ([1, 3, 1, 3], ("b.",)),  # the string stands there twice
            ([1, 4], (".",)),  # the string begins within the last token
            ([2, 8], (8,)),
            ([0, 5, 6, 3], (3,)),  # a letter takes two tokens
            ([], ("ab",)),
        ),
        mistakes=_MISTAKES,
    ),
)
