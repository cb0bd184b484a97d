"""Stories of asyncio code, played in virtual time: what a learner hears about their method."""

import asyncio
import re
import threading
import time
from dataclasses import replace

import pytest

from labutils.exercises import catalog
from labutils.exercises.checkers import Rehearsals
from labutils.exercises.comparing.drawing import Draw
from labutils.exercises.definition.exercise import CheckerError, Misconception
from labutils.exercises.definition.verdict import Status
from labutils.exercises.rehearsals.event_lines import event_lines
from labutils.exercises.rehearsals.rehearsal import rehearse
from labutils.exercises.rehearsals.scene import Asks, AsyncStory, HangsUp, Opens, Scene, Stops
from labutils.serving.batcher.dynamic_batcher import DynamicBatcher


def _pair(draw):
    yield Opens(2, 90.5)
    yield Asks(draw.whole(0, 9), "c1")
    yield HangsUp(draw.whole(30, 35), "c1")
    yield Asks(draw.whole(10, 19), "c2")
    yield Asks(draw.whole(80, 99), "late")


def _lost(draw):
    yield Opens(3, draw.whole(10, 20) + 0.5)
    for number, name in enumerate(("c1", "c2", "c3")):
        yield Asks(number, name, habit="lost" if number == 1 else "")


PAIR = AsyncStory("a pair", _pair, "One left, and the other heard nothing.")
LOST = AsyncStory("a loss", _lost, "Somebody read the answer of somebody else.")


def hands_out(self, batch, results):
    for ticket, result in zip(batch, results):
        ticket.answer.set_result(result)


def hands_out_to_the_living(self, batch, results):
    for ticket, result in zip(batch, results):
        if not ticket.answer.done():
            ticket.answer.set_result(result)


HANDS_OUT = Misconception("hands-out", hands_out, "You hand out without a look.")
CHECKER = Rehearsals(
    stories=(PAIR, LOST), reference=DynamicBatcher, method="deliver", misconceptions=(HANDS_OUT,)
)


def right_in_another_style(self, batch, results):
    if len(batch) != len(results):
        return self.fail(batch, RuntimeError("lost count"))
    for ticket in batch:
        result, results = results[0], results[1:]
        if not ticket.answer.cancelled():
            ticket.answer.set_result(result)


def test_a_right_method_survives_and_a_stub_is_no_attempt():
    def stub(self, batch, results):
        raise NotImplementedError

    assert CHECKER.check(right_in_another_style).status is Status.right
    assert CHECKER.check(CHECKER.reference_answer).status is Status.right
    assert CHECKER.check(stub).status is Status.not_attempted


def test_a_known_mistake_is_named_and_shown_with_no_more_events_than_it_needs():
    verdict = CHECKER.check(hands_out)
    assert verdict.status is Status.misconception and verdict.diagnosis == "hands-out"
    assert '0 of 2 stories survived. The next one is "a pair".' in verdict.message
    assert "hangs up" in verdict.detail and "the batcher's task dies" in verdict.detail
    assert "late" not in verdict.detail  # it need not come for it


def test_what_is_no_known_mistake_is_told_by_its_first_failing_story():
    verdict = replace(CHECKER, misconceptions=()).check(hands_out_to_the_living)
    assert (verdict.status, verdict.diagnosis) == (Status.wrong, None)
    assert '1 of 2 stories survived. The next one is "a loss".' in verdict.message
    assert verdict.detail.count(" asks") == 1  # the one whose result is lost is enough
    assert "c2 never hears anything   <- expected an error" in verdict.detail


def test_an_error_of_the_learners_shows_their_line():
    def misspelt(self, batch, results):
        for ticket in batch:
            ticket.anser.set_result(results[0])

    verdict = CHECKER.check(misspelt)
    assert verdict.status is Status.raised
    assert "in misspelt, line" in verdict.detail and "ticket.anser" in verdict.detail
    assert "dynamic_batcher.py" not in verdict.detail


def test_what_it_prints_is_kept_off_the_page(capsys):
    def chatty(self, batch, results):
        print("delivering", len(batch))
        right_in_another_style(self, batch, results)

    assert "also prints" in CHECKER.check(chatty).note
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (7, "you handed in a value of type int"),
        (lambda self: None, "takes \\(self, batch, results\\); yours takes \\(self\\)"),
        (DynamicBatcher.run, "begins with a plain `def`"),
    ],
)
def test_what_cannot_stand_for_the_method_is_unreadable(answer, said):
    verdict = CHECKER.check(answer)
    assert verdict.status is Status.unreadable
    assert re.search(said, verdict.message)


WAITS = Rehearsals(stories=(PAIR,), reference=DynamicBatcher, method="until_ready", seconds=0.4)


def test_a_loop_without_an_await_runs_into_the_time_limit_and_leaves_no_thread():
    async def spins(self):
        while True:
            pass

    before = set(threading.enumerate())
    verdict = WAITS.check(spins)
    assert verdict.status is Status.timed_out
    assert set(threading.enumerate()) <= before


def test_a_busy_loop_that_awaits_is_found_without_waiting():
    async def spins(self):
        while True:
            await asyncio.sleep(0)

    assert WAITS.check(spins).status is Status.timed_out


def test_a_wait_for_a_moment_that_is_past_is_told_from_a_loop_without_an_await():
    async def strictly_behind(self):
        while not self.waiting or self.now() <= self.waiting[0].due_s:
            await self.news(until_s=self.waiting[0].due_s if self.waiting else None)

    async def spins(self):
        while True:
            pass

    late, busy = WAITS.check(strictly_behind), WAITS.check(spins)
    assert late.status is busy.status is Status.timed_out
    assert "`>` or `>=`" in late.message and "lack an `await`" not in late.message
    assert "lack an `await`" in busy.message


def test_another_clock_than_the_loops_is_pointed_out():
    async def own_clock(self):
        start = time.monotonic()
        while len(self.waiting) < 2 and time.monotonic() < start + 1000:
            await self.news(until_s=None)

    verdict = WAITS.check(own_clock)
    assert "Your code reads `monotonic`: ask `self.now()`" in verdict.message


def test_the_wall_clock_is_pointed_out_and_the_loops_own_time_is_not():
    async def wall(self):
        while len(self.waiting) < 2 and time.time() > 0:
            await self.news(until_s=None)

    async def loops(self):
        while len(self.waiting) < 2 and asyncio.get_running_loop().time() >= 0:
            await self.news(until_s=None)

    assert "Your code reads `time.time`: ask `self.now()`" in WAITS.check(wall).message
    verdict = WAITS.check(loops)
    assert verdict.status is Status.wrong and "self.now()" not in verdict.message


def test_an_error_that_nobody_should_hear_is_quoted_and_a_promise_is_no_result():
    class Calls(DynamicBatcher):
        async def run(self, batch):
            self.fail(batch, KeyError("no such item"))

        async def submit(self, item, *, patience_s=None):
            asks = super().submit(item, patience_s=patience_s)
            return asyncio.ensure_future(asks) if item == "c2" else await asks

    scene = Scene(Opens(2, 5.5), (Asks(0, "c1"), Asks(1, "c2")))
    lines = event_lines(rehearse(Calls, scene), rehearse(DynamicBatcher, scene))
    assert any("c1 gets an error (KeyError: 'no such item')   <- expected a" in s for s in lines)
    assert any("c2 gets something to await, not a result" in s for s in lines)


def test_a_timeline_without_an_end_is_shortened():
    async def again(self, batch):
        while True:
            await asyncio.to_thread(self.call, [ticket.item for ticket in batch])

    checker = Rehearsals(stories=(PAIR,), reference=DynamicBatcher, method="run")
    lines = checker.check(again).detail.splitlines()
    assert len(lines) < 40 and any("more like these" in line for line in lines)


def test_a_forgotten_await_is_pointed_out(recwarn):
    async def forgets(self):
        while len(self.waiting) < 2:
            self.news(until_s=None)
            await asyncio.sleep(0.2)

    verdict = WAITS.check(forgets)
    assert "Your code calls `news` and does not await it" in verdict.message
    assert not recwarn.list


def test_the_learners_code_runs_in_a_thread_of_its_own_also_inside_a_loop():
    threads = set()

    def noting(self, batch, results):
        threads.add(threading.current_thread())
        CHECKER.reference_answer(self, batch, results)

    async def notebook():
        return CHECKER.check(noting)

    assert asyncio.run(notebook()).status is Status.right
    assert threading.main_thread() not in threads


def test_a_fault_of_the_workbooks_own_class_is_not_the_learners():
    class Broken(DynamicBatcher):
        def deliver(self, batch, results):
            raise OSError("ours")

    broken = Rehearsals(stories=(PAIR,), reference=Broken, method="until_ready")
    with pytest.raises(CheckerError, match="not of your answer"):
        broken.check(DynamicBatcher.until_ready)


def test_what_to_look_at_is_the_shrunk_failure_or_a_story():
    act = CHECKER.act(hands_out_to_the_living, seed=3)
    assert act.story == 1 and act.scene.names == act.wrong == ("c2",)
    assert CHECKER.act(right_in_another_style, seed=3).wrong == ()
    assert CHECKER.act(right_in_another_style, seed=3, story="a loss").story == 1
    stub_act = CHECKER.act(lambda self: None, seed=3)  # cannot be played: the workbook's
    assert stub_act.is_house and not stub_act.failed and not act.is_house


def test_a_scene_is_played_to_the_same_ends_every_time():
    scene = PAIR.told(Draw(4))
    one, other = rehearse(DynamicBatcher, scene), rehearse(DynamicBatcher, scene)
    assert one.ends == other.ends and one.calls == other.calls and one.answered == 2


def test_ends_and_times_of_a_scene_by_hand():
    scene = Scene(
        Opens(2, 30.5, max_waiting=1, fixed_ms=10.25, per_item_ms=2.0),
        (Asks(0, "c1"), Asks(5, "c2"), Asks(7, "c3"), Asks(8, "c4"), HangsUp(9, "c2")),
    )
    ends = rehearse(DynamicBatcher, scene).ends
    # c1 alone fills the line: c2 and c4 are refused ... and c2 has nothing to hang up
    assert [(end.kind, end.at_ms) for end in ends.values()] == [
        ("answered", 30.5 + 12.25),
        ("refused", 5),
        ("refused", 7),
        ("refused", 8),
    ]


def test_two_batches_at_once_are_an_error_of_the_device():
    class TwoAtOnce(DynamicBatcher):
        async def run(self, batch):
            self.other = asyncio.create_task(super().run(batch))

    scene = Scene(Opens(1, 0.5), (Asks(0, "c1"), Asks(3, "c2")))
    kinds = [end.kind for end in rehearse(TwoAtOnce, scene).ends.values()]
    assert kinds == ["answered", "failed"]


def test_the_lines_tell_what_blocks_and_who_is_heard_late():
    class Blocking(DynamicBatcher):
        async def run(self, batch):
            self.deliver(batch, self.call([ticket.item for ticket in batch]))

    scene = Scene(Opens(1, 5.5, fixed_ms=50.25), (Asks(0, "c1"), Asks(20, "c2")))
    wanted = rehearse(DynamicBatcher, scene)
    text = "\n".join(event_lines(rehearse(Blocking, scene), wanted))
    assert "c1, on the event loop: nothing else happens" in text
    assert "51.25 ms  only now the batcher hears of c2" in text
    assert "on the event loop" not in "\n".join(event_lines(wanted))


def test_a_stop_ends_a_batcher_and_a_deaf_one_is_seen_to_go_on():
    class Deaf(DynamicBatcher):
        async def run(self, batch):
            try:
                await asyncio.get_running_loop().run_in_executor(self._worker, self.call, ["c1"])
            except BaseException as error:
                self.fail(batch, error)

    scene = Scene(
        Opens(1, 0.5, fixed_ms=40.25), (Asks(0, "c1"), Asks(9, "c2"), Stops(21), Asks(70, "c3"))
    )
    wanted, got = rehearse(DynamicBatcher, scene), rehearse(Deaf, scene)
    assert [(end.kind, end.at_ms) for end in wanted.ends.values()] == [
        ("failed", 21.0),  # in work
        ("failed", 21.0),  # waiting
        ("failed", 70.0),  # too late
    ]
    assert got.ends["c1"] == wanted.ends["c1"] and len(got.calls) > len(wanted.calls) == 1
    assert any("21.00 ms  the batcher is told to stop" in line for line in event_lines(wanted))
    without = scene.with_events(event for event in scene.events if event.name != "c1")
    assert without.names == ("c2", "c3") and Stops(21) in without.events


def test_whoever_uses_the_shared_pool_waits_for_those_who_hold_it():
    class Shares(DynamicBatcher):
        async def run(self, batch):
            self.deliver(batch, await asyncio.to_thread(self.call, [t.item for t in batch]))

    scene = Scene(Opens(2, 5.5, fixed_ms=10.25, pool_busy_ms=90.75), (Asks(0, "c1"), Asks(3, "c2")))
    ends = [
        {e.at_ms for e in rehearse(make, scene).ends.values()} for make in (Shares, DynamicBatcher)
    ]
    assert ends == [{90.75 + 12.25}, {3 + 12.25}]
    assert (
        "other code holds asyncio's shared pool until 90.75 ms"
        in event_lines(rehearse(Shares, scene))[0]
    )


def test_results_that_are_0_or_none_are_results():
    scene = Scene(Opens(3, 5.5), (Asks(0, "c1", habit="none"), Asks(1, "c2", habit="zero")))
    played = rehearse(DynamicBatcher, scene)
    assert played.answered == 2
    assert any("c2 asks, and the model's result for it is 0" in s for s in event_lines(played))

    class Swapped(DynamicBatcher):
        def deliver(self, batch, results):
            super().deliver(batch, results[::-1])

    assert {end.kind for end in rehearse(Swapped, scene).ends.values()} == {"another's answer"}


def test_an_event_at_the_very_beginning_is_played_too():
    ends = rehearse(DynamicBatcher, Scene(Opens(3, 5.5), (Asks(0, "c1"),))).ends
    assert (ends["c1"].kind, ends["c1"].at_ms) == ("answered", 5.5 + 21.25)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Asks(-1, "c1"), "at_ms = -1"),
        (lambda: Asks(1, "c1", habit="rude"), "habit = 'rude'"),
        (lambda: AsyncStory("", _pair, "It went wrong."), "name = ''"),
        (lambda: AsyncStory("a", _pair, "no full stop"), "saw = 'no full stop'"),
        (lambda: AsyncStory("a", 3, "It went wrong."), "script = 3"),
        (lambda: Rehearsals((PAIR, PAIR), DynamicBatcher, "run"), "names that differ"),
        (lambda: Rehearsals((PAIR,), DynamicBatcher, "walk"), "method = 'walk'"),
    ],
)
def test_authors_hear_what_is_wrong(make, said):
    with pytest.raises(ValueError, match=said):
        make()


def test_a_story_begins_with_opens_and_holds_events():
    for script in (lambda draw: [Asks(0, "c1")], lambda draw: [Opens(1, 1.5), "c1 asks"]):
        with pytest.raises(TypeError, match="expected"):
            AsyncStory("a", script, "It went wrong.").told(None)


@pytest.mark.full  # waits until the time of a check is up
@pytest.mark.filterwarnings("ignore:coroutine")
def test_a_forgotten_await_is_named_where_the_loop_never_comes_back():
    async def until_ready(self):
        while len(self.waiting) < self.max_batch:
            due = self.waiting[0].due_s if self.waiting else None
            if due is not None and due <= self.now():
                return
            self.news(until_s=due)

    earlier = threading.enumerate()
    verdict = catalog.exercise("batcher.until_ready").judge(until_ready)
    assert verdict.status is Status.timed_out
    assert "Your code calls `news` and does not await it" in verdict.message
    ends = time.monotonic() + 30
    while set(threading.enumerate()) - {*earlier}:
        assert time.monotonic() < ends
        time.sleep(0.02)
