"""Events in order, each once, readable again, and bounded for who does not read."""

import asyncio
import json

import pytest

from labutils.server import EventLog, ProtocolError
from labutils.server.event_log import TooSlow


def read(log, after=0):
    return log.since(after).decode().split("\n\n")[:-1]


def test_events_have_numbers_and_can_be_read_again():
    log = EventLog()
    for n in range(3):
        log.write({"n": n})
    log.end()
    log.end()
    assert read(log) == ['id: 1\ndata: {"n": 0}', 'id: 2\ndata: {"n": 1}', 'id: 3\ndata: {"n": 2}',
                         "id: 4\ndata: [DONE]"]  # fmt: skip
    assert read(log, 3) == ["id: 4\ndata: [DONE]"] and read(log, 4) == []


def test_an_error_is_an_event_of_its_own_kind_and_the_last_one():
    log = EventLog()
    log.write({"n": 0})
    log.fail(ProtocolError(503, "two\nlines", code="draining"))
    log.fail(ProtocolError(500, "another"))
    log.end()
    _, last = read(log)
    number, kind, data = last.split("\n")
    assert (number, kind) == ("id: 2", "event: error")
    error = json.loads(data.removeprefix("data: "))["error"]
    assert (error["message"], error["code"]) == ("two\nlines", "draining")


def test_who_does_not_read_is_found_out_and_the_log_stays_as_it_was():
    log = EventLog(most_unread=5)
    for n in range(5):
        log.write({"n": n})
    with pytest.raises(TooSlow):
        log.write({"n": 5})
    assert len(log.events) == 5
    log.since(0)
    log.write({"n": 5})
    assert len(read(log)) == 6


def test_a_reader_waits_for_the_next_event_and_no_longer():
    async def story():
        log = EventLog()
        assert not await log.wait(0, 0.001)
        reading = asyncio.create_task(log.wait(0, 60))
        await asyncio.sleep(0)
        log.write({})
        assert await reading
        assert log.since(0) and not await log.wait(1, 0.001)
        reading = asyncio.create_task(log.wait(1, 60))
        await asyncio.sleep(0)
        log.end()
        assert await reading and await log.wait(2, 60)  # closed: nobody waits any more

    asyncio.run(asyncio.wait_for(story(), 30))


def test_readers_of_one_log_wait_each_for_their_own_time():
    async def story():
        log = EventLog()
        patient = asyncio.create_task(log.wait(0, 60))
        await asyncio.sleep(0)
        assert await asyncio.gather(log.wait(0, 0.002), log.wait(0, 0.001)) == [False, False]
        assert not await log.wait(0, 0.001) and not patient.done()
        log.write({})
        assert await patient

    asyncio.run(asyncio.wait_for(story(), 30))
