"""Text to token numbers and back: byte-level BPE, as a ``tokenizer.json`` describes it."""

import json
import re
from functools import cache
from itertools import pairwise
from pathlib import Path

WORDS = re.compile(
    r"'(?:s|t|re|ve|m|ll|d)| ?[^\W\d_]+| ?\d+| ?(?:[^\s\w]|_)+|\s+(?!\S)|\s+"
)  # GPT-2's split: letters, digits, signs, each with the space before it


class Tokenizer:
    """``encode`` and ``decode`` of one ``tokenizer.json`` (BPE: Sennrich et al., 2016)."""

    def __init__(self, path: Path):
        whole = json.loads(path.read_text(encoding="utf-8"))
        self.numbers: dict[str, int] = whole["model"]["vocab"]
        self.pieces = {number: piece for piece, number in self.numbers.items()}
        self.ranks = {tuple(pair): rank for rank, pair in enumerate(whole["model"]["merges"])}
        self.special = {one["id"] for one in whole["added_tokens"]}
        self._cut = cache(self._merged)

    def encode(self, text: str) -> list[int]:
        """The token numbers of ``text``."""
        letters = _letters()
        words = ("".join(letters[byte] for byte in word.encode()) for word in WORDS.findall(text))
        return [self.numbers[piece] for word in words for piece in self._cut(word)]

    def decode(self, tokens) -> str:
        """The text of token numbers; special tokens are left out."""
        bytes_of = {letter: byte for byte, letter in _letters().items()}
        pieces = [self.pieces[int(token)] for token in tokens if int(token) not in self.special]
        return bytes(bytes_of[letter] for letter in "".join(pieces)).decode(errors="replace")

    def _merged(self, word: str) -> tuple[str, ...]:
        """The pieces of a word: the neighbours learnt first are joined, again and again."""
        pieces = list(word)
        while len(pieces) > 1:
            pairs = list(pairwise(pieces))
            best = min(pairs, key=lambda pair: self.ranks.get(pair, len(self.ranks)))
            if best not in self.ranks:
                break
            at = pairs.index(best)
            pieces[at : at + 2] = ["".join(best)]
        return tuple(pieces)


@cache
def _letters() -> dict[int, str]:
    """A printable letter for each byte: itself where it is one, else one from 256 on."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in plain]
    return {byte: chr(byte) for byte in plain} | {b: chr(256 + n) for n, b in enumerate(others)}
