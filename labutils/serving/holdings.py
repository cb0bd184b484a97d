"""Which pages a request holds, and under which keys they can be found."""

from collections.abc import Hashable, Sequence


class Holding:
    """The pages of one request: ``pages[:known]`` were found or published under ``keys``."""

    __slots__ = ("keys", "known", "pages")

    def __init__(self, pages: list[int], keys: Sequence[Hashable], known: int):
        self.pages, self.keys, self.known = pages, keys, known


class Holdings(dict[Hashable, Holding]):
    """Holdings by request id; a plain lookup says what is wrong with an id that holds nothing."""

    def __missing__(self, request_id: Hashable) -> Holding:
        raise ValueError(f"request_id = {request_id!r}: expected one that holds pages")
