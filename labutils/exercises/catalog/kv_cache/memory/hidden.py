"""attention.hidden · What a token may not see · 2 minutes

> Compare the number of each slot with the number of slots that a token sees: one row for each
  token, one column for each slot.
> `torch.arange(slots) >= torch.tensor(seen)[:, None]` is True behind the end of each row. Those
  places get minus infinity, the others 0, in the type of `self.keys`.
> self.keys.new_zeros(behind.shape).masked_fill_(behind, -torch.inf), where both tensors of the
  comparison lie on self.keys.device.

The mask of Build 1 in another form: `visible(new, total)` has True on the first `total - new + 1 +
i` places of row i, and here that number is `seen[i]`. Added to the scores it costs nothing extra,
since a matrix product can begin from it. And it does a second job: a request's last page is filled
in part, and what stands behind its end (nothing, or an earlier request's keys) is hidden with the
same minus infinity.
"""

from labutils.exercises.catalog.kv_cache import inputs
from labutils.exercises.checkers import piece_of
from labutils.exercises.definition.sheet import exercise

from .small_memory import numbered

_TYPES = ("float32", "float64", "bfloat16")


def hide(engine, seen: list[int], slots: int) -> list:
    """What ``hidden`` says for tokens that see so many slots each, of ``slots``.

    Once in a memory of each of ``_TYPES``; and where the mask of a memory on another device lies,
    torch's "meta", on which nothing is computed.
    """
    masks = [_hidden(engine, seen, slots, dtype) for dtype in _TYPES]
    return [*masks, _device(engine, seen, slots)]


def _device(engine, seen, slots) -> str:
    """The device of the mask where the keys lie on "meta"; that too if it asks for numbers."""
    memory = numbered(engine, 1, 2, kv_heads=1)
    memory.keys = memory.keys.to("meta")
    try:
        mask = memory.hidden(seen, slots)
    except NotImplementedError:  # there are none on "meta"
        return "meta"
    except RuntimeError as error:
        return f"an error: {error}"
    return str(getattr(mask, "device", "meta"))


def _hidden(engine, seen, slots, dtype):
    """The mask as ``inputs.shown`` has it; where its numbers are wrong, they are to be said
    first, so that a float counts as the right one then."""
    import torch

    mask = numbered(engine, 1, 2, kv_heads=1, dtype=dtype).hidden(seen, slots)
    said = inputs.shown(mask)
    if isinstance(mask, torch.Tensor) and mask.is_floating_point():
        rows = [[0.0] * n + [-float("inf")] * (slots - n) for n in seen]
        said["type"] = said["type"] if said["numbers"] == rows else dtype
    return said


def says(got, expected) -> str:
    """Wrong numbers and kinds as ``inputs.says`` has them, the type of each memory, the device."""
    *masks, device = got
    for mine, wanted in zip(masks, _TYPES):
        kind = mine["type"] if isinstance(mine, dict) else ""
        if kind not in ("", wanted):
            return (
                f"Where `self.keys.dtype` is {wanted}, your tensor has the type {kind}. The mask "
                "has the type of `self.keys`, whichever that is."
            )
    if masks == expected[:-1]:
        return (
            "The numbers are right. With `self.keys` on another device (here torch's `meta`) the "
            f"mask lies on {device}: new tensors go to the processor unless `device` is given."
        )
    return inputs.says(masks, expected[:-1])


def _inputs():
    """One to five tokens over up to nine slots; each sees one at least."""
    from hypothesis import strategies as st

    @st.composite
    def cases(draw):
        slots = draw(st.integers(1, 9))
        return draw(st.lists(st.integers(1, slots), min_size=1, max_size=5)), slots

    return cases()


_MISTAKES = """
a-mask-of-bools: True and False, where numbers are asked for that can be *added* to scores. What do
    you add to a score so that e to its power is 0?
- return torch.where(behind, -torch.inf, 0.0).to(self.keys.dtype)
+ return ~behind

the-others-hidden: You hide the slots that a token may see. A score with minus infinity has no part
    in the softmax.
- >= ends
+ < ends

a-large-number: A large negative number is not minus infinity: scores that are larger still would
    let it through. Which float leaves nothing of any score?
- -torch.inf
+ -1e9

the-smallest-number: The smallest number of a type is not minus infinity: a row of which nothing is
    seen would share its weights out evenly. Which float leaves nothing of any score?
- return torch.where(behind, -torch.inf, 0.0).to(self.keys.dtype)
+ least = torch.finfo(self.keys.dtype).min
+ return self.keys.new_zeros(behind.shape).masked_fill_(behind, least)

one-too-few: The last slot that a token may see is its own, and you hide it. Which numbers do the
    first n slots have?
- >= ends
+ >= ends - 1

one-too-many: Each token sees one slot too many: the next token's, or one that holds nothing of this
    request. Which numbers do the first n slots have?
- >= ends
+ > ends

ones-and-zeros: Ones and zeros multiply. These numbers are added: a score plus 0 is still a score,
    and e⁰ takes its share.
- -torch.inf, 0.0
+ 0.0, 1.0

plus-infinity: You add plus infinity. What does e to that power leave of the other scores?
- -torch.inf
+ torch.inf

first-for-all: All your tokens see as far as the first one. `seen` has a number for each of them.
- >= ends
+ >= ends[:1].expand(len(ends), 1)

farthest-for-all: All your tokens see as far as the one that sees farthest. `seen` has a number for
    each of them.
- >= ends
+ >= ends.max().expand(len(ends), 1)

ones-where-it-sees: Where a token sees, your number is 1. What is added to a score that shall stay
    as it is?
- -torch.inf, 0.0
+ -torch.inf, 1.0

last-slots: Your mask takes the tokens for those of the last slots. `seen` says for each token how
    far it sees.
- >= ends
+ > torch.arange(slots - len(seen), slots, device=self.keys.device)[:, None]

counts-rows: Your rows hide by their own number. `seen` says for each token how far it sees; with a
    cache the first new token sees all that lies before it.
- >= ends
+ > torch.arange(len(seen), device=self.keys.device)[:, None]
"""

HIDDEN = exercise(
    __doc__,
    piece_of(
        "attention:KVMemory.hidden", tried=hide, says=says, inputs=_inputs, mistakes=_MISTAKES
    ),
)
