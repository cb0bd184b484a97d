"""A device's queue of work: ``launch`` returns at once, the work is done later and in order.

That is how a GPU works for torch, and why a clock around a call says nothing. ``open_stream``
gives the same object for both devices: on cuda it is the device's own queue, on the cpu a thread
that executes what was launched, so that a learner without a GPU meets the same traps.
"""

import queue
import threading
import time
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from labutils.measure.device import synchronizer

Call = Callable[..., object]


@dataclass(frozen=True)
class Work:
    """What became of one launch: when the host launched it, and when the device did it (s)."""

    launched_s: float
    begun_s: float
    ended_s: float


class Stream(ABC):
    """Launched calls are done in the order of their launch, one at a time.

    ``clock`` is the host's clock, in seconds. What a launched call raises comes out of the next
    ``synchronize``: the host has long gone on.
    """

    def __init__(self, clock: Callable[[], float] = time.perf_counter):
        self.clock = clock

    @abstractmethod
    def launch(self, call: Call, *args) -> None:
        """Queue ``call(*args)`` and return at once; its result is dropped."""

    @abstractmethod
    def synchronize(self) -> None:
        """Wait until everything launched so far is done."""

    @abstractmethod
    def capture(self):
        """A context whose launches are recorded and not done; it yields their ``Graph``."""

    @abstractmethod
    def watch(self):
        """A context that yields a list; when it ends the list holds a ``Work`` per launch."""


class ThreadStream(Stream):
    """The processor as a device: a thread does what was launched."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter):
        super().__init__(clock)
        self._tasks: queue.SimpleQueue = queue.SimpleQueue()
        self._errors: list[BaseException] = []
        self._recorded: list | None = None
        self._watched: list | None = None
        self._worker = threading.Thread(
            target=_work_off, args=(self._tasks, self._errors), daemon=True
        )
        self._worker.start()
        weakref.finalize(self, _stop, self._tasks, self._worker)

    def launch(self, call: Call, *args) -> None:
        if self._recorded is not None:
            self._recorded.append((call, args))
        elif self._watched is not None:
            self._tasks.put((_noting, (self._watched, self.clock, self.clock(), call, args)))
        else:
            self._tasks.put((call, args))

    def synchronize(self) -> None:
        if threading.current_thread() is self._worker:
            raise RuntimeError("synchronize() in launched work waits for itself")
        done = threading.Event()
        self._tasks.put((done.set, ()))
        done.wait()
        if self._errors:
            error = self._errors[0]
            self._errors.clear()
            raise error

    @contextmanager
    def capture(self) -> Iterator["Graph"]:
        self._recorded, graph = [], Graph()
        try:
            yield graph
            works = tuple(self._recorded)
        finally:
            self._recorded = None
        graph.replay = lambda: self.launch(_do_all, works)

    @contextmanager
    def watch(self) -> Iterator[list[Work]]:
        self.synchronize()
        self._watched = works = []
        try:
            yield works
            self.synchronize()
        finally:
            self._watched = None


class CudaStream(Stream):
    """A GPU's own queue: ``call`` runs on the host and queues kernels, which the GPU does later."""

    def __init__(self, device: str = "cuda", clock: Callable[[], float] = time.perf_counter):
        super().__init__(clock)
        self.synchronize = synchronizer(device)
        self._events: list | None = None

    def launch(self, call: Call, *args) -> None:
        if self._events is None:
            call(*args)
            return
        launched_s, begun, ended = self.clock(), _event(), _event()
        begun.record()
        call(*args)
        ended.record()
        self._events.append((launched_s, begun, ended))

    def synchronize(self) -> None:
        """Replaced by the device's own when the stream is made."""

    @contextmanager
    def capture(self) -> Iterator["Graph"]:
        import torch

        recorded, graph = torch.cuda.CUDAGraph(), Graph()
        with torch.cuda.graph(recorded):
            yield graph
        graph.replay = recorded.replay

    @contextmanager
    def watch(self) -> Iterator[list[Work]]:
        works: list[Work] = []
        self.synchronize()
        zero, zero_s, self._events = _event(), self.clock(), []
        zero.record()
        try:
            yield works
            self.synchronize()
            for launched_s, *events in self._events:
                at = (zero_s + zero.elapsed_time(event) / 1000 for event in events)
                works.append(Work(launched_s, *at))
        finally:
            self._events = None


class Graph:
    """Launches that were captured; ``replay`` launches them all as one piece of work.

    What is replayed is what was recorded: the same calls, the same tensors at the same places, and
    every plain number as it was then. Whatever varies has to lie in tensors.
    """

    def replay(self) -> None:
        """Launch what was captured; ``RuntimeError`` while the capture is open."""
        raise RuntimeError("replay() inside the capture: end the `with` block first")


def open_stream(device: str = "cpu", *, clock: Callable[[], float] = time.perf_counter) -> Stream:
    """The queue of ``device`` (cpu or cuda). Raises ``ValueError`` for another one."""
    if synchronizer(device) is None:
        return ThreadStream(clock)
    return CudaStream(device, clock)


def _work_off(tasks: queue.SimpleQueue, errors: list[BaseException]) -> None:
    """Do what is queued until ``None`` comes; an error is kept, and the work goes on."""
    while (task := tasks.get()) is not None:
        call, args = task
        try:
            call(*args)
        except BaseException as error:  # the host hears of it when it synchronizes
            errors.append(error)
        del task, call, args  # nothing launched is kept alive while the thread waits


def _stop(tasks: queue.SimpleQueue, worker: threading.Thread) -> None:
    tasks.put(None)
    if worker is not threading.current_thread():
        worker.join(timeout=2)


def _noting(works: list[Work], clock, launched_s: float, call: Call, args: tuple) -> None:
    begun_s = clock()
    try:
        call(*args)
    finally:
        works.append(Work(launched_s, begun_s, clock()))


def _do_all(works: tuple) -> None:
    for call, args in works:
        call(*args)


def _event():
    import torch

    return torch.cuda.Event(enable_timing=True)
