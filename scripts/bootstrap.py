"""Prepare the virtual environment that every make target runs in.

    python scripts/bootstrap.py lab    what a learner needs
    python scripts/bootstrap.py dev    the same, and the test tools
    python scripts/bootstrap.py style  ruff alone, which judges the style before all else is there

It prints nothing when the environment is ready. One that is damaged, or moved with its folder, is
put aside while another is built in its place, and goes only when that one stands; if the rebuild
fails, it comes back. What this script did not make it neither renames nor removes.

Standard library and old syntax throughout: an interpreter too old for the course must be able
to run this file, to find a newer one or to say in one line what is missing.
"""

from __future__ import print_function

import os
import shutil
import subprocess
import sys

from health import (
    BROKEN,
    OUTDATED,
    PROMPT,
    READY,
    inspect,
    is_ours,
    marker_of,
    python_of,
    read_stamp,
    write_stamp,
)
from interpreter import Trouble, clean_environment, find_python

EXTRAS = {"lab": ["lab", "torch"], "dev": ["dev", "lab", "torch"]}
STYLE = "style"


def main(arguments):
    if len(arguments) != 1 or arguments[0] not in [STYLE, *EXTRAS]:
        raise Trouble("usage: bootstrap.py lab|dev|style")
    root = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
    venv = os.path.join(root, os.environ.get("VENV") or ".venv").rstrip("/")
    refuse_what_is_not_ours(venv)
    lock = hold_lock(root)
    try:
        if arguments[0] == STYLE:
            make_ready_for_style(root, venv)
        else:
            make_ready(root, venv, EXTRAS[arguments[0]])
    finally:
        if lock is not None:
            os.close(lock)


def refuse_what_is_not_ours(path):
    """Stop where anything stands that this script did not make; an empty folder is no loss."""
    is_empty = os.path.isdir(path) and not os.listdir(path)
    if os.path.lexists(path) and not is_ours(path) and not is_empty:
        raise Trouble(
            "%s: expected the course's own environment, or nothing yet. What stands there was not "
            "made by this script and stays as it is: give VENV another name." % path
        )


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
    if is_ours(old_of(venv)):
        remove(old_of(venv))


def make_ready_for_style(root, venv):
    """Have ruff as it is pinned, in an environment that may lack all else; without a stamp.

    So the next ``make_ready`` installs the rest into it. A broken environment is rebuilt whole.
    """
    state, _ = inspect(root, venv, EXTRAS["dev"])
    if state == READY:
        return
    if os.path.lexists(venv) and state == BROKEN:
        make_ready(root, venv, EXTRAS["dev"])
        return
    is_new = not os.path.lexists(venv)
    if is_new:
        say("First run: ruff alone, to judge the style before the rest is installed.")
    ruff = pip_of(venv) + [pinned(root, "ruff"), "--quiet"]
    if (not is_new or create(root, venv)) and marked(venv, lambda: run(ruff, root)):
        return
    if is_new:
        remove(venv)
    raise Trouble("ruff could not be installed; the lines above say why. Then run this again.")


def create(root, venv):
    """Make an environment that holds pip alone, ours from the first file; True if it succeeded."""
    if not os.path.isdir(venv):
        os.makedirs(venv)
    command = [find_python(avoid=venv), "-m", "venv", "--prompt", PROMPT, venv]
    return marked(venv, lambda: run(command, root))


def install(root, venv, extras, *flags):
    """Install the course and ``extras`` into ``venv``; True when pip succeeded."""
    pip = pip_of(venv)
    command = pip + ["-c", "constraints.txt", "-e", ".[" + ",".join(extras) + "]"]
    succeeded = marked(
        venv,
        lambda: torch_installed(pip, root, extras, flags) and run(command + list(flags), root),
    )
    if succeeded:
        write_stamp(root, venv, extras)
    return succeeded


def marked(venv, work):
    """What ``work()`` returns; a marker stays in ``venv`` when it is killed."""
    with open(marker_of(venv), "w") as marker:
        marker.write("an installation is under way\n")
    done = work()
    os.remove(marker_of(venv))
    return done


def pip_of(venv):
    return [python_of(venv), "-m", "pip", "install", "--disable-pip-version-check"]


def pinned(root, name):
    """The line of ``constraints.txt`` that pins a package."""
    with open(os.path.join(root, "constraints.txt")) as lines:
        (line,) = [line.strip() for line in lines if line.startswith(name + "==")]
    return line


def torch_installed(pip, root, extras, flags):
    """False where torch was to come from $TORCH_INDEX_URL, and did not.

    It alone comes from there: an index beside another one could offer any package.
    """
    address = os.environ.get("TORCH_INDEX_URL", "").strip()
    if not address or "torch" not in extras:
        return True
    torch = pinned(root, "torch")
    return run(pip + ["--no-deps", "--index-url", address, torch] + list(flags), root)


def rebuild(root, venv, extras, reason):
    """Build ``venv`` from nothing; the old one is kept aside, and returns after a failure."""
    find_python(avoid=venv)  # where there is none, all stays as it is
    say(reason)
    old = old_of(venv)
    refuse_what_is_not_ours(old)
    if is_ours(old):  # a rebuild was killed, and what stands in its place is unfinished
        remove(venv)
    elif is_ours(venv):
        os.rename(venv, old)
    if create(root, venv) and install(root, venv, extras):
        return
    if is_ours(old):
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
