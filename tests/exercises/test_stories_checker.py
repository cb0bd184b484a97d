"""Class answers of every kind: survivors in another style, known flaws, and no class at all."""

import asyncio
import contextlib
import functools
import io
import math
import random
import time
import types

import numpy as np
import pytest

from labutils.exercises.checkers import Call, New, Read, Stories, Story
from labutils.exercises.definition.exercise import CheckerError, Misconception
from labutils.exercises.definition.verdict import Status


class Tracker:
    """The house's: the nearest-rank percentile of what was recorded in the last seconds."""

    def __init__(self, window_s):
        self.window_s, self.records = window_s, []

    def record(self, time_s, latency_s):
        self.records.append((time_s, latency_s))

    def record_many(self, times_s, latencies_s):
        for time_s, latency_s in zip(times_s, latencies_s):
            self.record(time_s, latency_s)

    def recent(self, now_s):
        return sorted(x for t, x in self.records if now_s - self.window_s < t <= now_s)

    def percentile(self, q, *, now_s):
        recent = self.recent(now_s)
        return recent[max(math.ceil(q * len(recent)), 1) - 1] if recent else math.nan


class ZeroForNothing(Tracker):
    def percentile(self, q, *, now_s):
        return super().percentile(q, now_s=now_s) if self.recent(now_s) else 0.0


class Elephant(Tracker):
    """Never forgets."""

    def recent(self, now_s):
        return sorted(x for _, x in self.records)


class Mean(Tracker):
    def percentile(self, q, *, now_s):
        recent = self.recent(now_s)
        return sum(recent) / len(recent) if recent else math.nan


class HandedOut(Mean, Elephant):
    def percentile(self, q, *, now_s):
        return super().percentile(q, now_s=now_s) if self.records else 0.0


def quiet_night(draw):
    yield New((60,))
    yield Read("percentile", (0.99,), {"now_s": draw.number(0, 60)})


def busy_minute(draw):
    times_s = draw.times(41, 0, 50)
    yield New((60,))
    yield Call("record_many", (times_s, draw.numbers(41, 0.1, 0.9)))
    yield Read("percentile", (0.9,), {"now_s": 50})


def after_the_incident(draw):
    yield New((60,))
    for time_s in draw.times(23, 0, 30):
        yield Call("record", (time_s, draw.number(2, 3)))
    for time_s in draw.times(57, 100, 130):
        yield Call("record", (time_s, draw.number(0.1, 0.3)))
    yield Read("percentile", (0.99,), {"now_s": draw.number(131, 150)})


STORIES = (
    Story("a quiet night", quiet_night, "An on-call engineer saw 0 ms and slept on."),
    Story("a busy minute", busy_minute, "An engineer saw a p90 below the median."),
    Story("after the incident", after_the_incident, "An engineer saw a p99 of seconds."),
)
WRONG = (
    Misconception("zero-for-nothing", ZeroForNothing, "What does nobody's latency say?"),
    Misconception("mean", Mean, "Which latency is it that you return?"),
    Misconception("elephant", Elephant, "Which requests are meant?"),
)


def make(**changes):
    settings = {"start": HandedOut, "misconceptions": WRONG, "seconds": 2.0} | changes
    return Stories(**{"stories": STORIES, "reference": Tracker} | settings)


# ---- survivors ----------------------------------------------------------------------------------


class InColumns:
    """Another style: arrays, another rank formula, methods of other kinds."""

    def __init__(self, seconds, label="p"):
        self.seconds, self.rows = seconds, np.empty((0, 2))

    def record(self, *row):
        self.rows = np.vstack([self.rows, row])

    def record_many(self, times, latencies):
        self.rows = np.vstack([self.rows, np.column_stack([times, latencies])])

    def percentile(self, q, now_s):
        age = now_s - self.rows[:, 0]
        values = self.rows[(age >= 0) & (age < self.seconds), 1]
        return np.quantile(values, q, method="inverted_cdf") if len(values) else np.nan


SURVIVORS = {
    "subclass": type("Mine", (Tracker,), {}),
    "columns": InColumns,
    "factory": lambda window_s: Tracker(window_s),
    "partial": functools.partial(InColumns, label="mine"),
}


@pytest.mark.parametrize("answer", SURVIVORS.values(), ids=SURVIVORS)
def test_survivors_of_any_style_pass_with_the_same_words(answer):
    first, second = make().check(answer), make().check(answer)
    assert repr(first) == repr(second)
    assert repr(first) == "Right. Your class survives all 3 stories, with other numbers each time."


def test_prints_of_a_survivor_are_kept_off_the_page(capsys):
    class Chatty(Tracker):
        def record(self, time_s, latency_s):
            print(time_s)
            super().record(time_s, latency_s)

    verdict = make().check(Chatty)
    assert verdict.passed and "also prints" in verdict.note
    assert capsys.readouterr().out == ""


# ---- not attempted ------------------------------------------------------------------------------


def test_the_class_as_handed_out_is_not_attempted_and_hears_what_is_to_be_done():
    class LatencyTracker(HandedOut):
        """The learner's cell defines it anew."""

    verdict = make().check(LatencyTracker)
    assert (verdict.status, verdict.diagnosis) == (Status.not_attempted, None)
    assert "0 of 3 stories survived" in verdict.message
    assert 'The next one is "a quiet night". An on-call engineer saw' in verdict.message
    made, read = verdict.detail.splitlines()
    assert made == "tracker = LatencyTracker(60)"
    assert read.endswith("# expected nan, got 0.0")


def test_one_story_more_or_less_is_an_attempt():
    class Half(HandedOut):
        def percentile(self, q, *, now_s):
            return math.nan if not self.records else super().percentile(q, now_s=now_s)

    class Worse(HandedOut):
        def percentile(self, q, *, now_s):
            return super().percentile(q, now_s=now_s) + (now_s == 50)

    verdict = make().check(Half)
    assert "1 of 3 stories" in verdict.message and 'is "a busy minute"' in verdict.message
    assert make().check(Worse).status is Status.misconception
    assert make(start=None).check(HandedOut).status is Status.misconception


def test_a_stub_in_any_method_is_not_attempted():
    class Stub(Tracker):
        def record_many(self, times_s, latencies_s):
            raise NotImplementedError("replace this line by your code")

    verdict = make().check(Stub)
    assert verdict.status is Status.not_attempted and "NotImplementedError" in verdict.message


# ---- known flaws --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "name", "survived"),
    [(ZeroForNothing, "zero-for-nothing", 2), (Mean, "mean", 1), (Elephant, "elephant", 2)],
)
def test_a_known_misconception_is_named(answer, name, survived):
    verdict = make().check(type("Mine", (answer,), {}))
    assert (verdict.status, verdict.diagnosis) == (Status.misconception, name)
    assert f"{survived} of 3 stories survived." in verdict.message
    assert verdict.message.endswith("? The shortest script found:")


def test_of_two_flaws_the_one_in_the_next_story_is_named():
    """No misconception explains everything here; in the next story one does."""

    class Both(Elephant):
        def percentile(self, q, *, now_s):
            recent = self.recent(now_s)
            return 10 * max(recent) if recent else 0.0

    verdict = make().check(Both)
    assert verdict.diagnosis == "zero-for-nothing" and "0 of 3" in verdict.message


def test_a_misconception_that_fails_an_earlier_story_is_not_named_for_a_later_one():
    """Its message is about the earlier one, which the learner has mended."""

    class BothFlaws(Elephant):
        def percentile(self, q, *, now_s):
            return super().percentile(q, now_s=now_s) if self.records else 0.0

    item = Misconception("zero-for-nothing", BothFlaws, "What does nobody's latency say?")
    checker = make(stories=(STORIES[0], STORIES[2]), misconceptions=(item,))
    assert checker.check(BothFlaws).diagnosis == "zero-for-nothing"
    verdict = checker.check(Elephant)
    assert (verdict.status, verdict.diagnosis) == (Status.wrong, None)


def test_almost_a_misconception_is_none():
    class Almost(Elephant):
        def percentile(self, q, *, now_s):
            return super().percentile(q, now_s=now_s) - 1e-3 * (len(self.records) > 50)

    verdict = make().check(Almost)
    assert (verdict.status, verdict.diagnosis) == (Status.wrong, None)


# ---- the shortest script ------------------------------------------------------------------------


def test_the_shortest_script_is_shown_ready_to_paste():
    class LatencyTracker(Elephant):
        pass

    verdict = make().check(LatencyTracker)
    *script, read = verdict.detail.splitlines()
    assert len(script) == 3  # made, one latency of the incident, one since
    names = {"LatencyTracker": LatencyTracker}
    exec("\n".join(script), names)
    call, _, comment = read.partition("  # ")
    expected, got = comment.removeprefix("expected ").split(", got ")
    assert repr(eval(call, names)) == got != expected
    names["LatencyTracker"] = Tracker
    exec("\n".join(script), names)
    assert repr(eval(call, names)) == expected


def test_the_numbers_vary_from_check_to_check():
    details = {make().check(Elephant).detail for _ in range(3)}
    assert len(details) == 3


def test_a_failure_does_not_slide_into_another_one_while_it_is_shortened():
    """Without its records the script would show another flaw, that of an empty window."""

    class BigAndEmpty(Tracker):
        def percentile(self, q, *, now_s):
            recent = self.recent(now_s)
            return 2 * max(recent) if recent else 0.0

    only = make(stories=STORIES[1:], misconceptions=())
    for _ in range(3):
        verdict = only.check(BigAndEmpty)
        assert len(verdict.detail.splitlines()) == 3
        assert "expected nan" not in verdict.detail


def test_a_script_that_cannot_be_shortened_loses_its_middle():
    class Counts(Tracker):
        def percentile(self, q, *, now_s):
            wrong = len(self.records) == 80
            return -1.0 if wrong else super().percentile(q, now_s=now_s)

    lines = make().check(Counts).detail.splitlines()
    assert len(lines) == 17 and lines[8] == "# … 66 more lines like these …"


def test_long_results_stand_below_the_script():
    class Listing(Tracker):
        def recent(self, now_s):
            return super().recent(now_s)[::-1]

    def listed(draw):
        yield New((60,))
        for time_s in draw.times(2, 0, 50):
            yield Call("record", (time_s, f"{draw.whole(0, 10**30):031}"))
        yield Read("recent", (), {"now_s": 50})

    verdict = make(stories=(Story("x", listed, "Seen."),), misconceptions=()).check(Listing)
    *_, read, expected, got = verdict.detail.splitlines()
    assert read.endswith("listing.recent(now_s=50)") and len(verdict.detail.splitlines()) == 6
    assert expected.startswith("# expected  ['") and got.startswith("# got       ['")


# ---- wrong results ------------------------------------------------------------------------------


class Shared(Tracker):
    records = []  # noqa: RUF012 - that is the mistake under test

    def __init__(self, window_s):
        self.window_s = window_s


class PrintsInstead(Tracker):
    def percentile(self, q, *, now_s):
        print(super().percentile(q, now_s=now_s))


class Changes(Tracker):
    def record_many(self, times_s, latencies_s):
        while times_s:
            self.record(times_s.pop(), latencies_s.pop())


def with_percentile(result, base=Tracker):
    return type("Mine", (base,), {"percentile": lambda self, q, *, now_s: result(self)})


FAULTS = {
    "not-repeatable": (Shared, "Told twice"),
    "prints-instead": (PrintsInstead, "`percentile` prints its result"),
    "returns-nothing": (with_percentile(lambda self: None), "`percentile` returns None"),
    "generator": (with_percentile(lambda self: (x for x in (1,))), "returns a generator"),
    "coroutine": (with_percentile(lambda self: asyncio.sleep(0)), "returns a coroutine"),
    "wrong-type": (with_percentile(lambda self: "0.3 s"), "a text, expected a number"),
    "constant": (with_percentile(lambda self: 0.25), "same result whatever happened"),
    "mutates-input": (Changes, "`record_many` changes an argument"),
}


@pytest.mark.parametrize("name, answer, words", [(k, *v) for k, v in FAULTS.items()])
def test_each_kind_of_wrong_result_gets_its_own_diagnosis(name, answer, words):
    verdict = make().check(answer)
    assert (verdict.status, verdict.diagnosis) == (Status.wrong, name)
    assert words in verdict.message


class Newest(Tracker):
    """A tracker that says None where it has nothing to say."""

    def newest(self, now_s):
        return max((time_s for time_s, _ in self.records if time_s <= now_s), default=None)


class NewestBefore(Newest):
    def newest(self, now_s):
        return super().newest(now_s - 1)


class Silent(Newest):
    def newest(self, now_s):
        return None


@pytest.mark.parametrize(
    ("answer", "diagnosis"), [(NewestBefore, "strictly-before"), (Silent, "returns-nothing")]
)
def test_where_none_is_a_result_a_flaw_may_lead_to_it(answer, diagnosis):
    def told(draw):
        yield New((60,))
        yield Read("newest", (5,))
        yield Call("record", (9, draw.number(0, 1)))
        yield Read("newest", (draw.whole(10, 20),))
        yield Read("newest", (9,))

    flaw = Misconception("strictly-before", NewestBefore, "What of the moment itself?")
    stories = (Story("x", told, "Seen."),)
    checker = make(stories=stories, reference=Newest, misconceptions=(flaw,), start=None)
    assert checker.check(answer).diagnosis == diagnosis


def test_random_results_are_not_repeatable():
    answer = with_percentile(lambda self: random.random())
    assert make().check(answer).diagnosis == "not-repeatable"


def test_what_an_object_returned_may_go_on_changing():
    class Returns(Tracker):
        def __init__(self, window_s):
            super().__init__(window_s)
            self.seen = []

        def record(self, time_s, latency_s):
            self.seen.append(latency_s)

        def recent(self, now_s):
            return self.seen

    def grows(draw):
        yield New((60,))
        for time_s in draw.times(3, 0, 50):
            yield Call("record", (time_s, draw.number(0, 1)))
            yield Read("recent", (time_s,))

    class Sorted(Returns):
        def recent(self, now_s):
            return sorted(self.seen)

    story = Story("it grows", grows, "Somebody saw it.")
    assert make(stories=(story,), reference=Returns, start=None).check(Returns).passed
    assert not make(stories=(story,), reference=Returns, start=None).check(Sorted).passed


def test_a_second_object_in_a_story_knows_nothing_of_the_first():
    def restarted(draw):
        yield New((60,))
        yield Call("record", (1.5, draw.number(2, 3)))
        yield New((60,))
        yield Read("percentile", (0.5,), {"now_s": 2.5})

    only = make(stories=(Story("a restart", restarted, "Somebody saw ghosts."),), start=None)
    assert only.check(Tracker).passed
    ghosts = only.check(type("Mine", (Shared,), {"records": []}))
    assert "expected nan" in ghosts.detail and ghosts.status is Status.wrong


# ---- no result at all ---------------------------------------------------------------------------


class Divides(Tracker):
    def percentile(self, q, *, now_s):
        print("so many", len(self.records))
        return 1 / (len(self.records) - 41)


def test_an_error_shows_the_script_the_line_and_the_prints():
    verdict = make().check(Divides)
    assert verdict.status is Status.wrong  # the quiet night comes first
    verdict = make(stories=STORIES[1:]).check(Divides)
    assert verdict.status is Status.raised and "0 of 2 stories" in verdict.message
    assert verdict.detail.splitlines()[0] == "divides = Divides(60)"
    assert verdict.detail.splitlines()[2:] == [
        "divides.percentile(0.9, now_s=50)",
        "# ZeroDivisionError: division by zero",
        f"# in percentile, line {Divides.percentile.__code__.co_firstlineno + 2}:",
        "#     return 1 / (len(self.records) - 41)",
        "# it printed:",
        "# so many 41",
    ]


def test_an_error_in_a_call_is_shown_at_that_call():
    class Raises(Tracker):
        def record(self, time_s, latency_s):
            raise KeyError(latency_s)

    _, recorded, error, *_ = make(stories=STORIES[2:]).check(Raises).detail.splitlines()
    assert recorded.startswith("raises.record(") and error.startswith("# KeyError: 2.")


def test_endless_loops_are_stopped_and_shown_with_what_they_need():
    class Waits(Tracker):
        def percentile(self, q, *, now_s):
            while any(x > 2 for _, x in self.records):
                pass
            return super().percentile(q, now_s=now_s)

    started = time.monotonic()
    verdict = make(seconds=0.5).check(Waits)
    assert time.monotonic() - started < 20
    assert verdict.status is Status.timed_out and '"after the incident"' in verdict.message
    made, *recorded, read = verdict.detail.splitlines()
    assert made == "waits = Waits(60)" and len(recorded) < 12
    assert read.startswith("waits.percentile(0.99")


def test_a_class_that_sleeps_is_called_slow():
    class Sleeps(Tracker):
        def record(self, time_s, latency_s):
            time.sleep(0.01)
            super().record(time_s, latency_s)

    verdict = make(stories=STORIES[2:], seconds=0.5).check(Sleeps)
    assert verdict.status is Status.timed_out and "more than 0.5 s" in verdict.message


class AsProperty(Tracker):
    @property
    def percentile(self):
        return 0.3


class RaisingProperty(Tracker):
    @property
    def percentile(self, q, now_s):
        return 0.3


class HiddenByAttribute(Tracker):
    def __init__(self, window_s):
        super().__init__(window_s)
        self.percentile = 0.3


class ShortOfArguments(Tracker):
    def record(self, latency_s):
        self.records.append(latency_s)


class NoSuchMethod:
    def __init__(self, window_s):
        self.window_s = window_s


class Hostile:
    def __getattr__(self, name):
        raise KeyError(name)

    def __call__(self):
        return 3


class WithoutArguments(Tracker):
    def __init__(self):
        super().__init__(60)


def a_function(window_s):
    return None


async def a_coroutine(window_s):
    return Tracker(window_s)


NO_CLASS = {
    "an object": (Tracker(60), Status.unreadable, "without parentheses behind it"),
    "None": (None, Status.unreadable, "you handed in None"),
    "a text": ("Tracker", Status.unreadable, "a value of type str"),
    "a module": (types, Status.unreadable, "a value of type module"),
    "a coroutine": (a_coroutine, Status.unreadable, "Expected: a class with the methods"),
    "a function": (a_function, Status.unreadable, "None has no method of that name"),
    "a number's class": (float, Status.unreadable, "a number has no method of that name"),
    "no such method": (NoSuchMethod, Status.unreadable, "the method `percentile`"),
    "a property": (AsProperty, Status.unreadable, "Is there a `@property` above it"),
    "an attribute": (HiddenByAttribute, Status.unreadable, "an attribute of the same name"),
    "a raising property": (RaisingProperty, Status.raised, "0 of 3 stories"),
    "another constructor": (WithoutArguments, Status.unreadable, "yours takes ()"),
    "a short method": (ShortOfArguments, Status.raised, "1 of 3 stories"),
    "a hostile object": (Hostile(), Status.raised, "takes 1 positional argument but 2"),
    "a type's type": (type, Status.unreadable, "has no method of that name"),
}


@pytest.mark.parametrize("answer, status, words", NO_CLASS.values(), ids=NO_CLASS)
def test_what_is_no_such_class_is_said_in_words(answer, status, words):
    verdict = make().check(answer)
    assert verdict.status is status and words in repr(verdict).replace("\n", " ")


def test_an_exit_is_an_error_like_any_other():
    class Leaves(Tracker):
        def percentile(self, q, *, now_s):
            raise SystemExit(3)

    verdict = make().check(Leaves)
    assert verdict.status is Status.raised and "SystemExit: 3" in verdict.detail


def test_ctrl_c_reaches_whoever_pressed_it():
    class Interrupted(Tracker):
        def percentile(self, q, *, now_s):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make().check(Interrupted)


def test_results_that_break_when_looked_at_are_wrong():
    class Cursed(list):
        def __len__(self):
            raise RuntimeError("do not count me")

    def listed(draw):
        yield New((60,))
        yield Read("recent", (draw.number(0, 3),))

    only = make(stories=(Story("x", listed, "Seen."),), misconceptions=())
    for cursed, words in ((Cursed(), "do not count me"), (Hostile(), "KeyError")):
        answer = type("Mine", (Tracker,), {"recent": lambda self, now_s, x=cursed: x})
        verdict = only.check(answer)
        assert verdict.status is Status.wrong and words in verdict.message


# ---- faults of the workbook ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"reference": Divides, "stories": STORIES[1:2]}, "reference failed in its story"),
        ({"reference": AsProperty}, "reference failed"),
        ({"stories": (Story("x", lambda draw: [3], "Seen."),)}, "story 'x' failed"),
        ({"stories": (Story("x", lambda draw: draw.times(9, 0, 1, 0), "Seen."),)}, "story 'x'"),
    ],
)
def test_a_fault_of_the_workbook_is_said_to_be_one(changes, words):
    with (
        pytest.raises(CheckerError, match=words) as caught,
        contextlib.redirect_stdout(io.StringIO()),
    ):
        make(**changes).check(Tracker)
    assert "not of your answer" in str(caught.value)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"stories": ()}, "expected stories with names that differ"),
        ({"stories": (STORIES[0], STORIES[0])}, "expected stories with names that differ"),
        ({"stories": (quiet_night,)}, "expected stories with names that differ"),
        ({"reference": None}, "reference = None: expected a class"),
        ({"start": 3}, "start = 3: expected a class"),
        ({"seconds": 0}, "seconds = 0"),
        ({"misconceptions": (WRONG[0], WRONG[0])}, "expected names that differ"),
    ],
)
def test_what_cannot_be_a_checker_is_refused(changes, words):
    with pytest.raises(ValueError, match=words):
        make(**changes)
