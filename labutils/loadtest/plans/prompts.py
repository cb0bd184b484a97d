"""Prompts of a given length, some of which begin alike."""

import random
from collections.abc import Iterable

_COMMON = """
the of and to in is that for it as was with be by on not he this are or his from at which but have
an had they you were their one all we can her has there been if more when will would who so no out
up into them then some could time these two may other its new only over
"""
WORDS = tuple(_COMMON.split())
"""Common words: most tokenizers know each as one token, but how many tokens a prompt has is the
server's to say."""


def shared_words(name: str, count: int) -> list[str]:
    """``count`` words that ``name`` decides, the same in every process."""
    return random.Random(name).choices(WORDS, k=count)


def worded_prompt(own: str, words: int, shared: Iterable[tuple[str, int]] = ()) -> str:
    """A prompt of ``words`` words: first the ``shared`` pieces (name, words), then its ``own``.

    Two prompts begin alike as far as their shared pieces have the same names and lengths. Pieces
    beyond ``words`` are cut off.
    """
    said: list[str] = []
    for name, count in shared:
        said += shared_words(name, min(count, words - len(said)))
    return " ".join(said + shared_words(f"own {own}", words - len(said)))
