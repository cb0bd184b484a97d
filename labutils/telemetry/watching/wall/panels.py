"""Two walls for one run: nine panels that a team had, and nine that it has now.

A panel turns replicas, the moments at which it is looked at, and a window in seconds into lines by
name. NaN stands where nothing was counted.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from labutils.telemetry.watching import estimate_quantile, pooled

from .recording import RecordedReplica

Fleet = Sequence[RecordedReplica]
Lines = Mapping[str, np.ndarray]

FIRST_TOKEN = "vllm:time_to_first_token_seconds"
GAP = "vllm:inter_token_latency_seconds"
ENDED = "vllm:request_success_total"
REFUSED = "vllm:request_refused_total"
TOKENS = "vllm:generation_tokens_total"
PROMISED_S = 1.0


@dataclass(frozen=True)
class Panel:
    """``title`` with its unit; ``lines(fleet, moments_s, window_s)``; a ``limit`` that is drawn.

    ``top`` fixes the end of the axis.
    """

    title: str
    lines: Callable[[Fleet, np.ndarray, float], Lines]
    limit: float | None = None
    top: float | None = None


def mean_of(name: str):
    """The mean of a histogram's values over the whole fleet."""

    def lines(fleet, moments_s, window_s):
        total = _grown(fleet, f"{name}_sum", moments_s, window_s)
        return {"all": _over(total, _grown(fleet, f"{name}_count", moments_s, window_s))}

    return lines


def p99_averaged(name: str):
    """The replicas' p99s, averaged."""

    def lines(fleet, moments_s, window_s):
        each = [_p99s([one], name, moments_s, window_s) for one in fleet]
        return {"mean": np.mean(each, axis=0)}

    return lines


def p99_since_start(name: str):
    """Each replica's p99 of all that it has counted."""
    return lambda fleet, moments_s, _: {
        one.name: _p99s([one], name, moments_s, math.inf) for one in fleet
    }


def p99_of_each(name: str):
    """Each replica's p99 within the window."""
    return lambda fleet, moments_s, window_s: {
        one.name: _p99s([one], name, moments_s, window_s) for one in fleet
    }


def p99_of_all(name: str):
    """The p99 of all requests, from summed buckets, and the edge above it: its bound."""

    def lines(fleet, moments_s, window_s):
        found = [_p99(fleet, name, moment, window_s) for moment in moments_s]
        return {"p99": np.array([one.value_s for one in found]),
                "bound": np.array([one.high_s for one in found])}  # fmt: skip

    return lines


def so_far(name: str):
    """A counter's total since its start, summed over the fleet."""
    each = gauge_of_each(name)
    return lambda *args: {"all": sum(each(*args).values())}


def rate_of_each(name: str):
    """Per second, within the window, each replica's restarts corrected."""
    return lambda fleet, moments_s, window_s: {
        one.name: _grown([one], name, moments_s, window_s) / np.minimum(moments_s, window_s)
        for one in fleet
    }


def rate_of_all(name: str):
    """Per second, within the window, over the whole fleet."""
    return lambda fleet, moments_s, window_s: {
        "all": _grown(fleet, name, moments_s, window_s) / np.minimum(moments_s, window_s)
    }


def gauge_of_each(name: str):
    """What each replica showed at the scrape."""

    def lines(fleet, moments_s, window_s):
        rows = {one.name: (one, one.raw(name)) for one in fleet}
        return {
            name: np.array([one.at(values, moment) for moment in moments_s])
            for name, (one, values) in rows.items()
        }

    return lines


def gauge_mean(name: str, factor: float = 1.0):
    """What the replicas showed at the scrape, averaged."""
    each = gauge_of_each(name)
    return lambda *args: {"mean": factor * np.mean(list(each(*args).values()), axis=0)}


def failed_of_ended(fleet, moments_s, window_s):
    """Of those that were let in and have ended, the share that got no answer (%)."""
    ended = _grown(fleet, ENDED, moments_s, window_s)
    answered = _grown(fleet, f"{FIRST_TOKEN}_count", moments_s, window_s)
    return {"all": 100 * _over(np.maximum(ended - answered, 0), ended)}


def refused_of_each(fleet, moments_s, window_s):
    """Of those that asked, the share that was refused (%)."""
    found = {}
    for one in fleet:
        refused = _grown([one], REFUSED, moments_s, window_s)
        asked = refused + _grown([one], ENDED, moments_s, window_s)
        found[one.name] = 100 * _over(refused, asked)
    return found


def late_or_refused(fleet, moments_s, window_s):
    """Of those that asked, the share whose first token was late, or who were refused (%)."""
    refused = _grown(fleet, REFUSED, moments_s, window_s)
    late = np.array([_late(fleet, moment, window_s) for moment in moments_s])
    asked = refused + _grown(fleet, f"{FIRST_TOKEN}_count", moments_s, window_s)
    return {"all": 100 * _over(refused + late, asked)}


def answer_length(fleet, moments_s, window_s):
    """Tokens of an answer, the mean of each replica's."""
    return {
        one.name: _over(*(_grown([one], name, moments_s, window_s) for name in (TOKENS, ENDED)))
        for one in fleet
    }


def _grown(fleet, name, moments_s, window_s) -> np.ndarray:
    """How far a counter rose within the window before each moment, restarts corrected."""
    total = np.zeros(len(moments_s))
    for one in fleet:
        rows = one.counter(name)
        total += [one.within(rows, moment - window_s, moment) for moment in moments_s]
    return total


def _p99(fleet, name, moment, window_s):
    found = [one.histogram(name, moment - window_s, moment) for one in fleet]
    return estimate_quantile(pooled(found), 0.99)


def _p99s(fleet, name, moments_s, window_s) -> np.ndarray:
    return np.array([_p99(fleet, name, moment, window_s).value_s for moment in moments_s])


def _late(fleet, moment, window_s) -> int:
    found = pooled([one.histogram(FIRST_TOKEN, moment - window_s, moment) for one in fleet])
    return found.count - found.count_up_to(PROMISED_S)


def _over(above, below) -> np.ndarray:
    return np.where(below > 0, above / np.maximum(below, 1), np.nan)


OLD = (
    Panel("1  first token, mean (s)", mean_of(FIRST_TOKEN), PROMISED_S),
    Panel("2  first token, p99, mean of all (s)", p99_averaged(FIRST_TOKEN), PROMISED_S),
    Panel("3  first token, p99 today (s)", p99_since_start(FIRST_TOKEN), PROMISED_S),
    Panel("4  requests so far", so_far(ENDED)),
    Panel("5  failed of those let in (%)", failed_of_ended, top=10),
    Panel("6  requests waiting", gauge_mean("vllm:num_requests_waiting"), top=10),
    Panel("7  gap between tokens, mean (s)", mean_of(GAP), top=1.0),
    Panel("8  KV cache in use (%)", gauge_mean("vllm:kv_cache_usage_perc", 100), top=100),
    Panel("9  tokens per second", rate_of_all(TOKENS), top=10_000),
)
"""What the team had: all of it is measured right, and all of it hides what happened."""

NEW = (
    Panel("1  late or refused, of all (%)", late_or_refused, 1.0),
    Panel("2  first token, p99 of all (s)", p99_of_all(FIRST_TOKEN), PROMISED_S),
    Panel("3  first token, p99 of each (s)", p99_of_each(FIRST_TOKEN), PROMISED_S),
    Panel("4  requests ended per second", rate_of_each(ENDED)),
    Panel("5  refused, of those that asked (%)", refused_of_each),
    Panel("6  requests running", gauge_of_each("vllm:num_requests_running"), 12),
    Panel("7  gap between tokens, p99 (s)", p99_of_each(GAP)),
    Panel("8  tokens of an answer, mean", answer_length),
    Panel("9  tokens per second", rate_of_each(TOKENS)),
)
"""What it has now, in the same places."""
