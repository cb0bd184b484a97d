"""The address of a course: what may stand in a cell that twenty people run, and where it opens."""

import re

COLAB = "https://colab.research.google.com/github/{name}/blob/main/"  # before a file's path
_PLAIN = re.compile(r"https?://[\w.-]+(:\d+)?(/[\w.~/-]*)?", re.ASCII)
_SECRET = re.compile(r"\w+://[^/]*@")
_GITHUB = re.compile(r"https://github\.com/([\w.-]+/[\w.-]+?)(\.git)?/?")


def checked(address: str) -> str:
    """The address, if it is one. ``ValueError`` says what is wrong with it.

    The cell hands it to a shell, so only letters that mean nothing there are let in.
    """
    if _SECRET.match(address):
        raise ValueError("address: holds a name or a password, which the whole class would read")
    if not _PLAIN.fullmatch(address):
        raise ValueError(
            f"address = {address!r}: expected an address such as https://github.com/OWNER/NAME"
        )
    return address


def github_name(address: str) -> str:
    """``owner/name`` where the address is a repository on GitHub, else empty."""
    found = _GITHUB.fullmatch(address)
    return found[1] if found else ""
