"""Pieces of three kinds of text, as the tokens of the course's models.

The texts are frozen: passages of chapters 00 to 08 and functions of the engine, as they were in
November 2026. What is counted on them does not move with the course.
"""

import json
import random
from functools import cache

from labutils import datafile

KINDS = ("course text", "code", "random tokens")
PROMPT_TOKENS = 32


def pieces_of(kind: str, count: int, *, seed: int = 9) -> list[list[int]]:
    """``count`` pieces of ``PROMPT_TOKENS`` tokens, each from another place of the texts."""
    texts = [text for text in _tokens_of(kind) if len(text) >= PROMPT_TOKENS]
    draw, pieces = random.Random(seed), []
    for _ in range(count):
        text = draw.choice(texts)
        at = draw.randint(0, len(text) - PROMPT_TOKENS)
        pieces.append(text[at : at + PROMPT_TOKENS])
    return pieces


@cache
def _tokens_of(kind: str) -> list[list[int]]:
    """Texts of a kind: prose of the course, source of its engine, or anything at all."""
    from labutils.serving.checkpoints.checkpoint import course_model

    if kind not in KINDS:
        raise ValueError(f"kind = {kind!r}: expected one of {', '.join(KINDS)}")
    if kind == "random tokens":
        draw = random.Random(4)
        return [[draw.randrange(1, 1024) for _ in range(PROMPT_TOKENS)] for _ in range(100)]
    texts = json.loads(datafile("draft_texts.json").read_text(encoding="utf-8"))
    tokenizer = course_model("target")[1]
    return [tokenizer.encode(text) for text in texts[kind]]
