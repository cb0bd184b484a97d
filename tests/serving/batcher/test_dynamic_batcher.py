"""The dynamic batcher: nobody is lost, and it decides as the batching kernel does."""

import asyncio
import threading
import traceback

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from labutils import simulation as sim
from labutils.serving.batcher.dynamic_batcher import BatchFailed, Closed, DynamicBatcher, Overloaded
from labutils.serving.batcher.load import batcher_load
from labutils.serving.batcher.virtual_loop import run_virtually


def doubled(items):
    return [2 * item for item in items]


def working(seconds, answer=doubled, calls=None):
    """A model that takes a while on the clock of the loop in which it is made."""
    loop = asyncio.get_running_loop()

    def model(items):
        loop.work(seconds)
        if calls is not None:
            calls.append(list(items))
        return answer(items)

    return model


@settings(max_examples=25, deadline=None, database=None)
@given(
    rate=st.floats(20, 1500),
    max_batch=st.integers(1, 9),
    window_ms=st.sampled_from([0.0, 0.7, 5.0, 31.0]),
    seed=st.integers(0, 10**6),
)
def test_every_request_ends_when_the_kernel_says(rate, max_batch, window_ms, seed):
    arrivals = np.cumsum(np.random.default_rng(seed).exponential(1 / rate, 90))

    def seconds(size):
        return 0.0043 + 0.00077 * size

    run = batcher_load(
        lambda model: DynamicBatcher(model, max_batch=max_batch, window_s=window_ms / 1000),
        arrivals,
        lambda batch: seconds(len(batch)),
    )
    kernel = sim.batch_queue(
        arrivals, seconds, max_batch=max_batch, batch_timeout_s=window_ms / 1000
    )
    assert np.abs(run.finish_s - kernel.finish_s).max() < 1e-9
    assert run.batch_sizes.tolist() == kernel.batch_sizes.tolist()


def test_everybody_gets_their_own_result_and_order_is_that_of_arrival():
    calls = []

    async def main():
        model = working(0.03, calls=calls)
        async with DynamicBatcher(model, max_batch=3, window_s=1.0) as batcher:
            return await asyncio.gather(*map(batcher.submit, [5, 1, 4, 2, 3]))

    assert run_virtually(main()) == [10, 2, 8, 4, 6]
    assert calls == [[5, 1, 4], [2, 3]]


@settings(max_examples=30, deadline=None, database=None)
@given(st.data())
def test_whatever_happens_each_request_ends_once_and_the_batcher_lives(data):
    """Hang-ups, poison and lost results in any mixture: the good ones are answered or told."""
    size = data.draw(st.integers(1, 12))
    kinds = data.draw(st.lists(st.sampled_from("gggpl"), min_size=size, max_size=size))
    leaves = data.draw(st.sets(st.integers(0, size - 1)))
    delays = data.draw(st.lists(st.integers(0, 60), min_size=size, max_size=size))
    bisect = data.draw(st.booleans())

    def answer(items):
        if any(kind == "p" for _, kind in items):
            raise ValueError("poison")
        return [number for number, kind in items if kind != "l"]

    async def main():
        model = working(0.01, answer)
        async with DynamicBatcher(
            model, max_batch=4, window_s=0.02, max_waiting=6, bisect=bisect
        ) as batcher:

            async def client(number):
                await asyncio.sleep(delays[number] / 1000 + 0.0001 * number)
                return await batcher.submit((number, kinds[number]))

            tasks = [asyncio.create_task(client(number)) for number in range(size)]
            for number in leaves:
                asyncio.get_running_loop().call_later(
                    0.015 + delays[number] / 1000, tasks[number].cancel
                )
            ends = await asyncio.gather(*tasks, return_exceptions=True)
            await asyncio.sleep(1)  # a part of a halved batch may still run, for nobody
            assert not batcher.waiting and not batcher.running
            assert await batcher.submit((99, "g")) == 99
        return ends

    for number, end in enumerate(run_virtually(main())):
        if isinstance(end, asyncio.CancelledError):
            assert number in leaves
        elif isinstance(end, Exception):
            assert isinstance(end, BatchFailed | Overloaded)
            assert isinstance(end.__cause__, ValueError) or isinstance(end, Overloaded)
        else:
            assert end == number and kinds[number] == "g"


@pytest.mark.parametrize("results", [[], [0], [0, 1, 2, 3]])
def test_another_number_of_results_fails_the_batch_and_nobody_else(results):
    answers = iter([results, [7]])

    async def main():
        model = working(0.01, lambda items: next(answers))
        async with DynamicBatcher(model, max_batch=3) as batcher:
            ends = await asyncio.gather(*map(batcher.submit, "abc"), return_exceptions=True)
            return ends, await batcher.submit("d")

    ends, later = run_virtually(main())
    assert later == 7 and [type(end) for end in ends] == [BatchFailed] * 3
    assert f"{len(results)} results for 3 requests" in str(ends[0])


def test_each_member_gets_an_error_of_its_own():
    async def main():
        model = working(0.01, lambda items: 1 // 0)
        async with DynamicBatcher(model, max_batch=3) as batcher:
            return await asyncio.gather(*map(batcher.submit, "abc"), return_exceptions=True)

    ends = run_virtually(main())
    assert len({id(end) for end in ends}) == 3
    assert all(type(end.__cause__) is ZeroDivisionError for end in ends)
    lengths = {len(traceback.extract_tb(end.__traceback__)) for end in ends}
    assert len(lengths) == 1  # a shared error would have grown with every raise


def test_bisecting_fails_the_poison_alone_and_needs_few_calls():
    calls = []

    def answer(items):
        if 11 in items:
            raise ValueError("eleven")
        return doubled(items)

    async def main():
        model = working(0.01, answer, calls)
        async with DynamicBatcher(model, max_batch=16, window_s=0.01, bisect=True) as batcher:
            asks = map(batcher.submit, range(16))
            return await asyncio.gather(*asks, return_exceptions=True)

    ends = run_virtually(main())
    assert isinstance(ends.pop(11), BatchFailed)
    assert ends == [2 * k for k in range(16) if k != 11]
    assert len(calls) == 1 + 2 * 4


def test_a_flood_is_refused_at_once_and_those_in_work_take_no_room():
    async def main():
        loop = asyncio.get_running_loop()
        async with DynamicBatcher(working(1.0), max_batch=2, max_waiting=3) as batcher:
            tasks = [asyncio.create_task(batcher.submit(k)) for k in range(2)]
            await asyncio.sleep(0.5)
            tasks += [asyncio.create_task(batcher.submit(k)) for k in range(2, 5)]
            await asyncio.sleep(0)
            with pytest.raises(Overloaded, match="3 requests wait already"):
                await batcher.submit(5)
            refused_s = loop.time()
            return refused_s, await asyncio.gather(*tasks)

    assert run_virtually(main()) == (0.5, [0, 2, 4, 6, 8])


def test_who_hangs_up_in_the_line_is_not_computed():
    calls = []

    async def main():
        async with DynamicBatcher(working(0.1, calls=calls), window_s=1.0) as batcher:
            tasks = [asyncio.create_task(batcher.submit(k)) for k in range(3)]
            await asyncio.sleep(0.2)
            tasks[0].cancel()
            return await asyncio.gather(*tasks[1:])

    assert run_virtually(main()) == [2, 4] and calls == [[1, 2]]


def test_the_first_due_takes_the_patient_along():
    async def main():
        loop = asyncio.get_running_loop()
        async with DynamicBatcher(working(0.01), max_batch=8, window_s=5.0) as batcher:
            patient = asyncio.create_task(batcher.submit(1))
            await asyncio.sleep(0.3)
            assert await batcher.submit(2, patience_s=0.2) == 4
            return await patient, round(loop.time(), 9)

    assert run_virtually(main()) == (2, 0.51)


def test_two_batchers_on_one_device_take_turns():
    spans = []

    async def main():
        loop, device = asyncio.get_running_loop(), asyncio.Lock()

        def model(items):
            spans.append(loop.time())
            loop.work(0.25)
            return items

        async with (
            DynamicBatcher(model, device=device) as one,
            DynamicBatcher(model, device=device) as two,
        ):
            await asyncio.gather(one.submit(1), two.submit(2), one.submit(3))
        return loop.time()

    assert run_virtually(main()) == 0.5 and spans == [0.0, 0.25]


def test_closing_answers_those_inside_at_once_and_takes_nobody_else():
    async def main():
        loop = asyncio.get_running_loop()
        batcher = DynamicBatcher(working(0.5), window_s=100.0)
        with pytest.raises(Closed):
            await batcher.submit(0)
        async with batcher:
            tasks = [asyncio.create_task(batcher.submit(k)) for k in range(3)]
            await asyncio.sleep(1.0)
        with pytest.raises(Closed):
            await batcher.submit(9)
        return await asyncio.gather(*tasks), loop.time()

    assert run_virtually(main()) == ([0, 2, 4], 1.5)


def test_should_the_batcher_itself_fail_everybody_hears():
    class Broken(DynamicBatcher):
        def deliver(self, batch, results):
            raise RuntimeError("a bug of ours")

    async def main():
        model = working(0.1)
        batcher = Broken(model, max_batch=2)
        batcher._serving = asyncio.create_task(batcher.serve())
        ends = await asyncio.gather(*map(batcher.submit, range(5)), return_exceptions=True)
        assert isinstance(batcher._serving.exception(), RuntimeError)
        with pytest.raises(Closed):
            await batcher.submit(6)
        return ends

    assert [type(end) for end in run_virtually(main())] == [BatchFailed] * 5


def test_a_model_that_raises_stop_iteration_fails_like_any_other():
    async def main():
        async with DynamicBatcher(lambda items: [next(iter(())) for _ in items]) as batcher:
            async with asyncio.timeout(20):
                await batcher.submit(1)

    with pytest.raises(BatchFailed, match="StopIteration"):
        asyncio.run(main())


def test_on_a_real_loop_the_model_runs_in_one_other_thread():
    names = set()

    def model(items):
        names.add(threading.current_thread().name)
        return items

    async def main():
        async with DynamicBatcher(model, max_batch=2) as batcher:
            return await asyncio.gather(*map(batcher.submit, range(7)))

    assert asyncio.run(main()) == list(range(7))
    assert len(names) == 1 and threading.current_thread().name not in names


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"max_batch": 0}, "max_batch = 0"),
        ({"window_s": -0.1}, "window_s = -0.1"),
        ({"max_waiting": 2.5}, "max_waiting = 2.5"),
    ],
)
def test_bad_settings_are_named(options, said):
    with pytest.raises(ValueError, match=said):
        DynamicBatcher(doubled, **options)
