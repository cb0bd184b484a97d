"""Drills of LLM inference solved once more from their printed words, with plain arithmetic.

Nothing but the story is read, so this also proves that it states every fact and that the digits
which it prints are enough for the tolerance.
"""

import math
import re

import pytest

from labutils.drills.catalog import find

SEEDS = range(40)
UNITS = {
    "TFLOP/s": 1e12, "PFLOP/s": 1e15, "TB/s": 1e12, "GB/s": 1e9, "Gbit/s": 1e9 / 8,
    "GB": 1e9, "tok/s": 1.0, "ms": 1e-3, "µs": 1e-6, "s": 1.0, "%": 0.01, "": 1.0,
}  # fmt: skip
NUMBER = r"(\d[\d,]*(?:\.\d+)?)"


def number(pattern, story, unit=""):
    """The number that stands for # in ``pattern``, times ``unit`` or the unit that stands for @."""
    made = re.escape(pattern).replace(r"\#", NUMBER).replace("@", r"(\S+?)")
    found = re.search(made + r"(?![\w/])", story)
    assert found, (pattern, story)
    groups = found.groups()
    return float(groups[0].replace(",", "")) * UNITS[groups[1] if len(groups) > 1 else unit]


def shape(story):
    """Parameters, and cache bytes of a token in bf16."""
    layers, kv, head = (number(text, story) for text in ("# layers", "# KV heads", "head size #"))
    billions = re.search(rf"{NUMBER} billion parameters", story)
    weights = float(billions[1]) * 1e9 if billions else math.nan
    return weights, 2 * layers * kv * head * 2


def how_many(story):
    """Cards of "4 × H100 SXM (" or "an H100 SXM ("."""
    several = re.search(r"on (\d+) × ", story)
    return int(several[1]) if several else 1


def kv_per_token(story):
    layers, kv = number("num_hidden_layers #", story), number("num_key_value_heads #", story)
    width = 2 if re.search(r"cache in (bf|fp)16", story) else 1
    return 2 * layers * kv * number("head_dim #", story) * width


def weight_memory(story):
    bits = {"is bf16": 16, "is fp8": 8, "every 128": 4.125, "MXFP4": 4.25, "16-bit scale each": 4.5}
    return number("has # billion", story) * 1e9 * next(v for k, v in bits.items() if k in story) / 8


def stream_duration(story):
    ttft, tpot = number("first token after # @,", story), number("then # @ from", story)
    return ttft + (number("# tokens and is streamed", story) - 1) * tpot


def two_rates(story):
    if "Somebody reports" in story:
        return number("reports: # requests", story) / number("every # @.", story)
    if "slide" in story:
        return number("slide says # @.", story) / number("one card, # requests", story)
    return number("page: # @ of", story) * number("and # @ per token", story)


def flop_per_byte(story):
    if "data sheet of" in story:
        return number("bf16 # @ with", story) / 2 / number("says: # @,", story)
    return number("product reaches # @,", story) / number("reads gets # @.", story)


def decode_floor(story):
    weights, kv = shape(story)
    speed = number("(# @)", story) * number("kernels reach # %", story, "%")
    batch = float(re.search(r"bandwidth\. (\d+) sequences? decode", story)[1])
    return (2 * weights + batch * number("# tokens of context", story) * kv) / speed


def prefill_floor(story):
    layers, width = number("# layers", story), number("(# in all)", story)
    weights = number("# billion", story) * 1e9
    n = number("prompt of # tokens", story)
    rate = number("# @ dense", story) * number("prefill reaches # %", story, "%")
    return (2 * weights * n + 4 * layers * width * n * (n - 1) / 2) / rate


def resident_sequences(story):
    weights, kv = shape(story)
    memory = number("(# GB of", story, "GB") * how_many(story)
    reserved = number("activations need # GB", story, "GB") * how_many(story)
    left = number("may take # %", story, "%") * memory - reserved - 2 * weights
    return left // (number("hold # tokens", story) * kv)


def paged_blocks(story):
    page = number("pages of # tokens", story)
    lengths = re.findall(NUMBER, story.split("hold ")[1])
    return sum(math.ceil(float(length.replace(",", "")) / page) for length in lengths)


def reserved_waste(story):
    ends = number("bring # prompt tokens", story) + number("after # tokens of output", story)
    return (number("room for # tokens", story) - ends) / number("room for # tokens", story)


def compute_batch(story):
    width = 2 if "weights and arithmetic in bf16" in story else 0.5 if "4 bits" in story else 1
    rate = number("# @ dense", story) * number("Kernels reach # %", story, "%")
    return rate * width / 2 / (number("(# @) with", story) * number("and # % of", story, "%"))


def cache_batch(story):
    weights, kv = shape(story)
    return 2 * weights / (number("# tokens of context", story) * kv)


def prefix_hits(story):
    hit = number("and # % of the requests", story, "%")
    return hit * number(", # tokens; prompts", story) / number("prompts have # tokens", story)


def batch_under_tpot(story):
    weights, kv = shape(story)
    one = number("# tokens of context", story) * kv
    read = number("may take # @.", story) * number("activations; # @,", story)
    read *= number("kernels reach # %", story, "%")
    memory = 0.9 * number("# GB (10⁹", story, "GB") - number("and # GB go", story, "GB")
    return min(read - 2 * weights, memory - 2 * weights) // one


def prompt_chunk(story):
    left = number("may exceed # @.", story) - number("take # @ a step", story)
    rate = number("# @ dense", story) * number("prefill reaches # %", story, "%")
    return left * rate / (2e9 * number(", # billion parameters", story))


def speculation(story):
    alpha, drafts = number("with probability # if", story), int(number("writes # tokens", story))
    tokens = 1 + sum(alpha**k for k in range(1, drafts + 1))
    return tokens / (1 + drafts * number("model takes # of", story))


def narrow_weights(story):
    weights, kv = shape(story)
    batch = float(re.search(r"bf16\. (\d+) sequence", story)[1])
    caches = batch * number("with # tokens", story) * kv
    return (2 * weights + caches) / (number("# B a weight", story) * weights + caches)


def tensor_parallel(story):
    weights, kv = shape(story)
    cards, batch = number("cut into #,", story), float(re.search(r"it\. (\d+) seq", story)[1])
    speed = number("(# @), whose", story) * number("kernels reach # %", story, "%")
    reading = (2 * weights + batch * number("with # tokens", story) * kv) / (cards * speed)
    message = batch * number("hidden size #", story) * 2
    once = number("exchange takes # @ plus", story) + message / number("message at # @.", story)
    return reading + 2 * number("# layers", story) * once


def pool_split(story):
    stream = number("have # tokens on", story) * number("token every # @;", story)
    return number("takes # @ for one", story) * number("holds # streams", story) / stream


def cache_transfer(story):
    _, kv = shape(story)
    if "both directions" in story:
        link = number("quoted as # GB/s for", story, "GB/s") / 2
    else:
        link = number("# Gbit/s", story, "Gbit/s")
    return number("prompt of # tokens", story) * kv / (link * number("reaches # % of", story, "%"))


SOLVED = (
    kv_per_token, weight_memory, stream_duration, two_rates, flop_per_byte, decode_floor,
    prefill_floor, resident_sequences, paged_blocks, reserved_waste, compute_batch, cache_batch,
    prefix_hits, batch_under_tpot, prompt_chunk, speculation, narrow_weights, tensor_parallel,
    pool_split, cache_transfer,
)  # fmt: skip


@pytest.mark.parametrize("solve", SOLVED, ids=lambda item: item.__name__)
def test_what_the_story_says_leads_to_the_answer(solve):
    for seed in SEEDS:
        drill = find(solve.__name__).drill(seed)
        answer = solve(drill.story)
        assert drill.number.check(answer).passed, (seed, answer, drill.answer, drill.story)
        if not drill.absolute:
            assert answer == pytest.approx(drill.answer, rel=2e-3), (seed, drill.story)
