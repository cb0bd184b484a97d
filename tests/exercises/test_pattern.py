"""What all wrong results have in common is said; what only some of them have is not."""

import math

import pytest

from labutils.exercises.checkers import Function
from labutils.exercises.definition.verdict import Status


def drawn():
    from hypothesis import strategies as st

    times = st.lists(st.integers(1, 400).map(lambda k: k / 8), min_size=2, max_size=7)
    return st.tuples(times, st.integers(3, 9), st.integers(1, 99).map(lambda k: k / 100))


def mean(times, window, share):
    return share * sum(times) / len(times) / window + 0.25


def report(times, window, share):
    return (len(times) + 2, mean(times, window, share))


def lags(times, window, share):
    return [share + window * later for later in times]


def servers(times, window, share):
    return math.ceil(sum(times) / window) + 2


def is_late(times, window, share):
    return sum(times) > 17 * window


def said(reference, answer):
    verdict = Function(reference=reference, inputs=drawn, seconds=2.0, num_inputs=24).check(answer)
    assert verdict.status is Status.wrong
    return verdict.diagnosis, verdict.message


SLIPS = {
    "per cent": (mean, lambda e, t, w, s: 100 * e, "constant-factor", "100 times too large"),
    "milli": (mean, lambda e, t, w, s: 1000 * e, "constant-factor", "1,000 times too large"),
    "minutes": (mean, lambda e, t, w, s: e / 60, "constant-factor", "60 times too small"),
    "KiB for kB": (mean, lambda e, t, w, s: e / 1.024, "constant-factor", "powers of 1024"),
    "a factor": (mean, lambda e, t, w, s: 0.83 * e, "constant-factor", "the same number, each"),
    "a term": (mean, lambda e, t, w, s: e + 0.71, "constant-distance", "the same amount, each"),
    "times the window": (mean, lambda e, t, w, s: e * w, "argument-too-many", "times `window`"),
    "by the count": (
        mean,
        lambda e, t, w, s: e / len(t),
        "argument-too-many",
        "entries of `times`",
    ),
    "the times too": (
        lags,
        lambda e, t, w, s: [x + y for x, y in zip(e, t)],
        "argument-too-many",
        "plus `times`, entry by entry",
    ),
    "complement": (mean, lambda e, t, w, s: 1 - e, "complement", "1 minus the right one"),
    "gain": (mean, lambda e, t, w, s: e - 1, "one-less", "how much *more*"),
    "gain in percent": (mean, lambda e, t, w, s: 100 * e - 100, "gain-in-percent", "percent more"),
    "upside down": (mean, lambda e, t, w, s: 1 / e, "upside-down", "upside down"),
    "sign": (mean, lambda e, t, w, s: -e, "wrong-sign", "the wrong sign"),
    "rounded": (mean, lambda e, t, w, s: round(e, 2), "rounded", "rounded to 2 decimals"),
    "one server short": (servers, lambda e, t, w, s: e - 1, "one-less", "is one not counted"),
    "floor": (
        servers,
        lambda e, t, w, s: math.floor(sum(t) / w) + 2,
        "one-too-few",
        "rounded the wrong way",
    ),
    "swapped": (report, lambda e, t, w, s: e[::-1], "swapped", "two parts in the wrong order"),
    "one part": (
        report,
        lambda e, t, w, s: (e[0], 60 * e[1]),
        "constant-factor",
        "result[1] is 60",
    ),
    "backwards": (lags, lambda e, t, w, s: e[::-1], "reversed", "backwards"),
    "last one missing": (lags, lambda e, t, w, s: e[:-1], "wrong-length", "lacks its last entry"),
    "not": (is_late, lambda e, t, w, s: not e, "opposite", "says the opposite"),
}


@pytest.mark.parametrize("reference, slip, name, words", SLIPS.values(), ids=SLIPS)
def test_a_slip_that_every_case_shows_is_named(reference, slip, name, words):
    diagnosis, message = said(reference, lambda t, w, s: slip(reference(t, w, s), t, w, s))
    assert diagnosis == name and words.casefold() in message.casefold()


OTHERS = {
    "now and then": (mean, lambda e, t, w, s: 100 * e if len(t) % 2 else e),
    "two slips": (mean, lambda e, t, w, s: 100 * e if len(t) % 2 else 60 * e),
    "nothing known": (mean, lambda e, t, w, s: e + s * s),
    "both parts": (report, lambda e, t, w, s: (e[0] + 1, 60 * e[1])),
}


@pytest.mark.parametrize("reference, slip", OTHERS.values(), ids=OTHERS)
def test_what_some_cases_show_is_not(reference, slip):
    diagnosis, message = said(reference, lambda t, w, s: slip(reference(t, w, s), t, w, s))
    assert diagnosis is None and "another result" in message


def test_an_argument_with_a_default_may_be_left_out():
    def scaled(times, window, share, scale=2):
        return mean(times, window, share) * scale

    left_out, given = ([1.5, 2.25], 3, 0.5), ([2], 4, 0.5, 7)  # the short one comes first
    checker = Function(reference=scaled, inputs=drawn, always=(given, left_out), seconds=2.0)
    verdict = checker.check(lambda t, w, s, k=2: scaled(t, w, s, k) * w * w)
    assert verdict.status is Status.wrong and verdict.diagnosis is None
    verdict = checker.check(lambda t, w, s, k=2: scaled(t, w, s, k) * w)
    assert verdict.diagnosis == "argument-too-many"
