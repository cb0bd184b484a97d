"""The file of profiles: ``machine.json`` in the learner's folder, one section per machine.

A file that comes from another machine keeps its section and gets a second one; figures of two
machines never mix. A file that cannot be read is moved aside when the next one is written, never
deleted. Writing goes through a neighbour and a rename, so that a crash leaves the old file.
"""

import json
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

FORMAT = 1
NAME = "machine.json"


class UnreadableProfile(ValueError):
    """The file is there, but is not a file of profiles; the message says what is wrong."""


def default_path() -> Path:
    """``machine.json`` in the learner's folder, found as ``labutils.workspace.my_folder`` does.

    ``$LABUTILS_MY`` wins. Otherwise the search walks up from the working directory to a folder
    ``my`` beside ``labutils/``, or to the course itself; elsewhere it is ``my`` right here.
    """
    named = os.environ.get("LABUTILS_MY", "").strip()
    if named:
        return Path(named).expanduser().absolute() / NAME
    here = Path.cwd()
    for folder in (here, *here.parents):
        if folder.name == "my" and (folder.parent / "labutils").is_dir():
            return folder / NAME
        if (folder / "pyproject.toml").is_file() and (folder / "labutils").is_dir():
            return folder / "my" / NAME
    return here / "my" / NAME


def read(path: Path) -> list[dict]:
    """The sections of the file at ``path``, none if there is no file.

    Raises ``UnreadableProfile`` saying what is wrong with it.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return []
    except (OSError, UnicodeDecodeError) as error:
        raise UnreadableProfile(str(error)) from None
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UnreadableProfile(f"it is no JSON: {error}") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise UnreadableProfile(f'it lacks "format": {FORMAT}')
    return _sections(content.get("profiles"))


def write(path: Path, sections: list[dict]) -> None:
    """Put the sections into the file at ``path``, in one step."""
    text = json.dumps({"format": FORMAT, "profiles": sections}, indent=1, allow_nan=False)
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        with open(part, "x", encoding="utf-8") as file:
            file.write(text + "\n")
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


def set_aside(path: Path) -> Path:
    """Move the file to the first free name beside it; return where it lies now."""
    number = 1
    while os.path.lexists(aside := path.with_name(f"{path.name}.unreadable-{number}")):
        number += 1
    os.rename(path, aside)
    return aside


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Wait for other processes that write here; without effect where the disk knows no locks."""
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


def _sections(profiles) -> list[dict]:
    if not isinstance(profiles, list):
        raise UnreadableProfile('"profiles" is no list')
    for number, section in enumerate(profiles):
        if not isinstance(section, dict) or not isinstance(section.get("measurements"), dict):
            raise UnreadableProfile(f'profile {number} has no "measurements"')
        for name in ("device", "cpu", "gpu"):
            if not isinstance(section.get(name), str | None):
                raise UnreadableProfile(f'"{name}" of profile {number} is no text')
    return profiles
