"""cache.field · Three bugs from the field · 5 minutes

> One bug per story. What is different in its first failing call: how many tokens are new, how many
  lie before them, how many heads share one?
> Three lines: what is read of the room, how a KV head is spread over its queries, and where the
  mask hangs. You have written all three right today.
> self.kept[:, :, :, :self.length]; repeat_interleave(groups, dim=1); attn_mask=sees(new,
  self.length) in place of is_causal.

All three are known from small engines and from tutorials. Each is invisible to the test that was
written with it: the room was exactly full, the model had no groups, the prompt came in one piece.
`is_causal = new > 1` is a common line: right for a prefill from nothing, right for a single token,
and wrong for everything between, which is what chunked prefill, a cached prefix and speculative
decoding ask for.
"""

from labutils.exercises.checkers import Stories
from labutils.exercises.comparing.drawing import Draw
from labutils.exercises.definition.patched import patched
from labutils.exercises.definition.sheet import exercise
from labutils.exercises.stories.script import New, Read
from labutils.exercises.stories.story import Story

from . import inputs
from .workbook import visible as _visible

_WIDTH = 2


class Fed:
    """What the stories ask of a cache: to be fed pieces of a drawn sequence."""

    def fed(self, seed: int, heads: int, kv_heads: int, pieces) -> list:
        """The mixed values of each piece, head by head and token by token, to four digits."""
        total = sum(pieces)
        query = inputs.numbers(seed, 1, heads, total, _WIDTH)
        key, value = inputs.numbers(seed + 1, 2, 1, kv_heads, total, _WIDTH)
        parts = (part.split(list(pieces), dim=2) for part in (query, key, value))
        return [inputs.rounded(self(0, *one)[0]) for one in zip(*parts)]


class FieldCache(Fed):
    """As it should be; each method below is one of its three decisions."""

    def __init__(self, kv_heads, room):
        import torch

        self.kept = torch.zeros(2, 1, kv_heads, room, _WIDTH, dtype=torch.float64)
        self.length = 0

    def __call__(self, layer, query, key, value):
        import torch

        new = key.shape[2]
        self.kept[:, :, :, self.length : self.length + new] = torch.stack([key, value])
        self.length += new
        groups = query.shape[1] // key.shape[1]
        keys, values = (self.spread(part, groups) for part in self.filled())
        return torch.nn.functional.scaled_dot_product_attention(
            query, keys, values, attn_mask=self.mask(new, keys.shape[2])
        )

    def filled(self):
        return self.kept[:, :, :, : self.length]

    def spread(self, part, groups):
        return part.repeat_interleave(groups, dim=1)

    def mask(self, new, total):
        return _visible(new, self.length)


class HandedOut(FieldCache):
    """All three bugs."""

    def filled(self):
        return self.kept

    def spread(self, part, groups):
        return part.repeat(1, groups, 1, 1)

    def mask(self, new, total):
        return _visible(total, total)[:new] if new > 1 else _visible(1, total)


def _token_by_token(draw: Draw):
    prompt, heads = draw.whole(2, 5), draw.whole(1, 3)
    pieces = [prompt, *([1] * draw.whole(1, 3))]
    room = sum(pieces) + draw.whole(1, 6)
    return [New((heads, room)), Read("fed", (draw.whole(0, 999), heads, heads, pieces))]


def _groups(draw: Draw):
    kv_heads, groups = draw.whole(2, 3), draw.whole(2, 3)
    prompt = draw.whole(2, 4)
    heads = kv_heads * groups
    return [New((kv_heads, prompt)), Read("fed", (draw.whole(0, 999), heads, kv_heads, [prompt]))]


def _in_pieces(draw: Draw):
    pieces, heads = [draw.whole(1, 4), draw.whole(2, 4)], draw.whole(1, 2)
    return [New((heads, sum(pieces))), Read("fed", (draw.whole(0, 999), heads, heads, pieces))]


_MISTAKES = """
reads-empty-places: A new token looks at places that nobody has written yet. Zeros have a score of
    0, and e⁰ takes its share of the weights: how far is the room filled?
- return self.kept[:, :, :, : self.length]
+ return self.kept
- return _visible(new, self.length)
+ mask = _visible(total, total)[self.length - new : self.length]
+ return mask | True if new == 1 else mask

repeats-the-row: `repeat` sets the whole row of KV heads beside itself: 0, 1, 0, 1. Which query
    heads share a KV head in this model?
- part.repeat_interleave(groups, dim=1)
+ part.repeat(1, groups, 1, 1)

upper-left: `is_causal=True` counts the new tokens from the first key on. Where do they stand when a
    piece lies before them?
- return _visible(new, self.length)
+ return _visible(total, total)[:new] if new > 1 else _visible(1, total)

corner-for-all: Your triangle begins at the first key in every call: a token behind others sees the
    first of them alone. Where do the new ones stand?
- return _visible(new, self.length)
+ return _visible(total, total)[:new]

sees-all-behind: In a piece behind others every token sees the whole piece, the tokens after it as
    well.
- return _visible(new, self.length)
+ mask = _visible(new, self.length)
+ return mask if new == self.length else mask | True

no-mask: Now a token of the prompt sees the ones after it.
- return _visible(new, self.length)
+ return _visible(1, total).repeat(new, 1)
"""

FIELD = exercise(
    __doc__,
    Stories(
        stories=(
            Story(
                "a prompt, then token by token",
                _token_by_token,
                "The room is longer than the prompt and its answer: there are empty places to the "
                "end.",
            ),
            Story(
                "a model with grouped heads",
                _groups,
                "Somebody loaded a model with fewer KV heads than query heads. The room is as long "
                "as the prompt.",
            ),
            Story(
                "a prompt in two pieces",
                _in_pieces,
                "Somebody switched chunked prefill on: a second piece stands behind the first, and "
                "the room is exactly as long as both.",
            ),
        ),
        reference=FieldCache,
        start=HandedOut,
        absolute=1.6e-4,
        tolerance=1e-5,
        misconceptions=patched(FieldCache, _MISTAKES),
    ),
)
