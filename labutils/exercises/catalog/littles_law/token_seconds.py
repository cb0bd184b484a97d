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
from labutils.exercises.definition.sheet import exercise, mistakes_in


def _mean(values):
    values = list(values)
    return sum(values) / len(values)


def _token_steps(prompt, output):
    """Σ (prompt + j) over the steps j = 0 … output - 1."""
    return output * prompt + output * (output - 1) / 2


def _resident_tokens(arrival_rate, prompts, outputs, step_s):
    return arrival_rate * step_s * _mean(map(_token_steps, prompts, outputs))


class Wrong:
    def final_length(arrival_rate, prompts, outputs, step_s):
        """You let a request hold its final length from its first step on. What does it hold while
        it is still writing?"""
        return arrival_rate * step_s * _mean(n * (p + n) for p, n in zip(prompts, outputs))

    def prompt_only(arrival_rate, prompts, outputs, step_s):
        """You count the prompt alone. Each token that is written is held too, until the end."""
        return arrival_rate * step_s * _mean(n * p for p, n in zip(prompts, outputs))

    def averages_first(arrival_rate, prompts, outputs, step_s):
        """You average the lengths first. A long answer holds more tokens *and* holds them for
        longer: compute the token-seconds of each request, and average those."""
        return arrival_rate * step_s * _token_steps(_mean(prompts), _mean(outputs))

    def one_token_ahead(arrival_rate, prompts, outputs, step_s):
        """You are one token ahead: what is held while the first token is being written?"""
        steps = (_token_steps(p, n) + n for p, n in zip(prompts, outputs))
        return arrival_rate * step_s * _mean(steps)

    def half_a_token_ahead(arrival_rate, prompts, outputs, step_s):
        """Your area is a ramp without steps. What is held stands still during each step: add up the
        stairs, from the first to the last."""
        areas = (m * p + m * m / 2 for p, m in zip(prompts, outputs))
        return arrival_rate * step_s * _mean(areas)

    def answers_only(arrival_rate, prompts, outputs, step_s):
        """You count what has been written. The prompt is held all the while, too."""
        return arrival_rate * step_s * _mean(n * (n - 1) / 2 for n in outputs)

    def last_step_missing(arrival_rate, prompts, outputs, step_s):
        """Your staircase lacks its last stair: in how many steps are m tokens written?"""
        areas = (_token_steps(p, n - 1) for p, n in zip(prompts, outputs))
        return arrival_rate * step_s * _mean(areas)

    def steps_for_seconds(arrival_rate, prompts, outputs, step_s):
        """You count token-*steps*. How many seconds is a token held for in each step?"""
        return arrival_rate * _mean(map(_token_steps, prompts, outputs))

    def rate_times_holding(arrival_rate, prompts, outputs, step_s):
        """You multiply the rate by what a mean request holds at a time. For how long does it hold
        that?"""
        return arrival_rate * _mean(p + (m - 1) / 2 for p, m in zip(prompts, outputs))

    def one_request(arrival_rate, prompts, outputs, step_s):
        """Those are the token-seconds of one request. How many requests begin each second?"""
        return step_s * _mean(map(_token_steps, prompts, outputs))

    def requests(arrival_rate, prompts, outputs, step_s):
        """That is how many requests are inside. How many tokens does each of them hold?"""
        return arrival_rate * step_s * _mean(outputs)

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
