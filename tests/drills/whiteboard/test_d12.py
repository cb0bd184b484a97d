"""The retrieval service of d12: every figure of its model answer, by plain arithmetic."""

import math
import re

import pytest

from labutils.drills.whiteboard.catalog.d12_retrieval import d12


def part(heading: str) -> str:
    return d12.page.model_answer[heading]


def heard() -> str:
    """What the examples of the scores say."""
    return " ".join(text for row in d12.page.examples.values() for text in row)


def late_beyond(wait_s: float, rate: float, service_s: float) -> float:
    """P(wait > wait_s) of M/D/1, by Erlang's alternating sum of 1909."""
    inside = sum(
        (-rate * (wait_s - k * service_s)) ** k
        / math.factorial(k)
        * math.exp(rate * (wait_s - k * service_s))
        for k in range(math.floor(wait_s / service_s) + 1)
    )
    return 1 - (1 - rate * service_s) * inside


class Model8B:
    """One H100 with an 8B model that takes prompts and steps in turns; plain arithmetic."""

    weights, kv, flops, bandwidth = 2 * 8_030_261_248, 131_072, 0.5 * 989e12, 0.6 * 3.35e12

    @classmethod
    def prefill(cls, passages):
        tokens = 600 + 300 * passages
        linear = (tokens - 600) * cls.weights
        return (linear + 2 * (tokens**2 - 600**2) * 32 * 32 * 128) / cls.flops

    @classmethod
    def tpot(cls, rate, gpus, passages):
        """The step and the batch that agree: found by trying steps, not by a formula."""
        busy, context = rate / gpus * cls.prefill(passages), 725 + 300 * passages
        low, high = 0.0, 10.0
        for _ in range(80):
            step = (low + high) / 2
            batch = rate / gpus * 250 * step
            takes = (cls.weights + batch * context * cls.kv) / cls.bandwidth / (1 - busy)
            low, high = (step, high) if takes > step else (low, step)
        return step

    @classmethod
    def gpus(cls, rate, passages=8):
        least = math.ceil(rate * cls.prefill(passages) + 1e-9)
        return next(n for n in range(least, 999) if cls.tpot(rate, n, passages) <= 0.04)


def test_the_gpus_of_d12_agree_with_plain_arithmetic():
    warm, planned, full = (Model8B.gpus(rate) for rate in (160, 170, 200))
    told = part("GPUs")
    assert f"{warm} H100 at 160 a second, {planned} at 170" in told and f"{full} at 200" in told
    tpot = Model8B.tpot(170, planned, 8)
    assert float(re.search(r"at 170 \(([\d.]+) ms", told)[1]) == pytest.approx(1e3 * tpot, rel=0.01)
    price = 3 * (planned + 1)
    assert (
        f"${price} an hour" in told and f"${price / 3600 / 200 * 1000:.3f} for a thousand" in told
    )
    inside = 170 / planned * 250 * tpot
    assert Model8B.weights + inside * 3125 * Model8B.kv < 0.9 * 80e9  # and it fits
    budget = part("A budget with a percentile")
    queue = float(re.search(r"M/D/1: ([\d.]+) ms", budget)[1]) / 1e3
    wait = queue - tpot - Model8B.prefill(8)
    assert late_beyond(wait, 170 / planned, Model8B.prefill(8)) == pytest.approx(0.002, rel=0.05)
    assert "in 99.8 % of the questions" in budget and queue < 1 - 0.26
    assert "740 ms of 1 s are left" in budget
    cold = part("Caches, and the cold start")
    assert "200 a second come, 1.25 times" in cold
    for passages, words in ((8, r"would need ([\d.]+) ms"), (4, r", ([\d.]+) ms a token; answers")):
        step = 1e3 * Model8B.tpot(200, planned, passages)
        assert float(re.search(words, cold)[1]) == pytest.approx(step, rel=0.02)
    plenty = d12.page.follow_ups[1].answer
    assert f"{Model8B.gpus(170, 20)} GPUs instead of {planned}" in plenty
    said = heard()
    assert f"{1e3 * Model8B.prefill(8):.1f} ms of prefill" in said
    assert f"decode: {warm} GPUs at 160" in said and f"and {planned} with a quarter" in said
    assert f"the time per token needs {planned} GPUs" in said and f"for {1e3 * queue:.0f}" in said
    assert f"it would be {Model8B.gpus(170, 20)} GPUs" in said
    assert f"and {Model8B.tpot(200, planned, 8):.2f} s a token on {planned}" in said
    assert f"four passages, {1e3 * Model8B.tpot(200, planned, 4):.0f} ms a token" in said


def test_the_rest_of_d12_agrees_with_plain_arithmetic():
    times = {"embedding": 1.4 * 0.65 * 8, "dense search": 1.4 * 5, "keyword search": 1.4 * 6,
             "reranking": 30}  # fmt: skip
    workers = {name: math.ceil(170 * ms / 1e3 / 0.6) for name, ms in times.items()}
    listed = ", ".join(f"{name} {number}" for name, number in workers.items())
    assert listed in part("Workers before the model")
    cold = math.ceil(200 * 1.4 * 0.008 / 0.6)
    assert f"embedding {cold} cores instead of {workers['embedding']}" in part(
        "Caches, and the cold start"
    )
    index, size = part("The index"), 40e6 * (1024 + 128)
    shards = math.ceil(2 * size / (0.7 * 64e9))
    assert f"{size / 1e9:.2f} GB for 40 million" in index
    assert f"{shards} shards of 64 GB" in index and f"{2 * shards} machines" in index
    assert 0.2 * size < 0.7 * 64e9 / 2  # the largest tenant, twice, fits into a shard
    assert f"{40e6 * 0.008 / 3600:.0f} core-hours" in index
    change, changes = part("Documents that change"), 40e6 * 0.01 / 86_400
    assert f"are {changes:.1f} passages a second" in change and "17 s at most, of 60" in change
    assert f"at {changes * 3600:,.0f} vectors" in change
    assert f"so {changes * 500_000 * 8 / 40e6:.2f} are dropped a second" in change
    wrong = d12.page.follow_ups[0].answer
    hits = 0.15 * 80 * 86_400
    assert f"{0.01 * hits:,.0f} wrong a day" in wrong
    clean = int(re.search(r"takes ([\d,]+) reviewed", wrong)[1].replace(",", ""))
    assert (1 - 100 / hits) ** clean <= 0.05 < (1 - 100 / hits) ** (clean - 100)
    said = heard()
    assert f"{size / 1e9:.0f} GB in int8: six machines" in said and 2 * shards == 6
    assert f"Before the model {sum(workers.values())} workers do" in said
