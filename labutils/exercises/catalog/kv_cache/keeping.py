"""Two ways to keep keys and values: append to tensors, or write into room taken beforehand."""

from functools import lru_cache

from labutils.exercises.checkers import Function
from labutils.exercises.definition.sheet import exercise, mistakes_in, says

from . import drawn
from . import wrong_caches as wrong
from .pieces import CatCache, RoomCache

_LAYERS = 3  # of every cache with room that the check makes


def _fed_cat(cache):
    @lru_cache(maxsize=512)
    def kept_by_cat(pieces, layers, first):
        return drawn.kept(cache(), pieces, layers, first)

    return kept_by_cat


def _fed_room(cache):
    @lru_cache(maxsize=512)
    def kept_in_room(pieces, room, first):
        import torch

        made = cache(_LAYERS, 1, 2, room, 1, dtype=torch.float64)
        return drawn.kept_in_place(made, pieces, _LAYERS, first)

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


_NEW_ALONE = (
    "Every call returns the new keys and values alone. Does the first piece ever get into "
    "`self.kept`, and does a later one stand behind what is there?"
)


class WrongCat:
    new_alone = says(_NEW_ALONE)(_fed_cat(wrong.NewAlone))
    old_alone = says("""You return what was kept before this call. Does a token look at itself?""")(
        _fed_cat(wrong.OldAlone)
    )
    values_for_keys = says("""Keys and values are exchanged: the keys come first, as they are handed
        in.""")(_fed_cat(wrong.ValuesForKeys))
    one_for_all_layers = says("""All layers share what you keep. Does a key of layer 0 mean anything
        in layer 1?""")(_fed_cat(wrong.OneForAllLayers))
    newest_first = says("""The new tokens stand before the old ones. In which order does the mask
        count?""")(_fed_cat(wrong.NewestFirst))
    first_kept_twice = says("""The first piece is kept twice. What does your first call find, and
        what does it leave?""")(_fed_cat(wrong.FirstTwiceKept))
    never_stores = says("""A call returns the right tensors, and the next one does not find them.
        Where do you put them?""")(_fed_cat(wrong.NeverStores))


CAT = exercise(
    """
    cache.cat · A cache that appends · 5 minutes

    > Two cases: a layer that has nothing yet, and one that has. What is kept after either?
    > torch.cat([old, new], dim=…) along the axis of the tokens, for keys and for values.
    > If layer is in self.kept: key = torch.cat([self.kept[layer][0], key], dim=2), the values
      likewise. Then store the pair under the layer, and return it.

    Keys and values of a token never change once they are computed: its position is in them, and no
    later token alters them. So appending is all that a cache has to do, layer by layer. `torch.cat`
    takes fresh memory for the whole and copies the whole, for one new token as well.
    """,
    Function(
        _fed_cat(CatCache),
        _pieces_and_layers,
        says=drawn.says_kept,
        misconceptions=mistakes_in(WrongCat),
    ),
)


class WrongRoom:
    whole_room = says("""You return all of the room, with zeros where nothing was written. A key of
        zeros has a score, too: 0, and e⁰ is not nothing.""")(_fed_room(wrong.WholeRoom))
    new_part_alone = says("""You return what is new. What was kept before is what the new tokens
        look at.""")(_fed_room(wrong.NewPartAlone))
    counts_before_it_refuses = says("""A piece was refused and counted all the same: what came next
        found no room, although there was some. What has to be certain before anything changes?""")(
        _fed_room(wrong.CountsBeforeItRefuses)
    )
    writes_what_fits = says("""You refuse a piece after a part of it was written. What has to be
        certain before anything changes?""")(_fed_room(wrong.WritesWhatFits))
    leaves_it_to_torch = says("""You leave it to torch to notice that there is no room. One token
        into a slice without a place raises nothing: it should have been refused. Compare
        first.""")(_fed_room(wrong.LeavesItToTorch))
    copies = says("""The numbers are right, and they lie elsewhere after each call: everything kept
        is copied for one new token, as before. Which line makes the copy?""")(
        _fed_room(wrong.Copies)
    )
    always_at_the_start = says("""Every call writes over what was there. Where does the next token
        belong?""")(_fed_room(wrong.AlwaysAtTheStart))
    one_length_for_all = says("""In one step `keep` is called once for each layer. Where does the
        second layer write, after the first one has?""")(_fed_room(wrong.OneLengthForAll))
    one_token_per_call = says("""After a piece of several tokens you go on one behind its beginning.
        How many places did it take?""")(_fed_room(wrong.OneTokenPerCall))
    never_full = says("""You refuse a token for which there is a place. May the room be full?""")(
        _fed_room(wrong.NeverFull)
    )
    drops_what_does_not_fit = says("""Tokens for which there is no room disappear without a word.
        Their owner reads a wrong answer: what should `keep` do instead?""")(
        _fed_room(wrong.DropsWhatDoesNotFit)
    )


ROOM = exercise(
    """
    cache.room · A cache in room taken beforehand · 7 minutes

    > The layer's tokens so far: self.lengths[layer]. From where to where do the new ones go?
    > Look first whether the end lies beyond self.room, and raise the ValueError before anything is
      written. Then write, note the new length, return views up to it.
    > self.keys[layer, :, :, start:end] = key writes in place; self.keys[layer, :, :, :end] is a
      view and copies nothing.

    Memory for the longest sequence is taken once; a step writes one token per layer and returns
    views. It costs what the token weighs, whatever lies before it. The price stands in chapter 06:
    the room is reserved from the first token on, full or not. A cache that refuses loudly, and
    changes nothing then, lets its owner finish the others; the engine of lab 4 depends on it.
    """,
    Function(
        _fed_room(RoomCache),
        _pieces_and_room,
        says=drawn.says_kept,
        misconceptions=mistakes_in(WrongRoom),
    ),
)
