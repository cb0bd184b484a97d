"""Proofs of chapter 03b: mistakes that learners make, and right answers of other styles."""

import statistics
from bisect import bisect_right

import numpy as np

from labutils.exercises.definition.verdict import Status
from labutils.simulation.batcher_story import batcher_run
from tests.proofs.proof import Proof

# --- trusting.audit -----------------------------------------------------------------------------


def forgets_who_left(arrival_s, departure_s, audit_s, inside):
    return [bisect_right(arrival_s, t) - held for t, held in zip(audit_s, inside)]


def departures_as_if_sorted(arrival_s, departure_s, audit_s, inside):
    came = np.searchsorted(arrival_s, audit_s, side="right")
    return came - np.searchsorted(departure_s, audit_s, side="right") - np.asarray(inside)


def arrivals_strictly_before(arrival_s, departure_s, audit_s, inside):
    came = np.searchsorted(np.sort(arrival_s), audit_s)
    return came - np.searchsorted(np.sort(departure_s), audit_s, side="right") - np.asarray(inside)


def departures_strictly_before(arrival_s, departure_s, audit_s, inside):
    came = np.array([(arrival_s <= t).sum() for t in audit_s])
    return came - [(departure_s < t).sum() for t in audit_s] - inside


def only_at_the_end(arrival_s, departure_s, audit_s, inside):
    return len(arrival_s) - len(departure_s) - inside[-1]


def each_audit_from_the_last(arrival_s, departure_s, audit_s, inside):
    lost = [
        sum(a <= t for a in arrival_s) - sum(d <= t for d in departure_s) - k
        for t, k in zip(audit_s, inside)
    ]
    return [now - before for before, now in zip([0, *lost], lost)]


def as_a_share(arrival_s, departure_s, audit_s, inside):
    lost = []
    for t, k in zip(audit_s, inside):
        came = sum(a <= t for a in arrival_s)
        lost.append((came - sum(d <= t for d in departure_s) - k) / max(1, came))
    return lost


def forgets_who_is_inside(arrival_s, departure_s, audit_s, inside):
    came = np.array([np.sum(np.array(arrival_s) <= t) for t in audit_s])
    return came - [np.sum(np.array(departure_s) <= t) for t in audit_s]


def never_below_zero(arrival_s, departure_s, audit_s, inside):
    came = np.searchsorted(np.sort(arrival_s), audit_s, side="right")
    gone = np.searchsorted(np.sort(departure_s), audit_s, side="right")
    return np.maximum(came - gone - np.array(inside), 0)


def counted_one_by_one(arrival_s, departure_s, audit_s, inside):
    lost = []
    for k in range(len(audit_s)):
        came = len([a for a in arrival_s if a <= audit_s[k]])
        left = len([d for d in departure_s if d <= audit_s[k]])
        lost.append(came - left - inside[k])
    return lost


def with_arrays_alone(arrival_s, departure_s, audit_s, inside):
    """Leans on arrays throughout: the page hands them in, and so must the check."""
    return np.array([(arrival_s <= t).sum() - (departure_s <= t).sum() for t in audit_s] - inside)


def by_bisection(arrival_s, departure_s, audit_s, inside):
    left = sorted(departure_s)
    return [bisect_right(arrival_s, t) - bisect_right(left, t) - k for t, k in zip(audit_s, inside)]


def by_a_table_of_comparisons(arrival_s, departure_s, audit_s, inside):
    t = np.asarray(audit_s)[:, None]
    came, gone = ((np.asarray(times) <= t).sum(axis=1) for times in (arrival_s, departure_s))
    return tuple(came - gone - np.asarray(inside))


# --- trusting.repair ----------------------------------------------------------------------------


def run_with(collect):
    def run(arrival_s, batch_s, max_batch, timeout_s):
        return batcher_run(collect, arrival_s, batch_s, max_batch, timeout_s).departure_s

    return run


@run_with
def returns_and_leaves_the_get(env, store, batch, max_batch, timeout_s):
    batch.append((yield store.get()))
    deadline = env.timeout(timeout_s)
    while len(batch) < max_batch:
        get = store.get()
        yield get | deadline
        if get.triggered:
            batch.append(get.value)
        else:
            return


@run_with
def cancels_and_goes_on(env, store, batch, max_batch, timeout_s):
    batch.append((yield store.get()))
    deadline = env.timeout(timeout_s)
    while len(batch) < max_batch:
        get = store.get()
        yield get | deadline
        if get.triggered:
            batch.append(get.value)
        else:
            get.cancel()
            yield env.timeout(timeout_s)
            if not store.items:
                return


@run_with
def takes_the_value_anyway(env, store, batch, max_batch, timeout_s):
    batch.append((yield store.get()))
    deadline = env.timeout(timeout_s)
    while len(batch) < max_batch:
        get = store.get()
        yield get | deadline
        batch.append(get.value)


@run_with
def cancels_the_deadline(env, store, batch, max_batch, timeout_s):
    batch.append((yield store.get()))
    deadline = env.timeout(timeout_s)
    while len(batch) < max_batch:
        get = store.get()
        yield get | deadline
        if get.triggered:
            batch.append(get.value)
        else:
            deadline.cancel()
            return


@run_with
def waits_for_what_the_cancel_returns(env, store, batch, max_batch, timeout_s):
    batch.append((yield store.get()))
    deadline = env.timeout(timeout_s)
    while len(batch) < max_batch:
        get = store.get()
        yield get | deadline
        if get.triggered:
            batch.append(get.value)
        else:
            yield get.cancel()
            return


@run_with
def takes_one_more_and_goes(env, store, batch, max_batch, timeout_s):
    batch.append((yield store.get()))
    deadline = env.timeout(timeout_s)
    while len(batch) < max_batch:
        get = store.get()
        yield get | deadline
        if get.triggered:
            batch.append(get.value)
        else:
            batch.append((yield get))
            return


@run_with
def a_deadline_for_each(env, store, batch, max_batch, timeout_s):
    batch.append((yield store.get()))
    while len(batch) < max_batch:
        with store.get() as get:
            outcome = yield get | env.timeout(timeout_s)
            if get not in outcome:
                return
            batch.append(get.value)


@run_with
def waits_for_the_promised_one(env, store, batch, max_batch, timeout_s):
    batch.append((yield store.get()))
    deadline = env.timeout(timeout_s)
    while len(batch) < max_batch:
        get = store.get()
        result = yield get | deadline
        batch.append(result[get] if get in result else (yield get))
        if get not in result:
            return


@run_with
def takes_only_what_is_there(env, store, batch, max_batch, timeout_s):
    yield env.timeout(0)
    batch.append((yield store.get()))
    while store.items and len(batch) < max_batch:
        batch.append((yield store.get()))


@run_with
def with_a_context_manager(env, store, batch, max_batch, timeout_s):
    batch.append((yield store.get()))
    deadline = env.timeout(timeout_s)
    while len(batch) < max_batch:
        with store.get() as get:
            yield get | deadline
            if not get.triggered:
                return
            batch.append(get.value)


@run_with
def without_a_race(env, store, batch, max_batch, timeout_s):
    """Looks at the store whenever anything happens, and gets only what lies there."""
    batch.append((yield store.get()))
    closes = env.now + timeout_s
    while len(batch) < max_batch and env.now < closes:
        if store.items:
            batch.append((yield store.get()))
        else:
            yield env.timeout(max(0, min(closes, env.peek()) - env.now))


# --- trusting.interval --------------------------------------------------------------------------


def every_so_many(values, num_batches, t):
    means = np.reshape(values, (-1, num_batches)).mean(axis=0)
    half = t * means.std(ddof=1) / np.sqrt(num_batches)
    return means.mean() - half, means.mean() + half


def rows_of_num_batches(values, num_batches, t):
    means = np.reshape(values, (-1, num_batches)).mean(axis=1)
    half = t * means.std(ddof=1) / np.sqrt(len(means))
    return means.mean() - half, means.mean() + half


def of_independent_values(values, num_batches, t):
    half = t * np.std(values, ddof=1) / len(values) ** 0.5
    return np.mean(values) - half, np.mean(values) + half


def numpy_default_deviation(values, num_batches, t):
    means = np.reshape(values, (num_batches, -1)).mean(axis=1)
    half = t * means.std() / np.sqrt(num_batches)
    return means.mean() - half, means.mean() + half


def medians_of_stretches(values, num_batches, t):
    means = np.median(np.reshape(values, (num_batches, -1)), axis=1)
    half = t * means.std(ddof=1) / np.sqrt(num_batches)
    return means.mean() - half, means.mean() + half


def full_width(values, num_batches, t):
    means = np.reshape(values, (num_batches, -1)).mean(axis=1)
    width = t * means.std(ddof=1) / np.sqrt(num_batches)
    return means.mean() - width / 2, means.mean() + width / 2


def variance_for_deviation(values, num_batches, t):
    means = np.reshape(values, (num_batches, -1)).mean(axis=1)
    half = t * means.var(ddof=1) / np.sqrt(num_batches)
    return means.mean() - half, means.mean() + half


def divided_by_the_number(values, num_batches, t):
    means = np.reshape(values, (num_batches, -1)).mean(axis=1)
    half = t * means.std(ddof=1) / num_batches
    return means.mean() - half, means.mean() + half


def one_standard_error(values, num_batches, t):
    means = np.reshape(values, (num_batches, -1)).mean(axis=1)
    half = means.std(ddof=1) / num_batches**0.5
    return [means.mean() - half, means.mean() + half]


def width_of_one_stretch(values, num_batches, t):
    means = np.reshape(values, (num_batches, -1)).mean(axis=1)
    return means.mean() - t * means.std(ddof=1), means.mean() + t * means.std(ddof=1)


def two_sigma_for_t(values, num_batches, t):
    means = values.reshape(num_batches, -1).mean(axis=1)
    half = 1.96 * means.std(ddof=1) / num_batches**0.5
    return means.mean() - half, means.mean() + half


def with_methods_of_the_array(values, num_batches, t):
    means = values.reshape(num_batches, -1).mean(axis=1)
    half = t * means.std(ddof=1) / num_batches**0.5
    return means.mean() - half, means.mean() + half


def with_statistics(values, num_batches, t):
    size = len(values) // num_batches
    means = [statistics.fmean(values[k : k + size]) for k in range(0, len(values), size)]
    middle, error = statistics.fmean(means), statistics.stdev(means) / num_batches**0.5
    return [middle - t * error, middle + t * error]


def with_array_split(values, num_batches, t):
    means = np.array([part.mean() for part in np.array_split(np.array(values), num_batches)])
    error = np.sqrt(((means - means.mean()) ** 2).sum() / (num_batches - 1) / num_batches)
    return np.array([-1, 1]) * t * error + means.mean()


MEANS = "means = np.asarray(values, dtype=float).reshape(num_batches, {}).mean(axis=1)"

PROOFS = {
    "trusting.audit": Proof(
        mistakes={
            "takes the departures for sorted": (departures_as_if_sorted, "takes-them-for-sorted"),
            "arrivals strictly before": (arrivals_strictly_before, "arrivals-strictly-before"),
            "departures strictly before": (
                departures_strictly_before,
                "departures-strictly-before",
            ),
            "one number at the end": (only_at_the_end, "wrong-type"),
            "lost since the last audit": (each_audit_from_the_last, Status.wrong),
            "as a share": (as_a_share, Status.wrong),
            "forgets who is inside": (forgets_who_is_inside, "forgets-inside"),
            "forgets who left": (forgets_who_left, "forgets-departures"),
            "cuts off at zero": (never_below_zero, "clipped"),
        },
        alternatives={
            "counted one by one": counted_one_by_one,
            "a table of comparisons, a tuple": by_a_table_of_comparisons,
            "arrays alone": with_arrays_alone,
            "bisection": by_bisection,
        },
    ),
    "trusting.repair": Proof(
        mistakes={
            "returns and leaves the get": (returns_and_leaves_the_get, "still-drops"),
            "cancels and goes on collecting": (cancels_and_goes_on, Status.wrong),
            "takes the value anyway": (takes_the_value_anyway, Status.raised),
            "cancels the deadline": (cancels_the_deadline, Status.raised),
            "yields what cancel returns": (waits_for_what_the_cancel_returns, Status.raised),
            "waits for the promised one": (waits_for_the_promised_one, "waits-for-it"),
            "takes one more and goes": (takes_one_more_and_goes, "waits-for-it"),
            "a deadline for each": (a_deadline_for_each, "deadline-anew"),
            "takes only what is there": (takes_only_what_is_there, "never-waits"),
        },
        alternatives={
            "a context manager": with_a_context_manager,
            "without a race": without_a_race,
        },
    ),
    "trusting.interval": Proof(
        mistakes={
            "every so many": (every_so_many, "interleaved"),
            "rows of num_batches": (rows_of_num_batches, "number-as-size"),
            "of independent values": (of_independent_values, "naive"),
            "numpy's default deviation": (numpy_default_deviation, "population"),
            "medians": (medians_of_stretches, Status.wrong),
            "half of the half width": (full_width, "half-to-each-side"),
            "variance": (variance_for_deviation, "variance"),
            "by the number": (divided_by_the_number, "by-the-number"),
            "one standard error": (one_standard_error, "without-the-factor"),
            "width of one stretch": (width_of_one_stretch, "no-root"),
            "1.96 for t": (two_sigma_for_t, "normal-for-student"),
        },
        alternatives={
            "statistics, a list": with_statistics,
            "array_split": with_array_split,
            "methods of the array": with_methods_of_the_array,
        },
        equivalent={
            f"{MEANS.format(-1)} => {MEANS.format(-2)}": (
                "numpy works out the size for any negative number"
            ),
        },
    ),
    "trusting.newest": Proof(
        mistakes={
            "nobody is lost": ("a", "a"),
            "metronome": ("b", "b"),
            "the mean": ("c", "c"),
            "slow motion": ("d", "d"),
            "the mean as well": ("c, e", "c"),
            "all": ("a, b, c, d, e", "a"),
            "words": ("the last one", Status.unreadable),
        },
        alternatives={"capital": "E", "a list": ["e"], "in brackets": "(e)"},
    ),
    "trusting.plan": Proof(
        mistakes={
            "independent": (4268, "independent"),
            "one deviation": (169_000, "one-deviation"),
            "the table's ±2 %": (1.46e6, "within-two-per-cent"),
            "headroom alone": (189_700, "headroom-alone"),
            "not squared": (806, "not-squared"),
            "seconds": ("6.5e5 s", Status.unit),
            "at load 0.9": (1_540_000, "another-load"),
        },
        alternatives={"two figures": 6.5e5, "as text": "650e3", "with 2 for 1.96": 676_000},
    ),
}
