"""Text to token numbers and back, as a checkpoint's ``tokenizer.json`` says."""

from collections.abc import Iterable
from pathlib import Path


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

    def encode(self, text: str) -> list[int]:
        """The token numbers of ``text``, without any that the text does not hold."""
        return self._inner.encode(text, add_special_tokens=False).ids

    def decode(self, tokens: Iterable[int]) -> str:
        """The text of token numbers; end tokens and the like are left out."""
        return self._inner.decode([int(token) for token in tokens], skip_special_tokens=True)
