"""Tokens to text as they come, without taking anything back."""

from collections.abc import Callable, Collection, Sequence

UNFINISHED = "\ufffd"  # what a decoder writes for bytes that are not a whole character (yet)
MOST_UNFINISHED = 3  # tokens: a character has four bytes at most, and the fourth completes it


class Detokeniser:
    """``push`` the tokens of an answer; the texts that it returns add up to the answer.

    A token may end in the middle of a character, and a character may be the beginning of a stop
    string. Both are held back until they can be told, so what was sent never has to be recalled.
    """

    def __init__(self, decode: Callable[[Sequence[int]], str], stop: Collection[str] = ()):
        self.decode, self.stop = decode, tuple(stop)
        self.context: list[int] = []  # the tokens that were told last: a decoder may look back
        self.told = ""  # their text
        self.tokens: list[int] = []  # those after them, not told yet
        self.held = ""  # text that may begin a stop string
        self.sent = 0  # characters
        self.stopped = False

    def push(self, *tokens: int) -> str:
        """The text that is certain now, perhaps none."""
        self.tokens += tokens
        text, certain = self.decode([*self.context, *self.tokens]), len(self.tokens)
        if text.endswith(UNFINISHED):  # bytes before the last few will not become a character
            certain = max(0, certain - MOST_UNFINISHED)
            whole, text = text, self.decode([*self.context, *self.tokens[:certain]])
            certain *= whole.startswith(text)
        if self.stopped or not certain:
            return ""
        self.held += text[len(self.told) :]
        self.context, self.tokens = self.tokens[:certain], self.tokens[certain:]
        self.told = self.decode(self.context)
        return self._certain()

    def end(self, answer: str) -> str:
        """The rest of the whole ``answer``, which the engine has cut at its stop string."""
        rest = answer[self.sent :]
        self.sent = len(answer)
        return rest

    def _certain(self) -> str:
        """What of the held text cannot belong to a stop string."""
        found = [self.held.find(word) for word in self.stop if word in self.held]
        if found:
            self.stopped, certain = True, self.held[: min(found)]
        else:
            certain = self.held[: len(self.held) - self._may_begin()]
        self.held = self.held[len(certain) :]
        self.sent += len(certain)
        return certain

    def _may_begin(self) -> int:
        """Characters at the end of the held text that begin a stop string."""
        longest = max((len(word) for word in self.stop), default=1) - 1
        for length in range(min(longest, len(self.held)), 0, -1):
            if any(word.startswith(self.held[-length:]) for word in self.stop):
                return length
        return 0
