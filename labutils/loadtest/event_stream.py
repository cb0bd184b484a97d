"""Server-sent events, read in whatever pieces the network delivers them."""

import codecs
import re
from dataclasses import dataclass

_LINE_END = re.compile("\r\n|\n|\r")

MOST_CHARACTERS = 1 << 20
"""The longest line, and the longest event, that is kept: a server may not fill the memory."""


class StreamTooLong(ValueError):
    """A line or an event is longer than anybody needs."""


@dataclass(frozen=True)
class ServerEvent:
    """One event: its ``data``, the lines joined by newlines, its ``name``, and the last id seen."""

    data: str
    name: str = "message"
    id: str = ""


class EventStream:
    """Reads server-sent events (WHATWG HTML standard, section 9.2.6) piece by piece.

    Lines end in LF, CR or CRLF; an empty line ends an event; a line that begins with a colon is a
    comment, with which servers keep a stream open. ``comments`` counts them, ``retry_ms`` is the
    last pause that the server asked for. An event that the end of the stream cuts off is none.
    """

    def __init__(self):
        self.comments = 0
        self.retry_ms: int | None = None
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")(errors="replace")
        self._rest = ""  # a line whose end has not come yet
        self._after_cr = False
        self._data: list[str] = []
        self._name = self._id = ""

    def feed(self, piece: bytes) -> list[ServerEvent]:
        """The events that ``piece`` completes; ``StreamTooLong`` beyond a megabyte of one."""
        text = self._decoder.decode(piece)
        if text and self._after_cr:  # the second half of a CRLF that was cut in two
            text = text.removeprefix("\n")
            self._after_cr = False
        if not text:
            return []
        self._after_cr = text.endswith("\r")
        *lines, self._rest = _LINE_END.split(self._rest + text)
        found = [event for line in lines if (event := self._line(line))]
        if len(self._rest) + sum(map(len, self._data)) > MOST_CHARACTERS:
            raise StreamTooLong(f"an event of more than {MOST_CHARACTERS:,} characters")
        return found

    def _line(self, line: str) -> ServerEvent | None:
        if not line:
            return self._event()
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if not field:
            self.comments += 1
        elif field == "data":
            self._data.append(value)
        elif field == "event":
            self._name = value
        elif field == "id" and "\0" not in value:
            self._id = value
        elif field == "retry" and value.isascii() and value.isdigit():
            self.retry_ms = int(value[:9])
        return None

    def _event(self) -> ServerEvent | None:
        data, name = self._data, self._name or "message"
        self._data, self._name = [], ""
        return ServerEvent("\n".join(data), name, self._id) if data else None
