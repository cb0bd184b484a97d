"""Two ways to keep keys and values: append to tensors, or write into room taken beforehand."""

from functools import lru_cache

from labutils.exercises.checkers import Function
from labutils.exercises.definition.patched import patched
from labutils.exercises.definition.sheet import exercise, made

from . import inputs
from .workbook import CatCache, RoomCache

_LAYERS = 3  # of every cache with room that the check makes


def _fed_cat(cache):
    @lru_cache(maxsize=512)
    def kept_by_cat(pieces, layers, first):
        return inputs.kept(cache(), pieces, layers, first)

    return kept_by_cat


def _fed_room(cache):
    @lru_cache(maxsize=512)
    def kept_in_room(pieces, room, first):
        import torch

        made = cache(_LAYERS, 1, 2, room, 1, dtype=torch.float64)
        return inputs.kept_in_place(made, pieces, _LAYERS, first)

    return kept_in_room


def _pieces(last):
    from hypothesis import strategies as st

    pieces = st.lists(st.integers(1, 4), min_size=1, max_size=5).map(tuple)
    return st.tuples(pieces, last, st.integers(1, 60))


def _pieces_and_layers():
    """One to five pieces of one to four tokens, one to three layers."""
    from hypothesis import strategies as st

    return _pieces(st.integers(1, 3))


def _pieces_and_room():
    """The same, for a room of four to twelve tokens: often too small at some point."""
    from hypothesis import strategies as st

    return _pieces(st.integers(4, 12))


_CAT_MISTAKES = """
new-alone: Every call returns the new keys and values alone. Does the first piece ever get into
    `self.kept`, and does a later one stand behind what is there?
- if layer in self.kept:
- ...
+ return key, value

old-alone: You return what was kept before this call. Does a token look at itself?
- if layer in self.kept:
+ before = self.kept.get(layer, (key, value))
+ if layer in self.kept:
- return key, value
+ return before

values-for-keys: Keys and values are exchanged: the keys come first, as they are handed in.
- return key, value
+ return value, key

one-for-all-layers: All layers share what you keep. Does a key of layer 0 mean anything in layer 1?
- if layer in self.kept:
+ layer = 0
+ if layer in self.kept:

newest-first: The new tokens stand before the old ones. In which order does the mask count?
- key, value = torch.cat([keys, key], dim=2), torch.cat([values, value], dim=2)
+ key, value = torch.cat([key, keys], dim=2), torch.cat([value, values], dim=2)

first-kept-twice: The first piece is kept twice. What does your first call find, and what does it
    leave?
- if layer in self.kept:
+ self.kept.setdefault(layer, (key, value))
+ if layer in self.kept:

never-stores: A call returns the right tensors, and the next one does not find them. Where do you
    put them?
- self.kept[layer] = key, value
+ self.kept.setdefault(layer, (key, value))
"""

CAT = exercise(
    """
cache.cat · A cache that appends · 3 minutes

> Two cases: a layer that has nothing yet, and one that has. What is kept after either?
> torch.cat([old, new], dim=…) along the axis of the tokens, for keys and for values.
> If layer is in self.kept: key = torch.cat([self.kept[layer][0], key], dim=2), the values likewise.
  Then store the pair under the layer, and return it.

Keys and values of a token never change once they are computed: its position is in them, and no
later token alters them. So appending is all that a cache has to do, layer by layer. `torch.cat`
takes fresh memory for the whole and copies the whole, for one new token as well.
""",
    Function(
        reference=_fed_cat(CatCache),
        inputs=_pieces_and_layers,
        says=inputs.says_kept,
        misconceptions=made(_fed_cat, patched(CatCache, _CAT_MISTAKES)),
    ),
)

_ROOM_MISTAKES = """
whole-room: You return all of the room, with zeros where nothing was written. A key of zeros has a
    score, too: 0, and e⁰ is not nothing.
- return self.keys[layer, :, :, :end], self.values[layer, :, :, :end]
+ return self.keys[layer], self.values[layer]

new-part-alone: You return what is new. What was kept before is what the new tokens look at.
- return self.keys[layer, :, :, :end], self.values[layer, :, :, :end]
+ return self.keys[layer, :, :, start:end], self.values[layer, :, :, start:end]

counts-before-it-refuses: A piece was refused and counted all the same: what came next found no
    room, although there was some. What has to be certain before anything changes?
- if end > self.room:
+ self.lengths[layer] = end
+ if end > self.room:

writes-what-fits: You refuse a piece after a part of it was written. What has to be certain before
    anything changes?
= if end > self.room:
+     self.keys[layer, :, :, start:] = key[:, :, : self.room - start]
+     self.values[layer, :, :, start:] = value[:, :, : self.room - start]

leaves-it-to-torch: You leave it to torch to notice that there is no room. One token into a slice
    without a place raises nothing: it should have been refused. Compare first.
- if end > self.room:
-     raise ValueError(f"room for {self.room} tokens, and {end} are to be kept")
- self.keys[layer, :, :, start:end] = key
- self.values[layer, :, :, start:end] = value
+ try:
+     self.keys[layer, :, :, start:end] = key
+     self.values[layer, :, :, start:end] = value
+ except RuntimeError as error:
+     raise ValueError("no room") from error

copies: The numbers are right, and they lie elsewhere after each call: everything kept is copied for
    one new token, as before. Which line makes the copy?
- return self.keys[layer, :, :, :end], self.values[layer, :, :, :end]
+ return self.keys[layer, :, :, :end].clone(), self.values[layer, :, :, :end].clone()

always-at-the-start: Every call writes over what was there. Where does the next token belong?
- start, end = self.lengths[layer], self.lengths[layer] + key.shape[2]
+ start, end = 0, key.shape[2]

one-length-for-all: In one step `keep` is called once for each layer. Where does the second layer
    write, after the first one has?
- start, end = self.lengths[layer], self.lengths[layer] + key.shape[2]
+ self.lengths[layer] = max(self.lengths)
+ start, end = self.lengths[layer], self.lengths[layer] + key.shape[2]

one-token-per-call: After a piece of several tokens you go on one behind its beginning. How many
    places did it take?
- self.lengths[layer] = end
+ self.lengths[layer] = start + 1

never-full: You refuse a token for which there is a place. May the room be full?
- if end > self.room:
+ if end >= self.room:

drops-what-does-not-fit: Tokens for which there is no room disappear without a word. Their owner
    reads a wrong answer: what should `keep` do instead?
- start, end = self.lengths[layer], self.lengths[layer] + key.shape[2]
+ free = self.room - self.lengths[layer]
+ key, value = key[:, :, :free], value[:, :, :free]
+ start, end = self.lengths[layer], self.lengths[layer] + key.shape[2]
"""

ROOM = exercise(
    """
cache.room · A cache in room taken beforehand · 4 minutes

> The layer's tokens so far: self.lengths[layer]. From where to where do the new ones go?
> Look first whether the end lies beyond self.room, and raise the ValueError before anything is
  written. Then write, note the new length, return views up to it.
> self.keys[layer, :, :, start:end] = key writes in place; self.keys[layer, :, :, :end] is a view
  and copies nothing.

Memory for the longest sequence is taken once; a step writes one token per layer and returns views.
It costs what the token weighs, whatever lies before it. The price stands in chapter 06: the room is
reserved from the first token on, full or not. A cache that refuses loudly, and changes nothing
then, lets its owner finish the others; the engine of lab 4 depends on it.
""",
    Function(
        reference=_fed_room(RoomCache),
        inputs=_pieces_and_room,
        says=inputs.says_kept,
        misconceptions=made(_fed_room, patched(RoomCache, _ROOM_MISTAKES)),
    ),
)
