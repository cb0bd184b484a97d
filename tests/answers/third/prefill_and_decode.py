"""Answers to chapter 05, prefill and decode, as learners hand them in."""

import numpy as np

from tests.answers.answer import right, wrong


def swap(source, *pairs):
    """``source`` with each old text replaced by its new one."""
    for old, new in pairs:
        assert source.count(old) == 1, old
        source = source.replace(old, new)
    return source


# ---------------------------------------------------------------- phases.ridge

RIDGE = [
    wrong(
        "phases.ridge",
        "operations per byte, F / beta: the bytes of a weight are ignored, and the 2 forgotten",
        """
def ridge_tokens(bandwidth, flops_per_s, bytes_per_weight):
    return flops_per_s / bandwidth
""",
        true=("operations-per-byte",),
    ),
    wrong(
        "phases.ridge",
        "one operation for each weight: the 2 is forgotten",
        """
def ridge_tokens(bandwidth, flops_per_s, bytes_per_weight):
    time_to_read = bytes_per_weight / bandwidth
    time_to_compute = 1 / flops_per_s
    return time_to_read / time_to_compute
""",
        true=("one-operation",),
    ),
    wrong(
        "phases.ridge",
        "divides by the bytes of a weight",
        """
def ridge_tokens(bandwidth, flops_per_s, bytes_per_weight):
    return flops_per_s / (2 * bandwidth * bytes_per_weight)
""",
        true=("divides-by-the-width",),
    ),
    wrong(
        "phases.ridge",
        "upside down: computing over reading",
        """
def ridge_tokens(bandwidth, flops_per_s, bytes_per_weight):
    read = bytes_per_weight / bandwidth
    compute = 2 / flops_per_s
    return compute / read
""",
        true=("upside-down",),
    ),
    wrong(
        "phases.ridge",
        "rounded up to whole tokens",
        """
import math

def ridge_tokens(bandwidth, flops_per_s, bytes_per_weight):
    return math.ceil(flops_per_s * bytes_per_weight / (2 * bandwidth))
""",
        true=("rounded-up",),
    ),
    wrong(
        "phases.ridge",
        "precedence: divides by 2 and then multiplies by the bandwidth",
        """
def ridge_tokens(bandwidth, flops_per_s, bytes_per_weight):
    return flops_per_s * bytes_per_weight / 2 * bandwidth
""",
        true=("without-brackets",),
    ),
    wrong(
        "phases.ridge",
        "ignores bytes_per_weight: F / 2 beta",
        """
def ridge_tokens(bandwidth, flops_per_s, bytes_per_weight):
    ops_per_token = 2
    return flops_per_s / ops_per_token / bandwidth
""",
        true=("one-byte",),
    ),
    wrong(
        "phases.ridge",
        "the width in bits",
        """
def ridge_tokens(bandwidth, flops_per_s, bytes_per_weight):
    bits = 8 * bytes_per_weight
    return flops_per_s * bits / (2 * bandwidth)
""",
        true=("constant-factor",),
    ),
    wrong(
        "phases.ridge",
        "whole-number division",
        """
def ridge_tokens(bandwidth, flops_per_s, bytes_per_weight):
    return flops_per_s * bytes_per_weight // (2 * bandwidth)
""",
        true=("rounded",),
    ),
    right(
        "phases.ridge",
        "the two times of one weight, and their ratio",
        """
def ridge_tokens(bandwidth, flops_per_s, bytes_per_weight):
    seconds = {"read": bytes_per_weight / bandwidth, "multiply and add": 2 / flops_per_s}
    return seconds["read"] / seconds["multiply and add"]
""",
    ),
    right(
        "phases.ridge",
        "exact fractions",
        """
from fractions import Fraction

def ridge_tokens(bandwidth, flops_per_s, bytes_per_weight):
    intensity = Fraction(flops_per_s) / Fraction(bandwidth)
    return float(intensity * Fraction(bytes_per_weight) / 2)
""",
    ),
    right(
        "phases.ridge",
        "solves the equation of the two times with numpy for a model of a million weights",
        """
import numpy as np

def ridge_tokens(bandwidth, flops_per_s, bytes_per_weight):
    p = 1_000_000
    slope = np.array([[2 * p / flops_per_s]])
    floor = np.array([p * bytes_per_weight / bandwidth])
    return float(np.linalg.solve(slope, floor)[0])
""",
    ),
]

# ---------------------------------------------------------------- phases.tokens_in_time

TOKENS = [
    wrong(
        "phases.tokens_in_time",
        "the first token is forgotten: 2,500 / 30",
        83,
        true=("first-token-forgotten",),
    ),
    wrong(
        "phases.tokens_in_time",
        "TTFT is forgotten: 3,000 / 30",
        100,
        true=("without-first-token-time",),
    ),
    wrong("phases.tokens_in_time", "rounded up", 85, true=("rounded-up",)),
    wrong(
        "phases.tokens_in_time",
        "without TTFT, and one more",
        101,
        true=("without-first-token-time-plus-one",),
    ),
    wrong("phases.tokens_in_time", "what the table promises", 500, true=("as-the-table-says",)),
    wrong("phases.tokens_in_time", "TTFT added to the time instead of taken off it", 117),
    wrong("phases.tokens_in_time", "seconds and milliseconds mixed", (3000 - 500) / 0.030),
    wrong(
        "phases.tokens_in_time",
        "the first token is forgotten, not rounded",
        2500 / 30,
        true=("gaps-not-rounded",),
    ),
    wrong("phases.tokens_in_time", "TTFT takes the place of TPOT", 6),
    right(
        "phases.tokens_in_time",
        "counts the moments at which tokens come",
        len(range(500, 3001, 30)),
    ),
    right("phases.tokens_in_time", "numpy's floor, a float", np.floor((3 - 0.5) / 0.030) + 1),
]

# ---------------------------------------------------------------- phases.sanity_check

SANE = """
def sanity_check(claim):
    b = claim["batch"]
    cache = b * claim["context_tokens"] * claim["kv_bytes_per_token"]
    t_read = (claim["weight_bytes"] + cache) / claim["bandwidth"]
    t_compute = 2 * claim["parameters"] * b / claim["peak_flops"]
    best = b / max(t_read, t_compute)
    return claim["tokens_per_s"] / best
"""

SANITY = [
    wrong(
        "phases.sanity_check",
        "one token a step: throughput = 1 / TPOT, whatever the batch",
        swap(SANE, ("best = b / max(", "best = 1 / max(")),
        true=("one-token-a-step",),
    ),
    wrong(
        "phases.sanity_check",
        "bandwidth alone: arithmetic never binds",
        """
def sanity_check(claim):
    kv = claim["kv_bytes_per_token"] * claim["context_tokens"] * claim["batch"]
    step_s = (claim["weight_bytes"] + kv) / claim["bandwidth"]
    return claim["tokens_per_s"] * step_s / claim["batch"]
""",
        true=("no-arithmetic",),
    ),
    wrong(
        "phases.sanity_check",
        "no cache: reads the weights alone",
        """
def sanity_check(claim):
    reading = claim["weight_bytes"] / claim["bandwidth"]
    computing = 2 * claim["parameters"] * claim["batch"] / claim["peak_flops"]
    fastest = claim["batch"] / max(reading, computing)
    return claim["tokens_per_s"] / fastest
""",
        true=("weights-alone",),
    ),
    wrong(
        "phases.sanity_check",
        "the users share one cache: context not multiplied by the batch",
        swap(SANE, ("cache = b * claim", "cache = claim")),
        true=("one-cache-for-all",),
    ),
    wrong(
        "phases.sanity_check",
        "every user reads the weights again",
        """
def sanity_check(claim):
    # what one user needs
    bytes_per_token = claim["weight_bytes"] + claim["context_tokens"] * claim["kv_bytes_per_token"]
    by_memory = claim["bandwidth"] / bytes_per_token
    by_arithmetic = claim["peak_flops"] / (2 * claim["parameters"])
    return claim["tokens_per_s"] / min(by_memory, by_arithmetic)
""",
        true=("weights-for-each",),
    ),
    wrong(
        "phases.sanity_check",
        "adds the two times, as if reading and computing did not overlap",
        swap(SANE, ("max(t_read, t_compute)", "(t_read + t_compute)")),
        true=("adds-the-times",),
    ),
    wrong(
        "phases.sanity_check",
        "one operation per weight and token",
        swap(SANE, ("2 * claim", "claim")),
        true=("one-operation-a-weight",),
    ),
    wrong(
        "phases.sanity_check",
        "upside down: the ceiling over the claim",
        swap(SANE, ('claim["tokens_per_s"] / best', 'best / claim["tokens_per_s"]')),
        true=("upside-down",),
    ),
    wrong(
        "phases.sanity_check",
        "16-bit weights always: ignores weight_bytes",
        swap(SANE, ('claim["weight_bytes"]', '2 * claim["parameters"]')),
    ),
    wrong(
        "phases.sanity_check",
        "says only whether it is impossible",
        """
def sanity_check(claim):
    users, rate = claim["batch"], claim["tokens_per_s"]
    data = claim["weight_bytes"] + users * claim["context_tokens"] * claim["kv_bytes_per_token"]
    too_many_bytes = rate * data / users > claim["bandwidth"]
    too_many_ops = rate * 2 * claim["parameters"] > claim["peak_flops"]
    return too_many_bytes or too_many_ops
""",
        true=("wrong-type",),
    ),
    wrong(
        "phases.sanity_check",
        "the shorter of the two times",
        swap(SANE, ("max(t_read", "min(t_read")),
        true=("shorter-time",),
    ),
    wrong(
        "phases.sanity_check",
        "the arithmetic of a single token for the whole batch",
        swap(SANE, ('2 * claim["parameters"] * b /', '2 * claim["parameters"] /')),
        true=("no-arithmetic",),
    ),
    wrong(
        "phases.sanity_check",
        "never less than 1: a possible claim is cut off",
        swap(
            SANE,
            (
                'return claim["tokens_per_s"] / best',
                'return max(1.0, claim["tokens_per_s"] / best)',
            ),
        ),
    ),
    right(
        "phases.sanity_check",
        "what the claim would need of each resource, over what is there; the larger share",
        """
import numpy as np

def sanity_check(claim):
    steps_per_s = claim["tokens_per_s"] / claim["batch"]
    bytes_per_step = claim["weight_bytes"] + np.prod(
        [claim["batch"], claim["context_tokens"], claim["kv_bytes_per_token"]], dtype=float
    )
    needed = np.array([steps_per_s * bytes_per_step, claim["tokens_per_s"] * 2 * claim["parameters"]])
    there = np.array([claim["bandwidth"], claim["peak_flops"]])
    return float((needed / there).max())
""",
    ),
    right(
        "phases.sanity_check",
        "keyword arguments, and a generator over two ceilings",
        """
def sanity_check(claim):
    def ceilings(batch, context_tokens, parameters, weight_bytes, kv_bytes_per_token,
                 bandwidth, peak_flops, **_):
        yield bandwidth / (weight_bytes / batch + context_tokens * kv_bytes_per_token)
        yield peak_flops / parameters / 2

    return claim["tokens_per_s"] / min(ceilings(**claim))
""",
    ),
]

# ---------------------------------------------------------------- phases.techniques

CARDS = {
    "a": "decode host",
    "b": "prefill flops",
    "c": "decode bytes",
    "d": "prefill bytes",
    "e": "before host",
    "f": "decode bytes",
    "g": "decode order",
    "h": "decode host",
    "i": "decode bytes",
    "j": "prefill host",
    "k": "decode bytes",
    "l": "before host",
    "m": "decode room",
    "n": "decode bytes",
    "o": "decode room",
    "p": "decode room",
}

TECHNIQUES = [
    wrong(
        "phases.techniques",
        "weight-only quantisation saves arithmetic",
        CARDS | {"c": "decode flops"},
        true=("c-decode-flops",),
    ),
    wrong(
        "phases.techniques",
        "a draft model saves the large one arithmetic",
        CARDS | {"k": "decode flops"},
        true=("k-decode-flops",),
    ),
    wrong(
        "phases.techniques",
        "FlashAttention computes less",
        CARDS | {"d": "prefill flops"},
        true=("d-prefill-flops",),
    ),
    wrong(
        "phases.techniques",
        "attention sinks warm the cache up",
        CARDS | {"o": "before bytes"},
    ),
    wrong(
        "phases.techniques",
        "sampling on the device is arithmetic",
        CARDS | {"h": "decode flops"},
        true=("h-flops",),
    ),
    wrong(
        "phases.techniques",
        "chunks make the prompt cheaper",
        CARDS | {"g": "prefill flops"},
        true=("g-prefill",),
    ),
    wrong(
        "phases.techniques",
        "graphs make the arithmetic faster, in either phase",
        CARDS | {"a": "decode flops", "j": "prefill flops"},
        true=("a-flops",),
    ),
    wrong(
        "phases.techniques",
        "GQA is a matter of the prompt's arithmetic, and paging of traffic",
        CARDS | {"i": "prefill flops", "m": "decode bytes"},
        true=("i-prefill",),
    ),
    wrong(
        "phases.techniques",
        "a prompt cache speeds up the answer",
        CARDS | {"b": "decode flops"},
        true=("b-decode",),
    ),
    wrong(
        "phases.techniques",
        "half-finished: three cards still open",
        CARDS | {"n": ..., "o": ..., "p": ...},
    ),
    wrong(
        "phases.techniques",
        "everything with a cache in it saves bytes in decode",
        CARDS | dict.fromkeys("bfimop", "decode bytes"),
        true=("b-decode",),
    ),
    right(
        "phases.techniques",
        "sorted by answer and turned round",
        {
            card: answer
            for answer, cards in {
                "before host": "el",
                "prefill flops": "b",
                "prefill bytes": "d",
                "prefill host": "j",
                "decode host": "ah",
                "decode bytes": "cfikn",
                "decode order": "g",
                "decode room": "mop",
            }.items()
            for card in cards
        },
    ),
    right(
        "phases.techniques",
        "the other fair word where there are two: 8-bit KV for room, fusing for launches",
        dict(
            reversed(
                (CARDS | {"f": "decode room", "n": "decode host", "o": "decode bytes"}).items()
            )
        ),
    ),
    right(
        "phases.techniques",
        "GQA for room",
        CARDS | {"i": "decode room"},
    ),
]

# ---------------------------------------------------------------- phases.bill

BILL = [
    wrong(
        "phases.bill",
        "as if busy all of the paid time: u forgotten",
        24 / 3600 / 12_000 * 1e6,
        true=("always-busy",),
    ),
    wrong(
        "phases.bill",
        "one device only: g forgotten",
        3 / 3600 / (12_000 * 0.6) * 1e6,
        true=("one-device",),
    ),
    wrong("phases.bill", "multiplied by the utilisation", 0.333, true=("share-multiplied",)),
    wrong("phases.bill", "g and u both forgotten", 0.0694, true=("neither",)),
    wrong("phases.bill", "12,000 a second taken twice by eight: g squared", 7.41, true=("scale",)),
    wrong("phases.bill", "in cents", 92.6, true=("scale",)),
    wrong("phases.bill", "the price of one token", 24 / 3600 / 7200, true=("scale",)),
    wrong("phases.bill", "an hour of 60 seconds", 55.6, true=("scale",)),
    wrong("phases.bill", "divided by the share of idle time, 0.4", 1.39),
    wrong("phases.bill", "tokens for a dollar instead of dollars for tokens, in millions", 1.08),
    right(
        "phases.bill",
        "hours of the eight for a million tokens, in numpy",
        np.prod([8, 3, 1e6 / (12e3 * 0.6) / 3600]),
    ),
    right("phases.bill", "as a fraction by hand", 25 / 27),
]

# ---------------------------------------------------------------- phases.largest_batch

LARGEST = [
    wrong(
        "phases.largest_batch",
        "rounded to the nearest: 90 takes longer than 12 ms",
        90,
        true=("rounded-up",),
    ),
    wrong("phases.largest_batch", "the weights forgotten", 149, true=("forgets-the-weights",)),
    wrong("phases.largest_batch", "what fits the card's 80 GB", 238, true=("fills-the-memory",)),
    wrong("phases.largest_batch", "the ridge without a cache", 295, true=("compute-ridge",)),
    wrong("phases.largest_batch", "keys and values counted twice", 44),
    wrong("phases.largest_batch", "weights read for each user", 2),
    wrong("phases.largest_batch", "one token of context each: 2,048 forgotten", 184_173),
    wrong(
        "phases.largest_batch", "2,000 tokens instead of 2,048", 92, true=("context-in-thousands",)
    ),
    wrong(
        "phases.largest_batch",
        "arithmetic alone: 12 ms of the peak",
        738,
        true=("arithmetic-alone",),
    ),
    wrong("phases.largest_batch", "one fewer, since 12 ms itself is thought to be too long", 88),
    wrong("phases.largest_batch", "the ms forgotten: 12 s", 149_697),
    right(
        "phases.largest_batch",
        "searched, not solved",
        max(b for b in range(1, 300) if (16.06e9 + b * 2048 * 131_072) / 3.35e12 <= 0.012),
    ),
    right(
        "phases.largest_batch",
        "numpy's floor division, an array's number",
        np.floor_divide(0.012 * 3.35e12 - 16.06e9, 2048 * 131_072),
    ),
]

ANSWERS = [*RIDGE, *TOKENS, *SANITY, *TECHNIQUES, *BILL, *LARGEST]
