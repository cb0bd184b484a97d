"""The workbook's own pieces of lab 2: who may be seen, the mix, two ways to keep, the loop.

Shapes are those of the model's seam: queries [batch, heads, new, head_dim], keys and values
[batch, KV heads, tokens, head_dim]. torch is imported where it is needed.
"""


def visible(new: int, total: int):
    """Which of ``total`` keys each of the ``new`` last tokens may look at: bool [new, total]."""
    import torch

    return torch.ones(new, total, dtype=torch.bool).tril(total - new)


def mix(query, key, value, *, sees=visible):
    """Scaled, masked attention; query head h reads KV head h // (heads / KV heads).

    Vaswani and others 2017, equation 1; Ainslie and others 2023 for the groups.
    """
    import torch

    grouped = query.unflatten(1, (key.shape[1], -1))
    scores = torch.einsum("bkgnd,bktd->bkgnt", grouped, key) / query.shape[-1] ** 0.5
    mask = sees(query.shape[2], key.shape[2]).to(query.device)
    weights = scores.masked_fill(~mask, float("-inf")).softmax(-1)
    return torch.einsum("bkgnt,bktd->bkgnd", weights, value).flatten(1, 2)


class Cache:
    """``attend`` for the model: keep what is new, look at everything kept."""

    mix = staticmethod(mix)

    def __call__(self, layer, query, key, value):
        """The mixed values of the new tokens, shaped like ``query``."""
        return self.mix(query, *self.keep(layer, key, value))


class CatCache(Cache):
    """Keeps one tensor of keys and one of values for each layer, and appends to them."""

    def __init__(self):
        self.kept = {}

    def keep(self, layer, key, value):
        """Append; return all keys and all values of the layer."""
        import torch

        if layer in self.kept:
            keys, values = self.kept[layer]
            key, value = torch.cat([keys, key], dim=2), torch.cat([values, value], dim=2)
        self.kept[layer] = key, value
        return key, value


class RoomCache(Cache):
    """Room for all tokens, taken once; writes in place and returns views.

    ``keep`` raises ``ValueError`` where the new tokens do not fit, and changes nothing then.
    """

    def __init__(self, layers, batch, kv_heads, room, head_dim, **options):
        import torch

        self.keys, self.values = (
            torch.zeros(layers, batch, kv_heads, room, head_dim, **options) for _ in range(2)
        )
        self.lengths, self.room = [0] * layers, room

    def keep(self, layer, key, value):
        """Write behind what is there; return views of all keys and values of the layer."""
        start, end = self.lengths[layer], self.lengths[layer] + key.shape[2]
        if end > self.room:
            raise ValueError(f"room for {self.room} tokens, and {end} are to be kept")
        self.keys[layer, :, :, start:end] = key
        self.values[layer, :, :, start:end] = value
        self.lengths[layer] = end
        return self.keys[layer, :, :, :end], self.values[layer, :, :, :end]


def generate(model, prompt, steps, cache):
    """The ``steps`` tokens that follow each row of ``prompt`` [batch, length], greedily."""
    import torch

    tokens, known, chosen = prompt, 0, []
    for _ in range(steps):
        positions = torch.arange(known, known + tokens.shape[1], device=tokens.device)
        logits = model(tokens, positions, attend=cache, last_only=True)
        known += tokens.shape[1]
        tokens = logits[:, -1].argmax(-1, keepdim=True)
        chosen.append(tokens)
    return torch.cat(chosen, dim=1)
