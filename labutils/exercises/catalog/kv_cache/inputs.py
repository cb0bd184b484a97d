"""Small inputs for the learner's pieces, drawn from a few whole numbers that can be read."""

import random
from collections.abc import Sequence

DIGITS, VOCABULARY = 4, 97


def numbers(seed: int, *shape: int):
    """Normal numbers in float64."""
    import torch

    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def mixed(mix, seed: int, heads: int, kv_heads: int, old: int, new: int):
    """What ``mix`` makes of three sequences: ``new`` queries of 2 numbers, ``old + new`` keys.

    Its shape, and the values of the last sequence by head and token, to four digits; "changed"
    names the tensors that were handed in and hold other numbers afterwards.
    """
    query = numbers(seed, 3, heads, new, 2)
    key, value = numbers(seed + 1, 2, 3, kv_heads, old + new, 2)
    given = {"query": query, "key": key, "value": value}
    before = {name: tensor.clone() for name, tensor in given.items()}
    said = shown(mix(query, key, value), last=True)
    changed = [name for name, tensor in given.items() if not tensor.equal(before[name])]
    return {**said, "changed": changed} if changed and isinstance(said, dict) else said


def kept(cache, pieces: Sequence[int], layers: int, first: int) -> list:
    """What ``cache.keep`` returns, piece by piece and layer by layer: [keys, values] by KV head.

    A key is the number of its token, counted from ``first``, and 1,000 more in each layer and 100
    more in each KV head; a value is its negative. A piece that is refused shows as "ValueError".
    """
    return _fed(lambda layer, key: _by_head(cache.keep(layer, key, -key)), pieces, layers, first)


def kept_in_place(cache, pieces: Sequence[int], layers: int, first: int) -> list:
    """As ``kept``, with a third word: "in place", or "copied" where it begins in other memory.

    It shows too if ``cache.lengths[layer]`` is another number than the tokens that are kept there.
    A piece that does not fit, and is refused by another error, shows as that error's name; as
    "ValueError after a change" where something was written first.
    """
    begun, stored = {}, {}

    def keep(layer, key):
        known = stored.get(layer, 0) + key.shape[2]
        if known > cache.room:
            parts = _refused(cache, layer, key)
            if isinstance(parts, str):
                return parts
        else:
            parts = tuple(cache.keep(layer, key, -key))
        stored[layer] = known
        before = begun.setdefault(layer, parts)  # held, so that no other gets their memory
        moved = any(old.data_ptr() != new.data_ptr() for old, new in zip(before, parts))
        place = "copied" if moved else "in place"
        return [*_by_head(parts), place + _miscounted(cache, layer, known)]

    return _fed(keep, pieces, layers, first)


def _miscounted(cache, layer: int, known: int) -> str:
    """Words if the cache's own count of a layer is wrong."""
    found = cache.lengths[layer]
    return "" if found == known else f", but lengths[{layer}] is {found}, with {known} tokens kept"


def _refused(cache, layer: int, key):
    """What comes of a piece that does not fit: how it is refused in a word, or what is returned."""
    import torch

    memory = [part for part in vars(cache).values() if isinstance(part, torch.Tensor)]
    before = [part.clone() for part in memory]
    try:
        return tuple(cache.keep(layer, key, -key))
    except Exception as error:
        if not isinstance(error, ValueError):
            return type(error).__name__
        same = map(torch.equal, before, memory)
        return "ValueError" if all(same) else "ValueError after a change"


def _fed(keep, pieces: Sequence[int], layers: int, first: int) -> list:
    answers, at = [], first
    for size in pieces:
        answers.append([_kept(keep, layer, at, size) for layer in range(layers)])
        at += 0 if any(isinstance(answer, str) for answer in answers[-1]) else size
    return answers


def _kept(keep, layer: int, at: int, size: int):
    import torch

    tokens = torch.arange(at, at + size, dtype=torch.float64) + 1000 * layer
    key = torch.stack([tokens, tokens + 100])[None, :, :, None]
    try:
        return keep(layer, key)
    except ValueError:
        return "ValueError"


def _by_head(parts) -> list:
    """The numbers of keys and of values by head; a shape where it is not [1, 2, tokens, 1]."""
    return [
        part[0, :, :, 0].long().tolist()
        if part.ndim == 4 and (*part.shape[:2], part.shape[3]) == (1, 2, 1)
        else f"{_SHAPE}{list(part.shape)}"
        for part in parts
    ]


_SHAPE = "a tensor of shape "


def says_kept(got: list, expected: list) -> str:
    """The shape of what was kept, where that is not [batch, KV heads, tokens, head_dim]."""
    for word in (part for piece in got for layer in piece for part in layer):
        if isinstance(word, str) and word.startswith(_SHAPE):
            wanted = "[1, 2, tokens so far, 1]: [batch, KV heads, tokens, head_dim]"
            return f"`keep` returns {word}, expected {wanted}."
    return _says_refused(got, expected)


def _says_refused(got: list, expected: list) -> str:
    """What is wrong with the first answer that differs, where a piece was to be refused."""
    pairs = (pair for piece in zip(got, expected) for pair in zip(*piece))
    mine, wanted = next((pair for pair in pairs if pair[0] != pair[1]), ("", ""))
    if wanted != "ValueError":
        return ""
    if not isinstance(mine, str):
        return "A piece for which there is no room should have been refused."
    return f"There is no room for a piece: a ValueError was expected, and it is: {mine}."


def generated(generate, seed: int, length: int, steps: int) -> dict:
    """What ``generate`` says after two prompts of ``length`` tokens, with a model that counts.

    "calls" are the tokens that each call was given, such as "3 + 1 + 1"; "cache" says whether
    every call got the one handed in; "begins at" is the lowest position of the first call.
    """
    import torch

    draw, cache, fed, given, places = random.Random(seed), Remembered(), [], [], []
    prompt = torch.tensor([[draw.randrange(VOCABULARY) for _ in range(length)] for _ in "ab"])

    def model(tokens, positions=None, *, attend=None, **options):
        fed.append(tokens.shape[1])
        given.append(attend)
        places.append(0 if positions is None else int(torch.as_tensor(positions).min()))
        return counting_model(tokens, positions, attend=attend, **options)

    tokens = generate(model, prompt, steps, cache).tolist()
    calls, begins = " + ".join(map(str, fed)), places[0] if places else None
    return {"calls": calls, "cache": _used(given, cache), "begins at": begins, "tokens": tokens}


def _used(given: Sequence, cache) -> str:
    """In how many of the calls the cache that was handed in was given."""
    if all(one is None for one in given):
        return "in no call"
    return "in every call" if all(one is cache for one in given) else "not in every call"


class Remembered:
    """An ``attend`` for ``counting_model``: keeps pairs (token, position) of each row."""

    def __init__(self):
        self.pairs: dict[int, list[tuple[int, int]]] = {}

    def __call__(self, layer, query, key, value):
        """For each new token a number of all that is kept up to it; [batch, 1, new, 1]."""
        import torch

        rows = enumerate(key[:, 0].tolist())
        counted = [[self._counted(row, *pair) for pair in pairs] for row, pairs in rows]
        return torch.tensor(counted)[:, None, :, None]

    def _counted(self, row: int, token: int, position: int) -> int:
        kept_ = self.pairs.setdefault(row, [])
        kept_.append((token, position))
        return sum((1 + t) * (3 + position - p) ** 2 for t, p in kept_)


def counting_model(tokens, positions=None, *, attend=None, rows=None, last_only=False):
    """Looks like the model and is much quicker: its next token follows from every token that is
    kept and from its distance, as with rotary positions. One layer, one head."""
    import torch

    if positions is None:
        positions = torch.arange(tokens.shape[1])
    key = torch.stack([tokens, positions.expand_as(tokens)], dim=-1)[:, None]
    mixed = (attend or Remembered())(0, key, key, key)[:, 0, :, 0] % VOCABULARY
    logits = torch.nn.functional.one_hot(mixed, VOCABULARY).double()
    rows = slice(-1, None) if last_only else rows
    return logits if rows is None else logits[:, rows]


def shown(value, *, last: bool = False):
    """A tensor as its shape, type and numbers (of the ``last`` one); anything else as it is."""
    import torch

    if not isinstance(value, torch.Tensor):
        return value
    kind = str(value.dtype).removeprefix("torch.")
    numbers_ = rounded(value[-1] if last and value.ndim else value)
    return {"shape": list(value.shape), "type": kind, "numbers": numbers_}


def says(got, expected) -> str:
    """What two results of ``shown`` differ in before their numbers: kind, shape, type."""
    for mine, theirs in _pairs(got, expected):
        if isinstance(mine, dict) and "changed" in mine:
            names = " and ".join(f"`{name}`" for name in mine["changed"])
            return f"Your function changes {names}, which its caller goes on using."
        if not isinstance(mine, dict):
            kind = f"a {type(mine).__name__}"
            return f"Expected is a tensor of shape {theirs['shape']}; yours is {kind}."
        for name in ("shape", "type"):
            if mine[name] != theirs[name]:
                return f"Your tensor has the {name} {mine[name]}, expected {theirs[name]}."
    return ""


def _pairs(got, expected):
    """Tensors of both, one by one: a result is one of them, or a list."""
    if isinstance(expected, dict):
        return [(got, expected)]
    return zip(got, expected) if len(got) == len(expected) else []


def rounded(values) -> list:
    """As nested lists, to four digits."""
    return values.double().round(decimals=DIGITS).tolist()
