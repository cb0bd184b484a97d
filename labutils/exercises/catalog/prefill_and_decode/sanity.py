r"""phases.sanity_check · By how much is the claim too fast? · 9 minutes

> What does one step read, and what does it compute? Turn both into seconds.
> Read: the weights once, and batch × context × KV bytes per token. Computed: 2 × parameters ×
  batch. The step takes the longer of the two times and yields batch tokens.
> step_s = max(bytes_read / bandwidth, flops / peak_flops); the ceiling is batch / step_s. Return
  tokens_per_s divided by the ceiling.

A step reads the weights once, for the whole batch, and each request's own cache: $W + B\,C\,k$
bytes. It computes $2P$ operations for each of the $B$ tokens. No device is faster than the longer
of the two times, so the ceiling is $B / \max\bigl((W + BCk)/\beta,\; 2PB/F\bigr)$, for bandwidth
$\beta$, peak $F$. Where a claim lies above it, one of its figures is wrong, or what is not said (a
batch, a draft model, fewer bits) is large.
"""

from labutils.exercises.checkers import Function
from labutils.exercises.definition.sheet import exercise, mistakes_in


def _parts(claim):
    """Weight bytes, KV bytes and operations of one step."""
    kv = claim["batch"] * claim["context_tokens"] * claim["kv_bytes_per_token"]
    return claim["weight_bytes"], kv, 2 * claim["parameters"] * claim["batch"]


def _too_fast_by(claim, read, flops, tokens):
    step_s = max(read / claim["bandwidth"], flops / claim["peak_flops"])
    return claim["tokens_per_s"] * step_s / tokens


def _sanity_check(claim):
    weights, kv, flops = _parts(claim)
    return _too_fast_by(claim, weights + kv, flops, claim["batch"])


class Wrong:
    def cache_alone(claim):
        """You read the cache and nothing else. What else must pass through the chip at every step,
        however short the context is?"""
        _, kv, flops = _parts(claim)
        return _too_fast_by(claim, kv, flops, claim["batch"])

    def cache_and_no_arithmetic(claim):
        """Bytes of the cache are all that you count, as in the formula that the chapter refutes.
        What else is read in a step, and what is computed?"""
        _, kv, _ = _parts(claim)
        return _too_fast_by(claim, kv, 0, claim["batch"])

    def arithmetic_alone(claim):
        """You count operations alone. What must be read from memory before anything is computed,
        and how long does that take?"""
        return _too_fast_by(claim, 0, _parts(claim)[2], claim["batch"])

    def weights_alone(claim):
        """You read the weights and nothing else. What does attention read for each token of the
        context?"""
        weights, _, flops = _parts(claim)
        return _too_fast_by(claim, weights, flops, claim["batch"])

    def one_cache_for_all(claim):
        """You read one request's cache. Which bytes are shared by the batch, and which has every
        request for itself?"""
        weights, kv, flops = _parts(claim)
        return _too_fast_by(claim, weights + kv / claim["batch"], flops, claim["batch"])

    def two_bytes_a_weight(claim):
        """You take every weight to have two bytes. What does the claim say of its weights?"""
        _, kv, flops = _parts(claim)
        return _too_fast_by(claim, 2 * claim["parameters"] + kv, flops, claim["batch"])

    def keys_and_values_again(claim):
        """You read the cache twice. The bytes per token hold the key *and* the value."""
        weights, kv, flops = _parts(claim)
        return _too_fast_by(claim, weights + 2 * kv, flops, claim["batch"])

    def weights_beside_the_cache(claim):
        """You let weights and cache be read at the same time. How many memories does the device
        have?"""
        weights, kv, flops = _parts(claim)
        return _too_fast_by(claim, max(weights, kv), flops, claim["batch"])

    def weights_for_each(claim):
        """You read the weights once for each request. If that were so, what would a batch be good
        for?"""
        weights, kv, flops = _parts(claim)
        return _too_fast_by(claim, weights * claim["batch"] + kv, flops, claim["batch"])

    def shorter_time(claim):
        """You take the shorter of the two times. Can a step be over while the other part of it
        still runs?"""
        weights, kv, flops = _parts(claim)
        step_s = min((weights + kv) / claim["bandwidth"], flops / claim["peak_flops"])
        return claim["tokens_per_s"] * step_s / claim["batch"]

    def no_arithmetic(claim):
        """With you a batch of thousands costs nothing but bytes. Which other time can a step not
        fall below, and how does it grow with the batch?"""
        weights, kv, _ = _parts(claim)
        return _too_fast_by(claim, weights + kv, 0, claim["batch"])

    def one_operation_a_weight(claim):
        """Count again what a weight costs for one token: it is multiplied, and the product is added
        to a sum."""
        weights, kv, flops = _parts(claim)
        return _too_fast_by(claim, weights + kv, flops / 2, claim["batch"])

    def one_token_a_step(claim):
        """The claim is about all requests together. How many tokens come out of one step?"""
        weights, kv, flops = _parts(claim)
        return _too_fast_by(claim, weights + kv, flops, 1)

    def adds_the_times(claim):
        """You add the two times. A claim is impossible only if it is faster than a device that
        reads and computes at once."""
        weights, kv, flops = _parts(claim)
        step_s = (weights + kv) / claim["bandwidth"] + flops / claim["peak_flops"]
        return claim["tokens_per_s"] * step_s / claim["batch"]

    def upside_down(claim):
        """Your result is the other way up: a claim that is too fast should come out above 1."""
        return 1 / _sanity_check(claim)

    def ceiling(claim):
        """That is the highest possible rate. Set the claim in relation to it."""
        return claim["tokens_per_s"] / _sanity_check(claim)

    def in_percent(claim):
        """How many times, not how many percent: a claim at the ceiling comes out as 1."""
        return 100 * _sanity_check(claim)

    def yes_or_no(claim):
        """Yes or no is what others will read from your number. Return how many times too fast the
        claim is."""
        return _sanity_check(claim) <= 1


def _some_claims():
    """Claims where weights, caches or arithmetic bind; small models, few figures."""
    from hypothesis import strategies as st

    def claim(parameters, width, kv, batch, context, bandwidth, peak, rate):
        return (
            {
                "parameters": parameters * 1e9,
                "weight_bytes": parameters * width * 1e9,
                "kv_bytes_per_token": kv * 1024,
                "batch": batch,
                "context_tokens": context,
                "bandwidth": bandwidth * 1e9,
                "peak_flops": peak * 1e12,
                "tokens_per_s": rate,
            },
        )

    def drawn(batch, context):
        return st.builds(
            claim,
            st.integers(1, 70), st.sampled_from((0.5, 1, 2)), st.sampled_from((22, 128, 320)),
            batch, context, st.integers(300, 8000), st.integers(60, 2500), st.integers(5, 30_000),
        )  # fmt: skip

    few = drawn(st.integers(2, 64), st.integers(100, 9000))
    one = drawn(st.just(1), st.integers(100, 9000))
    long = drawn(st.integers(8, 96), st.integers(20_000, 120_000))
    wide = drawn(st.integers(400, 3000), st.integers(8, 90))
    return st.one_of(few, one, long, wide)


SANITY_CHECK = exercise(
    __doc__, Function(_sanity_check, _some_claims, misconceptions=mistakes_in(Wrong))
)
