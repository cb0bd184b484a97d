"""One engine for many asyncio tasks: a thread steps it, and each task awaits its answer.

An engine computes one step at a time, and one thread at a time may use it. So askers put what they
want into an inbox; the thread takes everything out of it between two steps, and tells each asker's
event loop of its tokens and of the end, once a step.
"""

import asyncio
import contextlib
import queue
import threading
from collections import defaultdict
from collections.abc import Callable, Sequence


class EngineStopped(RuntimeError):
    """The engine's thread has ended, so nobody computes an answer."""


class EngineThread:
    """``await thread.generate(prompt, …)`` for an engine of ``labutils.engine`` or a learner's.

    Invariant: every request that went in comes out once, as a ``Generation`` or as an error, and
    is then forgotten by the engine. An asker that is cancelled frees its pages within a step.
    """

    _stopped: EngineStopped | None = None  # what whoever comes too late is told

    def __init__(self, engine):
        self.engine = engine
        self._inbox: queue.SimpleQueue[Callable | None] = queue.SimpleQueue()
        self._askers: dict[object, _Asker] = {}  # by request id
        self._notes: defaultdict[object, list[tuple]] = defaultdict(list)  # by event loop
        self._closing = threading.Lock()
        self._closed = False
        self._thread = threading.Thread(target=self._serve, name="engine", daemon=True)
        self._thread.start()

    @property
    def is_open(self) -> bool:
        """Whether the engine's thread still takes requests and computes."""
        return not self._closed

    async def generate(
        self, prompt: Sequence[int] | str, *, max_output_tokens: int = 64,
        on_token: Callable[[int], None] | None = None, **options,
    ):  # fmt: skip
        """The finished request. ``on_token`` hears each token in the asker's event loop.

        Raises what went wrong with the request (``ValueError`` for a prompt that is too long),
        and ``EngineStopped`` after ``close``.
        """
        asker = self.asker(on_token)
        self.put(lambda: self.add(asker, prompt, max_output_tokens, options))
        try:
            return await asker.ended
        finally:
            if not asker.ended.done() or asker.ended.cancelled():
                self.put(lambda: self.leave(asker), quiet=True)

    def close(self) -> None:
        """Stop after the step under way; open requests end with ``EngineStopped``."""
        with self._closing:
            self._closed = True
            self._inbox.put(None)
        self._thread.join()

    def asker(self, on_token: Callable[[int], None] | None = None) -> "_Asker":
        """Whoever asks in this event loop: its ``ended`` is a future of the loop."""
        loop = asyncio.get_running_loop()
        return _Asker(self._notes, loop, loop.create_future(), on_token)

    def put(self, action: Callable[[], None], *, quiet: bool = False) -> None:
        """The engine's thread calls ``action`` between two steps.

        ``EngineStopped`` where no thread would; ``quiet`` passes that over.
        """
        with self._closing:
            if not self._closed:
                self._inbox.put(action)
            elif not quiet:
                raise EngineStopped("the engine's thread is closed: expected an open one")

    def _serve(self) -> None:
        """Take what lies in the inbox, compute a step, hand out what has ended; until closed."""
        try:
            while self._takes_in():
                if self.engine.open and self.engine.step() is None:
                    raise RuntimeError(f"schedule planned no step; open: {list(self.engine.open)}")
                self._hand_out()
        except Exception as error:
            self._stop(error)
        else:
            self._stop(None)

    def _takes_in(self) -> bool:
        """Do what askers want, waiting while there is nothing to compute; False: close."""
        while not self.engine.open or not self._inbox.empty():
            action = self._inbox.get()
            if action is None:
                return False
            action()
            if not self.engine.open:
                self._hand_out()  # what was refused or left is at its end
        return True

    def add(self, asker: "_Asker", prompt, max_output_tokens: int, options: dict) -> None:
        """In the engine's thread: a request whose tokens and end ``asker`` hears."""
        if self._stopped is not None:
            return asker.ends(self._stopped)
        options = {**options, "on_token": lambda id, token: asker.hears(token)}
        try:
            id = self.engine.add_request(prompt, max_output_tokens=max_output_tokens, **options)
        except Exception as error:
            asker.ends(error)
        else:
            asker.id = id
            self._askers[id] = asker
        return None

    def leave(self, asker: "_Asker") -> None:
        """In the engine's thread: end the request of ``asker``, if it has not ended."""
        if asker.id in self._askers:
            self.engine.cancel(asker.id)

    def _hand_out(self) -> None:
        """Tell those whose requests have ended, and every loop what happened since last time."""
        for id in [id for id in self._askers if id not in self.engine.open]:
            request = self.engine.requests.pop(id)
            self._askers.pop(id).ends(request.error or request)
        while self._notes:
            loop, notes = self._notes.popitem()
            with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits
                loop.call_soon_threadsafe(_tell, notes)

    def _stop(self, error: Exception | None) -> None:
        """Tell everybody who still waits, in the engine or in the inbox."""
        with self._closing:
            self._closed = True
        stopped = EngineStopped("the engine's thread has stopped; the request was not finished")
        stopped.__cause__ = error
        for asker in self._askers.values():
            asker.ends(stopped)
        self._askers.clear()
        self._stopped = stopped
        while not self._inbox.empty():
            if action := self._inbox.get():
                action()
        self._hand_out()


class _Asker:
    """Whoever waits, in an event loop of its own."""

    def __init__(self, notes, loop, ended: asyncio.Future, on_token: Callable | None):
        self.id, self._notes, self._loop = None, notes, loop
        self.ended, self._on_token = ended, on_token

    def hears(self, token: int) -> None:
        if self._on_token is not None:
            self._notes[self._loop].append((self._on_token, token))

    def ends(self, end) -> None:
        self._notes[self._loop].append((self._settle, end))

    def _settle(self, end) -> None:
        if self.ended.done():
            return
        if isinstance(end, Exception):
            self.ended.set_exception(end)
        else:
            self.ended.set_result(end)


def _tell(notes: Sequence[tuple[Callable, object]]) -> None:
    """Make the calls; one that raises is reported as any callback's error, and the rest go on."""
    for call, value in notes:
        try:
            call(value)
        except Exception as error:
            loop = asyncio.get_running_loop()
            loop.call_exception_handler({"message": f"{call!r} raised", "exception": error})
