"""Which pages a request holds, and under which keys they can be found."""

from collections.abc import Hashable, Sequence


class Holding:
    """The pages of one request: ``pages[:known]`` were found or published under ``keys``.

    They lie in ``runs``, in order, but for ``copies``: pages that somebody else published first.
    """

    __slots__ = ("copies", "keys", "known", "pages", "runs")

    def __init__(self, keys: Sequence[Hashable]):
        self.keys, self.known = keys, 0
        self.pages: list[int] = []
        self.runs: tuple = ()
        self.copies: tuple[int, ...] = ()


class Holdings(dict[Hashable, Holding]):
    """Holdings by request id; a plain lookup says what is wrong with an id that holds nothing."""

    def __missing__(self, request_id: Hashable) -> Holding:
        raise ValueError(f"request_id = {request_id!r}: expected one that holds pages")
