"""Text to token numbers and back, as a checkpoint's ``tokenizer.json`` says."""

import functools
from collections.abc import Iterable
from pathlib import Path

LONG = 20_000  # characters: from here on other threads run meanwhile (``encode`` holds their lock)


class Tokenizer:
    """``encode`` and ``decode`` of one checkpoint; ``end_tokens`` end an answer.

    Reading and running a ``tokenizer.json`` is the work of Hugging Face's ``tokenizers``.
    """

    def __init__(self, inner, end_tokens: Iterable[int] = ()):
        self._inner = inner
        self.end_tokens = frozenset(end_tokens)

    @classmethod
    def from_file(cls, path: str | Path, end_tokens: Iterable[int] = ()) -> "Tokenizer":
        """Read a ``tokenizer.json``. ``ValueError`` names a file that is none."""
        import tokenizers

        try:
            inner = tokenizers.Tokenizer.from_file(str(path))
        except Exception as error:  # the library raises nothing narrower
            raise ValueError(f"path = {str(path)!r}: expected a tokenizer.json ({error})") from None
        return cls(inner, end_tokens)

    @property
    def vocab_size(self) -> int:
        """How many token numbers there are."""
        return self._inner.get_vocab_size()

    @functools.cached_property
    def longest(self) -> int:
        """Characters of its longest token at most: no text has fewer tokens than that allows."""
        return max(map(len, self._inner.get_vocab()))

    def encode(self, text: str) -> list[int]:
        """The token numbers of ``text``, without any that the text does not hold."""
        if len(text) > LONG:
            return self._inner.encode_batch([text], add_special_tokens=False)[0].ids
        return self._inner.encode(text, add_special_tokens=False).ids

    def decode(self, tokens: Iterable[int]) -> str:
        """The text of token numbers; end tokens and the like are left out."""
        return self._inner.decode([int(token) for token in tokens], skip_special_tokens=True)
