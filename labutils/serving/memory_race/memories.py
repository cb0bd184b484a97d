"""Three ways to give out one KV memory, behind the interface that a race of requests asks for."""

from collections.abc import Callable
from typing import Protocol

from labutils import arguments
from labutils.serving.block_manager import BlockManager
from labutils.serving.reservation import ContiguousReservation


class Memory(Protocol):
    """What a race asks of a memory; ``tokens`` is all that the request then holds."""

    def admit(self, request: int, tokens: int) -> bool: ...
    def grow(self, request: int, tokens: int) -> bool: ...
    def release(self, request: int) -> None: ...
    def given(self) -> dict[int, tuple[int, ...]]:
        """The cells of each request inside, in the order of its tokens."""
        ...


class Reserving:
    """One contiguous piece for each request, as long as ``reserve(request)`` says, first fit.

    ``cell_tokens`` token slots make a cell, so that the two memories can be drawn side by side.
    """

    def __init__(self, num_tokens: int, reserve: Callable[[int], int], cell_tokens: int = 16):
        self.memory, self._reserve = ContiguousReservation(num_tokens), reserve
        self._cell, self._inside = arguments.whole("cell_tokens", cell_tokens), {}

    def admit(self, request: int, tokens: int) -> bool:
        """Reserve the piece, if a hole is long enough."""
        fits = self.memory.can_allocate(self._reserve(request))
        if fits:
            self.memory.allocate(request, self._reserve(request))
            self.memory.extend(request, tokens)
            self._inside[request] = self._cells(*self.memory.span(request))
        return fits

    def grow(self, request: int, tokens: int) -> bool:
        """Fill one more slot of the piece."""
        self.memory.extend(request, tokens)
        return True

    def release(self, request: int) -> None:
        """Give the whole piece back."""
        self.memory.free(request)
        del self._inside[request]

    def given(self) -> dict[int, tuple[int, ...]]:
        """The cells of every piece: those whose first slot is its own."""
        return dict(self._inside)

    @property
    def taken_tokens(self) -> int:
        """Slots that are reserved."""
        return self.memory.used_tokens

    def _cells(self, start: int, length: int) -> tuple[int, ...]:
        return tuple(range(-(-start // self._cell), -(-(start + length) // self._cell)))


class Paging:
    """Pages as tokens come, anywhere in the pool; nothing is shared."""

    def __init__(self, num_pages: int, page_tokens: int = 16):
        self.memory = BlockManager(num_pages, page_tokens, prefix_sharing=False)

    def admit(self, request: int, tokens: int) -> bool:
        """Give pages for the tokens that are there now, if as many are free."""
        fits = self.memory.can_allocate(tokens)
        if fits:
            self.memory.allocate(request, tokens)
        return fits

    def grow(self, request: int, tokens: int) -> bool:
        """Give a page more where the last one is full."""
        fits = self.memory.can_extend(request, tokens)
        if fits:
            self.memory.extend(request, tokens)
        return fits

    def release(self, request: int) -> None:
        """Give all pages back."""
        self.memory.free(request)

    def given(self) -> dict[int, tuple[int, ...]]:
        """The page numbers of every request."""
        return self.memory.tables()

    @property
    def taken_tokens(self) -> int:
        """Slots of the pages that are held."""
        return self.memory.num_used * self.memory.page_tokens


class Growing:
    """A memory made of a pool that knows ``grow(request, new_tokens)`` and ``release(request)``.

    Nothing is drawn of it: ``given`` is empty.
    """

    def __init__(self, pool):
        self.pool = pool

    def admit(self, request: int, tokens: int) -> bool:
        """Let the pool make room for all tokens that are there."""
        return self.pool.grow(request, tokens)

    def grow(self, request: int, tokens: int) -> bool:
        """Let the pool make room for one token more."""
        return self.pool.grow(request, 1)

    def release(self, request: int) -> None:
        """Give all of it back."""
        self.pool.release(request)

    def given(self) -> dict[int, tuple[int, ...]]:
        """Nothing: such a pool need not tell where its pages lie."""
        return {}
