"""Streams: launching returns at once, work is done in order, errors come out when one waits."""

import threading
import time

import pytest

from labutils.measure.stream import ThreadStream, open_stream


@pytest.fixture
def stream():
    return open_stream("cpu")


def test_launch_returns_before_the_work_is_done(stream):
    gate, done = threading.Event(), []
    stream.launch(gate.wait, 10)
    stream.launch(done.append, "work")
    assert done == []
    gate.set()
    stream.synchronize()
    assert done == ["work"]


def test_work_is_done_in_the_order_of_its_launch(stream):
    done = []
    for number in range(200):
        stream.launch(done.append, number)
    stream.synchronize()
    assert done == list(range(200))


def test_the_work_runs_in_another_thread(stream):
    names = []
    stream.launch(lambda: names.append(threading.current_thread()))
    stream.synchronize()
    assert names[0] is not threading.current_thread()


def test_an_error_comes_out_of_the_next_wait_and_only_there(stream):
    done = []
    stream.launch(lambda: 1 / 0)
    stream.launch([].pop)
    stream.launch(done.append, 3)
    with pytest.raises(ZeroDivisionError):
        stream.synchronize()
    assert done == [3]
    stream.synchronize()


def test_work_that_waits_for_itself_is_refused(stream):
    stream.launch(stream.synchronize)
    with pytest.raises(RuntimeError, match="waits for itself"):
        stream.synchronize()


def test_a_capture_records_and_a_replay_does_all_of_it_each_time(stream):
    done = []
    with stream.capture() as graph:
        stream.launch(done.append, "a")
        stream.launch(done.append, "b")
    stream.synchronize()
    assert done == []
    graph.replay()
    done_before = stream.launch(done.append, "c")
    graph.replay()
    stream.synchronize()
    assert done_before is None
    assert done == ["a", "b", "c", "a", "b"]


def test_a_graph_keeps_plain_numbers_and_sees_what_lies_in_a_container(stream):
    number, cell, seen = 3, [3], []
    with stream.capture() as graph:
        stream.launch(lambda now=number: seen.append((now, cell[0])))
    number, cell[0] = 5, 5
    graph.replay()
    stream.synchronize()
    assert seen == [(3, 5)]


def test_a_graph_cannot_be_replayed_inside_its_capture_nor_after_a_failed_one(stream):
    with pytest.raises(RuntimeError, match="inside the capture"), stream.capture() as graph:
        graph.replay()
    done = []
    stream.launch(done.append, 1)  # the capture is over: this is work again
    stream.synchronize()
    assert done == [1]


def test_watching_tells_when_each_piece_was_launched_and_done():
    ticks = iter(range(100, 200))
    lock = threading.Lock()

    def clock():
        with lock:
            return float(next(ticks))

    stream, gate = ThreadStream(clock), threading.Event()
    with stream.watch() as works:
        stream.launch(gate.wait, 10)
        stream.launch(int)
        gate.set()
    assert len(works) == 2
    first, second = works
    assert first.launched_s < first.begun_s < first.ended_s < second.begun_s < second.ended_s
    assert first.launched_s < second.launched_s
    stream.launch(int)
    stream.synchronize()
    assert len(works) == 2  # nobody watches any more


def test_what_failed_is_watched_too(stream):
    seen = []
    with pytest.raises(ZeroDivisionError), stream.watch() as works:
        seen.append(works)
        stream.launch(lambda: 1 / 0)
        stream.launch(int)
    assert len(seen[0]) == 2


def test_the_thread_ends_with_its_stream():
    stream = ThreadStream()
    worker = stream._worker
    stream.launch(int)
    del stream
    worker.join(5)
    assert not worker.is_alive()


def test_the_clock_is_the_hosts_by_default(stream):
    assert stream.clock is time.perf_counter


def test_another_device_is_named():
    with pytest.raises(ValueError, match="device = 'tpu'"):
        open_stream("tpu")


@pytest.mark.gpu
def test_a_gpus_queue_keeps_the_order_and_replays_graphs():
    import torch

    stream, x = open_stream("cuda"), torch.zeros(3, device="cuda")
    for add in (lambda: x.add_(2), lambda: x.mul_(5)):
        stream.launch(add)
    stream.synchronize()
    assert x.tolist() == [10, 10, 10]
    with stream.capture() as graph:
        stream.launch(x.add_, 1)
    assert x[0].item() == 10
    graph.replay()
    with stream.watch() as works:
        stream.launch(x.add_, 1)
    assert x[0].item() == 12
    assert works[0].begun_s < works[0].ended_s
