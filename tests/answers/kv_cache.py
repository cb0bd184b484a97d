"""Trial answers to five exercises of lab 2."""

from tests.answers.answer import right, wrong

MIX = """
def mix(query, key, value):
    group = query.shape[1] // key.shape[1]
    key, value = (part.repeat_interleave(group, dim=1) for part in (key, value))
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    mask = sees(query.shape[2], key.shape[2]).to(query.device)
    return scores.masked_fill(~mask, -torch.inf).softmax(-1) @ value


def mixed(seed, heads, kv_heads, old, new):
    return drawn.mixed(mix, seed, heads, kv_heads, old, new)
"""
CAT = """
class CatCache(Cache):
    def __init__(self):
        self.kept = {}

    def keep(self, layer, key, value):
        if layer in self.kept:
            keys, values = self.kept[layer]
            key, value = torch.cat([keys, key], dim=2), torch.cat([values, value], dim=2)
        self.kept[layer] = key, value
        return key, value


def kept_by_cat(pieces, layers, first):
    return drawn.kept(CatCache(), pieces, layers, first)
"""
HIDDEN = """
def hidden(self, seen, slots):
    places = torch.arange(slots, device=self.keys.device)
    limits = torch.tensor(list(seen), device=self.keys.device)[:, None]
    mask = torch.zeros(len(seen), slots, dtype=self.keys.dtype, device=self.keys.device)
    return mask.masked_fill(places >= limits, -torch.inf)
"""
WRITE = """
def write(self, layer, slots, key, value):
    self.keys[layer][:, slots] = key
    self.values[layer][:, slots] = value
"""


def visible(expression: str) -> str:
    """The mask by this expression."""
    return f"def visible(new, total):\n    return {expression}\n"


def edited(source: str, old: str, new: str) -> str:
    """The source with one piece replaced."""
    assert old in source, old
    return source.replace(old, new)


ANSWERS = [
    wrong(
        "cache.visible",
        "hangs in the upper left corner",
        visible("torch.ones(new, total).tril().bool()"),
        true=("upper-left",),
    ),
    wrong(
        "cache.visible",
        "does not see itself",
        visible("torch.ones(new, total).tril(total - new - 1).bool()"),
        true=("not-itself",),
    ),
    wrong(
        "cache.visible",
        "the future and not the past",
        visible("torch.ones(new, total).triu(total - new + 1).bool()"),
        true=("the-future",),
    ),
    wrong(
        "cache.visible",
        "sees one ahead",
        visible("torch.ones(new, total).tril(total - new + 1).bool()"),
        true=("one-ahead",),
    ),
    wrong(
        "cache.visible",
        "all that is there",
        visible("torch.ones(new, total, dtype=torch.bool)"),
        true=("no-mask",),
    ),
    wrong(
        "cache.visible",
        "the new ones alone",
        visible(
            "torch.cat([torch.zeros(new, total - new), torch.ones(new, new).tril()], 1).bool()"
        ),
        true=("the-new-alone",),
    ),
    wrong(
        "cache.visible",
        "transposed",
        visible("torch.ones(new, total).tril(total - new).bool().T"),
        true=("others-way-round",),
    ),
    right(
        "cache.visible",
        "positions compared",
        visible("torch.arange(total - new, total)[:, None] >= torch.arange(total)"),
    ),
    right(
        "cache.visible",
        "the last rows of a square",
        visible("torch.ones(total, total).tril().bool()[total - new:]"),
    ),
    wrong(
        "cache.mix",
        "KV heads repeated in the wrong order",
        edited(MIX, "part.repeat_interleave(group, dim=1)", "part.repeat(1, group, 1, 1)"),
        true=("interleaved-heads",),
    ),
    wrong(
        "cache.mix",
        "not divided by the root",
        edited(MIX, " / query.shape[-1] ** 0.5", ""),
        true=("no-scale",),
    ),
    wrong(
        "cache.mix",
        "divided by the width",
        edited(MIX, " ** 0.5", ""),
        true=("divides-by-the-width",),
    ),
    wrong(
        "cache.mix",
        "the root of the whole width",
        edited(MIX, "query.shape[-1] ** 0.5", "(query.shape[1] * query.shape[-1]) ** 0.5"),
        true=("scaled-by-all-heads",),
    ),
    wrong(
        "cache.mix",
        "no mask",
        edited(MIX, ".masked_fill(~mask, -torch.inf)", ""),
        true=("no-mask",),
    ),
    wrong(
        "cache.mix",
        "the mask turned round",
        edited(MIX, "~mask", "mask"),
        true=("the-others-hidden",),
    ),
    wrong(
        "cache.mix",
        "softmax over the queries",
        edited(MIX, "softmax(-1)", "softmax(-2)"),
        true=("softmax-over-queries",),
    ),
    wrong(
        "cache.mix",
        "zeros instead of minus infinity",
        edited(MIX, "-torch.inf", "0.0"),
        true=("zeros-for-the-hidden",),
    ),
    right(
        "cache.mix",
        "torch's own",
        """
def mix(query, key, value):
    mask = sees(query.shape[2], key.shape[2]).to(query.device)
    return functional.scaled_dot_product_attention(
        query, key, value, attn_mask=mask, enable_gqa=True)


def mixed(seed, heads, kv_heads, old, new):
    return drawn.mixed(mix, seed, heads, kv_heads, old, new)
""",
    ),
    right(
        "cache.mix",
        "einsum over groups",
        """
def mix(query, key, value):
    b, h, n, d = query.shape
    q = query.reshape(b, key.shape[1], -1, n, d)
    scores = torch.einsum("bkgnd,bktd->bkgnt", q, key) * d**-0.5
    scores = torch.where(sees(n, key.shape[2]).to(query.device), scores, -torch.inf)
    return torch.einsum("bkgnt,bktd->bkgnd", scores.softmax(-1), value).reshape(b, h, n, d)


def mixed(seed, heads, kv_heads, old, new):
    return drawn.mixed(mix, seed, heads, kv_heads, old, new)
""",
    ),
    wrong("cache.cat", "along the heads", edited(CAT, "dim=2", "dim=1"), true=("wrong-type",)),
    wrong(
        "cache.cat",
        "one for all layers",
        edited(
            edited(CAT, "if layer in self.kept", "if 0 in self.kept"),
            "self.kept[layer]",
            "self.kept[0]",
        ),
        true=("one-for-all-layers",),
    ),
    wrong(
        "cache.cat",
        "the new ones in front",
        edited(edited(CAT, "[keys, key]", "[key, keys]"), "[values, value]", "[value, values]"),
        true=("newest-first",),
    ),
    wrong(
        "cache.cat",
        "returns the new ones alone",
        """
class CatCache(Cache):
    def __init__(self):
        self.kept = {}

    def keep(self, layer, key, value):
        old = self.kept.get(layer)
        self.kept[layer] = (key, value) if old is None else tuple(
            torch.cat(pair, dim=2) for pair in zip(old, (key, value)))
        return key, value


def kept_by_cat(pieces, layers, first):
    return drawn.kept(CatCache(), pieces, layers, first)
""",
        true=("new-alone",),
    ),
    wrong(
        "cache.cat",
        "forgets to keep what it joined",
        edited(
            CAT,
            """
        self.kept[layer] = key, value
""",
            """
        self.kept.setdefault(layer, (key, value))
""",
        ),
        true=("never-stores",),
    ),
    wrong("cache.cat", "values behind keys", edited(CAT, "[values, value]", "[keys, value]")),
    wrong(
        "cache.cat",
        "values first",
        edited(CAT, "return key, value", "return value, key"),
        true=("values-for-keys",),
    ),
    right(
        "cache.cat",
        "starts empty",
        edited(
            CAT,
            """        if layer in self.kept:
            keys, values = self.kept[layer]
            key""",
            """        if True:
            keys, values = self.kept.get(layer, (key[:, :, :0], value[:, :, :0]))
            key""",
        ),
    ),
    right(
        "cache.cat",
        "stacked pairs",
        """
class CatCache(Cache):
    def __init__(self):
        self.kept = {}

    def keep(self, layer, key, value):
        pieces = self.kept.setdefault(layer, [])
        pieces.append(torch.stack([key, value]))
        keys, values = torch.cat(pieces, dim=-2)
        return keys, values


def kept_by_cat(pieces, layers, first):
    return drawn.kept(CatCache(), pieces, layers, first)
""",
    ),
    wrong(
        "attention.hidden",
        "sees one more",
        edited(HIDDEN, ">= limits", "> limits"),
        true=("one-too-many",),
    ),
    wrong(
        "attention.hidden",
        "turned round",
        edited(HIDDEN, ">= limits", "< limits"),
        true=("the-others-hidden",),
    ),
    wrong(
        "attention.hidden", "of 32 bits always", edited(HIDDEN, "self.keys.dtype", "torch.float32")
    ),
    wrong(
        "attention.hidden",
        "a mask of truth",
        HIDDEN.replace(
            "return mask.masked_fill(places >= limits, -torch.inf)", "return places < limits"
        ),
        true=("a-mask-of-bools",),
    ),
    wrong(
        "attention.hidden",
        "one row for all",
        edited(HIDDEN, "list(seen)", "[max(seen)] * len(seen)"),
    ),
    wrong("attention.hidden", "ones where it sees", edited(HIDDEN, "torch.zeros", "torch.ones")),
    right(
        "attention.hidden",
        "row by row",
        """
def hidden(self, seen, slots):
    mask = self.keys.new_full((len(seen), slots), -torch.inf)
    for row, count in enumerate(seen):
        mask[row, :count] = 0
    return mask
""",
    ),
    right(
        "attention.hidden",
        "a list of lists",
        """
def hidden(self, seen, slots):
    rows = [[0.0 if i < n else float("-inf") for i in range(slots)] for n in seen]
    return torch.tensor(rows, dtype=self.keys.dtype, device=self.keys.device)
""",
    ),
    wrong("attention.write", "the heads picked", edited(WRITE, "[:, slots]", "[slots]")),
    wrong(
        "attention.write",
        "side by side from the first slot",
        edited(WRITE, "[:, slots]", "[:, slots[0] : slots[0] + len(slots)]"),
    ),
    wrong(
        "attention.write",
        "the values forgotten",
        edited(WRITE, "    self.values[layer][:, slots] = value\n", ""),
        true=("keys-alone",),
    ),
    wrong(
        "attention.write",
        "keys for values",
        edited(WRITE, "= value", "= key"),
        true=("keys-twice",),
    ),
    wrong("attention.write", "the first layer", edited(WRITE, "[layer]", "[0]")),
    wrong(
        "attention.write",
        "added to what is there",
        edited(WRITE, "] = ", "] += "),
        true=("adds-to-what-is-there",),
    ),
    right(
        "attention.write",
        "index_copy_",
        """
def write(self, layer, slots, key, value):
    self.keys[layer].index_copy_(1, slots, key)
    self.values[layer].index_copy_(1, slots, value)
""",
    ),
    right(
        "attention.write",
        "a loop",
        """
def write(self, layer, slots, key, value):
    for i, slot in enumerate(slots.tolist()):
        self.keys[layer][:, slot] = key[:, i]
        self.values[layer][:, slot] = value[:, i]
""",
    ),
]
