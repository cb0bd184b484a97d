"""Pairs for a semantic cache: does the answer to the nearest cached question serve this one too?

``data/question_pairs.json`` holds questions as users type them. Each stands beside the one of the
labelled questions that is nearest to it by the course's embedder, since that one's answer is what
a semantic cache would give. ``same_answer`` says whether it serves.

How the labels came about. One writer read each labelled question with its passages and wrote new
questions against it, of three kinds:

- ``paraphrase``: the same question in other words, some close to the original, some far from it
- ``near``: similar words, another question (another number, unit or device; a negation; the remedy
  in place of the cause)
- ``narrower``: it asks for a detail that the cached answer need not hold

Then the embedder named the nearest. Where that was not the question meant, the new pair was judged;
none was found to serve. So a ``paraphrase`` whose ``same_answer`` is false is a question that the
cache could have served, had it found the right one. As few paraphrases were served, some fifty more
were written that stay close to the original. Last, the same writer labelled all pairs again in
random order, with kinds and first labels out of sight. Fourteen pairs were dropped, since a good
answer to the cached question might well hold the other answer too; no other label changed.

Limits: one writer, no second judge, and two readings so near to each other that the second may
remember the first; doubtful pairs are missing, and traffic has them. The mix is a choice, not a
measurement: many near questions change few words on purpose, and questions that resemble nothing in
the cache are rare here. Error shares hold for this mix. A later embedder may find another nearest
question; ``compared`` says for which pairs.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from labutils import datafile
from labutils.retrieval.quality.rows import read_rows, refuse_repeats

PAIRS = "question_pairs.json"
KINDS = ("paraphrase", "near", "narrower")
_TIE = 1e-6  # of a dot product of 32-bit unit vectors


@dataclass(frozen=True)
class QuestionPair:
    """A question, the cached one nearest to it, and whether that one's answer serves it.

    ``kind`` says how ``question`` was written: as a paraphrase of a labelled question, near to it,
    or narrower than it (``KINDS``).
    """

    question: str
    cached: str
    same_answer: bool
    kind: str


def read_pairs(path: str | Path | None = None) -> tuple[QuestionPair, ...]:
    """The labelled pairs of a file (default: the course's own), in its order.

    Raises ``ValueError`` that names the file, and the number of the pair where one is not of the
    form ``{"question": …, "cached": …, "same_answer": true or false, "kind": one of KINDS}``, or
    asks what an earlier one asks.
    """
    path = datafile(PAIRS) if path is None else Path(path)
    pairs = tuple(_pair(path, at, row) for at, row in enumerate(read_rows(path, "pair")))
    refuse_repeats(path, "pair", [pair.question for pair in pairs])
    return pairs


def compared(
    pairs: Sequence[QuestionPair],
    embed: Callable[[Sequence[str]], np.ndarray],
    cached: Sequence[str],
) -> tuple[np.ndarray, np.ndarray]:
    """Each pair's cosine similarity, and whether no other of the ``cached`` is nearer.

    ``embed`` gives unit vectors [texts, dimensions]. ``ValueError`` for a pair whose cached
    question is not among ``cached``.
    """
    place = {text: at for at, text in enumerate(cached)}
    if gone := [pair.cached for pair in pairs if pair.cached not in place]:
        raise ValueError(f"cached has {len(cached)} questions: expected {gone[0]!r} among them")
    table = embed([pair.question for pair in pairs]) @ embed(cached).T
    own = table[np.arange(len(pairs)), [place[pair.cached] for pair in pairs]]
    return own, own >= table.max(axis=1) - _TIE


def _pair(path: Path, at: int, row) -> QuestionPair:
    try:
        pair = QuestionPair(**row)
        texts = (pair.question, pair.cached)
        good = all(isinstance(text, str) and text.strip() for text in texts)
        good = good and isinstance(pair.same_answer, bool) and pair.kind in KINDS
    except TypeError:
        good = False
    if not good:
        raise ValueError(
            f"{path}, pair {at}: expected question, cached, same_answer (true or false) and "
            f"kind, one of {', '.join(KINDS)}"
        )
    return pair
