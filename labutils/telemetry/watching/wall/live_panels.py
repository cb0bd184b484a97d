"""Two walls for one server that runs now: ten panels of averages, and ten that show a fault.

The server is one ``RecordedReplica``, its scrapes those of the last minutes.
"""

import numpy as np

from .panels import (
    ENDED,
    FIRST_TOKEN,
    GAP,
    PROMISED_S,
    REFUSED,
    TOKENS,
    Panel,
    answer_length,
    failed_of_ended,
    late_or_refused,
    mean_of,
    p99_of_each,
    rate_of_all,
    so_far,
)

PROBES = "probe:answers_total"  # fixed prompts, by whether the answer is still the first one
KV = "vllm:kv_cache_usage_perc"
RUNNING, WAITING = "vllm:num_requests_running", "vllm:num_requests_waiting"


def rate_by(name: str, label: str, *values: str):
    """Per second, a line for each of these values of a label."""

    def lines(fleet, moments_s, window_s):
        (one,) = fleet
        return {
            value: _grown(one, one.counter(name, **{label: value}), moments_s, window_s)
            / np.minimum(moments_s, window_s)
            for value in values
        }

    return lines


def gauges(factor: float = 1.0, **names: str):
    """What the server showed at the scrape, a line for each name."""

    def lines(fleet, moments_s, window_s):
        (one,) = fleet
        rows = {said: one.raw(name) for said, name in names.items()}
        return {
            said: factor * np.array([one.at(values, moment) for moment in moments_s])
            for said, values in rows.items()
        }

    return lines


def gauge_averaged(name: str, factor: float = 1.0):
    """What the server showed, averaged over the scrapes of the window."""

    def lines(fleet, moments_s, window_s):
        (one,) = fleet
        values, times_s = one.raw(name), one.times_s
        inside = [(times_s > moment - window_s) & (times_s <= moment) for moment in moments_s]
        return {"all": factor * np.array([values[those].mean() for those in inside])}

    return lines


def same_answers(fleet, moments_s, window_s):
    """Of the fixed prompts, the share whose answer is still the first one (%)."""
    (one,) = fleet
    same = _grown(one, one.counter(PROBES, same="yes"), moments_s, window_s)
    asked = _grown(one, one.counter(PROBES), moments_s, window_s)
    return {"all": 100 * np.where(asked > 0, same / np.maximum(asked, 1), np.nan)}


def _grown(one, rows, moments_s, window_s) -> np.ndarray:
    return np.array([one.within(rows, moment - window_s, moment) for moment in moments_s])


AVERAGES = (
    Panel("1  first token, mean (s)", mean_of(FIRST_TOKEN), PROMISED_S),
    Panel("2  whole answer, mean (s)", mean_of("vllm:e2e_request_latency_seconds"), top=20),
    Panel("3  gap between tokens, mean (s)", mean_of(GAP), top=1.0),
    Panel("4  requests so far", so_far(ENDED)),
    Panel("5  failed of those let in (%)", failed_of_ended, top=100),
    Panel("6  requests waiting, mean", gauge_averaged(WAITING), top=100),
    Panel("7  tokens of an answer, mean", answer_length, top=500),
    Panel("8  KV cache in use, mean (%)", gauge_averaged(KV, 100), top=100),
    Panel("9  tokens per second", rate_of_all(TOKENS), top=10_000),
    Panel("10  tokens of prompts so far", so_far("vllm:prompt_tokens_total")),
)
"""What a team had: averages over a minute, and counters as they are."""

CAUSES = (
    Panel("1  late or refused, of all (%)", late_or_refused, 1.0),
    Panel("2  first token, p99 (s)", p99_of_each(FIRST_TOKEN), PROMISED_S),
    Panel("3  gap between tokens, p99 (s)", p99_of_each(GAP)),
    Panel("4  requests", gauges(running=RUNNING, waiting=WAITING)),
    Panel("5  KV cache in use (%)", gauges(100, all=KV), top=110),
    Panel("6  refused per second, by reason", rate_by(REFUSED, "code", "full", "over_budget")),
    Panel(
        "7  ended per second, by how",
        rate_by(ENDED, "finished_reason", "length", "stop", "cancelled"),
    ),
    Panel("8  tokens of an answer, mean", answer_length),
    Panel("9  tokens per second", rate_of_all(TOKENS)),
    Panel("10  fixed prompts answered as before (%)", same_answers, top=110),
)
"""What it has now: seconds instead of a minute, tails, reasons, and a quality."""
