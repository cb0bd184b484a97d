"""TTFT, TPOT, end-to-end time and what counts as good: defined here, for one request or many."""

import numpy as np

from labutils.ground import arguments

from .status import RequestStatus


class LatencyDefinitions:
    """The latencies of whatever has the times: numbers for a record, columns for a log.

    It reads ``intended_arrival_s``, ``sent_s``, ``first_token_s``, ``last_token_s``, ``finish_s``,
    ``output_tokens`` and ``status``. A time that was not reached is NaN, and so is each latency
    that needs it.
    """

    @property
    def ok(self):
        """Whether it ended with an answer."""
        return self.status == RequestStatus.OK

    @property
    def ttft_s(self):
        """Time to first token, from the intended arrival."""
        return self.first_token_s - self.intended_arrival_s

    @property
    def ttft_from_send_s(self):
        """Time to first token, from the send: it hides what the load generator was late."""
        return self.first_token_s - self.sent_s

    @property
    def tpot_s(self):
        """Time per output token after the first, (t_n - t_1) / (n - 1); NaN below two tokens."""
        gaps = np.where(
            np.greater(self.output_tokens, 1), np.subtract(self.output_tokens, 1), np.nan
        )
        return (self.last_token_s - self.first_token_s) / gaps

    @property
    def e2e_s(self):
        """End-to-end time, from the intended arrival to the end, however it ended."""
        return self.finish_s - self.intended_arrival_s

    @property
    def e2e_from_send_s(self):
        """End-to-end time from the send: it hides what the load generator was late."""
        return self.finish_s - self.sent_s

    def meets(self, *, ttft_s=None, tpot_s=None, e2e_s=None):
        """Whether it was answered within every limit given: what goodput counts.

        A limit is a number, or for a log a column with one for each request, in which infinity
        stands for no limit. It is met at its exact value. A latency that was not measured (NaN)
        meets none, with one exception: an answer of a single token has no gap that could be too
        long, so it meets any limit on TPOT.
        """
        good = self.ok
        if ttft_s is not None:
            good = good & within(self.ttft_s, limit("ttft_s", ttft_s))
        if tpot_s is not None:
            tpot_s = limit("tpot_s", tpot_s)
            good = good & (within(self.tpot_s, tpot_s) | (self.output_tokens == 1))
        if e2e_s is not None:
            good = good & within(self.e2e_s, limit("e2e_s", e2e_s))
        return good


def limit(name: str, value):
    """``value`` as a limit: a finite number of at least 0, or a column that may hold infinity."""
    if np.ndim(value) == 0:
        return arguments.non_negative(name, value)
    column = np.asarray(value, dtype=float)
    bad = np.flatnonzero(~(column >= 0))
    if bad.size:
        raise ValueError(
            f"{name}[{bad[0]}] = {column[bad[0]]}: expected a number of at least 0, or infinity"
        )
    return column


def within(latency_s, limit_s):
    """Whether a latency was measured and is at most the limit, or there is no limit."""
    return (latency_s <= limit_s) | np.isinf(limit_s)
