"""Single flight under the virtual clock, and its silence under asyncio's own."""

import asyncio
import gc
import random

import pytest

from labutils.caching import CircularFlight, FlightCancelled, SingleFlight
from labutils.serving.batcher.virtual_loop import VirtualLoop, run_virtually


class Backend:
    """Takes ``takes_s``, then answers or fails; knows what began, ended, and was cancelled."""

    def __init__(self, takes_s: float = 2.0, error: Exception | None = None):
        self.takes_s, self.error = takes_s, error
        self.began = self.ended = self.cancelled = 0

    async def __call__(self):
        self.began += 1
        try:
            await asyncio.sleep(self.takes_s)
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        self.ended += 1
        if self.error:
            raise self.error
        return f"answer {self.began}"


def test_a_thousand_askers_of_one_key_cost_one_computation_whoever_leaves():
    async def story():
        flight, backend, rng = SingleFlight(), Backend(), random.Random(5)
        leaving = set(rng.sample(range(1_000), 200)) | {0}  # the one who began it leaves too
        leaves_s = {number: rng.choice([0.0, 0.4, 1.999, 2.0]) for number in sorted(leaving)}
        leaves_s[0] = 0.4

        async def leave(number):
            await asyncio.sleep(leaves_s[number])
            askers[number].cancel()

        askers = [asyncio.create_task(flight.run("k", backend)) for _ in range(1_000)]
        leavers = [asyncio.create_task(leave(number)) for number in leaving]
        got = await asyncio.gather(*askers, return_exceptions=True)
        await asyncio.gather(*leavers)
        for number, answer in enumerate(got):
            left = isinstance(answer, asyncio.CancelledError)
            assert left or answer == "answer 1"
            assert not left or number in leaving
        assert sum(isinstance(answer, str) for answer in got) >= 1_000 - len(leaving)
        assert (backend.began, backend.ended, flight.computations, flight.shared) == (1, 1, 1, 999)

    loop = VirtualLoop()
    run_virtually(story(), loop=loop)
    assert len(loop.tasks) > 1_200 and all(task.done() for task in loop.tasks)
    assert loop.time() == 2.0


def test_keys_do_not_wait_for_each_other_and_nothing_is_kept():
    async def story():
        flight, backend = SingleFlight(), Backend()
        assert len(set(await asyncio.gather(*(flight.run(k, backend) for k in "abca")))) == 1
        assert (backend.began, asyncio.get_running_loop().time()) == (3, 2.0)
        await flight.run("a", backend)
        assert (backend.began, flight.shared) == (4, 1)

    run_virtually(story())


def test_an_error_goes_to_all_who_wait_and_the_next_asker_tries_again():
    async def story():
        flight, broken = SingleFlight(), Backend(error=OSError("no route"))
        got = await asyncio.gather(
            *(flight.run("k", broken) for _ in range(7)), return_exceptions=True
        )
        assert [str(error) for error in got] == ["no route"] * 7
        assert await flight.run("k", Backend()) == "answer 1"
        assert broken.began == 1

    run_virtually(story())


@pytest.mark.parametrize("turns", range(9))
def test_who_asks_once_it_has_ended_gets_a_computation_of_its_own_in_whichever_turn(turns):
    """Between the end of a task and its callbacks the loop may run others; nobody is stale."""
    began, ended = [], []

    async def compute():
        began.append(len(began))
        for _ in range(4):
            await asyncio.sleep(0)
        ended.append(began[-1])
        raise OSError(f"attempt {len(ended)}")

    async def story():
        flight = SingleFlight()

        async def late():
            for _ in range(turns):
                await asyncio.sleep(0)
            attempt = 1 + len(ended)
            with pytest.raises(OSError, match=f"attempt {attempt}"):
                await flight.run("k", compute)

        first = asyncio.create_task(flight.run("k", compute))
        await asyncio.create_task(late())
        with pytest.raises(OSError, match="attempt 1"):
            await first

    run_virtually(story())
    assert len(began) == len(ended) == (1 if turns < 5 else 2)


def test_a_slow_end_of_what_was_cancelled_does_not_disturb_its_successor():
    async def lingers():
        try:
            await asyncio.sleep(9)
        finally:
            await asyncio.sleep(1)

    async def story():
        flight, backend = SingleFlight(), Backend()
        leaver = asyncio.create_task(flight.run("k", lingers))
        await asyncio.sleep(1)
        leaver.cancel()
        next_one = asyncio.create_task(flight.run("k", backend))
        await asyncio.sleep(1.5)  # the cancelled one has ended, the next one has not
        assert await flight.run("k", backend) == await next_one == "answer 1"
        assert (flight.computations, flight.shared) == (2, 1)

    run_virtually(story())


def test_the_last_to_leave_cancels_and_who_comes_then_begins_anew():
    async def story():
        flight, backend = SingleFlight(), Backend()
        one, other = (asyncio.create_task(flight.run("k", backend)) for _ in range(2))
        await asyncio.sleep(0.5)
        one.cancel()
        await asyncio.sleep(0.5)
        assert (backend.cancelled, other.done()) == (0, False)
        other.cancel()
        late = asyncio.create_task(flight.run("k", backend))  # asks at the very moment
        assert await late == "answer 2"
        assert (backend.began, backend.cancelled, flight.computations) == (2, 1, 2)

    run_virtually(story())


def test_a_computation_cancelled_from_elsewhere_is_an_error_and_no_cancellation_of_the_askers():
    async def quits():
        await asyncio.sleep(1)
        raise asyncio.CancelledError

    async def story():
        with pytest.raises(FlightCancelled, match="'k'"):
            await SingleFlight().run("k", quits)

    run_virtually(story())


def test_a_computation_that_needs_itself_is_refused_by_whatever_way():
    async def story():
        flight = SingleFlight()

        async def first():
            await asyncio.sleep(1)
            return await flight.run("second", second)

        async def second():
            await asyncio.sleep(1)
            return await flight.run("first", first)

        ways = (flight.run(key, call) for key, call in (("first", first), ("second", second)))
        got = await asyncio.gather(*ways, return_exceptions=True)
        assert all(isinstance(error, CircularFlight) for error in got)

        async def chain():
            return "end of " + await flight.run("leaf", Backend())

        assert await flight.run("chain", chain) == "end of answer 1"

    run_virtually(story())


@pytest.mark.parametrize("compute", [lambda: 1 / 0, lambda: None])
def test_what_cannot_even_begin_fails_for_all_and_leaves_nothing_behind(compute):
    async def story():
        flight = SingleFlight()
        got = await asyncio.gather(
            *(flight.run("k", compute) for _ in range(3)), return_exceptions=True
        )
        assert {type(error) for error in got} in ({ZeroDivisionError}, {TypeError})
        assert await flight.run("k", Backend()) == "answer 1"

    run_virtually(story())


def test_asyncio_has_nothing_to_complain_about():
    """Errors that nobody is left to hear, raised while being cancelled: no warning, no task."""

    async def dies_ugly():
        try:
            await asyncio.sleep(60)
        finally:
            raise OSError("while cleaning up")

    async def story():
        complaints = []
        asyncio.get_running_loop().set_exception_handler(lambda _, what: complaints.append(what))
        flight = SingleFlight()
        asker = asyncio.create_task(flight.run("k", dies_ugly))
        failed = asyncio.create_task(flight.run("j", Backend(0.0, OSError())))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        asker.cancel()
        await asyncio.wait([asker, failed])
        assert asker.cancelled() and isinstance(failed.exception(), OSError)
        del asker, failed
        while len(asyncio.all_tasks()) > 1:
            await asyncio.sleep(0)
        gc.collect()
        await asyncio.sleep(0)
        return complaints

    assert asyncio.run(story()) == []
