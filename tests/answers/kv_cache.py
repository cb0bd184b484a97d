"""Trial answers to the exercises of lab 2."""

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


GENERATE = """
def generate(model, prompt, steps, cache):
    length = prompt.shape[1]
    where = torch.arange(length, device=prompt.device)
    logits = model(prompt, where, attend=cache, last_only=True)
    answer = [logits[:, -1].argmax(dim=-1, keepdim=True)]
    for at in range(length, length + steps - 1):
        where = torch.tensor([at], device=prompt.device)
        logits = model(answer[-1], where, attend=cache, last_only=True)
        answer.append(logits[:, -1].argmax(dim=-1, keepdim=True))
    return torch.cat(answer, dim=1)


def generated(seed, length, steps):
    return drawn.generated(generate, seed, length, steps)
"""
ROOM = """
class RoomCache(Cache):
    def __init__(self, layers, batch, kv_heads, room, head_dim, **number):
        self.keys = torch.zeros(layers, batch, kv_heads, room, head_dim, **number)
        self.values = torch.zeros_like(self.keys)
        self.lengths, self.room = [0] * layers, room

    def keep(self, layer, key, value):
        start = self.lengths[layer]
        end = start + key.shape[2]
        if end > self.room:
            raise ValueError(f"{end} tokens do not fit into room for {self.room}")
        self.keys[layer, :, :, start:end] = key
        self.values[layer, :, :, start:end] = value
        self.lengths[layer] = end
        return self.keys[layer, :, :, :end], self.values[layer, :, :, :end]


def kept_in_room(pieces, room, first):
    cache = RoomCache(3, 1, 2, room, 1, dtype=torch.float64)
    return drawn.kept_in_place(cache, pieces, 3, first)
"""
CHUNK = """
def attend(self, layer, query):
    keys, values = self.memory.read(layer, self.pages)
    keys, values = keys[:, None], values[:, None]
    mask = self.hidden
    return functional.scaled_dot_product_attention(
        query, keys, values, attn_mask=mask, enable_gqa=True)
"""
FIELD = """
class FieldCache(field.Fed):
    def __init__(self, kv_heads, room):
        self.kept = torch.zeros(2, 1, kv_heads, room, 2, dtype=torch.float64)
        self.length = 0

    def __call__(self, layer, query, key, value):
        new, groups = key.shape[2], query.shape[1] // key.shape[1]
        self.kept[:, :, :, self.length : self.length + new] = torch.stack([key, value])
        self.length += new
        kept = self.kept[:, :, :, : self.length]
        keys, values = (part.repeat_interleave(groups, dim=1) for part in kept)
        mask = torch.ones(new, self.length, dtype=torch.bool).tril(self.length - new)
        attention = torch.nn.functional.scaled_dot_product_attention
        return attention(query, keys, values, attn_mask=mask)
"""
FIELD_ROOM = ("self.kept[:, :, :, : self.length]", "self.kept")
FIELD_HEADS = ("part.repeat_interleave(groups, dim=1)", "part.repeat(1, groups, 1, 1)")
FIELD_MASK = ("attn_mask=mask", "is_causal=new > 1")
PLAN = {
    "init_std": 0.1,
    "dtype": "float64",
    "kv_heads": 2,
    "prompts": (60, 41),
    "pieces": 4,
    "steps": 24,
    "compare": "logits",
    "tolerance": 1e-9,
}


def visible(expression: str) -> str:
    """The mask by this expression."""
    return f"def visible(new, total):\n    return {expression}\n"


def edited(source: str, old: str, new: str) -> str:
    """The source with one piece replaced."""
    assert old in source, old
    return source.replace(old, new)


def edits(source: str, *pairs: tuple[str, str]) -> str:
    """The source with several pieces replaced, one after the other."""
    for old, new in pairs:
        source = edited(source, old, new)
    return source


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
        true=("farthest-for-all",),
    ),
    wrong(
        "attention.hidden",
        "ones where it sees",
        edited(HIDDEN, "torch.zeros", "torch.ones"),
        true=("ones-where-it-sees",),
    ),
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
        true=("behind-the-first",),
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
    wrong(
        "attention.write", "the first layer", edited(WRITE, "[layer]", "[0]"), true=("first-layer",)
    ),
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
    wrong(
        "cache.generate",
        "positions of the answer counted from the next one",
        edited(GENERATE, "torch.tensor([at]", "torch.tensor([at + 1]"),
        true=("one-too-late",),
    ),
    wrong(
        "cache.generate",
        "the prompt stands in front of the answer",
        edited(GENERATE, "torch.cat(answer, dim=1)", "torch.cat([prompt, *answer], dim=1)"),
        true=("with-the-prompt",),
    ),
    wrong(
        "cache.generate",
        "one token too many",
        edited(GENERATE, "length + steps - 1)", "length + steps)"),
        true=("one-too-many",),
    ),
    wrong(
        "cache.generate",
        "feeds all tokens again, over a cache that has them",
        edits(
            GENERATE,
            ("torch.tensor([at], device=prompt.device)", "torch.arange(at + 1)"),
            ("model(answer[-1],", "model(torch.cat([prompt, *answer], dim=1),"),
        ),
        true=("feeds-everything-again",),
    ),
    wrong(
        "cache.generate",
        "each new token at position 0",
        edited(GENERATE, "torch.tensor([at]", "torch.tensor([0]"),
        true=("positions-start-again",),
    ),
    wrong(
        "cache.generate",
        "all of the answer at the place behind the prompt",
        edited(GENERATE, "torch.tensor([at]", "torch.tensor([length]"),
        true=("stands-still",),
    ),
    wrong(
        "cache.generate",
        "the cache only for the prompt",
        edited(
            GENERATE,
            "model(answer[-1], where, attend=cache, last_only=True)",
            "model(answer[-1], where, last_only=True)",
        ),
        true=("another-cache",),
    ),
    wrong(
        "cache.generate",
        "the first token missing, which the prompt gave",
        edited(GENERATE, "torch.cat(answer, dim=1)", "torch.cat(answer[1:], dim=1)"),
    ),
    wrong(
        "cache.generate",
        "the whole again in each step, without a cache",
        """
def generate(model, prompt, steps, cache):
    tokens = prompt
    for _ in range(steps):
        where = torch.arange(tokens.shape[1], device=prompt.device)
        logits = model(tokens, where, last_only=True)
        tokens = torch.cat([tokens, logits[:, -1].argmax(dim=-1, keepdim=True)], dim=1)
    return tokens[:, prompt.shape[1] :]


def generated(seed, length, steps):
    return drawn.generated(generate, seed, length, steps)
""",
        true=("never-uses-the-cache",),
    ),
    wrong(
        "cache.generate",
        "a line for each step in place of each prompt",
        edited(GENERATE, "torch.cat(answer, dim=1)", "torch.cat(answer, dim=1).T"),
    ),
    wrong(
        "cache.generate",
        "drawn, not the likeliest",
        edited(
            GENERATE,
            "logits[:, -1].argmax(dim=-1, keepdim=True)",
            "torch.multinomial(logits[:, -1].softmax(-1), 1)",
        ),
        true=("not-repeatable",),
    ),
    right(
        "cache.generate",
        "one loop over what is to be fed",
        """
def generate(model, prompt, steps, cache):
    at, fed, answer = 0, prompt, prompt[:, :0]
    while answer.shape[1] < steps:
        where = torch.arange(at, at + fed.shape[1], device=prompt.device)
        at += fed.shape[1]
        fed = model(fed, where, attend=cache, last_only=True).argmax(-1)
        answer = torch.cat([answer, fed], dim=1)
    return answer


def generated(seed, length, steps):
    return drawn.generated(generate, seed, length, steps)
""",
    ),
    right(
        "cache.generate",
        "writes into a table",
        """
def generate(model, prompt, steps, cache):
    batch, length = prompt.shape
    answer = torch.zeros(batch, steps, dtype=torch.long, device=prompt.device)
    for i in range(steps):
        tokens = prompt if i == 0 else answer[:, i - 1 : i]
        where = torch.arange(length + i, device=prompt.device)[-tokens.shape[1] :]
        if i > 0:
            where = where.new_tensor([length + i - 1])
        answer[:, i] = model(tokens, where, attend=cache, last_only=True)[:, 0].max(-1).indices
    return answer


def generated(seed, length, steps):
    return drawn.generated(generate, seed, length, steps)
""",
    ),
    wrong("cache.test", "prompts of one length", PLAN | {"prompts": (60, 60)}, true=("misses-2",)),
    wrong("cache.test", "a prompt in one piece", PLAN | {"pieces": 1}, true=("misses-3",)),
    wrong("cache.test", "no groups of heads", PLAN | {"kv_heads": 4}, true=("misses-4",)),
    wrong(
        "cache.test",
        "float32 at the tolerance of float64",
        PLAN | {"dtype": "float32"},
        true=("accuses-the-innocent",),
    ),
    wrong(
        "cache.test",
        "the small weights kept, and tokens compared",
        PLAN | {"init_std": 0.02, "compare": "tokens"},
        true=("tokens-hide-it",),
    ),
    wrong(
        "cache.test",
        "a tolerance that lets everything through",
        PLAN | {"tolerance": 100.0},
        true=("misses-1",),
    ),
    wrong(
        "cache.test",
        "short rows",
        PLAN | {"prompts": (3, 2), "pieces": 2, "steps": 1},
        true=("misses-3",),
    ),
    wrong(
        "cache.test",
        "one KV head, where each order is the same",
        PLAN | {"kv_heads": 1},
        true=("misses-4",),
    ),
    wrong(
        "cache.test",
        "nothing but the pieces made more",
        {
            "init_std": 0.02,
            "dtype": "float32",
            "kv_heads": 4,
            "prompts": (6, 6),
            "pieces": 3,
            "steps": 8,
            "compare": "tokens",
            "tolerance": 0.001,
        },
        true=("tokens-hide-it",),
    ),
    wrong(
        "cache.test",
        "no difference at all allowed",
        PLAN | {"tolerance": 0.0},
        true=("unreadable",),
    ),
    right("cache.test", "long rows of two lengths", PLAN),
    right(
        "cache.test",
        "three rows, more spread, a list",
        PLAN | {"init_std": 0.15, "prompts": [64, 40, 9], "pieces": 3, "tolerance": 1e-8},
    ),
    wrong(
        "cache.room",
        "refuses what just fills the room",
        edited(ROOM, "if end > self.room", "if end >= self.room"),
        true=("never-full",),
    ),
    wrong(
        "cache.room",
        "no word about the room",
        edited(
            ROOM,
            """        if end > self.room:
            raise ValueError(f"{end} tokens do not fit into room for {self.room}")
""",
            "",
        ),
    ),
    wrong(
        "cache.room",
        "returns the empty places as well",
        edits(
            ROOM,
            (
                "return self.keys[layer, :, :, :end], self.values[layer, :, :, :end]",
                "return self.keys[layer], self.values[layer]",
            ),
        ),
        true=("whole-room",),
    ),
    wrong(
        "cache.room",
        "copies, side by side",
        edited(
            ROOM,
            "return self.keys[layer, :, :, :end], self.values[layer, :, :, :end]",
            "return (self.keys[layer, :, :, :end].clone(), self.values[layer, :, :, :end].clone())",
        ),
        true=("copies",),
    ),
    wrong(
        "cache.room",
        "counts the tokens before it refuses them",
        edits(
            ROOM,
            ("        self.lengths[layer] = end\n", ""),
            (
                "        if end > self.room:\n",
                "        self.lengths[layer] = end\n        if end > self.room:\n",
            ),
        ),
        true=("counts-before-it-refuses",),
    ),
    wrong(
        "cache.room",
        "one length for all layers",
        edits(
            ROOM,
            ("self.lengths[layer]", "self.lengths[0]"),
        ),
    ),
    wrong(
        "cache.room",
        "writes what fits before it refuses",
        """
class RoomCache(Cache):
    def __init__(self, layers, batch, kv_heads, room, head_dim, **number):
        self.keys = torch.zeros(layers, batch, kv_heads, room, head_dim, **number)
        self.values = torch.zeros_like(self.keys)
        self.lengths, self.room = [0] * layers, room

    def keep(self, layer, key, value):
        for i in range(key.shape[2]):
            at = self.lengths[layer]
            if at == self.room:
                raise ValueError("the room is full")
            self.keys[layer, :, :, at] = key[:, :, i]
            self.values[layer, :, :, at] = value[:, :, i]
            self.lengths[layer] += 1
        end = self.lengths[layer]
        return self.keys[layer, :, :, :end], self.values[layer, :, :, :end]


def kept_in_room(pieces, room, first):
    cache = RoomCache(3, 1, 2, room, 1, dtype=torch.float64)
    return drawn.kept_in_place(cache, pieces, 3, first)
""",
    ),
    wrong(
        "cache.room",
        "refuses by an assertion",
        edited(
            ROOM,
            """        if end > self.room:
            raise ValueError(f"{end} tokens do not fit into room for {self.room}")
""",
            """        assert end <= self.room, f"{end} tokens do not fit into room for {self.room}"
""",
        ),
    ),
    wrong(
        "cache.room",
        "only a piece longer than the whole room is refused",
        edited(ROOM, "if end > self.room", "if key.shape[2] > self.room"),
    ),
    wrong(
        "cache.room",
        "always writes to the front",
        edited(ROOM, "        self.lengths[layer] = end\n", ""),
    ),
    wrong(
        "cache.room",
        "returns what is new",
        edits(
            ROOM,
            ("return self.keys[layer, :, :, :end]", "return self.keys[layer, :, :, start:end]"),
            (", self.values[layer, :, :, :end]", ", self.values[layer, :, :, start:end]"),
        ),
        true=("new-part-alone",),
    ),
    right(
        "cache.room",
        "narrow and copy_",
        """
class RoomCache(Cache):
    def __init__(self, layers, batch, kv_heads, room, head_dim, **number):
        self.keys = torch.zeros(layers, batch, kv_heads, room, head_dim, **number)
        self.values = torch.zeros_like(self.keys)
        self.lengths, self.room = [0] * layers, room

    def keep(self, layer, key, value):
        held, new = self.lengths[layer], key.size(-2)
        if self.room - held < new:
            raise ValueError(f"room for {self.room - held} more tokens, not for {new}")
        kept = []
        for buffer, part in ((self.keys, key), (self.values, value)):
            buffer[layer].narrow(2, held, new).copy_(part)
            kept.append(buffer[layer].narrow(2, 0, held + new))
        self.lengths[layer] += new
        return tuple(kept)


def kept_in_room(pieces, room, first):
    cache = RoomCache(3, 1, 2, room, 1, dtype=torch.float64)
    return drawn.kept_in_place(cache, pieces, 3, first)
""",
    ),
    right(
        "cache.room",
        "an error of its own, and one memory for both halves",
        """
class RoomFull(ValueError):
    pass


class RoomCache(Cache):
    def __init__(self, layers, batch, kv_heads, room, head_dim, **number):
        self.both = torch.zeros(2, layers, batch, kv_heads, room, head_dim, **number)
        self.keys, self.values = self.both
        self.lengths, self.room = [0] * layers, room

    def keep(self, layer, key, value):
        end = self.lengths[layer] + key.shape[2]
        if end > self.room:
            raise RoomFull("the room is full")
        self.both[:, layer, :, :, self.lengths[layer] : end] = torch.stack((key, value))
        self.lengths[layer] = end
        return self.both[:, layer, ..., :end, :].unbind()


def kept_in_room(pieces, room, first):
    cache = RoomCache(3, 1, 2, room, 1, dtype=torch.float64)
    return drawn.kept_in_place(cache, pieces, 3, first)
""",
    ),
    wrong(
        "attention.chunk",
        "is_causal in place of the mask",
        edited(CHUNK, "attn_mask=mask", "is_causal=True"),
        true=("is-causal",),
    ),
    wrong("attention.chunk", "no mask", edited(CHUNK, "attn_mask=mask, ", ""), true=("no-mask",)),
    wrong(
        "attention.chunk",
        "three axes given where four are wanted",
        edited(CHUNK, "    keys, values = keys[:, None], values[:, None]\n", ""),
        true=("heads-for-groups",),
    ),
    wrong(
        "attention.chunk",
        "the new axis in front",
        edited(CHUNK, "keys[:, None], values[:, None]", "keys[None], values[None]"),
        true=("heads-for-groups",),
    ),
    wrong(
        "attention.chunk",
        "the mask as truth, turned round",
        edited(CHUNK, "mask = self.hidden", "mask = self.hidden.bool()"),
        true=("mask-of-truth",),
    ),
    wrong(
        "attention.chunk",
        "the first layer",
        edited(CHUNK, "read(layer, ", "read(0, "),
        true=("other-layer",),
    ),
    wrong(
        "attention.chunk",
        "flattened to a line per token",
        edits(
            CHUNK,
            ("return functional", "mixed = functional"),
            ("enable_gqa=True)\n", "enable_gqa=True)\n    return mixed.flatten(0, 1).mT\n"),
        ),
    ),
    wrong(
        "attention.chunk",
        "not divided by the root",
        edited(CHUNK, "enable_gqa=True", "enable_gqa=True, scale=1.0"),
        true=("no-scale",),
    ),
    wrong(
        "attention.chunk",
        "values for keys",
        edited(CHUNK, "keys[:, None], values[:, None]", "values[:, None], keys[:, None]"),
        true=("values-for-keys",),
    ),
    wrong(
        "attention.chunk",
        "only as many keys as there are new tokens",
        edits(
            CHUNK,
            (
                "keys[:, None], values[:, None]",
                "(part[:, None, -query.shape[2] :] for part in (keys, values))",
            ),
            ("mask = self.hidden", "mask = self.hidden[:, -query.shape[2] :]"),
        ),
    ),
    right(
        "attention.chunk",
        "softmax by hand",
        """
def attend(self, layer, query):
    keys, values = self.memory.read(layer, self.pages)
    scores = torch.einsum("kgnd,ksd->kgns", query, keys) / query.shape[-1] ** 0.5
    return torch.einsum("kgns,ksd->kgnd", (scores + self.hidden).softmax(dim=-1), values)
""",
    ),
    right(
        "attention.chunk",
        "one KV head after the other, with a mask of truth",
        """
def attend(self, layer, query):
    from torch.nn.functional import scaled_dot_product_attention as attention
    keys, values = self.memory.read(layer, self.pages)
    sees = self.hidden == 0
    mixed = [
        attention(q, k.expand(len(q), -1, -1), v.expand(len(q), -1, -1), attn_mask=sees)
        for q, k, v in zip(query, keys, values)
    ]
    return torch.stack(mixed)
""",
    ),
    wrong(
        "cache.field",
        "the empty places hidden, and nothing else",
        edits(FIELD, FIELD_HEADS, FIELD_MASK),
        true=("repeats-the-row",),
    ),
    wrong("cache.field", "the mask left as it was", edits(FIELD, FIELD_MASK), true=("upper-left",)),
    wrong(
        "cache.field",
        "the heads left as they were",
        edits(FIELD, FIELD_HEADS),
        true=("repeats-the-row",),
    ),
    wrong(
        "cache.field",
        "the heads left, and a mask over the whole buffer",
        edits(
            FIELD,
            FIELD_ROOM,
            FIELD_HEADS,
            (
                "mask = torch.ones(new, self.length, dtype",
                "mask = torch.ones(new, self.kept.shape[3], dtype",
            ),
        ),
        true=("repeats-the-row",),
    ),
    wrong(
        "cache.field",
        "causal only where nothing lies before, everything seen in a piece behind",
        edits(FIELD, ("attn_mask=mask", "is_causal=new == self.length")),
        true=("sees-all-behind",),
    ),
    wrong(
        "cache.field",
        "never causal",
        edits(FIELD, ("attn_mask=mask", "is_causal=False")),
        true=("no-mask",),
    ),
    wrong(
        "cache.field",
        "a mask of its own in the upper left corner",
        edits(FIELD, (".tril(self.length - new)", ".tril()")),
        true=("corner-for-all",),
    ),
    wrong(
        "cache.field",
        "does not see itself",
        edits(FIELD, (".tril(self.length - new)", ".tril(self.length - new - 1)")),
    ),
    wrong(
        "cache.field",
        "the empty places left in, and the heads mended",
        edits(FIELD, FIELD_ROOM, FIELD_MASK),
        true=("reads-empty-places",),
    ),
    wrong(
        "cache.field",
        "the newest token lies behind the length",
        edits(
            FIELD,
            ("        self.length += new\n", ""),
            (".tril(self.length - new)", ".tril(self.length)"),
            (
                "        return attention(query, keys, values, attn_mask=mask)\n",
                "        self.length += new\n"
                "        if self.length == new:\n"
                "            return attention(query, key, value, is_causal=True, enable_gqa=True)\n"
                "        return attention(query, keys, values, attn_mask=mask)\n",
            ),
        ),
    ),
    right(
        "cache.field",
        "torch groups the heads",
        """
class FieldCache(field.Fed):
    def __init__(self, kv_heads, room):
        self.kept = torch.zeros(2, 1, kv_heads, room, 2, dtype=torch.float64)
        self.length = 0

    def __call__(self, layer, query, key, value):
        start, self.length = self.length, self.length + key.shape[2]
        self.kept[:, :, :, start : self.length] = torch.stack([key, value])
        keys, values = self.kept[:, :, :, : self.length]
        mask = torch.arange(start, self.length)[:, None] >= torch.arange(self.length)
        return torch.nn.functional.scaled_dot_product_attention(
            query, keys, values, attn_mask=mask, enable_gqa=True)
""",
    ),
    right(
        "cache.field",
        "token by token, the whole buffer under a mask",
        """
class FieldCache(field.Fed):
    def __init__(self, kv_heads, room):
        self.kept = torch.zeros(2, 1, kv_heads, room, 2, dtype=torch.float64)
        self.length = 0

    def __call__(self, layer, query, key, value):
        mixed = []
        for i in range(key.shape[2]):
            self.kept[0, :, :, self.length] = key[:, :, i]
            self.kept[1, :, :, self.length] = value[:, :, i]
            self.length += 1
            q = query[:, :, i].unflatten(1, (key.shape[1], -1))
            keys, values = self.kept[..., : self.length, :]
            weights = (q @ keys.mT / q.shape[-1] ** 0.5).softmax(-1)
            mixed.append((weights @ values).flatten(1, 2))
        return torch.stack(mixed, dim=2)
""",
    ),
]
