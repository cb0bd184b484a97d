"""attention.write · Write keys and values to their slots · 2 minutes

> `self.keys[layer]` is [KV heads, slots, head_dim], and `key` is [KV heads, n, head_dim]. Along
  which of the three does a token find its place?
> `self.keys[layer][:, slots]` are the places. Assign to them, or use `index_copy_` along that
  dimension.
> self.keys[layer].index_copy_(1, slots, key), and the same for the values.

A scatter: token i goes to the i-th of the slots, wherever that is. No request is mentioned. Tokens
of sixteen requests are written in one call, since somebody has worked out before whose slot is
which. vLLM calls the list `slot_mapping`.
"""

from labutils.exercises.checkers import piece_of
from labutils.exercises.definition.sheet import exercise

from .small_memory import LAYERS, numbered


def written(engine, layer: int, slots: list[int], first: int) -> list[str]:
    """What has changed in a memory of 6 slots after tokens ``first``, … were written to ``slots``.

    A new key is 5,000 and its token, in the second head 500 more; a value is its negative. What
    stood there before is below 1,200. The last line says so if memory was not written in place.
    """
    import torch

    memory = numbered(engine, 3, 2, kv_heads=2)
    before = [half.clone() for half in _halves(memory)]
    tokens = torch.arange(first, first + len(slots), dtype=torch.float64) + 5000
    key = torch.stack([tokens, tokens + 500])[:, :, None].expand(-1, -1, 2).contiguous()
    in_place = _writes_in_place(memory, layer, torch.tensor(slots), key, -key)
    if not all(isinstance(half, torch.Tensor) for half in _halves(memory)):
        return ["`keys` and `values` are no tensors any more: writing replaced them"]
    pairs = zip(("keys", "values"), before, _halves(memory))
    lines = [line for name, old, new in pairs for line in _changes(name, old, new)]
    return [*lines, "a whole layer was copied"] if lines and not in_place else lines


def _writes_in_place(memory, *step) -> bool:
    """Call ``write``; whether memory stays where it is, and nothing as large as a layer is made."""
    import torch
    from torch.overrides import TorchFunctionMode

    own, layer, made = _storages(memory), memory.keys[0].numel(), []

    class Watch(TorchFunctionMode):
        def __torch_function__(self, function, types, args=(), kwargs=None):
            result = function(*args, **(kwargs or {}))
            if isinstance(result, torch.Tensor) and result.numel() >= layer:
                made.append(result.untyped_storage().data_ptr())
            return result

    with Watch():
        memory.write(*step)
    return {*made} <= {*own} and _storages(memory) == own


def _storages(memory) -> list[int]:
    return [half.untyped_storage().data_ptr() for half in _halves(memory) if hasattr(half, "dtype")]


def _halves(memory):
    return memory.keys, memory.values


def _changes(name: str, old, new) -> list[str]:
    """Lines such as "keys[0][1, 5] = 5503": layer, KV head, slot, and what stands there now."""
    places = (old != new).any(-1).nonzero().tolist()
    return [f"{name}[{a}][{b}, {c}] = {new[a, b, c, -1]:.0f}" for a, b, c in places]


def _inputs():
    """One to four tokens at slots in any order, in either layer."""
    from hypothesis import strategies as st

    slots = st.lists(st.integers(0, 5), min_size=1, max_size=4, unique=True)
    return st.tuples(st.integers(0, LAYERS - 1), slots, st.integers(1, 60))


_MISTAKES = """
into-a-copy: Memory is as it was. `keys[:, slots]` with a tensor of slots is a copy, and `copy_`
    fills that copy. Assign to the places instead, or let `index_copy_` write.
- self.keys[layer].index_copy_(1, slots, key)
- self.values[layer].index_copy_(1, slots, value)
+ self.keys[layer][:, slots].copy_(key)
+ self.values[layer][:, slots].copy_(value)

puts-a-copy-back: The numbers are right, and the whole layer was copied for them. Memory of
    gigabytes is written in place: only the slots of the new tokens change.
- self.keys[layer].index_copy_(1, slots, key)
- self.values[layer].index_copy_(1, slots, value)
+ self.keys[layer] = self.keys[layer].index_copy(1, slots, key)
+ self.values[layer] = self.values[layer].index_copy(1, slots, value)

adds-to-what-is-there: What stood in the slot before has been added. That is right in memory that
    nobody has used, and a slot is used again and again.
- self.keys[layer].index_copy_(1, slots, key)
- self.values[layer].index_copy_(1, slots, value)
+ self.keys[layer].index_add_(1, slots, key)
+ self.values[layer].index_add_(1, slots, value)

a-list-of-layers: Your memory is a list now, of one new layer and others. Who else holds the tensor
    that it was?
- self.keys[layer].index_copy_(1, slots, key)
- self.values[layer].index_copy_(1, slots, value)
+ self.keys, self.values = list(self.keys), list(self.values)
+ self.keys[layer] = self.keys[layer].index_copy(1, slots, key)
+ self.values[layer] = self.values[layer].index_copy(1, slots, value)

from-the-first-slot: The tokens stand side by side at the front. Where should each of them go?
- self.keys[layer].index_copy_(1, slots, key)
- self.values[layer].index_copy_(1, slots, value)
+ self.keys[layer][:, : len(slots)] = key
+ self.values[layer][:, : len(slots)] = value

keys-alone: The keys are there. What else does a later token need?
- self.values[layer].index_copy_(1, slots, value)

keys-twice: Keys and values are the same. Which of the two did you write where?
- index_copy_(1, slots, value)
+ index_copy_(1, slots, key)

exchanged: Keys stand where values belong, and values where keys do.
- self.keys[layer].index_copy_(1, slots, key)
- self.values[layer].index_copy_(1, slots, value)
+ self.keys[layer].index_copy_(1, slots, value)
+ self.values[layer].index_copy_(1, slots, key)

over-the-keys: You write the values over the keys. Each half of the memory has its own.
- self.values[layer].index_copy_(1, slots, value)
+ self.keys[layer].index_copy_(1, slots, value)

sorted-slots: One token stands where another belongs: the slots come in the order of the tokens,
    which is not that of the memory.
- self.keys[layer].index_copy_(1, slots, key)
+ slots = slots.sort().values
+ self.keys[layer].index_copy_(1, slots, key)

first-layer: You write to the first layer, whichever is asked for.
- self.keys[layer].index_copy_(1, slots, key)
- self.values[layer].index_copy_(1, slots, value)
+ self.keys[0].index_copy_(1, slots, key)
+ self.values[0].index_copy_(1, slots, value)

behind-the-first: The tokens stand side by side from the first one's slot on. Each of them has a
    slot of its own.
- self.keys[layer].index_copy_(1, slots, key)
- self.values[layer].index_copy_(1, slots, value)
+ behind = slice(slots[0], slots[0] + len(slots))
+ self.keys[layer][:, behind] = key
+ self.values[layer][:, behind] = value

every-layer: Another layer has changed, too. Each layer has keys and values of its own.
- self.keys[layer].index_copy_(1, slots, key)
- self.values[layer].index_copy_(1, slots, value)
+ for keys, values in zip(self.keys, self.values):
+     keys.index_copy_(1, slots, key)
+     values.index_copy_(1, slots, value)
"""

WRITE = exercise(
    __doc__, piece_of("attention:KVMemory.write", tried=written, inputs=_inputs, mistakes=_MISTAKES)
)
