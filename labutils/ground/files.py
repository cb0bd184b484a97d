"""Files of the learner's folder: placed whole or not at all, and never on top of anybody's work.

A fresh file is written beside its place, synced, then moved in with a step that fails if something
stands there (``publish``); an old one is moved aside first, in one step, under a name reserved for
it (``swap``, ``set_aside``). A crash between the two leaves the old file in the backups. Two kinds
of file are the course's own: ``overwrite_own`` replaces one in one step, ``append`` adds a line.

Folders and files made here are their owner's alone (0700, 0600): on a shared machine they hold
answers and mistakes.
"""

import errno
import os
import secrets
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

STALE_S = 3600.0
PRIVATE = 0o600


def publish(target: Path, content: bytes) -> bool:
    """Create ``target`` holding ``content``; False, and no change, if something stands there."""
    make_folder(target.parent)
    with _staged(target, content) as part:
        return _claim(part, target)


def swap(target: Path, content: bytes, backup: Path, *, judged: bytes | None = None) -> Path | None:
    """Move ``target`` to ``backup`` (or the next free name) and create it anew.

    With ``judged``, a target that no longer holds these bytes is put back: it was saved in the
    meantime. Returns where the old file lies now, or ``None`` if the target was left as it is.
    ``OSError`` where it cannot be done: the target is put back, or the message names where it lies.
    """
    with _staged(target, content) as part:
        aside = set_aside(target, backup)
        try:
            if judged is not None and aside.read_bytes() != judged:
                return None if _claim(aside, target) else aside
            _claim(part, target)
        except OSError as error:
            _put_back(aside, target, error)
            raise
        return aside


def set_aside(target: Path, backup: Path) -> Path:
    """Move ``target`` to ``backup``, or to the next free name; return where it lies now."""
    make_folder(backup.parent)
    aside = _reserve(backup)
    try:
        os.replace(target, aside)
    except OSError:
        aside.unlink()
        raise
    return aside


def overwrite_own(target: Path, content: bytes) -> None:
    """Replace, in one step, a file that the course alone writes (a manifest, a profile)."""
    make_folder(target.parent)
    with _staged(target, content) as part:
        os.replace(part, target)


def append(target: Path, content: bytes) -> None:
    """Add ``content`` to the end of a file of this process's own, in one write, down to the disk.

    Raises ``OSError`` where the disk took less than all of it: the file may end in a part then.
    The file is opened anew each time, so that a folder deleted meanwhile comes back.
    """
    make_folder(target.parent)
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0)
    file = os.open(target, flags, PRIVATE)
    try:
        if os.write(file, content) < len(content):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        _push(file)
    finally:
        os.close(file)


def read_ordinary(path: Path, most_bytes: int) -> bytes | None:
    """The first bytes of a stranger's file; None where it is no ordinary one.

    No link is followed: it may lead whoever reads as root to what is not the stranger's. A pipe
    would wait for somebody to write, and so does a file of the kernel's that says it is empty.
    """
    flags = [getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY")]
    file = os.open(path, os.O_RDONLY | sum(flags))
    with open(file, "rb") as reader:
        found = os.fstat(file)
        if not stat.S_ISREG(found.st_mode):
            return None
        return reader.read(most_bytes) if found.st_size else b""


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Wait for other processes that hold ``folder``; without effect where the disk knows no locks.

    Only bookkeeping relies on it. Files are safe without.
    """
    handle = None
    try:
        with suppress(ImportError, OSError):
            import fcntl

            handle = os.open(folder, os.O_RDONLY)
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        if handle is not None:
            os.close(handle)


def sweep(folder: Path) -> None:
    """Remove half-written leftovers of runs that were killed an hour ago or more."""
    for part in folder.glob(".*.part"):
        with suppress(OSError):
            if time.time() - part.stat().st_mtime > STALE_S:
                part.unlink()


def why_unwritable(folder: Path) -> str | None:
    """Why no file can be created in ``folder``, or where it would stand; ``None`` if one can.

    Tried with a file that is removed at once, since permission bits do not tell the whole story.
    """
    while not os.path.lexists(folder) and folder != folder.parent:
        folder = folder.parent
    try:
        with tempfile.TemporaryFile(dir=folder):
            return None
    except OSError as error:
        return error.strerror or str(error)


def make_folder(folder: Path) -> None:
    """Create a folder and those above it that are missing, for their owner alone."""
    missing = [one for one in (folder, *folder.parents) if not one.exists()]
    for one in reversed(missing):
        one.mkdir(mode=0o700, exist_ok=True)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, PRIVATE)


def _push(file: int) -> None:
    try:
        os.fsync(file)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP):
            raise  # else: a file system that has no such thing


@contextmanager
def _staged(target: Path, content: bytes) -> Iterator[Path]:
    part = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    try:
        with open(part, "xb", opener=_private) as file:
            file.write(content)
            file.flush()
            _push(file.fileno())
        yield part
    finally:
        with suppress(OSError):  # what was to be done is done: ``sweep`` removes it later
            part.unlink(missing_ok=True)


def _put_back(aside: Path, target: Path, error: OSError) -> None:
    try:
        _claim(aside, target)
    except OSError:
        said = f"{target} could not be replaced ({error.strerror or error}): it lies in {aside} now"
        raise OSError(said) from error


def _claim(part: Path, target: Path) -> bool:
    """Move ``part`` to ``target`` unless something stands there."""
    try:
        os.link(part, target)
    except FileExistsError:
        return False
    except OSError:  # a disk without hard links
        if os.path.lexists(target):
            return False
        os.rename(part, target)
        return True
    with suppress(OSError):  # under both names, then
        part.unlink()
    return True


def _reserve(backup: Path) -> Path:
    """Create the first free name among NAME, NAME-2, NAME-3 … so that nobody else takes it."""
    for number in range(1, 10_000):
        ending = f"-{number}" if number > 1 else ""
        path = backup.with_name(f"{backup.stem}{ending}{backup.suffix}")
        with suppress(FileExistsError):
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, PRIVATE))
            return path
    raise FileExistsError(f"no free name left beside {backup}")
