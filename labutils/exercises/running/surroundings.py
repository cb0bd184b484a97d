"""What the learner's code finds around it: its prints are kept, Python's own names put back."""

import builtins
import contextlib
import io
from collections.abc import Iterator

MOST_PRINTED = 2000  # characters kept of what the learner's code prints
_BUILTINS = {
    name: value
    for name, value in vars(builtins).items()
    if getattr(value, "__module__", "") in ("builtins", "_io") and not name.startswith("_")
}
_BUILTINS.pop("input", None)  # a notebook puts its own there for every cell


class Printed(io.StringIO):
    """Keeps the first characters; an endless loop of prints must not fill the memory."""

    def write(self, text: str) -> int:
        room = MOST_PRINTED - self.tell()
        if room > 0:
            super().write(text[:room])
        return len(text)

    def close(self) -> None:
        """Stay open: what was printed is read afterwards."""


@contextlib.contextmanager
def kept_off_the_page() -> Iterator[Printed]:
    """Catch what is printed, to either stream, and put back the builtins that were replaced."""
    printed = Printed()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        try:
            yield printed
        finally:
            restore_builtins()


def restore_builtins() -> None:
    """Give Python's own names back their meaning: `len`, say, which somebody assigned to."""
    now = vars(builtins)
    if not _BUILTINS.items() <= now.items():  # writing them costs Python its caches
        now.update(_BUILTINS)
