"""Write keys and values to their slots."""

from labutils.exercises.checkers import piece_of
from labutils.exercises.definition.exercise import Exercise

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
    return [half.untyped_storage().data_ptr() for half in _halves(memory)]


def _halves(memory):
    return memory.keys, memory.values


def _changes(name: str, old, new) -> list[str]:
    """Lines such as "keys[0][1, 5] = 5503": layer, KV head, slot, and what stands there now."""
    places = (old != new).any(-1).nonzero().tolist()
    return [f"{name}[{a}][{b}, {c}] = {new[a, b, c, -1]:.0f}" for a, b, c in places]


def into_a_copy(self, layer, slots, key, value):
    self.keys[layer][:, slots].copy_(key)
    self.values[layer][:, slots].copy_(value)


def puts_a_copy_back(self, layer, slots, key, value):
    for kept, new in ((self.keys, key), (self.values, value)):
        copy = kept[layer].clone()
        copy[:, slots] = new
        kept[layer] = copy


def adds(self, layer, slots, key, value):
    self.keys[layer].index_add_(1, slots, key)
    self.values[layer].index_add_(1, slots, value)


def in_a_row(self, layer, slots, key, value):
    self.keys[layer][:, : len(slots)] = key
    self.values[layer][:, : len(slots)] = value


def keys_alone(self, layer, slots, key, value):
    self.keys[layer][:, slots] = key


def keys_twice(self, layer, slots, key, value):
    self.keys[layer][:, slots] = key
    self.values[layer][:, slots] = key


def sorted_slots(self, layer, slots, key, value):
    self.keys[layer][:, slots.sort().values] = key
    self.values[layer][:, slots.sort().values] = value


def first_layer(self, layer, slots, key, value):
    self.keys[0][:, slots], self.values[0][:, slots] = key, value


def behind_the_first(self, layer, slots, key, value):
    ends = slots[0] + len(slots)
    self.keys[layer][:, slots[0] : ends] = key
    self.values[layer][:, slots[0] : ends] = value


def every_layer(self, layer, slots, key, value):
    for keys, values in zip(self.keys, self.values):
        keys[:, slots], values[:, slots] = key, value


def _inputs():
    """One to four tokens at slots in any order, in either layer."""
    from hypothesis import strategies as st

    slots = st.lists(st.integers(0, 5), min_size=1, max_size=4, unique=True)
    return st.tuples(st.integers(0, LAYERS - 1), slots, st.integers(1, 60))


WRITE = Exercise(
    id="attention.write",
    title="Write keys and values to their slots",
    minutes=3,
    checker=piece_of(
        "attention:KVMemory.write",
        tried=written,
        inputs=_inputs,
        mistakes=(
            (
                "into-a-copy",
                into_a_copy,
                "Memory is as it was. `keys[:, slots]` with a tensor of slots is a copy, and "
                "`copy_` fills that copy. Assign to the places instead, or let `index_copy_` "
                "write.",
            ),
            (
                "puts-a-copy-back",
                puts_a_copy_back,
                "The numbers are right, and the whole layer was copied for them. Memory of "
                "gigabytes is written in place: only the slots of the new tokens change.",
            ),
            (
                "adds-to-what-is-there",
                adds,
                "What stood in the slot before has been added. That is right in memory that "
                "nobody has used, and a slot is used again and again.",
            ),
            (
                "from-the-first-slot",
                in_a_row,
                "The tokens stand side by side at the front. Where should each of them go?",
            ),
            (
                "keys-alone",
                keys_alone,
                "The keys are there. What else does a later token need?",
            ),
            (
                "keys-twice",
                keys_twice,
                "Keys and values are the same. Which of the two did you write where?",
            ),
            (
                "sorted-slots",
                sorted_slots,
                "One token stands where another belongs: the slots come in the order of the "
                "tokens, which is not that of the memory.",
            ),
            (
                "first-layer",
                first_layer,
                "You write to the first layer, whichever is asked for.",
            ),
            (
                "behind-the-first",
                behind_the_first,
                "The tokens stand side by side from the first one's slot on. Each of them has a "
                "slot of its own.",
            ),
            (
                "every-layer",
                every_layer,
                "Another layer has changed, too. Each layer has keys and values of its own.",
            ),
        ),
    ),
    hints=(
        "`self.keys[layer]` is [KV heads, slots, head_dim], and `key` is [KV heads, n, head_dim]. "
        "Along which of the three does a token find its place?",
        "`self.keys[layer][:, slots]` are the places. Assign to them, or use `index_copy_` along "
        "that dimension.",
        "self.keys[layer].index_copy_(1, slots, key), and the same for the values.",
    ),
    explanation=(
        "A scatter: token i goes to the i-th of the slots, wherever that is. No request is "
        "mentioned. Tokens of sixteen requests are written in one call, since somebody has worked "
        "out before whose slot is which. vLLM calls the list `slot_mapping`."
    ),
)
