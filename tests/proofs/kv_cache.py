"""Proofs of lab 2: mistakes that learners make, and right answers of other styles.

Answers that need torch are given as source: they see the lab's own names.
"""

from labutils.exercises.catalog.kv_cache.design import HANDED_OUT
from labutils.exercises.catalog.kv_cache.trial import HOUSE
from labutils.exercises.definition.verdict import Status
from tests.proofs.proof import Proof

# --- cache.visible ------------------------------------------------------------------------------

UPPER_LEFT = """
def visible(new, total):
    return torch.tril(torch.ones(new, total)).bool()
"""
STRICTLY_OLDER = """
def visible(new, total):
    rows = torch.arange(total - new, total)
    return torch.arange(total) < rows[:, None]
"""
ONE_AHEAD = """
def visible(new, total):
    return torch.ones(new, total, dtype=torch.bool).tril(total - new + 1)
"""
EVERYTHING = """
def visible(new, total):
    return torch.full((new, total), True)
"""
BY_PLACES = """
def visible(new, total):
    return [[place <= total - new + i for place in range(total)] for i in range(new)]
"""

# --- cache.mix ----------------------------------------------------------------------------------

BY_TORCH = """
def mix(query, key, value):
    mask = torch.ones(query.shape[2], key.shape[2]).tril(key.shape[2] - query.shape[2]).bool()
    return torch.nn.functional.scaled_dot_product_attention(
        query, key, value, attn_mask=mask, enable_gqa=True
    )


def mixed(seed, heads, kv_heads, old, new):
    return drawn.mixed(mix, seed, heads, kv_heads, old, new)
"""
BY_IS_CAUSAL = BY_TORCH.replace("attn_mask=mask", "is_causal=True")
HEAD_BY_HEAD = """
def mix(query, key, value):
    out, group = torch.zeros_like(query), query.shape[1] // key.shape[1]
    for h in range(query.shape[1]):
        k, v = key[:, GROUP], value[:, GROUP]
        for i in range(query.shape[2]):
            seen = key.shape[2] - query.shape[2] + i + 1
            scores = (query[:, h, i, None] * k[:, :seen]).sum(-1) / SCALE
            out[:, h, i] = (scores.softmax(-1)[:, :, None] * v[:, :seen]).sum(1)
    return out


def mixed(seed, heads, kv_heads, old, new):
    return drawn.mixed(mix, seed, heads, kv_heads, old, new)
"""


WRITTEN_OUT = """
def mix(query, key, value):
    group = query.shape[1] // key.shape[1]
    key, value = (part.repeat_interleave(group, dim=1) for part in (key, value))
    scores = query @ key.mT / query.shape[-1] ** 0.5
    mask = torch.ones(scores.shape[-2:]).tril(key.shape[2] - query.shape[2]).bool()
    return (HIDDEN).softmax(-1) @ value


def mixed(seed, heads, kv_heads, old, new):
    return drawn.mixed(mix, seed, heads, kv_heads, old, new)
"""


def head_by_head(group="h // group", scale="query.shape[-1] ** 0.5"):
    return HEAD_BY_HEAD.replace("GROUP", group).replace("SCALE", scale)


# --- cache.cat and cache.room -------------------------------------------------------------------

CAT = """
class Mine(Cache):
    def __init__(self):
        self.keys, self.values = {}, {}

    def keep(self, layer, key, value):
        for kept, new in ((self.keys, key), (self.values, value)):
            old = kept.get(WHERE, new[:, :, :0])
            kept[WHERE] = torch.cat(PAIR, dim=2)
        return self.keys[WHERE], self.values[WHERE]


def kept_by_cat(pieces, layers, first):
    return drawn.kept(Mine(), pieces, layers, first)
"""


def by_cat(where="layer", pair="[old, new]"):
    return CAT.replace("WHERE", where).replace("PAIR", pair)


ROOM = """
class Mine(Cache):
    def __init__(self, layers, batch, kv_heads, room, width, **number):
        self.keys, self.values = torch.zeros(2, layers, batch, kv_heads, room, width, **number)
        self.lengths, self.room = [0] * layers, room

    def keep(self, layer, key, value):
        at, new = self.lengths[layer], key.size(2)
        if REFUSED:
            raise ValueError("full")
        self.keys[layer].narrow(2, at, new).copy_(key)
        self.values[layer].narrow(2, at, new).copy_(value)
        self.lengths[layer] += GROWTH
        filled = self.lengths[layer]
        return self.keys[layer][:, :, SEEN], self.values[layer][:, :, SEEN]


def kept_in_room(pieces, room, first):
    return drawn.kept_in_place(Mine(3, 1, 2, room, 1, dtype=torch.float64), pieces, 3, first)
"""


def in_room(refused="at + new > self.room", growth="new", seen=":filled"):
    return ROOM.replace("REFUSED", refused).replace("GROWTH", growth).replace("SEEN", seen)


COUNTS_FIRST = """
class Mine(Cache):
    def __init__(self, layers, batch, kv_heads, room, width, **number):
        self.keys, self.values = torch.zeros(2, layers, batch, kv_heads, room, width, **number)
        self.lengths, self.room = [0] * layers, room

    def keep(self, layer, key, value):
        start = self.lengths[layer]
        self.lengths[layer] += key.shape[2]
        if self.lengths[layer] > self.room:
            raise ValueError
        self.keys[layer, :, :, start : self.lengths[layer]] = key
        self.values[layer, :, :, start : self.lengths[layer]] = value
        return tuple(part[layer, :, :, : self.lengths[layer]] for part in (self.keys, self.values))


def kept_in_room(pieces, room, first):
    return drawn.kept_in_place(Mine(3, 1, 2, room, 1, dtype=torch.float64), pieces, 3, first)
"""

BY_ROOM_ERROR = in_room(refused="False").replace(
    "        self.keys[layer].narrow(2, at, new).copy_(key)\n"
    "        self.values[layer].narrow(2, at, new).copy_(value)\n",
    "        try:\n"
    "            self.keys[layer][:, :, at : at + new] = key\n"
    "            self.values[layer][:, :, at : at + new] = value\n"
    "        except RuntimeError as error:\n"
    "            raise ValueError from error\n",
)

# --- cache.generate -----------------------------------------------------------------------------

LOOP = """
def generate(model, prompt, steps, cache):
    length = prompt.shape[1]
    logits = model(prompt, torch.arange(length), attend=cache)
    answer = [logits[:, FIRST].argmax(-1)]
    for i in range(steps - 1):
        logits = model(FED, torch.tensor([WHERE]), attend=cache)
        answer.append(logits[:, -1].argmax(-1))
    return torch.stack(answer, dim=1)


def generated(seed, length, steps):
    return drawn.generated(generate, seed, length, steps)
"""


def loop(where="length + i", fed="answer[-1][:, None]", first="-1"):
    return LOOP.replace("WHERE", where).replace("FED", fed).replace("FIRST", first)


NO_CACHE = """
def generate(model, prompt, steps, cache):
    told = prompt
    for _ in range(steps):
        scores = model(told, torch.arange(told.shape[1]), ATTENDlast_only=True)
        told = torch.cat([told, scores[:, -1].argmax(-1, keepdim=True)], dim=1)
    return told[:, prompt.shape[1] :]


def generated(seed, length, steps):
    return drawn.generated(generate, seed, length, steps)
"""


# --- attention.write, attention.hidden, attention.chunk ------------------------------------------

WRITE = """
def write(self, layer, slots, key, value):
    for kept, new in ((self.keys, key), (self.values, value)):
        INTO
"""


def write(into="kept[layer][:, slots] = new"):
    return WRITE.replace("INTO", into)


NEW_MEMORY = """
    self.keys, self.values = self.keys.clone(), self.values.clone()
    self.keys[layer][:, slots], self.values[layer][:, slots] = key, value
"""


HIDDEN = """
def hidden(self, seen, slots):
    rows = torch.zeros(len(seen), slots, dtype=self.keys.dtype, device=self.keys.device)
    for row, count in zip(rows, seen):
        row[WHERE] = WHAT
    return rows
"""


def hidden(where="count:", what='float("-inf")'):
    return HIDDEN.replace("WHERE", where).replace("WHAT", what)


CHUNK = """
def attend(self, layer, query):
    keys, values = (half.APART for half in self.memory.read(LAYER, self.pages))
    scores = query @ keys.transpose(-1, -2) SCALED
    return SHAPED
"""


def chunk(
    layer="layer", apart="unsqueeze(1)", scaled="/ query.shape[-1] ** 0.5",
    shaped="(scores + self.hidden).softmax(-1) @ values",
):  # fmt: skip
    parts = {"LAYER": layer, "APART": apart, "SCALED": scaled, "SHAPED": shaped}
    source = CHUNK
    for name, part in parts.items():
        source = source.replace(name, part)
    return source


CALLED = (
    "return functional.scaled_dot_product_attention(query, keys, values, "
    "attn_mask=self.hidden, enable_gqa="
)

# --- cache.field --------------------------------------------------------------------------------

FIELD = """
class FieldCache(field.Fed):
    def __init__(self, kv_heads, room):
        self.keys = torch.zeros(1, kv_heads, room, 2, dtype=torch.float64)
        self.values, self.length = self.keys.clone(), 0

    def __call__(self, layer, query, key, value):
        end = self.length + key.shape[2]
        self.keys[:, :, self.length : end], self.values[:, :, self.length : end] = key, value
        self.length, groups = end, query.shape[1] // key.shape[1]
        keys, values = (part[:, :, SEEN] for part in (self.keys, self.values))
        return torch.nn.functional.scaled_dot_product_attention(
            query, SPREAD(keys), SPREAD(values), MASK
        )
"""
ROW, EACH = "(lambda p: p.repeat(1, groups, 1, 1))", "(lambda p: p.repeat_interleave(groups, 1))"


def field(seen=":end", spread=EACH, mask="attn_mask=sees(key.shape[2], end)"):
    return FIELD.replace("SEEN", seen).replace("SPREAD", spread).replace("MASK", mask)


PROOFS = {
    "cache.visible": Proof(
        mistakes={
            "from the upper left": (UPPER_LEFT, "upper-left"),
            "strictly older": (STRICTLY_OLDER, "not-itself"),
            "one ahead": (ONE_AHEAD, "one-ahead"),
            "everything": (EVERYTHING, "no-mask"),
        },
        alternatives={"place by place": BY_PLACES},
    ),
    "cache.mix": Proof(
        mistakes={
            "is_causal": (BY_IS_CAUSAL, "upper-left"),
            "is_causal for several": (
                BY_TORCH.replace("attn_mask=mask", "is_causal=query.shape[2] > 1"),
                "is-causal-behind-a-context",
            ),
            "hides what may be seen": (
                WRITTEN_OUT.replace("HIDDEN", "scores.masked_fill(mask, -torch.inf)"),
                "the-others-hidden",
            ),
            "adds the bools": (WRITTEN_OUT.replace("HIDDEN", "scores + mask"), "adds-the-bools"),
            "shape of one sequence": (
                BY_TORCH.replace("enable_gqa=True\n    )", "enable_gqa=True\n    ).sum(0)"),
                "wrong-length",
            ),
            "heads take turns": (head_by_head(group="h % key.shape[1]"), "interleaved-heads"),
            "no scale": (head_by_head(scale="1"), "no-scale"),
            "all heads' width": (
                head_by_head(scale="(query.shape[1] * query.shape[3]) ** 0.5"),
                "scaled-by-all-heads",
            ),
            "one KV head for all": (head_by_head(group="0"), Status.wrong),
            "times the root": (head_by_head(scale="query.shape[-1] ** -0.5"), "times-the-root"),
            "scales the caller's query": (
                head_by_head(scale="1").replace(
                    "for h in", "query /= query.shape[-1] ** 0.5\n    for h in", 1
                ),
                Status.wrong,
            ),
        },
        alternatives={"torch's own": BY_TORCH, "head by head": head_by_head()},
    ),
    "cache.cat": Proof(
        mistakes={
            "one for all layers": (by_cat(where="0"), "one-for-all-layers"),
            "values for keys": (
                by_cat().replace(
                    "return self.keys[layer], self.values[layer]",
                    "return self.values[layer], self.keys[layer]",
                ),
                "values-for-keys",
            ),
            "newest first": (by_cat(pair="[new, old]"), "newest-first"),
            "keeps the newest alone": (by_cat(pair="[new]"), "new-alone"),
            "along the heads": (
                by_cat().replace("dim=2", "dim=1").replace("[:, :, :0]", "[:, :0]"),
                "wrong-type",
            ),
        },
        alternatives={"two dicts": by_cat()},
    ),
    "cache.generate": Proof(
        mistakes={
            "one too late": (loop(where="length + i + 1"), "one-too-late"),
            "one too early": (loop(where="length + i - 1"), "one-too-early"),
            "from 0 again": (loop(where="0"), "positions-start-again"),
            "does not move on": (loop(where="length"), "stands-still"),
            "after the first token": (loop(first="0"), "first-logits"),
            "feeds the prompt's last token": (loop(fed="prompt[:, -1:]"), Status.wrong),
            "one too many": (loop().replace("steps - 1", "steps"), "one-too-many"),
            "without the first": (
                loop()
                .replace("answer, dim=1", "answer[1:] + answer[:0], dim=1")
                .replace("steps - 1", "steps"),
                "without-the-first",
            ),
            "all tokens, and no cache": (NO_CACHE.replace("ATTEND", ""), "never-uses-the-cache"),
            "all tokens, and a fresh cache in every step": (
                NO_CACHE.replace("ATTEND", "attend=type(cache)(), "),
                "another-cache",
            ),
            "a call whose token is dropped": (
                loop().replace("steps - 1", "steps").replace("answer, dim", "answer[:-1], dim"),
                "number-of-calls",
            ),
            "the prompt token by token": (
                loop().replace(
                    "logits = model(prompt, torch.arange(length), attend=cache)",
                    "for i in range(length):\n        logits = model("
                    "prompt[:, i : i + 1], torch.tensor([i]), attend=cache)",
                ),
                "prompt-in-pieces",
            ),
        },
        alternatives={"two branches": loop()},
        equivalent={
            "tokens, known, chosen = (prompt, 0, []) => "
            f"tokens, known, chosen = (prompt, {n}, [])": (
                "rotary positions count distances: all of them one further is the same model"
            )
            for n in (1, -1)
        }
        | {
            "tokens = scores[:, -1].argmax(-1, keepdim=True) => "
            "tokens = scores[:, -1].argmax(1, keepdim=True)": "the axis has two names",
            "tokens = scores[:, -1].argmax(-1, keepdim=True) => "
            "tokens = scores[:, -0].argmax(-1, keepdim=True)": "there is one row alone",
            "scores = model(tokens, where, attend=cache, last_only=True) => "
            "scores = model(tokens, where, attend=cache, last_only=False)": "the last row is taken",
        },
    ),
    "cache.test": Proof(
        mistakes={
            "more tokens of the blind model": ({**HANDED_OUT, "steps": 40}, "tokens-hide-it"),
            "a better init alone": ({**HOUSE, "prompts": (11, 11)}, "misses-2"),
            "in one piece": ({**HOUSE, "pieces": 1}, "misses-3"),
            "no groups": ({**HOUSE, "kv_heads": 4}, "misses-4"),
            "one KV head": ({**HOUSE, "kv_heads": 1}, "misses-4"),
            "too short": ({**HOUSE, "prompts": (3, 6), "steps": 5}, "misses-5"),
            "finer than the numbers": ({**HOUSE, "dtype": "float32"}, "accuses-the-innocent"),
            "a bound at the mistake": (
                {**HOUSE, "init_std": 0.02, "tolerance": 3e-4},
                "thin-margin",
            ),
            "a misspelt type": ({**HOUSE, "dtype": "double"}, Status.unreadable),
            "a key short": ({"init_std": 0.1}, Status.unreadable),
        },
        alternatives={
            "float32, and a bound to match": {**HOUSE, "dtype": "float32", "tolerance": 1e-3},
            "small weights, but logits in float64": {**HOUSE, "init_std": 0.02},
            "lists, more rows": {**HOUSE, "prompts": [20, 5, 9, 2], "pieces": 2, "steps": 3},
        },
    ),
    "cache.room": Proof(
        mistakes={
            "all of the room": (in_room(seen=":"), "whole-room"),
            "never moves on": (
                in_room(growth="0", seen=": at + new", refused="new > self.room"),
                Status.wrong,
            ),
            "begins at 0": (
                in_room(growth="new - self.lengths[layer]", refused="new > self.room").replace(
                    "at, new = self.lengths[layer]", "at, new = 0"
                ),
                "always-at-the-start",
            ),
            "a copy of what is filled": (
                in_room().replace("[:, :, :filled]", "[:, :, :filled].clone()"),
                "copies",
            ),
            "one place per call": (in_room(growth="1", seen=": at + new"), "one-token-per-call"),
            "keeps a place free": (in_room(refused="at + new >= self.room"), "never-full"),
            "the new part alone": (in_room(seen="at:filled"), "new-part-alone"),
            "counts first": (COUNTS_FIRST, "counts-before-it-refuses"),
            "counts once per step": (
                in_room(
                    growth="new if layer + 1 == len(self.lengths) else 0", seen=": at + new"
                ).replace("at, new = self.lengths[layer]", "at, new = self.lengths[-1]"),
                Status.wrong,
            ),
            "torch's error": (BY_ROOM_ERROR, "leaves-it-to-torch"),
            "no check at all": (in_room(refused="False"), Status.wrong),
            "another error": (
                in_room().replace('ValueError("full")', 'RuntimeError("full")'),
                Status.wrong,
            ),
            "writes what fits": (
                in_room().replace(
                    "            raise",
                    "            self.keys[layer][:, :, at:] = key[:, :, : self.room - at]\n"
                    "            self.values[layer][:, :, at:] = value[:, :, : self.room - at]\n"
                    "            raise",
                ),
                "writes-what-fits",
            ),
        },
        alternatives={"narrow": in_room()},
    ),
    "attention.write": Proof(
        mistakes={
            "into a copy": (write("kept[layer][:, slots].copy_(new)"), "into-a-copy"),
            "into a clone": (write("kept[layer].clone()[:, slots] = new"), "into-a-copy"),
            "adds": (write("kept[layer].index_add_(1, slots, new)"), "adds-to-what-is-there"),
            "in a row": (write("kept[layer][:, : len(slots)] = new"), "from-the-first-slot"),
            "layer 0": (write("kept[0][:, slots] = new"), "first-layer"),
            "slots as heads": (write("kept[layer][slots] = new"), Status.raised),
            # Findings: they passed, and copied the memory of a layer, or all of it.
            "a clone put back": (
                write(
                    "k = kept[layer].clone()\n        k[:, slots] = new\n        kept[layer] = k"
                ),
                "puts-a-copy-back",
            ),
            "a new layer": (
                write("kept[layer] = kept[layer].index_copy(1, slots, new)"),
                "puts-a-copy-back",
            ),
            "a new memory": (
                WRITE.replace("        INTO\n", "        pass\n") + NEW_MEMORY,
                "puts-a-copy-back",
            ),
        },
        alternatives={
            "by assignment": write(),
            "token by token": write(
                "for at, slot in enumerate(slots.tolist()): kept[layer, :, slot] = new[:, at]"
            ),
            "scattered": write("kept[layer].scatter_(1, slots[None, :, None].expand_as(new), new)"),
        },
    ),
    "attention.hidden": Proof(
        mistakes={
            "bools": (hidden().replace("self.keys.dtype", "torch.bool"), Status.wrong),
            "the front": (hidden(where=":count"), "the-others-hidden"),
            "one too few": (hidden(where="count - 1:"), "one-too-few"),
            "one too many": (hidden(where="count + 1:"), "one-too-many"),
            "a large number": (hidden(what="-1e9"), "a-large-number"),
            "in float32": (hidden().replace("self.keys.dtype", "torch.float32"), Status.wrong),
            "on the processor": (hidden().replace(", device=self.keys.device", ""), Status.wrong),
            "in float64": (hidden().replace("self.keys.dtype", "torch.float64"), Status.wrong),
            "the front, in float32": (
                hidden(where=":count").replace("self.keys.dtype", "torch.float32"),
                "the-others-hidden",
            ),
            "one too few, in float64": (
                hidden(where="count - 1:").replace("self.keys.dtype", "torch.float64"),
                "one-too-few",
            ),
        },
        alternatives={"row by row": hidden()},
    ),
    "attention.chunk": Proof(
        mistakes={
            "is_causal": (
                chunk(
                    shaped="functional.scaled_dot_product_attention(query, keys, values, "
                    "is_causal=True, enable_gqa=True)"
                ),
                "is-causal",
            ),
            "no mask": (chunk(shaped="scores.softmax(-1) @ values"), "no-mask"),
            "an axis in front": (
                chunk(
                    apart="unsqueeze(0)",
                    shaped="functional.scaled_dot_product_attention(query, keys, values, "
                    "attn_mask=self.hidden, enable_gqa=True)",
                ),
                "heads-for-groups",
            ),
            "no axis for the group": (chunk(apart="clone()"), Status.wrong),
            "layer 0": (chunk(layer="0"), "other-layer"),
            "not scaled": (chunk(scaled=""), "no-scale"),
            "a batch too many": (
                chunk(shaped="((scores + self.hidden).softmax(-1) @ values)[None]"),
                "wrong-length",
            ),
        },
        alternatives={"written out": chunk()},
        equivalent={
            f"{CALLED}True) => {CALLED}False)": "one KV head is broadcast to its group, too",
        },
    ),
    "cache.field": Proof(
        mistakes={
            "mask and heads mended": (
                field(
                    seen=":",
                    mask="attn_mask=visible(100, 100)[:key.shape[2], : keys.shape[2]] "
                    "if key.shape[2] > 1 else None",
                ),
                Status.misconception,
            ),
            "the row repeated": (field(spread=ROW), "repeats-the-row"),
            "upper left": (field(mask="is_causal=key.shape[2] > 1"), "upper-left"),
            "no mask at all": (field(mask="None"), "no-mask"),
        },
        alternatives={"two buffers": field()},
        equivalent={
            "self.kept = torch.zeros(2, 1, kv_heads, room, 2, dtype=torch.float64) => "
            "self.kept = torch.zeros(2, 2, kv_heads, room, 2, dtype=torch.float64)": "one sequence "
            "is broadcast to two equal rows, and the first is read",
        },
    ),
}
