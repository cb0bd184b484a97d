"""Second trial answers to exercises of chapter 05."""

from fractions import Fraction

from tests.answers.answer import right, wrong

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


def ridge(body: str) -> str:
    """The ridge with this expression."""
    return (
        "import math\nimport numpy as np\n"
        f"def ridge_tokens(bandwidth, flops_per_s, bytes_per_weight):\n    return {body}\n"
    )


CHECK = """
def sanity_check(claim):
    users, params = claim["batch"], claim["parameters"]
    cache = users * claim["context_tokens"] * claim["kv_bytes_per_token"]
    read_s = (claim["weight_bytes"] + cache) / claim["bandwidth"]
    compute_s = 2 * params * users / claim["peak_flops"]
    step_s = max(read_s, compute_s)
    return claim["tokens_per_s"] / (users / step_s)
"""


def sanity(*changes: tuple[str, str]) -> str:
    """The check of a claim with some pieces replaced."""
    text = CHECK
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return text


ANSWERS = [
    wrong(
        "phases.ridge",
        "operations per byte",
        ridge("flops_per_s / bandwidth"),
        true=("operations-per-byte",),
    ),
    wrong(
        "phases.ridge",
        "one operation for each weight",
        ridge("flops_per_s * bytes_per_weight / bandwidth"),
        true=("one-operation",),
    ),
    wrong(
        "phases.ridge",
        "divided by the bytes of a weight",
        ridge("flops_per_s / (2 * bytes_per_weight * bandwidth)"),
        true=("divides-by-the-width",),
    ),
    wrong(
        "phases.ridge",
        "bandwidth and peak swapped",
        ridge("bandwidth * bytes_per_weight / (2 * flops_per_s)"),
        true=("swapped",),
    ),
    wrong(
        "phases.ridge",
        "rounded up to whole tokens",
        ridge("math.ceil(flops_per_s * bytes_per_weight / (2 * bandwidth))"),
        true=("rounded-up",),
    ),
    wrong(
        "phases.ridge",
        "the bytes left out",
        ridge("flops_per_s / (2 * bandwidth)"),
        true=("one-byte",),
    ),
    wrong(
        "phases.ridge",
        "brackets forgotten",
        ridge("flops_per_s * bytes_per_weight / 2 * bandwidth"),
        true=("without-brackets",),
    ),
    wrong(
        "phases.ridge",
        "bits for bytes",
        ridge("flops_per_s * (bytes_per_weight / 8) / (2 * bandwidth)"),
        true=("constant-factor",),
    ),
    wrong(
        "phases.ridge",
        "times two instead of over two",
        ridge("2 * flops_per_s * bytes_per_weight / bandwidth"),
        true=("constant-factor",),
    ),
    right(
        "phases.ridge",
        "two times over each other",
        ridge("(bytes_per_weight / bandwidth) / (2 / flops_per_s)"),
    ),
    right(
        "phases.ridge",
        "a numpy scalar",
        ridge("np.float64(0.5) * bytes_per_weight * flops_per_s / bandwidth"),
    ),
    wrong(
        "phases.tokens_in_time", "the first token forgotten", 83, true=("first-token-forgotten",)
    ),
    wrong(
        "phases.tokens_in_time",
        "the time to the first token forgotten",
        100,
        true=("without-first-token-time",),
    ),
    wrong("phases.tokens_in_time", "rounded up", 85, true=("rounded-up",)),
    wrong(
        "phases.tokens_in_time", "the length that was promised", 500, true=("as-the-table-says",)
    ),
    wrong(
        "phases.tokens_in_time",
        "the first wait forgotten, and the first token added",
        101,
        true=("without-first-token-time-plus-one",),
    ),
    wrong("phases.tokens_in_time", "the first token taken off twice", 82),
    wrong("phases.tokens_in_time", "the first wait added", 117),
    wrong("phases.tokens_in_time", "milliseconds over seconds", 83_334),
    wrong("phases.tokens_in_time", "the first wait taken off twice", 67),
    right("phases.tokens_in_time", "text with the unit", "84 tokens"),
    right("phases.tokens_in_time", "a float", 84.0),
    wrong(
        "phases.sanity_check",
        "each user's rate for the highest",
        sanity(("/ (users / step_s)", "/ (1 / step_s)")),
        true=("one-token-a-step",),
    ),
    wrong(
        "phases.sanity_check",
        "one cache for all users",
        sanity(('users * claim["context_tokens"]', 'claim["context_tokens"]')),
        true=("one-cache-for-all",),
    ),
    wrong(
        "phases.sanity_check",
        "only the reading",
        sanity(("max(read_s, compute_s)", "read_s")),
        true=("no-arithmetic",),
    ),
    wrong(
        "phases.sanity_check",
        "both times one after the other",
        sanity(("max(read_s, compute_s)", "read_s + compute_s")),
        true=("adds-the-times",),
    ),
    wrong(
        "phases.sanity_check",
        "the highest rate over the claimed",
        sanity(
            (
                'claim["tokens_per_s"] / (users / step_s)',
                '(users / step_s) / claim["tokens_per_s"]',
            )
        ),
        true=("upside-down",),
    ),
    wrong(
        "phases.sanity_check",
        "arithmetic of one user",
        sanity(("2 * params * users", "2 * params")),
        true=("no-arithmetic",),
    ),
    wrong(
        "phases.sanity_check",
        "one operation for each weight",
        sanity(("2 * params * users", "params * users")),
        true=("one-operation-a-weight",),
    ),
    wrong(
        "phases.sanity_check",
        "weights read once for each user",
        sanity(('(claim["weight_bytes"] + cache)', '(users * claim["weight_bytes"] + cache)')),
        true=("weights-for-each",),
    ),
    wrong(
        "phases.sanity_check",
        "no caches",
        sanity(('(claim["weight_bytes"] + cache)', 'claim["weight_bytes"]')),
        true=("weights-alone",),
    ),
    wrong(
        "phases.sanity_check",
        "the shorter of the two times",
        sanity(("max(read_s", "min(read_s")),
        true=("shorter-time",),
    ),
    wrong(
        "phases.sanity_check",
        "whether it is impossible, not how far",
        sanity(
            (
                'return claim["tokens_per_s"] / (users / step_s)',
                'return claim["tokens_per_s"] > users / step_s',
            )
        ),
        true=("wrong-type",),
    ),
    wrong(
        "phases.sanity_check",
        "two bytes for every weight",
        sanity(('claim["weight_bytes"]', "2 * params")),
    ),
    wrong(
        "phases.sanity_check",
        "the highest rate itself",
        sanity(('claim["tokens_per_s"] / (users / step_s)', "users / step_s")),
        true=("ceiling",),
    ),
    right(
        "phases.sanity_check",
        "the larger of two excesses",
        """
def sanity_check(claim):
    rate, users, beta = (claim[k] for k in ("tokens_per_s", "batch", "bandwidth"))
    cache = claim["context_tokens"] * claim["kv_bytes_per_token"]
    per_token = claim["weight_bytes"] / users + cache
    return max(rate * per_token / beta, 2 * rate * claim["parameters"] / claim["peak_flops"])
""",
    ),
    right(
        "phases.sanity_check",
        "numpy scalars, the lower of two ceilings",
        """
import numpy as np
def sanity_check(claim):
    c = {k: np.float64(v) for k, v in claim.items()}
    moved = c["weight_bytes"] + c["batch"] * c["context_tokens"] * c["kv_bytes_per_token"]
    ceilings = [c["batch"] * c["bandwidth"] / moved, c["peak_flops"] / (2 * c["parameters"])]
    return c["tokens_per_s"] / np.min(ceilings)
""",
    ),
    wrong(
        "phases.techniques",
        "8-bit weights taken for cheaper arithmetic",
        CARDS | {"c": "decode flops"},
        true=("c-decode-flops",),
    ),
    wrong(
        "phases.techniques",
        "speculation taken for less arithmetic",
        CARDS | {"k": "decode flops"},
        true=("k-decode-flops",),
    ),
    wrong(
        "phases.techniques",
        "FlashAttention taken for less arithmetic",
        CARDS | {"d": "prefill flops"},
        true=("d-prefill-flops",),
    ),
    wrong(
        "phases.techniques",
        "reading in pieces taken for a faster prefill",
        CARDS | {"g": "prefill order"},
        true=("g-prefill",),
    ),
    wrong(
        "phases.techniques",
        "pages taken for less traffic",
        CARDS | {"m": "decode bytes"},
        true=("m-decode-bytes",),
    ),
    wrong(
        "phases.techniques",
        "drawing on the device taken for arithmetic",
        CARDS | {"h": "decode flops"},
        true=("h-flops",),
    ),
    wrong(
        "phases.techniques",
        "graphs taken for less arithmetic, in both phases",
        CARDS | {"a": "decode flops", "j": "prefill flops"},
        true=("a-flops",),
    ),
    wrong(
        "phases.techniques",
        "prompts that begin alike found before the first pass",
        CARDS | {"b": "before host"},
    ),
    wrong("phases.techniques", "beams taken for a matter of order", CARDS | {"p": "decode order"}),
    wrong(
        "phases.techniques",
        "the last card left out",
        {card: said for card, said in CARDS.items() if card != "p"},
    ),
    wrong(
        "phases.techniques",
        "phases alone",
        {c: said.split()[0] for c, said in CARDS.items()},
        true=("unreadable",),
    ),
    right("phases.techniques", "capitals", {c: said.title() for c, said in CARDS.items()}),
    right(
        "phases.techniques",
        "the other fair word where there are two",
        CARDS | {"f": "decode room", "i": "decode room", "n": "decode host", "o": "decode bytes"},
    ),
    right(
        "phases.techniques",
        "with a comma between the words",
        {card: said.replace(" ", ", ") for card, said in CARDS.items()},
    ),
    wrong(
        "phases.bill", "the idle time not paid", 24 / (3600 * 12_000) * 1e6, true=("always-busy",)
    ),
    wrong("phases.bill", "one device paid", 3 / (3600 * 12_000 * 0.6) * 1e6, true=("one-device",)),
    wrong(
        "phases.bill", "per cent for the share", 24 / (3600 * 12_000 * 60) * 1e6, true=("scale",)
    ),
    wrong(
        "phases.bill",
        "cheaper where idle",
        24 * 0.6 / (3600 * 12_000) * 1e6,
        true=("share-multiplied",),
    ),
    wrong(
        "phases.bill", "one device and no idle time", 3 / (3600 * 12_000) * 1e6, true=("neither",)
    ),
    wrong("phases.bill", "an hour of 60 seconds", 24 / (60 * 12_000 * 0.6) * 1e6, true=("scale",)),
    wrong(
        "phases.bill",
        "price of a thousand tokens",
        24 / (3600 * 12_000 * 0.6) * 1e3,
        true=("scale",),
    ),
    wrong("phases.bill", "the idle share for the busy one", 24 / (3600 * 12_000 * 0.4) * 1e6),
    wrong(
        "phases.bill",
        "dollars a second for dollars an hour",
        24 / (12_000 * 0.6) * 1e6,
        true=("scale",),
    ),
    right("phases.bill", "exact fraction", Fraction(25, 27)),
    right("phases.bill", "rounded to the cent, with its sign", "$0.93"),
    wrong("phases.largest_batch", "rounded up", 90, true=("rounded-up",)),
    wrong("phases.largest_batch", "the weights forgotten", 149, true=("forgets-the-weights",)),
    wrong(
        "phases.largest_batch", "filled the memory, not the time", 238, true=("fills-the-memory",)
    ),
    wrong("phases.largest_batch", "one byte a weight", 119, true=("one-byte-weights",)),
    wrong(
        "phases.largest_batch",
        "reading and arithmetic one after the other",
        74,
        true=("adds-the-times",),
    ),
    wrong("phases.largest_batch", "arithmetic alone", 738, true=("arithmetic-alone",)),
    wrong("phases.largest_batch", "the context forgotten", 184_173),
    wrong("phases.largest_batch", "weights forgotten, and rounded up", 150),
    wrong("phases.largest_batch", "keys without the values", 179, true=("keys-alone",)),
    wrong("phases.largest_batch", "seconds and milliseconds mixed", 0),
    right("phases.largest_batch", "text with the unit", "89 users"),
    right(
        "phases.largest_batch", "whole part of the division", (3.35e12 * 0.012 - 16.06e9) // 2**28
    ),
]
