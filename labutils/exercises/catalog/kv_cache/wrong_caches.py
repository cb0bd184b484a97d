"""Caches of lab 2 that go wrong, each in one way: they append, or they write into room."""

from .pieces import CatCache, RoomCache


class NewAlone(CatCache):
    def keep(self, layer, key, value):
        return key, value


class OldAlone(CatCache):
    def keep(self, layer, key, value):
        before = self.kept.get(layer, (key, value))
        super().keep(layer, key, value)
        return before


class ValuesForKeys(CatCache):
    def keep(self, layer, key, value):
        keys, values = super().keep(layer, key, value)
        return values, keys


class OneForAllLayers(CatCache):
    def keep(self, layer, key, value):
        return super().keep(0, key, value)


class NewestFirst(CatCache):
    def keep(self, layer, key, value):
        import torch

        if layer in self.kept:
            key, value = (
                torch.cat([new, old], dim=2) for new, old in zip((key, value), self.kept[layer])
            )
        self.kept[layer] = key, value
        return key, value


class FirstTwiceKept(CatCache):
    def keep(self, layer, key, value):
        if layer not in self.kept:
            super().keep(layer, key, value)
        return super().keep(layer, key, value)


class NeverStores(CatCache):
    def keep(self, layer, key, value):
        first = layer not in self.kept
        grown = super().keep(layer, key, value)
        self.kept[layer] = self.kept[layer] if first else tuple(
            part[:, :, : -key.shape[2]] for part in grown
        )  # fmt: skip
        return grown


class WholeRoom(RoomCache):
    def keep(self, layer, key, value):
        super().keep(layer, key, value)
        return self.keys[layer], self.values[layer]


class Copies(RoomCache):
    def keep(self, layer, key, value):
        return tuple(part.clone() for part in super().keep(layer, key, value))


class AlwaysAtTheStart(RoomCache):
    def keep(self, layer, key, value):
        self.lengths[layer] = 0
        return super().keep(layer, key, value)


class OneLengthForAll(RoomCache):
    def keep(self, layer, key, value):
        self.lengths[layer] = max(self.lengths)
        return super().keep(layer, key, value)


class OneTokenPerCall(RoomCache):
    def keep(self, layer, key, value):
        start = self.lengths[layer]
        seen = super().keep(layer, key, value)
        self.lengths[layer] = start + 1
        return seen


class NewPartAlone(RoomCache):
    def keep(self, layer, key, value):
        new = key.shape[2]
        return tuple(part[:, :, -new:] for part in super().keep(layer, key, value))


class CountsBeforeItRefuses(RoomCache):
    def keep(self, layer, key, value):
        end = self.lengths[layer] + key.shape[2]
        if end > self.room:
            self.lengths[layer] = end
        if self.lengths[layer] > self.room:
            raise ValueError("no room")
        return super().keep(layer, key, value)


class WritesWhatFits(RoomCache):
    def keep(self, layer, key, value):
        start, free = self.lengths[layer], self.room - self.lengths[layer]
        if key.shape[2] > free:
            self.keys[layer, :, :, start:] = key[:, :, :free]
            self.values[layer, :, :, start:] = value[:, :, :free]
        return super().keep(layer, key, value)


class LeavesItToTorch(RoomCache):
    """Torch refuses two tokens in one place; one token in no place at all it does not."""

    def keep(self, layer, key, value):
        start, end = self.lengths[layer], self.lengths[layer] + key.shape[2]
        try:
            self.keys[layer, :, :, start:end] = key
            self.values[layer, :, :, start:end] = value
        except RuntimeError as error:
            raise ValueError("no room") from error
        self.lengths[layer] = end
        return self.keys[layer, :, :, :end], self.values[layer, :, :, :end]


class NeverFull(RoomCache):
    def keep(self, layer, key, value):
        if self.lengths[layer] + key.shape[2] == self.room:
            raise ValueError("no room")
        return super().keep(layer, key, value)


class DropsWhatDoesNotFit(RoomCache):
    def keep(self, layer, key, value):
        free = self.room - self.lengths[layer]
        return super().keep(layer, key[:, :, :free], value[:, :, :free])
