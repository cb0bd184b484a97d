"""The file of profiles: ``machine.json`` in the learner's folder, one section per machine.

A file that comes from another machine keeps its section and gets a second one; figures of two
machines never mix. A file that cannot be read is moved aside when the next one is written, never
deleted. It is replaced in one step, so that a crash leaves the old file.
"""

import json
from pathlib import Path

from labutils.ground.files import overwrite_own, set_aside
from labutils.ground.folder import my_folder

FORMAT = 1
NAME = "machine.json"


class UnreadableProfile(ValueError):
    """The file is there, but is not a file of profiles; the message says what is wrong."""


def default_path() -> Path:
    """``machine.json`` in the learner's folder."""
    return my_folder() / NAME


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
    overwrite_own(path, text.encode() + b"\n")


def moved_aside(path: Path) -> Path:
    """Move the file to the first free name beside it; return where it lies now."""
    return set_aside(path, path.with_stem(f"{path.stem}.unreadable"))


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
