"""Trial answers to the exercises of chapter 05."""

from tests.answers.answer import right, wrong

SANITY = """
def sanity_check(claim):
    c = claim
    kv = c["batch"] * c["context_tokens"] * c["kv_bytes_per_token"]
    read = (c["weight_bytes"] + kv) / c["bandwidth"]
    compute = 2 * c["parameters"] * c["batch"] / c["peak_flops"]
    return c["tokens_per_s"] * max(read, compute) / c["batch"]
"""
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
    "n": "decode host",
    "o": "decode room",
    "p": "decode room",
}


def ridge(formula: str) -> str:
    """The function of the ridge with this formula."""
    return f"def ridge_tokens(bandwidth, flops_per_s, bytes_per_weight):\n    return {formula}\n"


def sanity(old: str, new: str) -> str:
    """The check of claims with one piece replaced."""
    assert old in SANITY
    return SANITY.replace(old, new)


ANSWERS = [
    wrong(
        "phases.ridge",
        "operations per byte: the 2 and the bytes forgotten",
        ridge("flops_per_s / bandwidth"),
        true=("operations-per-byte",),
    ),
    wrong(
        "phases.ridge",
        "the 2 of multiply and add forgotten",
        ridge("flops_per_s * bytes_per_weight / bandwidth"),
        true=("one-operation",),
    ),
    wrong(
        "phases.ridge",
        "bytes per weight in the denominator",
        ridge("flops_per_s / (2 * bandwidth * bytes_per_weight)"),
        true=("divides-by-the-width",),
    ),
    wrong(
        "phases.ridge",
        "upside down",
        ridge("2 * bandwidth / (flops_per_s * bytes_per_weight)"),
        true=("upside-down",),
    ),
    wrong(
        "phases.ridge",
        "rounded up to whole tokens",
        ridge("math.ceil(flops_per_s * bytes_per_weight / (2 * bandwidth))"),
        true=("rounded-up",),
    ),
    wrong(
        "phases.ridge",
        "the 2 multiplies",
        ridge("2 * flops_per_s * bytes_per_weight / bandwidth"),
        true=("constant-factor",),
    ),
    wrong(
        "phases.ridge",
        "takes bits",
        ridge("flops_per_s * bytes_per_weight / 8 / (2 * bandwidth)"),
        true=("constant-factor",),
    ),
    right(
        "phases.ridge",
        "two times, their quotient",
        ridge("(bytes_per_weight / bandwidth) / (2 / flops_per_s)"),
    ),
    right(
        "phases.ridge",
        "one weight's reading, halved twice by numpy",
        ridge("np.divide(np.multiply(flops_per_s, bytes_per_weight), bandwidth) * 0.5"),
    ),
    wrong(
        "phases.tokens_in_time",
        "n instead of n - 1: 2,500 / 30",
        83,
        true=("first-token-forgotten",),
    ),
    wrong(
        "phases.tokens_in_time",
        "not rounded, first one forgotten",
        2500 / 30,
        true=("gaps-not-rounded",),
    ),
    wrong("phases.tokens_in_time", "no TTFT", 100, true=("without-first-token-time",)),
    wrong(
        "phases.tokens_in_time", "no TTFT, n - 1", 101, true=("without-first-token-time-plus-one",)
    ),
    wrong("phases.tokens_in_time", "rounded up", 85, true=("rounded-up",)),
    wrong("phases.tokens_in_time", "TTFT added", 3500 / 30, true=("first-token-time-added",)),
    wrong("phases.tokens_in_time", "the 500 of the table", 500, true=("as-the-table-says",)),
    wrong("phases.tokens_in_time", "seconds by milliseconds", 0.0833),
    wrong(
        "phases.tokens_in_time",
        "the formula, unrounded",
        1 + (3000 - 500) / 30,
        true=("not-rounded",),
    ),
    right("phases.tokens_in_time", "a float", 84.0),
    right("phases.tokens_in_time", "floored", 1 + (3000 - 500) // 30),
    wrong(
        "phases.sanity_check",
        "weights forgotten",
        sanity('(c["weight_bytes"] + kv)', "kv"),
        true=("cache-alone",),
    ),
    wrong(
        "phases.sanity_check",
        "KV forgotten",
        sanity('(c["weight_bytes"] + kv)', 'c["weight_bytes"]'),
        true=("weights-alone",),
    ),
    wrong(
        "phases.sanity_check",
        "the KV of one user",
        sanity('c["batch"] * c["context_tokens"]', 'c["context_tokens"]'),
        true=("one-cache-for-all",),
    ),
    wrong(
        "phases.sanity_check",
        "the rate of one user",
        sanity(' / c["batch"]\n', "\n"),
        true=("one-token-a-step",),
    ),
    wrong(
        "phases.sanity_check",
        "reading alone",
        sanity("max(read, compute)", "read"),
        true=("no-arithmetic",),
    ),
    wrong(
        "phases.sanity_check",
        "the sum of both times",
        sanity("max(read, compute)", "(read + compute)"),
        true=("adds-the-times",),
    ),
    wrong(
        "phases.sanity_check",
        "the 2 of multiply and add forgotten",
        sanity("2 * c", "c"),
        true=("one-operation-a-weight",),
    ),
    wrong(
        "phases.sanity_check",
        "ceiling over claim",
        sanity(
            'c["tokens_per_s"] * max(read, compute) / c["batch"]',
            'c["batch"] / max(read, compute) / c["tokens_per_s"]',
        ),
        true=("upside-down",),
    ),
    wrong(
        "phases.sanity_check",
        "says whether, not how many times",
        sanity(
            'c["tokens_per_s"] * max(read, compute) / c["batch"]',
            'c["tokens_per_s"] > c["batch"] / max(read, compute)',
        ),
        true=("wrong-type",),
    ),
    wrong(
        "phases.sanity_check", "the shorter time", sanity("max(", "min("), true=("shorter-time",)
    ),
    wrong(
        "phases.sanity_check",
        "arithmetic of one token",
        sanity('2 * c["parameters"] * c["batch"]', '2 * c["parameters"]'),
        true=("no-arithmetic",),
    ),
    wrong(
        "phases.sanity_check",
        "weights read once for each user",
        sanity('(c["weight_bytes"] + kv)', '(c["batch"] * c["weight_bytes"] + kv)'),
        true=("weights-for-each",),
    ),
    right(
        "phases.sanity_check",
        "the larger of two factors",
        """
def sanity_check(claim):
    rate, b = claim["tokens_per_s"], claim["batch"]
    each = claim["weight_bytes"] / b + claim["context_tokens"] * claim["kv_bytes_per_token"]
    return max(rate * each / claim["bandwidth"],
               rate * 2 * claim["parameters"] / claim["peak_flops"])
""",
    ),
    right(
        "phases.sanity_check",
        "two ceilings",
        """
def sanity_check(claim):
    B = float(claim["batch"])
    bytes_ = claim["weight_bytes"] + claim["kv_bytes_per_token"] * claim["context_tokens"] * B
    ceilings = np.array([B * claim["bandwidth"] / bytes_,
                         claim["peak_flops"] / (2 * claim["parameters"])])
    return claim["tokens_per_s"] / ceilings.min()
""",
    ),
    wrong(
        "phases.techniques",
        "W8A16 saves arithmetic",
        CARDS | {"c": "decode flops"},
        true=("c-decode-flops",),
    ),
    wrong(
        "phases.techniques",
        "attention is a matter of arithmetic",
        CARDS | {"d": "prefill flops"},
        true=("d-prefill-flops",),
    ),
    wrong(
        "phases.techniques",
        "chunks make the prefill faster",
        CARDS | {"g": "prefill order"},
        true=("g-prefill",),
    ),
    wrong(
        "phases.techniques",
        "speculation saves arithmetic",
        CARDS | {"k": "decode flops"},
        true=("k-decode-flops",),
    ),
    wrong(
        "phases.techniques",
        "graphs save arithmetic",
        CARDS | {"a": "decode flops"},
        true=("a-flops",),
    ),
    wrong(
        "phases.techniques",
        "sampling on the device saves arithmetic",
        CARDS | {"h": "decode flops"},
        true=("h-flops",),
    ),
    wrong(
        "phases.techniques",
        "tokenising counted to the prefill",
        CARDS | {"e": "prefill host"},
        true=("e-prefill",),
    ),
    wrong("phases.techniques", "sinks as a warm-up of the cache", CARDS | {"o": "before room"}),
    wrong(
        "phases.techniques",
        "paging saves traffic",
        CARDS | {"m": "decode bytes"},
        true=("m-decode-bytes",),
    ),
    wrong("phases.techniques", "phase alone", CARDS | {"a": "decode"}, true=("unreadable",)),
    right(
        "phases.techniques",
        "the other fair word on three cards",
        CARDS | {"f": "decode room", "i": "decode room", "n": "decode bytes"},
    ),
    right("phases.techniques", "as the dict comes", dict(reversed(CARDS.items()))),
    wrong("phases.bill", "no utilisation", 8 * 3 / (3600 * 12_000) * 1e6, true=("always-busy",)),
    wrong("phases.bill", "one device", 3 / (3600 * 12_000 * 0.6) * 1e6, true=("one-device",)),
    wrong(
        "phases.bill",
        "utilisation above the line",
        24 * 0.6 / (3600 * 12_000) * 1e6,
        true=("share-multiplied",),
    ),
    wrong(
        "phases.bill", "hours not turned into seconds", 24 / (12_000 * 0.6) * 1e6, true=("scale",)
    ),
    wrong(
        "phases.bill",
        "12,000 of each device",
        24 / (3600 * 12_000 * 8 * 0.6) * 1e6,
        true=("one-device",),
    ),
    wrong("phases.bill", "in cents", 92.59, true=("scale",)),
    wrong("phases.bill", "a thousand tokens", 24 / (3600 * 12_000 * 0.6) * 1e3, true=("scale",)),
    right("phases.bill", "two decimals", 0.93),
    right("phases.bill", "unrounded", 24 / (3600 * 0.012 * 0.6)),
    wrong("phases.largest_batch", "rounded up", 90, true=("rounded-up",)),
    wrong("phases.largest_batch", "weights forgotten", 149, true=("forgets-the-weights",)),
    wrong(
        "phases.largest_batch",
        "unrounded",
        24.14e9 / (2048 * 131_072),
        false=("rounded-up",),
        true=("not-whole",),
    ),
    wrong("phases.largest_batch", "in tokens of context", 184_173),
    wrong("phases.largest_batch", "K for 1,000: 2,000 tokens", 92, true=("context-in-thousands",)),
    wrong("phases.largest_batch", "weights of one byte", 119, true=("one-byte-weights",)),
    wrong("phases.largest_batch", "fits the card's 80 GB instead", 238),
    wrong("phases.largest_batch", "weights read for each user", 2),
    right("phases.largest_batch", "a float", 89.0),
    right("phases.largest_batch", "numpy", int((0.012 * 3.35e12 - 16.06e9) // (2048 * 131_072))),
]
