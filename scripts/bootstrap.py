"""Prepare the virtual environment that every make target runs in.

    python scripts/bootstrap.py lab    what a learner needs
    python scripts/bootstrap.py dev    the same, and the test tools

It prints nothing when the environment is ready. One that is damaged, or moved with its folder, is
put aside while another is built in its place, and goes only when that one stands; if the rebuild
fails, it comes back.

Standard library and old syntax throughout: an interpreter too old for the course must be able
to run this file, to find a newer one or to say in one line what is missing.
"""

from __future__ import print_function

import os
import shutil
import subprocess
import sys

from health import BROKEN, OUTDATED, inspect, marker_of, python_of, read_stamp, write_stamp
from interpreter import Trouble, clean_environment, find_python

EXTRAS = {"lab": ["lab", "torch"], "dev": ["dev", "lab", "torch"]}


def main(arguments):
    if len(arguments) != 1 or arguments[0] not in EXTRAS:
        raise Trouble("usage: bootstrap.py lab|dev")
    root = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
    venv = os.path.join(root, os.environ.get("VENV") or ".venv")
    lock = hold_lock(root)
    try:
        make_ready(root, venv, EXTRAS[arguments[0]])
    finally:
        if lock is not None:
            os.close(lock)


def make_ready(root, venv, extras):
    """Install, repair or rebuild until the environment is ready for ``extras``."""
    state, reason = inspect(root, venv, extras)
    kept = sorted(set(extras) | set(read_stamp(venv).get("extras", [])))
    if state == OUTDATED:
        say(reason)
        if not install(root, venv, extras, "--quiet"):
            rebuild(root, venv, kept, "That failed. Building the environment anew.")
    if state == BROKEN:
        rebuild(root, venv, kept, reason)
    remove(old_of(venv))


def install(root, venv, extras, *flags):
    """Install the course and ``extras`` into ``venv``; True when pip succeeded."""
    with open(marker_of(venv), "w") as marker:  # stays behind when the run is killed
        marker.write("an installation is under way\n")
    pip = [python_of(venv), "-m", "pip", "install", "--disable-pip-version-check"]
    command = pip + ["-c", "constraints.txt", "-e", ".[" + ",".join(extras) + "]"]
    succeeded = torch_installed(pip, root, extras, flags) and run(command + list(flags), root)
    os.remove(marker_of(venv))
    if succeeded:
        write_stamp(root, venv, extras)
    return succeeded


def torch_installed(pip, root, extras, flags):
    """False where torch was to come from $TORCH_INDEX_URL, and did not.

    It alone comes from there: an index beside another one could offer any package.
    """
    address = os.environ.get("TORCH_INDEX_URL", "").strip()
    if not address or "torch" not in extras:
        return True
    with open(os.path.join(root, "constraints.txt")) as lines:
        (pinned,) = [line.strip() for line in lines if line.startswith("torch==")]
    return run(pip + ["--no-deps", "--index-url", address, pinned] + list(flags), root)


def rebuild(root, venv, extras, reason):
    """Build ``venv`` from nothing; the old one is kept aside, and returns after a failure."""
    python = find_python(avoid=venv)
    say(reason)
    old = old_of(venv)
    if os.path.lexists(old):  # a rebuild was killed, and what stands in its place is unfinished
        remove(venv)
    elif os.path.lexists(venv):
        os.rename(venv, old)
    created = run([python, "-m", "venv", "--prompt", "tokens-in-flight", venv], root)
    if created and install(root, venv, extras):
        return
    if os.path.lexists(old):
        remove(venv)
        os.rename(old, venv)
        say("The environment as it was before is back in its place.")
    raise Trouble("The installation failed; the lines above say why. Then run this again.")


def old_of(venv):
    return venv + ".old"


def run(command, root):
    return subprocess.call(command, cwd=root, env=clean_environment()) == 0


def hold_lock(root):
    """Wait until no other set-up of this folder runs; None where the disk knows no locks."""
    try:
        import fcntl

        handle = os.open(root, os.O_RDONLY)
        fcntl.flock(handle, fcntl.LOCK_EX)
        return handle
    except (ImportError, IOError, OSError):
        return None


def remove(path):
    if os.path.islink(path) or os.path.isfile(path):
        os.remove(path)
    elif os.path.isdir(path):
        shutil.rmtree(path)


def say(line):
    print(line)
    sys.stdout.flush()


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except Trouble as trouble:
        sys.exit(str(trouble))
    except KeyboardInterrupt:
        sys.exit("Stopped. The next run repairs what this one left unfinished.")
