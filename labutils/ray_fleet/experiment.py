"""An experiment on a fleet: carried out where Ray is, read from a recorded run where it is not."""

import json
import os
from collections.abc import Callable
from datetime import date
from pathlib import Path

import labutils
from labutils.ground.files import overwrite_own

from .installed import WANTED, missing
from .this_machine import local_ray

RECORDED = "ray_runs.json"


def trial(name: str, do: Callable[[str], dict], **parts) -> dict:
    """What ``do(url)`` finds on a fleet of these ``parts`` (those of ``deployed``), as plain data.

    Ray is started for it and ended after it. Without Ray it is what the experiment of this ``name``
    found when it was recorded, and a line says so.
    """
    if missing():
        told = _recorded()[name]
        print(f"Recorded: {told['versions']}, {told['machine']}, {told['day']}.")
        return told["found"]
    from .application import serving

    with local_ray():
        found = json.loads(json.dumps(do(serving(**parts))))
    if place := os.environ.get("LABUTILS_RECORD_RAY"):
        _record(Path(place), name, found)
    return found


def _recorded() -> dict:
    return json.loads(labutils.datafile(RECORDED).read_text(encoding="utf-8"))


def _record(place: Path, name: str, found: dict) -> None:
    """For authors: what learners without Ray see."""
    from labutils.measure.machine import cpu_name

    told = json.loads(place.read_text(encoding="utf-8")) if place.exists() else {}
    told[name] = {
        "versions": WANTED.replace("==", " "), "machine": cpu_name(), "day": str(date.today()),
        "found": found,
    }  # fmt: skip
    lines = ",\n".join(f"{json.dumps(one)}: {json.dumps(told[one])}" for one in told)
    overwrite_own(place, f"{{\n{lines}\n}}\n".encode())  # a line for each experiment
