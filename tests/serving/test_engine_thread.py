"""One thread for an engine: every asker gets an answer or an error, in a loop of its own."""

import asyncio
import threading

import pytest

from labutils.engine import Engine
from labutils.serving.checkpoints import course_model
from labutils.serving.engine_thread import EngineStopped, EngineThread


@pytest.fixture(scope="module")
def draft():
    return course_model("draft")


@pytest.fixture
def engine(draft):
    model, tokenizer = draft
    return Engine(model, tokenizer=tokenizer, num_pages=64, max_sequences=4)


def test_a_prompt_too_long_is_the_askers_error_alone(engine):
    thread = EngineThread(engine)

    async def both():
        good = asyncio.create_task(thread.generate([1, 2, 3], max_output_tokens=3))
        with pytest.raises(ValueError, match="the model's context"):
            await thread.generate([1] * 9_999, max_output_tokens=3)
        return await good

    assert len(asyncio.run(both()).answer) == 3
    thread.close()
    with pytest.raises(EngineStopped):
        asyncio.run(thread.generate([1], max_output_tokens=1))


def test_an_engine_that_fails_tells_everybody(engine, monkeypatch):
    def broken():
        raise RuntimeError("the device is gone")

    monkeypatch.setattr(engine, "step", broken)
    thread = EngineThread(engine)

    async def three():
        return await asyncio.gather(
            *(thread.generate([n, 2], max_output_tokens=2) for n in range(3)),
            return_exceptions=True,
        )

    ends = asyncio.run(three())
    assert [type(end) for end in ends] == [EngineStopped] * 3
    thread.close()


def test_closing_tells_those_who_still_wait(engine):
    thread = EngineThread(engine)

    async def one():
        waiting = asyncio.create_task(thread.generate([1, 2, 3], max_output_tokens=400))
        await asyncio.sleep(0.02)
        await asyncio.to_thread(thread.close)
        with pytest.raises(EngineStopped):
            await waiting

    asyncio.run(one())


def test_askers_in_several_loops_hear_their_own_tokens_in_order(engine, draft):
    model, _ = draft
    thread, heard = EngineThread(engine), {}

    async def ask(n):
        tokens = heard.setdefault(n, [])
        request = await thread.generate([n, 7], max_output_tokens=9 + n, on_token=tokens.append)
        assert tokens == request.answer and len(tokens) == 9 + n

    async def three(first):
        await asyncio.gather(*(ask(n) for n in range(first, first + 3)))

    askers = [threading.Thread(target=lambda n=n: asyncio.run(three(n))) for n in (1, 4)]
    for one in askers:
        one.start()
    for one in askers:
        one.join()
    for n, tokens in heard.items():
        (alone,) = Engine(model).generate([[n, 7]], max_output_tokens=9 + n)
        assert tokens == alone.answer
    assert sorted(heard) == [1, 2, 3, 4, 5, 6] and not engine.requests
    thread.close()


def test_a_callback_that_raises_is_reported_and_stops_nobody(engine):
    thread, told = EngineThread(engine), []

    async def both():
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: told.append(str(context["exception"])))
        bad = thread.generate([1, 2], max_output_tokens=3, on_token={}.__getitem__)
        good = thread.generate([3, 4], max_output_tokens=5)
        return await asyncio.gather(bad, good)

    bad, good = asyncio.run(both())
    assert (len(bad.answer), len(good.answer), len(told)) == (3, 5, 3)
    thread.close()
