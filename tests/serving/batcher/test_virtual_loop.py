"""The loop whose clock jumps: timers, blocking work, worker threads, and what can never happen."""

import asyncio
import time

import pytest

from labutils.serving.batcher.virtual_loop import BusyLoop, Stalled, VirtualLoop, run_virtually


def test_timers_ring_in_order_at_their_own_moments_and_take_no_real_time():
    async def main():
        loop, rings = asyncio.get_running_loop(), []
        for at_s in (7.25, 0.1, 3600.0, 0.3):
            loop.call_at(at_s, lambda at_s=at_s: rings.append((at_s, loop.time())))
        await asyncio.sleep(4000)
        return rings

    began_s = time.monotonic()
    assert run_virtually(main()) == [(s, s) for s in (0.1, 0.3, 7.25, 3600.0)]
    assert time.monotonic() - began_s < 60


def test_work_on_the_loop_makes_everybody_late_and_work_elsewhere_nobody():
    async def main(elsewhere):
        loop, rings = asyncio.get_running_loop(), []
        loop.call_at(0.02, lambda: rings.append(loop.time()))
        if elsewhere:
            await loop.run_in_executor(None, loop.work, 0.05)
        else:
            loop.work(0.05)
            await asyncio.sleep(0)
        return loop.time(), rings

    assert run_virtually(main(True)) == (0.05, [0.02])
    assert run_virtually(main(False)) == (0.05, [0.05])


def test_two_workers_work_at_once_and_to_thread_is_one_of_them():
    async def main():
        loop = asyncio.get_running_loop()

        def job(seconds):
            loop.work(seconds / 2)
            loop.work(seconds / 2)
            return seconds

        both = asyncio.gather(asyncio.to_thread(job, 3.0), loop.run_in_executor(None, job, 5.0))
        return await both, loop.time()

    assert run_virtually(main()) == ([3.0, 5.0], 5.0)


def test_what_goes_to_a_crowded_pool_waits_and_what_is_cancelled_there_never_begins():
    begun = []

    async def main():
        loop = asyncio.get_running_loop()

        def job(name):
            begun.append(name)
            loop.work(0.5)

        own = loop.run_in_executor(object(), job, "own")
        shared = asyncio.ensure_future(asyncio.to_thread(job, "shared"))
        dropped = loop.run_in_executor(None, job, "dropped")
        await own
        own_s, _ = loop.time(), dropped.cancel()
        await shared
        return own_s, loop.time()

    assert run_virtually(main(), loop=VirtualLoop(pool_busy_s=7.0)) == (0.5, 7.5)
    assert begun == ["own", "shared"]


def test_an_error_in_a_worker_comes_when_its_work_is_done():
    async def main():
        loop = asyncio.get_running_loop()

        def fails():
            loop.work(2.0)
            raise KeyError("lost")

        with pytest.raises(KeyError, match="lost"):
            await loop.run_in_executor(None, fails)
        return loop.time()

    assert run_virtually(main()) == 2.0


def test_a_worker_may_not_touch_the_loops_futures_but_may_hand_over():
    async def main():
        loop = asyncio.get_running_loop()
        future = loop.create_future()
        future.add_done_callback(lambda _: None)
        with pytest.raises(RuntimeError, match="worker thread touches"):
            await asyncio.to_thread(future.set_result, 1)
        handed = loop.create_future()

        def hand_over():
            loop.work(0.5)
            loop.call_soon_threadsafe(handed.set_result, "here")

        worker = asyncio.to_thread(hand_over)
        return await asyncio.gather(worker, handed), loop.time()

    assert run_virtually(main()) == ([None, "here"], 0.5)


def test_a_stop_iteration_leaves_the_caller_waiting_and_a_line_in_the_log():
    logged = []

    async def main():
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: logged.append(context["exception"]))
        async with asyncio.timeout(9):
            await asyncio.to_thread(next, iter(()))

    with pytest.raises(TimeoutError):
        run_virtually(main())
    assert [type(error) for error in logged] == [TypeError]


def test_who_waits_for_what_cannot_happen_is_told_so_and_cleans_up():
    cleaned = []

    async def main():
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            cleaned.append(True)

    with pytest.raises(Stalled, match="nothing is left to happen at 0 s"):
        run_virtually(main())
    assert cleaned == [True]


def test_a_loop_that_never_lets_time_pass_is_stopped():
    async def main():
        while True:
            await asyncio.sleep(0)

    with pytest.raises(BusyLoop, match="time does not pass"):
        run_virtually(main(), loop=VirtualLoop(most_turns=50))


def test_a_horizon_ends_what_would_go_on_for_ever():
    looks = []

    async def main():
        while True:
            looks.append(asyncio.get_running_loop().time())
            await asyncio.sleep(2)

    with pytest.raises(Stalled):
        run_virtually(main(), loop=VirtualLoop(horizon_s=7))
    assert looks == [0, 2, 4, 6]


def test_it_runs_inside_another_loop_as_in_a_notebook():
    async def inner():
        await asyncio.sleep(1000)
        return asyncio.get_running_loop().time()

    async def notebook():
        return run_virtually(inner())

    assert asyncio.run(notebook()) == 1000


def test_the_same_program_gives_the_same_times_again():
    async def main():
        loop, seen = asyncio.get_running_loop(), []

        async def client(number):
            for _ in range(3):
                await asyncio.sleep(0.1 * (number % 3) + 0.01 * number)
                seen.append((loop.time(), number))

        await asyncio.gather(*map(client, range(7)))
        return seen

    assert run_virtually(main()) == run_virtually(main())
