"""Proofs of chapter 05: mistakes that learners make, and right answers of other styles."""

import numpy as np

from labutils.exercises.catalog.prefill_and_decode.techniques import TECHNIQUES
from labutils.exercises.definition.verdict import Status
from tests.proofs.proof import Proof

# --- phases.ridge -------------------------------------------------------------------------------


def in_flops_per_byte(bandwidth, flops_per_s, bytes_per_weight):
    return flops_per_s / bandwidth


def a_product_is_one_operation(bandwidth, flops_per_s, bytes_per_weight):
    return bytes_per_weight * flops_per_s / bandwidth


def the_bandwidth_in_gigabytes(bandwidth, flops_per_s, bytes_per_weight):
    return flops_per_s * bytes_per_weight / (2 * bandwidth / 1e9)


def always_sixteen_bits(bandwidth, flops_per_s, bytes_per_weight):
    return flops_per_s / bandwidth


def whole_tokens(bandwidth, flops_per_s, bytes_per_weight):
    return -(-flops_per_s * bytes_per_weight // (2 * bandwidth))


def the_known_295(bandwidth, flops_per_s, bytes_per_weight):
    return 295.2


def by_two_times(bandwidth, flops_per_s, bytes_per_weight):
    reading, using = bytes_per_weight / bandwidth, 2 / flops_per_s
    return np.float64(reading / using)


# --- phases.sanity_check ------------------------------------------------------------------------


def by_the_slide(claim):
    cache = claim["batch"] * claim["context_tokens"] * claim["kv_bytes_per_token"]
    compute_s = 2 * claim["parameters"] * claim["batch"] / claim["peak_flops"]
    return claim["tokens_per_s"] * max(cache / claim["bandwidth"], compute_s) / claim["batch"]


def throughput_is_one_over_tpot(claim):
    cache = claim["batch"] * claim["context_tokens"] * claim["kv_bytes_per_token"]
    read_s = (claim["weight_bytes"] + cache) / claim["bandwidth"]
    compute_s = 2 * claim["parameters"] * claim["batch"] / claim["peak_flops"]
    return claim["tokens_per_s"] * max(read_s, compute_s)


def one_context_for_all(claim):
    cache = claim["context_tokens"] * claim["kv_bytes_per_token"]
    read_s = (claim["weight_bytes"] + cache) / claim["bandwidth"]
    compute_s = 2 * claim["parameters"] * claim["batch"] / claim["peak_flops"]
    return claim["tokens_per_s"] * max(read_s, compute_s) / claim["batch"]


def bytes_only(claim):
    cache = claim["batch"] * claim["context_tokens"] * claim["kv_bytes_per_token"]
    return (
        claim["tokens_per_s"]
        * (claim["weight_bytes"] + cache)
        / claim["bandwidth"]
        / claim["batch"]
    )


def sixteen_bits_whatever_is_said(claim):
    cache = claim["batch"] * claim["context_tokens"] * claim["kv_bytes_per_token"]
    read_s = (2 * claim["parameters"] + cache) / claim["bandwidth"]
    compute_s = 2 * claim["parameters"] * claim["batch"] / claim["peak_flops"]
    return claim["tokens_per_s"] * max(read_s, compute_s) / claim["batch"]


def says_whether(claim):
    return sanity_by_requests(claim) <= 1


def sanity_by_requests(claim):
    each = claim["tokens_per_s"] / claim["batch"]
    bytes_each_step = claim["weight_bytes"] + (
        claim["kv_bytes_per_token"] * claim["context_tokens"] * claim["batch"]
    )
    slowest = min(
        claim["bandwidth"] / bytes_each_step,
        claim["peak_flops"] / (2 * claim["parameters"] * claim["batch"]),
    )
    return each / slowest


def sanity_with_arrays(claim):
    names = ("weight_bytes", "batch", "context_tokens", "kv_bytes_per_token", "parameters")
    weights, batch, context, kv, parameters = (np.float64(claim[name]) for name in names)
    work = np.array([weights + batch * context * kv, 2 * parameters * batch])
    rates = np.array([claim["bandwidth"], claim["peak_flops"]])
    return claim["tokens_per_s"] / batch * (work / rates).max()


# --- phases.techniques --------------------------------------------------------------------------

HOUSE = TECHNIQUES.checker.house_answer


def placed(**changes):
    return {**HOUSE, **changes}


def as_tuples():
    return {key: tuple(reversed(place.split())) for key, place in HOUSE.items()}


PROOFS = {
    "phases.ridge": Proof(
        mistakes={
            "operations per byte": (in_flops_per_byte, "operations-per-byte"),
            "a product is one operation": (a_product_is_one_operation, "one-operation"),
            "bandwidth in gigabytes": (the_bandwidth_in_gigabytes, Status.wrong),
            "always sixteen bits": (always_sixteen_bits, "operations-per-byte"),
            "whole tokens": (whole_tokens, "rounded-up"),
            "the H100's": (the_known_295, "constant"),
        },
        alternatives={
            "a ratio of two times": by_two_times,
            "a lambda": lambda bandwidth, flops_per_s, width: width / 2 / bandwidth * flops_per_s,
        },
    ),
    "phases.sanity_check": Proof(
        mistakes={
            "the slide's formula": (by_the_slide, "cache-alone"),
            "throughput is 1/TPOT": (throughput_is_one_over_tpot, "one-token-a-step"),
            "one context for all": (one_context_for_all, "one-cache-for-all"),
            "bytes only": (bytes_only, "no-arithmetic"),
            "sixteen bits": (sixteen_bits_whatever_is_said, Status.wrong),
            "says whether": (says_whether, "yes-or-no"),
            "says whether not": (lambda claim: not says_whether(claim), Status.wrong),
            "in percent": (lambda claim: 100 * sanity_by_requests(claim), "in-percent"),
        },
        alternatives={
            "each request's rate": sanity_by_requests,
            "arrays": sanity_with_arrays,
        },
    ),
    "phases.tokens_in_time": Proof(
        mistakes={
            "counts the gaps": (83, "first-token-forgotten"),
            "from the start": ("100 tokens", "without-first-token-time"),
            "as promised": (500, "as-the-table-says"),
            "a part of a token": (84.33, "not-rounded"),
            "a part of a gap": ("83.3 tokens", "gaps-not-rounded"),
            "one too many": (85, "rounded-up"),
            "a time": ("3 s", Status.unit),
            "two seconds for decode": (67, Status.wrong),
        },
        alternatives={"with its unit": "84 tokens", "numpy": np.floor(2500 / 30) + 1},
    ),
    "phases.techniques": Proof(
        mistakes={
            "quantised weights for the prompt": (placed(c="prefill flops"), "c-prefill"),
            "early streaming": (placed(g="prefill order"), "g-prefill"),
            "FlashAttention saves arithmetic": (placed(d="prefill flops"), "d-prefill-flops"),
            "paging saves traffic": (placed(m="decode bytes"), "m-decode-bytes"),
            "warm-up": (placed(o="before host"), "o-host"),
            "sinks for the prompt": (placed(o="prefill room"), "o-prefill"),
            "an unknown place": (placed(a="GPU"), Status.unreadable),
            "half of them": ({key: HOUSE[key] for key in "abcdefgh"}, Status.wrong),
            "letters instead of places": ("abcdefgh", Status.unreadable),
            "a seventeenth card": (placed(q="decode host"), Status.unreadable),
        },
        alternatives={
            "tuples, the resource first": as_tuples(),
            "capitals": {key.upper(): place.upper() for key, place in HOUSE.items()},
            "other words": placed(
                b="prefill, arithmetic", c="decode / traffic", m="decode capacity"
            ),
            "where two are fair": placed(c="decode room", l="before host", n="decode bytes"),
        },
    ),
    "phases.bill": Proof(
        mistakes={
            "one device": (0.1157, "one-device"),
            "always busy": (0.5556, "always-busy"),
            "the usual formula": ("0.069 $", "neither"),
            "multiplies by the share": (0.3333, "share-multiplied"),
            "cents": (92.6, Status.scale),
        },
        alternatives={"dollars": "0.926 $", "a number": 8 * 3 / 25.92},
    ),
    "phases.largest_batch": Proof(
        mistakes={
            "forgets the weights": (149, "forgets-the-weights"),
            "one byte a weight": (119, "one-byte-weights"),
            "the compute ridge": (295, "compute-ridge"),
            "one too many": (90, "rounded-up"),
            "a part of a user": (89.93, "not-whole"),
            "one less": (88, Status.close),
        },
        alternatives={"numpy": np.floor(89.93), "with a unit": "89 users"},
    ),
}
