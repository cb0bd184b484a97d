"""Computations that askers share, played in virtual time: what is noted, and how it reads."""

import asyncio

import pytest

from labutils.caching import SingleFlight
from labutils.exercises.catalog.what_need_not_be_computed import flight_stories
from labutils.exercises.catalog.what_need_not_be_computed.own_flight import run
from labutils.exercises.checkers import Rehearsals
from labutils.exercises.comparing.drawing import Draw
from labutils.exercises.definition.exercise import CheckerError
from labutils.exercises.definition.verdict import Status
from labutils.exercises.rehearsals.event_lines import event_lines
from labutils.exercises.rehearsals.flights import Computes, Flights
from labutils.exercises.rehearsals.rehearsal import rehearse
from labutils.exercises.rehearsals.scene import Asks, AsyncStory, HangsUp, Scene


async def shares_nothing(flights, key, compute):
    return await compute()


async def single_flight(flights, key, compute):
    if not hasattr(flights, "full"):
        flights.full = SingleFlight()
    return await flights.full.run(key, compute)


def ends(played):
    return {name: (end.kind, end.at_ms) for name, end in played.outcome.items()}


PAIR = (Asks(0, "c1", key="a"), Asks(4, "c2", key="a"))
FIRST, SECOND = 'the computation for "a"', 'the second computation for "a"'


def test_requests_and_computations_of_a_scene_by_hand():
    scene = Scene(Computes(30.25), (*PAIR, Asks(7, "c3", key=7), HangsUp(9, "c3")))
    assert ends(rehearse(run, scene)) == {
        "c1": ("answered", 30.25),
        "c2": ("answered", 30.25),
        "c3": ("hung up", 9),
        FIRST: ("computed", 30.25),
        "the computation for 7": ("stopped", 9),
    }
    alone = ends(rehearse(shares_nothing, scene))
    assert alone["c2"] == ("answered", 34.25) and alone[SECOND] == ("computed", 34.25)


def test_an_error_is_heard_by_all_and_a_second_try_has_an_end_of_its_own():
    again = Asks(0, "c1", key="a", again=True)
    scene = Scene(Computes(30.25, down_until_ms=20.5), (again, Asks(4, "c2", key="a")))
    assert ends(rehearse(run, scene)) == {
        "c1": ("failed", 30.25),
        "c2": ("failed", 30.25),
        "c1's second try": ("answered", 60.5),
        FIRST: ("failed", 30.25),
        SECOND: ("computed", 60.5),
    }


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("story", flight_stories.ALL, ids=lambda story: story.name)
def test_the_reference_and_single_flight_come_to_the_same_in_every_story(story, seed):
    scene = story.told(Draw(f"{seed}"))
    mine, theirs = ends(rehearse(run, scene)), ends(rehearse(single_flight, scene))
    assert mine == theirs and len(mine) > len(scene.names)


@pytest.mark.parametrize("result", [None, 0, "", False, 0.0])
def test_a_result_is_known_by_what_it_is_and_by_its_type(result):
    scene = Scene(Computes(30.25, results={"a": result, "b": 1}), PAIR)
    assert rehearse(run, scene).answered == 2

    async def other(flights, key, compute):
        await compute()
        return () if result is None else None

    kinds = {end.kind for end in rehearse(other, scene).ends.values()}
    assert kinds == {"no result" if result is None else "None"}


def test_another_keys_result_and_one_that_was_kept_are_told_apart():
    kept = {}

    async def keeps_one(flights, key, compute):
        if not kept:
            kept["one"] = await compute()
        return kept["one"]

    events = (Asks(0, "c1", key="a"), Asks(60, "c2", key="a"), Asks(61, "c3", key="b"))
    kinds = [end.kind for end in rehearse(keeps_one, Scene(Computes(30.25), events)).ends.values()]
    assert kinds == ["answered", "kept", "another key's"]


def test_whoever_is_cancelled_without_hanging_up_or_let_go_late_is_told():
    async def awaits_the_task(flights, key, compute):
        if key not in flights.under_way:
            flights.under_way[key] = asyncio.create_task(compute())
        return await flights.under_way[key]

    scene = Scene(Computes(30.25, stops_ms=5.5), (*PAIR, HangsUp(9, "c1")))
    got, wanted = rehearse(awaits_the_task, scene), rehearse(run, scene)
    lines = "\n".join(event_lines(got, wanted))
    assert "   14.50 ms  c1 is let go   <- expected at 9 ms" in lines
    assert "c2 is cancelled and has not hung up   <- expected a result, at 30.25 ms" in lines
    assert f"{FIRST} is stopped   <- expected to end, at 30.25 ms" in lines
    assert "is let go" not in "\n".join(event_lines(wanted))


def test_the_curtain_cancels_nobodys_computation_and_answers_nobody():
    async def waits_for_ever(flights, key, compute):
        if not flights.under_way:
            flights.under_way[key] = asyncio.create_task(compute())
            return await flights.under_way[key]
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return 3

    got = rehearse(waits_for_ever, Scene(Computes(30.25), PAIR))
    assert got.ends["c2"].kind == "no answer" and got.works[FIRST].end.kind == "computed"


def test_what_remains_is_looked_at_where_the_scene_says_so():
    async def leaves_things(flights, key, compute):
        flights.under_way[key] = asyncio.create_task(asyncio.Event().wait())
        return await compute()

    looks, passes = (
        rehearse(leaves_things, Scene(Computes(30.25, looks_after=after), PAIR[:1]))
        for after in (True, False)
    )
    lines = "\n".join(event_lines(looks, rehearse(run, looks.scene)))
    assert 'the entry for "a" is still in `under_way`' in lines
    assert "a task of your code still runs" in lines
    assert set(looks.works) - set(passes.works) == {'the entry for "a"', "a task of your code"}
    assert not Flights().under_way


def test_the_lines_say_what_began_for_nothing_and_what_never_began():
    async def only_once(flights, key, compute):
        return await compute() if not flights.under_way.setdefault("x", 0) else None

    events = (*PAIR, Asks(60, "late", key="a"))
    scene = Scene(Computes(30.25), events)
    wanted = rehearse(run, scene)
    alone = "\n".join(event_lines(rehearse(shares_nothing, scene), wanted))
    assert f"    4.00 ms  {SECOND} starts   <- expected none" not in alone  # it is late's, earlier
    assert 'the third computation for "a" starts   <- expected none' in alone
    assert "<- expected at 30.25 ms" in alone

    async def nothing(flights, key, compute):
        return None

    silent = "\n".join(event_lines(rehearse(nothing, scene), wanted))
    assert f"{SECOND} never starts   <- expected at 60 ms" in silent
    assert "c1 gets None   <- expected a result, at 30.25 ms" in silent


def test_the_first_line_holds_what_the_scene_opens_with():
    opens = Computes(30.25, down_until_ms=9.5, stops_ms=5.5, results={"a": 0}, looks_after=True)
    assert event_lines(rehearse(run, Scene(opens, PAIR)))[0] == (
        "a computation takes 30.25 ms; what begins before 9.5 ms fails; one that is cancelled "
        'needs 5.5 ms to stop; the result for "a" is 0; in the end we look what remains'
    )


STORY = AsyncStory("a pair", lambda draw: (Computes(30.25), *PAIR), "Both computed.")
CHECKER = Rehearsals(stories=(STORY,), reference=run, seconds=1.0)


def test_the_feedback_speaks_of_a_function():
    right = CHECKER.check(single_flight)
    assert right.status is Status.right and "Your function survives the story" in right.message
    assert CHECKER.reference_answer is run

    async def misspells(flights, key, compute):
        return await flights.underway[key]

    raised = CHECKER.check(misspells)
    assert raised.status is Status.raised and "in misspells, line" in raised.detail
    assert "gets an error of the function's own code" in raised.detail

    async def forgets(flights, key, compute):
        compute()

    assert "calls `compute` and does not await it" in CHECKER.check(forgets).message


def test_a_computation_that_is_called_for_nothing_counts():
    async def calls_first(flights, key, compute):
        compute()
        return await run(flights, key, compute)

    verdict = CHECKER.check(calls_first)
    assert verdict.status is Status.wrong
    assert 'a call of compute() for "a" is never awaited' in verdict.detail


@pytest.mark.parametrize("spin", ["pass", "await asyncio.sleep(0)"])
def test_a_loop_that_lets_no_time_pass_is_found(spin):
    names = {"asyncio": asyncio}
    exec(f"async def run(flights, key, compute):\n    while True:\n        {spin}", names)
    assert CHECKER.check(names["run"]).status is Status.timed_out


def test_a_fault_of_the_reference_is_not_the_learners():
    async def broken(flights, key, compute):
        raise OSError("ours")

    with pytest.raises(CheckerError, match="own function failed"):
        Rehearsals(stories=(STORY,), reference=broken).check(run)
