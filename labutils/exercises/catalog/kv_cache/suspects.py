"""Caches under suspicion: two that are right, and wrong ones that a test of equality must accuse.

Each is a way to compute, for one row of a batch, the logits of every token from a cache. They
differ in the positions that they give, in how they look at what is kept, or in what they keep.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .workbook import CatCache, mix, visible

WINDOW = 16


def _upper_left(new, total):
    return visible(total, total)[:new]


class _UpperLeft(CatCache):
    mix = staticmethod(
        lambda q, k, v: mix(q, k, v, sees=_upper_left if q.shape[2] > 1 else visible)
    )


class _WrongHeads(CatCache):
    @staticmethod
    def mix(query, key, value):
        groups = query.shape[1] // key.shape[1]
        return mix(query, key.repeat(1, groups, 1, 1), value.repeat(1, groups, 1, 1))


class _Window(CatCache):
    def keep(self, layer, key, value):
        """Append, and lose the oldest token for each beyond the window's."""
        new = key.shape[2]
        keys, values = super().keep(layer, key, value)
        most = max(WINDOW, new)
        self.kept[layer] = keys[:, :, -most:], values[:, :, -most:]
        return self.kept[layer]


def _exact(start, step, row, lengths):
    return start


def _late(start, step, row, lengths):
    return start + (step > 0)


def _longest(start, step, row, lengths):
    return start + (step > 0) * (max(lengths) - lengths[row])


def _shifted(start, step, row, lengths):
    return start + 7


@dataclass(frozen=True)
class Suspect:
    """A cache, and the position of the first token of each call.

    ``position(start, step, row, lengths)``: ``start`` tokens are kept, ``step`` is 0 while the
    prompt is read; ``lengths`` are those of all prompts of the batch. ``asks`` is the question
    that a test which lets it pass should hear.
    """

    name: str
    position: Callable = _exact
    cache: type = CatCache
    asks: str = ""

    @property
    def is_right(self) -> bool:
        return not self.asks


RIGHT = (
    Suspect("is right"),
    Suspect("is right, and counts positions from 7", position=_shifted),
)
WRONG = (
    Suspect(
        "gives every new token a position that is one too large",
        position=_late,
        asks="Do the logits of your model depend on positions at all, and does what you compare "
        "keep a small difference?",
    ),
    Suspect(
        "counts the positions of every row from the end of the longest prompt",
        position=_longest,
        asks="In which batch is that the same?",
    ),
    Suspect(
        "masks a piece of a prompt as if nothing stood before it",
        cache=_UpperLeft,
        asks="When does a call compute several tokens behind others?",
    ),
    Suspect(
        "gives query head h the KV head h % (KV heads)",
        cache=_WrongHeads,
        asks="For which numbers of heads is that the same?",
    ),
    Suspect(
        f"forgets the oldest tokens beyond {WINDOW}",
        cache=_Window,
        asks="How many tokens does a row of your test have at the end?",
    ),
)


def cached_logits(model, suspect: Suspect, rows: Sequence, lengths: Sequence[int], pieces: int):
    """The logits after each token of each row, [tokens, vocabulary], from the suspect's cache.

    A row holds a prompt of ``lengths[row]`` tokens, read in ``pieces``, and the tokens behind it,
    one at a time.
    """
    return [_row(model, suspect, row, tokens, lengths, pieces) for row, tokens in enumerate(rows)]


def _row(model, suspect, row, tokens, lengths, pieces):
    import torch

    cache, start, logits = suspect.cache(), 0, []
    prompt = [part for part in tokens[: lengths[row]].tensor_split(pieces) if len(part)]
    calls = [(0, part) for part in prompt] + [(1, part) for part in tokens[lengths[row] :, None]]
    for step, part in calls:
        at = suspect.position(start, step, row, lengths)
        positions = torch.arange(at, at + len(part))
        logits.append(model(part[None], positions, attend=cache)[0])
        start += len(part)
    return torch.cat(logits)
