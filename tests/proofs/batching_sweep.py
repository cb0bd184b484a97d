"""Proofs of chapter 04: mistakes that learners make, and right answers of other styles."""

import inspect
import math
from bisect import bisect_right

import numpy as np

from labutils import batching
from labutils.exercises.catalog.batching_sweep import batchers
from labutils.exercises.definition.verdict import Status
from tests.proofs.proof import Proof

# --- batch.least_stable -------------------------------------------------------------------------


def one_more_than_needed(arrival_rate, fixed_s, per_item_s):
    free = 1 - arrival_rate * per_item_s
    return math.ceil(arrival_rate * fixed_s / free) + 1 if free > 0 else math.inf


def gives_up_at(bound):
    def least_batch(arrival_rate, fixed_s, per_item_s):
        for size in range(1, bound + 1):
            if arrival_rate * (fixed_s + per_item_s * size) < size:
                return size
        return math.inf

    return least_batch


def to_the_nearest(arrival_rate, fixed_s, per_item_s):
    if arrival_rate * per_item_s >= 1:
        return math.inf
    return int(arrival_rate * fixed_s / (1 - arrival_rate * per_item_s) + 0.5)


def divides_by_what_is_not_free(arrival_rate, fixed_s, per_item_s):
    free = 1 - arrival_rate * per_item_s
    return math.floor(arrival_rate * fixed_s / free) + 1


def by_ceiling(arrival_rate, fixed_s, per_item_s):
    if arrival_rate * per_item_s >= 1:
        return float("inf")
    return math.ceil(fixed_s / (1 / arrival_rate - per_item_s))


def by_trying(arrival_rate, fixed_s, per_item_s):
    if per_item_s and arrival_rate >= 1 / per_item_s:
        return np.inf
    size = 1
    while arrival_rate * (fixed_s + per_item_s * size) >= size:
        size += 1
    return size


def with_the_library(arrival_rate, fixed_s, per_item_s):
    machine = batching.AffineBatchTime(fixed_s, per_item_s)
    if arrival_rate >= machine.limit_per_s:
        return math.inf
    return np.int64(batching.least_stable_batch(arrival_rate, machine, 20_000))


# --- batch.next_batch ---------------------------------------------------------------------------


def waits_first_for_the_machine(arrivals, free_s, max_batch, timeout_s):
    opened = max(free_s, arrivals[0])
    full = arrivals[max_batch - 1] if len(arrivals) >= max_batch else math.inf
    start = max(free_s, min(opened + timeout_s, full))
    return start, sum(a <= start for a in arrivals[:max_batch])


def takes_the_room_for_the_batch(arrivals, free_s, max_batch, timeout_s):
    full = arrivals[max_batch - 1] if len(arrivals) >= max_batch else math.inf
    return max(free_s, min(arrivals[0] + timeout_s, full)), min(len(arrivals), max_batch)


def stumbles_over_a_short_line(arrivals, free_s, max_batch, timeout_s):
    start = max(free_s, min(arrivals[0] + timeout_s, arrivals[max_batch - 1]))
    return start, sum(a <= start for a in arrivals[:max_batch])


def counts_from_zero(arrivals, free_s, max_batch, timeout_s):
    moments = [arrivals[0] + timeout_s, *arrivals[max_batch : max_batch + 1]]
    start = max(free_s, min(moments))
    return start, min(max_batch, bisect_right(arrivals, start))


def takes_everybody_listed(arrivals, free_s, max_batch, timeout_s):
    return with_bisection(arrivals, free_s, max_batch, timeout_s)[0], len(arrivals)


def with_bisection(arrivals, free_s, max_batch, timeout_s):
    room = arrivals[:max_batch]
    moments = [arrivals[0] + timeout_s]
    if len(room) == max_batch:
        moments.append(room[-1])
    start = sorted([free_s, min(moments)])[1]
    return [start, bisect_right(room, start)]


def with_numpy(arrivals, free_s, max_batch, timeout_s):
    seats = np.full(max_batch, np.inf)
    seats[: len(arrivals)] = arrivals[:max_batch]
    start = np.fmax(free_s, np.fmin(seats[0] + timeout_s, seats[-1]))
    return start, np.count_nonzero(seats <= start)


# --- batch.repair -------------------------------------------------------------------------------

HANDED_OUT = inspect.getsource(batchers.HandedOut).replace("HandedOut", "DynamicBatcher")
WINDOW = """
class DynamicBatcher(Desk):
    def submit(self, name, now_ms):
        self.waiting.append((name, now_ms))

    def next_batch(self, now_ms):
        if not self.waiting:
            return []
        due = self.waiting[0][1] + self.window_ms
        if len(self.waiting) < self.max_batch and now_ms < due:
            return []
        return self.take()

    def deliver(self, results):
        for name, result in zip(self.running, results):
            self.resolve(name, result)
"""
COUNTED = WINDOW.replace(
    "        for name, result in zip",
    "        if len(results) != len(self.running):\n"
    '            results = ["failed" for _ in self.running]\n'
    "        for name, result in zip",
)
CAUGHT = COUNTED.replace(
    "            self.resolve(name, result)",
    "            try:\n"
    "                self.resolve(name, result)\n"
    "            except Exception:\n"
    "                continue",
)
BOUNDED = CAUGHT.replace(
    "        self.waiting.append((name, now_ms))",
    "        if len(self.waiting) < self.max_waiting:\n"
    "            self.waiting.append((name, now_ms))\n"
    "        else:\n"
    '            self.answers[name] = "refused"',
)
STOPS = CAUGHT.replace("continue", "break")
SHIFTED = COUNTED.replace(
    "zip(self.running, results)", "zip([n for n in self.running if n not in self.gone], results)"
)
STRICT = WINDOW.replace("zip(self.running, results)", "zip(self.running, results, strict=True)")


def guarded(source):
    """The same for one machine: a batch in work keeps the next one back."""
    busy = source.replace("if not self.waiting:", "if self.running or not self.waiting:")
    return f"{busy}        self.running = []\n"


BOUNDED_BY_THE_BATCH = BOUNDED.replace("self.max_waiting", "self.max_batch")


class WithAList(batchers.Desk):
    """Deadlines instead of arrivals, and answers by a dict."""

    def submit(self, name, now_ms):
        room = self.max_waiting - len(self.waiting)
        if room > 0:
            self.waiting += [[name, now_ms + self.window_ms]]
            return True
        self.answers.update({name: "refused"})
        return False

    def next_batch(self, now_ms):
        due = min((deadline for _, deadline in self.waiting), default=math.inf)
        if now_ms < due and len(self.waiting) < self.max_batch:
            return []
        return self.take() if self.waiting else []

    def deliver(self, results):
        if len(results) - len(self.running):
            told = dict.fromkeys(self.running, "failed")
        else:
            told = dict(zip(self.running, results, strict=True))
        self.answers |= {name: told[name] for name in told if name not in self.gone}


# --- batch.padding ------------------------------------------------------------------------------


def padding_per_text(lengths, batch):
    groups = [lengths[at : at + batch] for at in range(0, len(lengths), batch)]
    return sum(len(g) * max(g) - sum(g) for g in groups) / len(lengths)


def drops_the_rest(lengths, batch):
    whole = len(lengths) // batch * batch
    groups = [lengths[at : at + batch] for at in range(0, whole, batch)]
    if not groups:
        return 0.0
    return 1 - sum(map(sum, groups)) / sum(batch * max(g) for g in groups)


def with_a_loop(lengths, batch):
    computed = padded = 0
    rest = list(lengths)
    while rest:
        group, rest = rest[:batch], rest[batch:]
        longest = sorted(group)[-1]
        computed += longest * len(group)
        padded += sum(longest - length for length in group)
    return padded / computed


def with_reduceat(lengths, batch):
    tokens = np.array(lengths)
    firsts = np.arange(0, tokens.size, batch)
    counts = np.diff(firsts, append=tokens.size)
    return 1 - tokens.sum() / (counts @ np.maximum.reduceat(tokens, firsts))


PROOFS = {
    "batch.least_stable": Proof(
        mistakes={
            "one more than needed": (one_more_than_needed, "one-too-many"),
            "to the nearest": (to_the_nearest, "to-the-nearest"),
            "gives up at 500": (gives_up_at(500), Status.wrong),
            "gives up at 1,000": (gives_up_at(1000), Status.wrong),
            "gives up at 64": (gives_up_at(64), Status.wrong),
            "divides by what is not free": (divides_by_what_is_not_free, "never-refuses"),
            "by ceiling": (by_ceiling, "met-exactly"),
        },
        alternatives={
            "by trying": by_trying,
            "the library, a numpy integer": with_the_library,
        },
        equivalent={
            "return math.floor(arrival_rate * fixed_s / free) + 1 => "
            "return math.floor(arrival_rate * fixed_s // free) + 1": "floor of a floor",
        },
    ),
    "batch.next_batch": Proof(
        mistakes={
            "first the machine, then company": (
                waits_first_for_the_machine,
                "window-from-the-server",
            ),
            "room for batch": (takes_the_room_for_the_batch, "takes-those-to-come"),
            "stumbles over a short line": (stumbles_over_a_short_line, Status.raised),
            "counts from 0": (counts_from_zero, "full-one-too-late"),
            "everybody": (takes_everybody_listed, "takes-all-listed"),
        },
        alternatives={"bisection, a list": with_bisection, "numpy": with_numpy},
    ),
    "batch.goodput": Proof(
        mistakes={
            "best full batch": (766, "best-full-batch"),
            "room for 16": ("788 /s", "room-for-sixteen"),
            "mean for p99": (963, "mean-for-p99"),
            "the limit": (1 / 0.0009, "the-limit"),
            "the rate of the sweep": (800, "the-rate-of-the-text"),
            "a window of 20 ms": (770, "best-full-batch"),
            "beyond the mean": (980, "mean-for-p99"),
            "rate of a batch of 16 that never idles": (16 / 0.0184, Status.wrong),
            "per millisecond": (0.8175, Status.scale),
        },
        alternatives={"with a unit": "817 /s", "a step before": 815, "numpy": np.float64(820.4)},
    ),
    "batch.repair": Proof(
        mistakes={
            "window alone": (WINDOW, "leaves-the-last"),
            "counts the results": (COUNTED, "stumbles-over-the-gone"),
            "catches and goes on, no bound": (CAUGHT, "takes-everybody"),
            "catches and stops": (STOPS, "stops-at-the-gone"),
            "closes the gap": (SHIFTED, "closes-the-gap"),
            "zip that raises": (STRICT, Status.raised),
            "bounded by the batch": (BOUNDED_BY_THE_BATCH, Status.wrong),
            **{
                f"guarded, and {name}": (guarded(source), name)
                for name, source in {
                    "leaves-the-last": WINDOW,
                    "stumbles-over-the-gone": COUNTED,
                    "takes-everybody": CAUGHT,
                    "stops-at-the-gone": STOPS,
                    "late-by-a-moment": BOUNDED.replace("now_ms < due", "now_ms <= due"),
                    "never-waits": BOUNDED.replace("now_ms < due", "False"),
                    "window-from-the-newest": BOUNDED.replace("[0][1]", "[-1][1]"),
                    "waits-for-full": BOUNDED.replace("and now_ms < due", ""),
                }.items()
            },
        },
        alternatives={
            "one batch at a time": guarded(BOUNDED),
            "catches what is raised": BOUNDED,
            "deadlines, a dict": WithAList,
        },
    ),
    "batch.levers": Proof(
        mistakes={
            "a larger batch": ("a", "a"),
            "a second machine": ("b, d", "b"),
            "tuned arithmetic": (["c", "d", "e"], "e"),
            "one missing": ("c", "without-d"),
        },
        alternatives={"a list": ["d", "c"], "run together": "cd"},
    ),
    "batch.padding": Proof(
        mistakes={
            "padding for each text": (padding_per_text, "padding-per-text"),
            "drops the rest": (drops_the_rest, "leaves-the-rest-out"),
            "a number of tokens": (
                lambda lengths, batch: padding_per_text(lengths, batch) * len(lengths),
                "tokens-not-share",
            ),
        },
        alternatives={"a loop": with_a_loop, "numpy": with_reduceat},
    ),
}
