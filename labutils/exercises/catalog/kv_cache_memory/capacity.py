"""How many sequences fit on a card, from a model's config.json."""

import math
from itertools import product

from labutils.exercises.checkers import Function
from labutils.exercises.definition.exercise import Exercise, Misconception

USABLE, GB, GIB = 0.9, 1e9, 2**30


def _heads(config):
    return config.get("num_key_value_heads", config["num_attention_heads"])


def _head_dim(config):
    return config.get("head_dim", config["hidden_size"] // config["num_attention_heads"])


def _sequence_bytes(config, context_tokens, bytes_per_value, *, heads=_heads, head_dim=_head_dim):
    per_layer = 2 * heads(config) * head_dim(config) * bytes_per_value
    return context_tokens * config["num_hidden_layers"] * per_layer


def _quotient(config, card_gb, weights_gb, context_tokens, bytes_per_value):
    rest = USABLE * card_gb * GB - weights_gb * GB
    return rest / _sequence_bytes(config, context_tokens, bytes_per_value)


def _fit(*args):
    return max(0, math.floor(_quotient(*args)))


def _with(**wrong):
    """The function with another idea of what a config says about heads."""

    def fit(config, card_gb, weights_gb, context_tokens, bytes_per_value):
        each = _sequence_bytes(config, context_tokens, bytes_per_value, **wrong)
        return max(0, math.floor((USABLE * card_gb - weights_gb) * GB / each))

    return fit


def _scaled(quotient):
    """The function with another numerator: gigabytes for the KV cache, of the two sizes."""

    def fit(config, card_gb, weights_gb, context_tokens, bytes_per_value):
        each = _sequence_bytes(config, context_tokens, bytes_per_value)
        return max(0, math.floor(quotient(card_gb, weights_gb) / each))

    return fit


def _keys_only(*args):
    return max(0, math.floor(2 * _quotient(*args)))


def _always(width):
    """The function that takes a number to have ``width`` bytes, whatever it is told."""
    return lambda config, card, weights, context, _: _fit(config, card, weights, context, width)


def _gib_card(config, card_gb, *rest):
    return _fit(config, card_gb * GIB / GB, *rest)


def _rounded(*args):
    return max(0, round(_quotient(*args)))


def _one_layer(config, *rest):
    return max(0, math.floor(_quotient(config, *rest) * config["num_hidden_layers"]))


def _negative(*args):
    return math.floor(_quotient(*args))


def _cut(*args):
    return int(_quotient(*args))


def _not_whole(*args):
    return max(0.0, _quotient(*args))


def _rounded_up(*args):
    return max(0, math.ceil(_quotient(*args)))


def _config(group, kv_heads, share, head_dim, named):
    """A config of ``group`` query heads per KV head, with the keys that may be missing or not."""
    heads = group * kv_heads
    config = {"hidden_size": heads * share, "num_attention_heads": heads}
    if group > 1 or named:
        config["num_key_value_heads"] = kv_heads
    if head_dim:
        config["head_dim"] = head_dim
    return config


_SHAPES = tuple(
    product((1, 2, 4, 5, 7), range(1, 13), (48, 64, 80, 96), (None, 112, 128, 256), (False, True))
)
_LOADS = tuple(
    product((16, 24, 40, 48, 80, 141, 192), (17_389, 20_011, 24_989, 30_011, 40_009), (1, 2))
)


def _some_models():
    """Configs with and without ``head_dim`` and KV heads, cards and contexts.

    No quotient lies at a whole number, where the order of operations would decide: the contexts
    are primes, too large to divide gigabytes of two decimals. Four draws make an input: it is fast.
    """
    from hypothesis import strategies as st

    def arguments(drawn):
        shape, layers, (card, context, width), weights = drawn
        config = {**_config(*shape), "num_hidden_layers": layers}
        return config, card, weights + 0.3, context, width

    return st.tuples(
        st.sampled_from(_SHAPES), st.integers(5, 70), st.sampled_from(_LOADS), st.integers(3, 70)
    ).map(arguments)


CAPACITY = Exercise(
    id="kv.capacity",
    title="How many sequences fit, from a config.json",
    minutes=6,
    checker=Function(
        reference=lambda config, card_gb, weights_gb, context_tokens, bytes_per_value: _fit(
            config, card_gb, weights_gb, context_tokens, bytes_per_value
        ),
        inputs=_some_models,
        misconceptions=(
            Misconception(
                "query-heads",
                _with(heads=lambda config: config["num_attention_heads"]),
                "You count the query heads. Keys and values are kept for the KV heads; the config "
                "names them wherever they are fewer.",
            ),
            Misconception(
                "one-kv-head",
                _with(heads=lambda config: config.get("num_key_value_heads", 1)),
                "Where the config names no KV heads you take one. Which models leave the key out, "
                "and how many of their heads are kept?",
            ),
            Misconception(
                "head-dim-derived",
                _with(head_dim=lambda c: c["hidden_size"] // c["num_attention_heads"]),
                "You derive the head width from the hidden width although the config states it. "
                "What holds when both are there and disagree?",
            ),
            Misconception(
                "from-the-hidden-width",
                _with(
                    heads=lambda config: 1,
                    head_dim=lambda config: config["hidden_size"],
                ),
                "You let a token leave a key and a value as wide as the model. What is kept is as "
                "wide as the KV heads together.",
            ),
            Misconception(
                "weights-forgotten",
                _scaled(lambda card, weights: USABLE * card * GB),
                "You share out the whole card. Something else lies on it, and it came first.",
            ),
            Misconception(
                "share-of-the-rest",
                _scaled(lambda card, weights: USABLE * (card - weights) * GB),
                "You take 90 % of what the weights leave. The limit is on the card: weights and "
                "cache together may fill 90 % of it.",
            ),
            Misconception(
                "whole-card",
                _scaled(lambda card, weights: (card - weights) * GB),
                "You fill the card to the last byte. How much of it may be used?",
            ),
            Misconception(
                "gib",
                _scaled(lambda card, weights: (USABLE * card - weights) * GIB),
                "You count a GB as 2**30 bytes. That is a GiB: which one do the arguments name?",
            ),
            Misconception(
                "gib-card",
                _gib_card,
                "You count a GB of the card as 2**30 bytes. That is a GiB: which one does the "
                "argument name?",
            ),
            Misconception(
                "keys-only",
                _keys_only,
                "You fit about twice as many. A token leaves a key *and* a value.",
            ),
            Misconception(
                "one-layer",
                _one_layer,
                "You fit far too many: each layer keeps keys and values of its own.",
            ),
            # these differ on half of the inputs, and come after what differs on all
            Misconception(
                "always-two-bytes",
                _always(2),
                "You take two bytes per number whatever is asked. KV may be stored in one.",
            ),
            Misconception(
                "numbers-for-bytes",
                _always(1),
                "You count the numbers that a token leaves. How many bytes is each of them?",
            ),
            Misconception(
                "negative",
                _negative,
                "A number of sequences below zero: what if the weights alone are too large?",
            ),
            Misconception(
                "negative-cut",
                _cut,
                "A number of sequences below zero: what if the weights alone are too large?",
            ),
            Misconception(
                "not-whole",
                _not_whole,
                "You return a part of a sequence. Only whole ones can be served.",
            ),
            Misconception(
                "rounded-up",
                _rounded_up,
                "Your last sequence fits in part. Which way do you round?",
            ),
            Misconception(
                "rounded-to-nearest",
                _rounded,
                "Where more than half of a sequence is left over, you count it. Which way do you "
                "round?",
            ),
        ),
    ),
    hints=(
        "Three steps: bytes that a token leaves, bytes that a sequence takes, bytes that are left "
        "for sequences. The weights take theirs first.",
        "`config.get(name, otherwise)` returns a key of the config, or what you say where it is "
        "missing: without num_key_value_heads every attention head is one, without head_dim the "
        "hidden width is shared out among the attention heads.",
        "heads = config.get('num_key_value_heads', config['num_attention_heads']), the same idea "
        "for head_dim; each = context_tokens * 2 * layers * heads * dim * bytes_per_value; return "
        "max(0, int((0.9 * card_gb - weights_gb) * 1e9 // each)).",
    ),
    explanation=(
        "$N = \\lfloor (0.9\\,M - W) / (C\\,b_\\mathrm{KV}) \\rfloor$. Everything difficult is in "
        "reading the config: KV heads, not query heads, and the head width that is *stated*. "
        "Qwen3, Gemma and gpt-oss state one that is not hidden width over heads, and a sheet that "
        "divides is wrong by that ratio, on the dangerous side where the stated width is larger. "
        "`labutils.llm.spec_from_config` reads such files, latent attention and windows included."
    ),
)
