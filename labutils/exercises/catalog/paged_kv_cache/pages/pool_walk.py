"""What happens to a page pool, call by call: the pages of each request, or what is out of place."""

from collections.abc import Callable, Sequence

from labutils.engine import OutOfPages
from labutils.exercises.checkers import Piece, piece_of
from labutils.exercises.definition.sheet import in_its_file

from . import walks
from .audit import misplaced

LONG = 99  # tokens of an answer: no request of a walk comes to its end by itself

Call = tuple
"""What happens: its name, the request's, and numbers.

- ``("start", "a", 7, "xy")``: a request of 7 tokens whose full pages have the names "x", "xy"; one
  that was preempted starts again with all that it knew;
- ``("compute", "a", 4)``: a step computes up to 4 of its known tokens;
- ``("decode", "a")``: it computes what it knows, gets a token, and grows where that has no room;
- ``("preempt", "a")``, ``("end", "a")``: it gives its pages back, to return or for good;
- ``("take", "a", 3)``: a request that asks for so many pages, whatever is in them.

What cannot happen (the end of a request that does not run) is left out.
"""


@in_its_file
def piece_of_pool(mistakes: str, *methods: str, through: Sequence[Callable], **options) -> Piece:
    """The checker of methods of the pool, which go ``through`` these walks; ``options`` are its."""
    targets = (f"pages:PagePool.{name}" for name in methods)
    inputs = walks.walks(*through)
    more = {"says": says, "inputs": inputs, "mistakes": mistakes, **options}
    return piece_of(*targets, tried=walk_pool, **more)


def walk_pool(engine, num_pages: int, page_tokens: int, calls: Sequence[Call]) -> list[str]:
    """What each call did to a pool of the engine, in words, up to the first page out of place."""
    walk, lines = Walk(engine, num_pages, page_tokens), []
    for verb, name, *numbers in calls:
        what = " ".join(map(str, (verb, name, *numbers)))
        try:
            done = getattr(walk, verb)(name, *numbers)
        except Misreturned as odd:
            return [*lines, f"{what}: {odd}"]
        if done is None:
            continue
        trouble = misplaced(walk.pool, walk.running)
        lines.append(f"after {what} {trouble}." if trouble else f"{what}: {done}; {walk.state()}")
        if trouble:
            break
    return lines


def says(got: list[str], expected: list[str]) -> str:
    """The sentence on the page that is out of place, where that is what differs."""
    for mine, theirs in zip(got, expected):
        if mine != theirs:
            return f"{mine[0].upper()}{mine[1:]}" if mine.endswith(".") else ""
    return ""


class Misreturned(Exception):
    """A function of the pool left or returned what its callers cannot use; what, in words."""


def _watched(name: str, call: Callable, kind: type, what: str) -> Callable:
    """``call``, which has to return something of ``kind``: not far away, but here it is said."""

    def watched(*given, **named):
        value = call(*given, **named)
        if not isinstance(value, kind):
            raise Misreturned(f"{name} returns {value!r}, expected {what}")
        return value

    return watched


class Walk:
    """A pool and the requests that hold its pages; each verb returns what it did, in words."""

    def __init__(self, engine, num_pages: int, page_tokens: int):
        self.make, self.pool = engine.Request, engine.PagePool(num_pages, page_tokens)
        for verb, kind, what in (
            ("evict", int, "the page that goes"),
            ("take", list, "a list of pages"),
            ("find", list, "a list of pages"),
        ):
            setattr(self.pool, verb, _watched(verb, getattr(self.pool, verb), kind, what))
        hold = self.pool.hold  # takes any iterable: of several pages, one that is walked once
        self.pool.hold = lambda pages: hold(iter(p) if len(p := list(pages)) > 1 else p)
        self.running: dict = {}
        self.preempted: dict = {}

    def start(self, name: str, tokens: int, text: str = "") -> str | None:
        if name in self.running:
            return None
        request = self.preempted.get(name)
        if request is None:
            keys = tuple(text[: at + 1] for at in range(min(len(text), tokens // self._size)))
            request = self.make(name, tokens, LONG, keys=keys)
        fits = self.pool.fits(request)
        refused = self._refused(lambda: self.pool.start(request))
        if not refused:
            self.running[name] = request
            self.preempted.pop(name, None)
        found = f"{request.computed} of {request.known} found, at first {request.cached}"
        return f"fits {bool(fits)}, {refused or found}"

    def compute(self, name: str, tokens: int) -> str | None:
        request = self.running.get(name)
        new = min(tokens, request.known - request.computed) if request else 0
        if new <= 0:
            return None
        request.computed += new
        self.pool.publish(request, new)
        return f"{request.computed} computed"

    def decode(self, name: str) -> str | None:
        request = self.running.get(name)
        if request is None:
            return None
        if request.computed < request.known:
            self.compute(name, request.known - request.computed)
        request.known += 1
        refused, table = "", [*request.pages]
        if request.known > request.room:
            refused = self._refused(lambda: self.pool.grow(request))
        request.known -= bool(refused)
        if request.pages[: len(table)] != table and len(request.pages) > len(table):
            raise Misreturned("the new page does not stand behind those of the tokens before it")
        return refused or f"{request.known} known, {request.computed} computed"

    def take(self, name: str, count: int) -> str | None:
        if name in self.running:
            return None
        request, got = self.make(name, 1, LONG), []
        refused = self._refused(lambda: got.append(self.pool.take(count)))
        if refused:
            return refused
        request.pages, request.room = got[0], len(got[0]) * self._size
        self.running[name] = request
        return f"{len(request.pages)} pages"

    def preempt(self, name: str) -> str | None:
        request, done = self.running.get(name), self.end(name)
        if done and name not in self.running:
            self.preempted[name] = request
        return done

    def end(self, name: str) -> str | None:
        request = self.running.get(name)
        if request is None:
            return None
        self.pool.release(request)
        if request.pages is None:
            raise Misreturned("the table of the request is None, expected an empty list")
        if request.pages:
            return "its table still holds pages"
        del self.running[name]
        return f"gone, with room for {request.room} and {request.computed} computed"

    def state(self) -> str:
        """All tables, pages named in the order in which they appear there, and what is free.

        Which page it is does not matter; which tables share one does.
        """
        names: dict[int, int] = {}
        parts = [
            f"{name} holds {' '.join(str(names.setdefault(p, len(names))) for p in one.pages)}"
            f" (room {one.room})"
            for name, one in self.running.items()
        ]
        return "; ".join([*parts, f"{self.pool.num_free} free"])

    @property
    def _size(self) -> int:
        return self.pool.page_tokens

    def _refused(self, act: Callable) -> str:
        """ "refused" where a call raises ``OutOfPages``."""
        try:
            act()
        except OutOfPages:
            return "refused"
        return ""
