r"""little.resident_tokens · Resident tokens: H = λG · 6 minutes

> Take one request and draw what it holds over time: a staircase. Its area is its token-seconds.
> With prompt p and m tokens to write, the stairs are p, p + 1, …, p + m - 1 high, each step_s wide.
  G is the mean of these areas over the requests.
> area = step_s * (m * p + m * (m - 1) / 2) for each request; return arrival_rate times the mean
  area.

Give each request one point for each token that it holds, for each second: its area
$G_i = \tau\,(m p + m(m-1)/2)$. Counted by the clock the same points are $H\,T$, so $H = \lambda G$
(Brumelle 1971; Heyman and Stidham 1980). $L = \lambda W$ is the case in which every request holds
one of something. The answer's length enters squared, so long answers weigh more than their number.
"""

from labutils.exercises.checkers import Function
from labutils.exercises.definition.sheet import exercise, mistakes_in, says


def _mean(values):
    values = list(values)
    return sum(values) / len(values)


def _token_steps(prompt, output):
    """Σ (prompt + j) over the steps j = 0 … output - 1."""
    return output * prompt + output * (output - 1) / 2


def _held(area):
    """The mean number of tokens held, if ``area(prompt, output)`` is that of a request in steps."""

    def held(arrival_rate, prompts, outputs, step_s):
        return arrival_rate * step_s * _mean(map(area, prompts, outputs))

    return held


def _held_by_the_mean(area):
    """The same, of a single request of mean lengths."""

    def held(arrival_rate, prompts, outputs, step_s):
        return arrival_rate * step_s * area(_mean(prompts), _mean(outputs))

    return held


def _without_time(tokens):
    """The rate times what a mean request holds."""
    return lambda rate, prompts, outputs, step_s: rate * _mean(map(tokens, prompts, outputs))


_resident_tokens = _held(_token_steps)

_FINAL = (
    "You let a request hold its final length from its first step on. What does it hold while it is "
    "still writing?"
)
_AVERAGES = (
    "You average the lengths first. A long answer holds more tokens *and* holds them for longer: "
    "compute the token-seconds of each request, and average those."
)
_RATE = (
    "You multiply the rate by what a mean request holds at a time. For how long does it hold that?"
)


class Wrong:
    final_length = says(_FINAL)(_held(lambda p, m: m * (p + m)))
    last_stair_throughout = says(_FINAL)(_held(lambda p, m: m * (p + m - 1)))
    averages_first = says(_AVERAGES)(_held_by_the_mean(_token_steps))
    averages_on_a_ramp = says(_AVERAGES)(_held_by_the_mean(lambda p, m: m * (p + m / 2)))
    averages_at_the_end = says(_AVERAGES)(_held_by_the_mean(lambda p, m: m * (p + m)))
    rate_times_holding = says(_RATE)(_without_time(lambda p, m: p + (m - 1) / 2))
    rate_times_half = says(_RATE)(_without_time(lambda p, m: p + m / 2))
    rate_times_final = says(_RATE)(_without_time(lambda p, m: p + m))
    rate_times_last = says(_RATE)(_without_time(lambda p, m: p + m - 1))
    prompt_only = says(
        "You count the prompt alone. Each token that is written is held too, until the end."
    )(_held(lambda p, m: m * p))
    prompt_once = says(
        "You count the prompt in one step alone. In how many steps of a request is it held?"
    )(_held(lambda p, m: p + m * (m - 1) / 2))
    one_token_ahead = says(
        "You are one token ahead: what is held while the first token is being written?"
    )(_held(lambda p, m: _token_steps(p, m) + m))
    half_a_token_ahead = says(
        "Your area is a ramp without steps. What is held stands still during each step: add up the "
        "stairs, from the first to the last."
    )(_held(lambda p, m: m * p + m * m / 2))
    answers_only = says("You count what has been written. The prompt is held all the while, too.")(
        _held(lambda p, m: m * (m - 1) / 2)
    )
    last_step_missing = says(
        "Your staircase lacks its last stair: in how many steps are m tokens written?"
    )(_held(lambda p, m: _token_steps(p, m - 1)))
    steps_for_seconds = says(
        "You count token-*steps*. How many seconds is a token held for in each step?"
    )(_without_time(_token_steps))
    requests = says(
        "That is how many requests are inside. How many tokens does each of them hold?"
    )(_held(lambda p, m: m))

    def one_request(arrival_rate, prompts, outputs, step_s):
        """Those are the token-seconds of one request. How many requests begin each second?"""
        return step_s * _mean(map(_token_steps, prompts, outputs))

    def not_averaged(arrival_rate, prompts, outputs, step_s):
        """You add up the token-seconds of all the sample's requests. λ times what a *mean* request
        takes is the law."""
        return arrival_rate * step_s * sum(map(_token_steps, prompts, outputs))


def _some_traffic():
    """One to five requests of different lengths, at some rate and speed."""
    from hypothesis import strategies as st

    def traffic(drawn):
        requests, rate, step_ms = drawn
        return rate / 2, [p for p, _ in requests], [n for _, n in requests], step_ms / 1000

    request = st.tuples(st.integers(1, 900), st.integers(1, 60))
    requests = st.lists(request, min_size=1, max_size=5)
    return st.tuples(requests, st.integers(1, 30), st.integers(5, 80)).map(traffic)


RESIDENT_TOKENS = exercise(
    __doc__, Function(_resident_tokens, _some_traffic, misconceptions=mistakes_in(Wrong))
)
