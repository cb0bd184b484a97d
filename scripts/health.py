"""Tell whether the course's environment is ready, outdated or broken, in a fraction of a second.

A stamp, written last by the installation, holds what was installed and from which files; every
file that a package recorded has to be there. Old syntax throughout, like ``bootstrap.py``.
"""

import hashlib
import io
import json
import os

from interpreter import answer_of

PROMPT = "tokens-in-flight"  # in the pyvenv.cfg of each environment that bootstrap.py makes
BROKEN, OUTDATED, READY = "broken", "outdated", "ready"

# What an environment says of itself: new enough, with pip, and where its packages lie.
INSPECT = """
import pip, sys, sysconfig
assert sys.version_info >= (3, 11)
print(sysconfig.get_path("purelib"))
"""


def inspect(root, venv, extras):
    """(state, one line about it) of the environment at ``venv``."""
    if not os.path.lexists(venv):
        return BROKEN, "First run: building the environment. This takes a few minutes, once."
    site = packages_folder(venv)
    if site is None:
        return BROKEN, "The environment's Python or pip does not run. Building it anew."
    if os.path.exists(marker_of(venv)):
        return BROKEN, "The last installation was interrupted. Building the environment anew."
    stamp = read_stamp(venv)
    if stamp.get("root", root) != root:
        return BROKEN, "The course has moved. Building its environment at the new place."
    if is_incomplete(site, stamp):
        return BROKEN, "Files are missing from the environment. Building it anew."
    if stamp.get("digest") != digest(root) or not set(extras) <= set(stamp.get("extras", [])):
        return OUTDATED, "Installing what the course needs now. A minute or two."
    return READY, ""


def is_ours(path):
    """Whether bootstrap.py made the environment at ``path``, whole, damaged or half."""
    if os.path.lexists(marker_of(path)) or os.path.lexists(stamp_of(path)):
        return True
    try:
        with io.open(os.path.join(path, "pyvenv.cfg"), encoding="utf-8") as lines:
            return any(line.startswith("prompt") and PROMPT in line for line in lines)
    except (IOError, OSError, ValueError):
        return False


def packages_folder(venv):
    """Where the environment keeps its packages; None if its Python or pip does not run."""
    answer = answer_of([python_of(venv), "-c", INSPECT])
    return None if answer is None else answer.strip()


def is_incomplete(site, stamp):
    """Whether a distribution or a file is gone that was there when the stamp was written."""
    gone = set(stamp.get("names", [])) - set(distributions(site))
    return bool(gone or missing_files(site) - set(stamp.get("absent", [])))


def missing_files(site):
    """The recorded files that are not there. Reads each folder once: quick on network disks."""
    listings = {}
    missing = set()
    for record in records(site).values():
        for name in recorded_files(record):
            folder, base = os.path.split(os.path.join(site, name))
            if folder not in listings:
                listings[folder] = set(os.listdir(folder)) if os.path.isdir(folder) else set()
            if base not in listings[folder]:
                missing.add(name)
    return missing


def recorded_files(record):
    with io.open(record, encoding="utf-8") as lines:
        names = [line.rsplit(",", 2)[0].strip('"') for line in lines]
    return [name for name in names if name and not name.endswith(".pyc")]


def records(site):
    """RECORD by distribution name; one without its RECORD is half written and does not count."""
    folders = [name for name in os.listdir(site) if name.endswith(".dist-info")]
    paths = [(name.split("-")[0].lower(), os.path.join(site, name, "RECORD")) for name in folders]
    return {name: path for name, path in paths if os.path.exists(path)}


def distributions(site):
    return sorted(records(site))


def digest(root):
    """Fingerprint of the two files that say what to install."""
    content = hashlib.sha256()
    for name in ("pyproject.toml", "constraints.txt"):
        with io.open(os.path.join(root, name), "rb") as file:
            content.update(file.read())
    return content.hexdigest()


def write_stamp(root, venv, extras):
    """Write down, last and in one move, that ``extras`` are installed whole."""
    site = packages_folder(venv)
    stamp = {
        "root": root,
        "digest": digest(root),
        "extras": sorted(set(extras) | set(read_stamp(venv).get("extras", []))),
        "names": distributions(site),
        "absent": sorted(missing_files(site)),
    }
    with open(stamp_of(venv) + ".part", "w") as file:
        json.dump(stamp, file)
    os.rename(stamp_of(venv) + ".part", stamp_of(venv))


def read_stamp(venv):
    try:
        with io.open(stamp_of(venv), encoding="utf-8") as file:
            return dict(json.load(file))
    except (IOError, OSError, ValueError, TypeError):
        return {}


def python_of(venv):
    return os.path.join(venv, "bin", "python")


def marker_of(venv):
    return os.path.join(venv, ".installing")


def stamp_of(venv):
    return os.path.join(venv, ".installed.json")
