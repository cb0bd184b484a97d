"""Find a Python that can carry the course, or say in one line what is missing.

Old syntax throughout, like ``bootstrap.py``: an interpreter that is too old reads this file.
"""

import os
import subprocess
import sys

FLOOR = (3, 11)
NEWEST_TRIED = (3, 14)
NAMES = ["python3", "python3.13", "python3.12", "python3.11", "python3.14", "python"]

# What a candidate says of itself: version, the interpreter behind it, and whether venv works.
PROBE = """
import sys
print("%d.%d.%d" % sys.version_info[:3])
print(getattr(sys, "_base_executable", None) or sys.executable)
try:
    import ensurepip, venv
    print("venv")
except ImportError:
    print("no venv")
"""

TOO_OLD = (
    "This course needs Python 3.11 or newer%s; found %s. Install one (%s) or name one: "
    "make lab PYTHON=/path/to/python3.11"
)
ON_A_MAC = "brew install python@3.12, or the installer of python.org"
ELSEWHERE = (
    "Debian 12, Ubuntu 24.04: sudo apt install python3 python3-venv; on an older one see "
    "docs/setup/linux.md"
)
NO_VENV = (
    "Python %s at %s lacks its venv module. Install it (Debian, Ubuntu: sudo apt install "
    "python%s-venv), then run the same command again."
)


class Trouble(Exception):
    """A set-up problem, told in one line."""


def find_python(avoid):
    """Path of the first interpreter that is new enough and has venv, outside ``avoid``.

    Versions that the course was tried with come first. ``PYTHON`` in the environment names the
    only candidate.
    """
    named = os.environ.get("PYTHON")
    found = probe_all([named] if named else [sys.executable] + NAMES)
    able = [c for c in found if c["version"] >= FLOOR and c["venv"]]
    tried = [c for c in able if c["version"][:2] <= NEWEST_TRIED]
    for candidate in tried + able:
        if not candidate["path"].startswith(avoid + os.sep):
            return candidate["path"]
    raise Trouble(why_none(found, named))


def why_none(found, named):
    """One line on why no interpreter in ``found`` will do."""
    for candidate in found:
        if candidate["version"] >= FLOOR and not candidate["venv"]:
            short = "%d.%d" % candidate["version"][:2]
            return NO_VENV % (candidate["text"], candidate["path"], short)
    seen = ", ".join("%s at %s" % (c["text"], c["path"]) for c in found[:2])
    remedy = ON_A_MAC if sys.platform == "darwin" else ELSEWHERE
    return TOO_OLD % (" as PYTHON" if named else "", seen or "none that runs", remedy)


def probe_all(names):
    """What each interpreter in ``names`` is, once each, without those that do not run."""
    found = []
    for name in names:
        candidate = probe(name)
        if candidate and candidate["path"] not in [c["path"] for c in found]:
            found.append(candidate)
    return found


def probe(name):
    """What the interpreter ``name`` is: version, path, venv; None if it does not run."""
    lines = (answer_of([name, "-c", PROBE]) or "").strip().splitlines()
    if len(lines) != 3:
        return None
    version = tuple(int(part) for part in lines[0].split("."))
    return {"version": version, "text": lines[0], "path": lines[1], "venv": lines[2] == "venv"}


def answer_of(command):
    """What ``command`` prints, or None if it does not run or fails."""
    try:
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=clean_environment()
        )
        output = process.communicate()[0]
    except OSError:
        return None
    return output.decode("utf-8", "replace") if process.returncode == 0 else None


def clean_environment():
    """The environment without what bends a Python's paths or sends pip's packages elsewhere."""
    bends = ("PYTHONPATH", "PYTHONHOME", "PIP_TARGET", "PIP_PREFIX")
    kept = {name: value for name, value in os.environ.items() if name not in bends}
    kept["PIP_USER"] = "0"
    return kept
