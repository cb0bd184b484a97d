"""Links of a class copy: to its neighbours in the class, to the rest of the course, or plain words.

A link between notebooks is relative in the course. Away from it such a link leads nowhere.
"""

import posixpath
import re
from collections.abc import Collection
from dataclasses import dataclass

from labutils.workspace.address import COLAB, github_name

_LINK = re.compile(r"(?<!!)\[([^\]]+)\]\((?!https?:|#)([^)\s]+)\)")
_VIEWER = {
    "colab": COLAB,
    "kaggle": "https://github.com/{name}/blob/main/",
}
_ON_HUB = "hub/user-redirect/lab/tree/my/class/"


@dataclass(frozen=True)
class Links:
    """What stands before a file's name; None where it cannot be reached.

    ``class_copies`` and ``course`` stand in a copy, ``sheet`` on the sheet that is handed out, and
    ``page`` is where all copies are listed.
    """

    class_copies: str | None = None
    course: str | None = None
    sheet: str | None = None
    page: str = ""

    @classmethod
    def on(cls, platform: str, address: str, folder: str = "") -> "Links":
        """Those of a platform; ``folder`` is where in the address's repository the copies lie."""
        if platform == "hub":
            # ~/my/class lies beside ~/my/notebooks and ~/my/labs
            return cls("", "../", f"{address.rstrip('/')}/{_ON_HUB}", address)
        name = github_name(address)
        if platform == "zip" or not name:
            return cls()
        course = _VIEWER[platform].format(name=name)
        if not folder:
            return cls(None, course)
        copies = f"{course}{folder}/"
        return cls(copies, course, copies, f"https://github.com/{name}/tree/main/{folder}")

    def to(self, path: str, copies: Collection[str]) -> str | None:
        """The address of a file of the course, such as ``notebooks/03_mm1_explosion.ipynb``."""
        name = posixpath.basename(path)
        held = name.partition("#")[0] in copies
        base, rest = (self.class_copies, name) if held else (self.course, path)
        return None if base is None else base + rest

    def relinked(self, text: str, home: str, copies: Collection[str]) -> str:
        """Markdown of a notebook of the folder ``home``, with links that hold in a class copy."""

        def link(found: re.Match) -> str:
            target = self.to(posixpath.normpath(posixpath.join(home, found[2])), copies)
            return found[1] if target is None else f"[{found[1]}]({target})"

        return _LINK.sub(link, text)
