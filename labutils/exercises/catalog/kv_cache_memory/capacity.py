r"""kv.capacity · How many sequences fit, from a config.json · 6 minutes

> Three steps: bytes that a token leaves, bytes that a sequence takes, bytes that are left for
  sequences. The weights take theirs first.
> `config.get(name, otherwise)` returns a key of the config, or what you say where it is missing:
  without num_key_value_heads every attention head is one, without head_dim the hidden width is
  shared out among the attention heads.
> heads = config.get('num_key_value_heads', config['num_attention_heads']), the same idea for
  head_dim; each = context_tokens * 2 * layers * heads * dim * bytes_per_value; return max(0,
  int((0.9 * card_gb - weights_gb) * 1e9 // each)).

$N = \lfloor (0.9\,M - W) / (C\,b_\mathrm{KV}) \rfloor$. Everything difficult is in reading the
config: KV heads, not query heads, and the head width that is *stated*. Qwen3, Gemma and gpt-oss
state one that is not hidden width over heads, and a sheet that divides is wrong by that ratio, on
the dangerous side where the stated width is larger. `labutils.llm.spec_from_config` reads such
files, latent attention and windows included.
"""

import math
from itertools import product

from labutils.exercises.checkers import Function
from labutils.exercises.definition.sheet import exercise, mistakes_in, says

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
    """The function with another idea of the bytes that card and weights leave for the cache."""

    def fit(config, card_gb, weights_gb, context_tokens, bytes_per_value):
        each = _sequence_bytes(config, context_tokens, bytes_per_value)
        return max(0, math.floor(quotient(card_gb, weights_gb) / each))

    return fit


def _always(width):
    """The function that takes a number to have ``width`` bytes, whatever it is told."""
    return lambda config, card, weights, context, _: _fit(config, card, weights, context, width)


class Wrong:
    query_heads = says("""You count the query heads. Keys and values are kept for the KV heads; the
        config names them wherever they are fewer.""")(
        _with(heads=lambda config: config["num_attention_heads"])
    )
    one_kv_head = says("""Where the config names no KV heads you take one. Which models leave the
        key out, and how many of their heads are kept?""")(
        _with(heads=lambda config: config.get("num_key_value_heads", 1))
    )
    head_dim_derived = says("""You derive the head width from the hidden width although the config
        states it. What holds when both are there and disagree?""")(
        _with(head_dim=lambda c: c["hidden_size"] // c["num_attention_heads"])
    )
    head_dim_by_kv_heads = says("""You share the hidden width out among the KV heads. Among which
        heads does the text share it out?""")(
        _with(head_dim=lambda c: c.get("head_dim", c["hidden_size"] // _heads(c)))
    )
    head_dim_as_usual = says("""You take heads to be 128 wide where the config does not say. What
        follows from the two numbers that are always there?""")(
        _with(head_dim=lambda config: config.get("head_dim", 128))
    )
    from_the_hidden_width = says("""You let a token leave a key and a value as wide as the model.
        What is kept is as wide as the KV heads together.""")(
        _with(
            heads=lambda config: 1,
            head_dim=lambda config: config["hidden_size"],
        )
    )
    weights_forgotten = says("""You share out the whole card. Something else lies on it, and it came
        first.""")(_scaled(lambda card, weights: USABLE * card * GB))
    share_of_the_rest = says("""You take 90 % of what the weights leave. The limit is on the card:
        weights and cache together may fill 90 % of it.""")(
        _scaled(lambda card, weights: USABLE * (card - weights) * GB)
    )
    whole_card = says("""You fill the card to the last byte. How much of it may be used?""")(
        _scaled(lambda card, weights: (card - weights) * GB)
    )
    gib = says("""You count a GB as 2**30 bytes. That is a GiB: which one do the arguments
        name?""")(_scaled(lambda card, weights: (USABLE * card - weights) * GIB))

    def gib_card(config, card_gb, *rest):
        """You count a GB of the card as 2**30 bytes. That is a GiB: which one does the argument
        name?"""
        return _fit(config, card_gb * GIB / GB, *rest)

    def tokens(config, card_gb, weights_gb, context_tokens, bytes_per_value):
        """Those are the tokens that fit. How many of them make a sequence?"""
        return _fit(config, card_gb, weights_gb, 1, bytes_per_value)

    def keys_only(*args):
        """You fit about twice as many. A token leaves a key *and* a value."""
        return max(0, math.floor(2 * _quotient(*args)))

    def one_layer(config, *rest):
        """You fit far too many: each layer keeps keys and values of its own."""
        return max(0, math.floor(_quotient(config, *rest) * config["num_hidden_layers"]))

    # the next three differ on some of the inputs, and come after what differs on all
    def whole_bytes(config, card_gb, weights_gb, context_tokens, bytes_per_value):
        """You round half a byte to a whole one. How much room do two numbers of four bits take?"""
        return _fit(config, card_gb, weights_gb, context_tokens, max(1, int(bytes_per_value)))

    always_two_bytes = says("""You take two bytes per number whatever is asked. KV may be stored in
        one.""")(_always(2))
    numbers_for_bytes = says("""You count the numbers that a token leaves. How many bytes is each of
        them?""")(_always(1))

    def negative(*args):
        """A number of sequences below zero: what if the weights alone are too large?"""
        return math.floor(_quotient(*args))

    def negative_cut(*args):
        """A number of sequences below zero: what if the weights alone are too large?"""
        return int(_quotient(*args))

    def not_whole(*args):
        """You return a part of a sequence. Only whole ones can be served."""
        return max(0.0, _quotient(*args))

    def rounded_up(*args):
        """Your last sequence fits in part. Which way do you round?"""
        return max(0, math.ceil(_quotient(*args)))

    def rounded_to_nearest(*args):
        """Where more than half of a sequence is left over, you count it. Which way do you round?"""
        return max(0, round(_quotient(*args)))


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
    product((16, 24, 40, 48, 80, 141, 192), (17_389, 20_011, 24_989, 30_011, 40_009), (0.5, 1, 2))
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


CAPACITY = exercise(
    __doc__,
    Function(
        lambda config, card_gb, weights_gb, context_tokens, bytes_per_value: _fit(
            config, card_gb, weights_gb, context_tokens, bytes_per_value
        ),
        _some_models,
        misconceptions=mistakes_in(Wrong),
    ),
)
