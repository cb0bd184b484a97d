"""From a block table to mixed values: the workbook's own attention, and wrong ways."""


def in_one_piece(table, length, page_tokens):
    """Goes straight on behind the first page."""
    import torch

    return table[..., :1] * page_tokens + torch.arange(length)


def pages_for_slots(table, length, page_tokens):
    """Repeats page numbers, or adds offsets to them."""
    import torch

    return (table[..., :, None] + torch.arange(page_tokens)).flatten(-2)[..., :length]


def offsets_outside(table, length, page_tokens):
    """The first slot of every page, then the second of every page."""
    import torch

    pages = table[..., : -(-length // page_tokens)]
    return (pages[..., None, :] * page_tokens + torch.arange(page_tokens)[:, None]).flatten(-2)[
        ..., :length
    ]


def whole_pages(table, length, page_tokens):
    """All slots of the pages that are needed."""
    import torch

    pages = table[..., : -(-length // page_tokens), None]
    return (pages * page_tokens + torch.arange(page_tokens)).flatten(-2)


def writes_in_a_row(self, layer, slots, key, value):
    self.keys[layer][:, : len(slots)] = key
    self.values[layer][:, : len(slots)] = value


def writes_keys(self, layer, slots, key, value):
    self.keys[layer][:, slots] = key


def writes_keys_twice(self, layer, slots, key, value):
    self.keys[layer][:, slots] = key
    self.values[layer][:, slots] = key


def sorts_slots(self, layer, slots, key, value):
    self.keys[layer][:, slots.sort().values] = key
    self.values[layer][:, slots.sort().values] = value


def writes_everywhere(self, layer, slots, key, value):
    for keys, values in zip(self.keys, self.values):
        keys[:, slots], values[:, slots] = key, value


def paged_attention(pool, layer, step, contexts, query, key, value):
    """Write what is new, then let every row attend to its own context, wherever it lies."""
    pool.write(layer, step.slots, key[0], value[0])
    return _mixed(pool, layer, step, contexts, query)


def _mixed(pool, layer, step, contexts, query, row=None):
    import torch

    from labutils.serving.attention import row_attention

    keys, values = pool.keys[layer], pool.values[layer]
    queries = query[0].split(step.query_lengths, dim=1)
    mixed = [
        (row or row_attention)(new, keys[:, own], values[:, own])
        for new, own in zip(queries, contexts)
    ]
    return torch.cat(mixed, dim=1)[None]


def reads_first(pool, layer, step, contexts, query, key, value):
    """Attends, and writes the new tokens afterwards."""
    mixed = _mixed(pool, layer, step, contexts, query)
    pool.write(layer, step.slots, key[0], value[0])
    return mixed


def never_writes(pool, layer, step, contexts, query, key, value):
    return _mixed(pool, layer, step, contexts, query)


def sees_ahead(pool, layer, step, contexts, query, key, value):
    """Every new token sees the whole context, what comes after it too."""
    from torch.nn import functional

    pool.write(layer, step.slots, key[0], value[0])

    def row(new, keys, values):
        return functional.scaled_dot_product_attention(new, keys, values, enable_gqa=True)

    return _mixed(pool, layer, step, contexts, query, row)


def upper_left(pool, layer, step, contexts, query, key, value):
    """``is_causal`` counts from the first token of the context."""
    from torch.nn import functional

    pool.write(layer, step.slots, key[0], value[0])

    def row(new, keys, values):
        return functional.scaled_dot_product_attention(
            new, keys, values, is_causal=True, enable_gqa=True
        )

    return _mixed(pool, layer, step, contexts, query, row)


def one_context(pool, layer, step, contexts, query, key, value):
    """Every row attends to the first row's context."""
    pool.write(layer, step.slots, key[0], value[0])
    return _mixed(pool, layer, step, [contexts[0]] * len(contexts), query)


def new_tokens_alone(pool, layer, step, contexts, query, key, value):
    """Every row attends to its new tokens, as if nothing had been before."""
    own = [slots[-new:] for slots, new in zip(contexts, step.query_lengths)]
    return paged_attention(pool, layer, step, own, query, key, value)


def first_layer(pool, layer, step, contexts, query, key, value):
    """Reads what another layer keeps."""
    pool.write(layer, step.slots, key[0], value[0])
    return _mixed(pool, 0, step, contexts, query)
