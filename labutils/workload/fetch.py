"""Bring a public trace here, whole and checked, and only when somebody asks for it."""

import gzip
import hashlib
import os
import urllib.request
import zlib
from pathlib import Path

from labutils.ground.files import publish
from labutils.ground.folder import my_folder

from .catalogue import row, table


class FetchError(OSError):
    """A trace could not be brought here. Nothing was written."""


def traces_folder() -> Path:
    """Where traces lie: ``$LABUTILS_TRACES``, or ``traces`` in the folder of your own work."""
    named = os.environ.get("LABUTILS_TRACES", "").strip()
    return Path(named).expanduser() if named else my_folder() / "traces"


def trace_file(name: str) -> Path:
    """The file of the trace ``name``; ``FileNotFoundError`` says how to get it."""
    path = traces_folder() / row("traces", name)["file"]
    if not path.exists():
        raise FileNotFoundError(
            f"{path} is not there: python -m labutils.workload fetch {name} brings it, "
            "or set LABUTILS_TRACES to the folder that holds it"
        )
    return path


def trace_names() -> tuple[str, ...]:
    """The traces that have a reader here."""
    return tuple(table()["traces"])


def fetch(name: str, *, timeout_s: float = 60.0) -> Path:
    """Download the trace ``name`` into ``traces_folder()``, gzipped, and return its path.

    Its length and SHA-256 must be those on record: ``FetchError`` otherwise, and nothing is kept. A
    file that is there already is checked, never overwritten.
    """
    wanted = row("traces", name)
    path = traces_folder() / wanted["file"]
    if path.exists():
        if not _is_right(_unpacked(path, wanted["size_bytes"]), wanted):
            raise FetchError(f"{path} is there, but it is not {name} as recorded; move it away")
        return path
    if wanted["url"] is None:
        raise FetchError(f"{name} is not to be had as one file; it is made of {wanted['source']}")
    content = _download(wanted["url"], wanted["size_bytes"], timeout_s)
    if not _is_right(content, wanted):
        more = " or more" if len(content) > wanted["size_bytes"] else ""
        raise FetchError(
            f"{wanted['url']}: got {len(content):,} bytes{more} with SHA-256 {_sha256(content)}, "
            f"expected {wanted['size_bytes']:,} with {wanted['sha256']}; nothing was kept"
        )
    publish(path, gzip.compress(content, mtime=0))
    return path


def _download(url: str, size_bytes: int, timeout_s: float) -> bytes:
    """The content. Of one that is too long, one byte more than expected is read, which tells it."""
    try:
        with urllib.request.urlopen(url, timeout=timeout_s) as answer:
            return answer.read(size_bytes + 1)
    except OSError as error:
        raise FetchError(f"{url}: {error}") from error


def _unpacked(path: Path, size_bytes: int) -> bytes:
    try:
        with gzip.open(path) as file:
            return file.read(size_bytes + 1)
    except (OSError, EOFError, zlib.error):
        return b""


def _is_right(content: bytes, wanted: dict) -> bool:
    return len(content) == wanted["size_bytes"] and _sha256(content) == wanted["sha256"]


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
