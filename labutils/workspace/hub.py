"""What each learner's server on a JupyterHub runs: ``python -P -m labutils.workspace.hub [HUB]``.

With ``-P`` a learner's file ``random.py``, at home where this runs, does not keep it from starting.

It brings ``~/my`` up to date, as ``make lab`` does, and becomes JupyterHub's single-user server, in
the course's own Python. ``HUB`` is the hub's virtual environment where that is another one: its
packages come last on the path, so that the course's own keep their versions, and neither
environment is lost when the other one is built anew.
"""

import os
import site
import sys
from pathlib import Path

from labutils.workspace.folder import Workspace
from labutils.workspace.server import draw_home, lab_environment, summary
from labutils.workspace.sync import sync


def main() -> None:
    """Hand out chapters, then serve; the remaining arguments go to the server."""
    os.umask(0o077)  # nobody reads a neighbour's answers
    limit_memory()
    if sys.argv[1:] and not sys.argv[1].startswith("-"):
        site.addsitedir(str(packages_of(Path(sys.argv.pop(1)))))
    os.environ.setdefault("LABUTILS_MY", str(Path.home() / "my"))  # kernels inherit it
    workspace = Workspace.here()
    for line in summary(sync(workspace), workspace):
        print(line, file=sys.stderr)
    draw_home(workspace)
    os.environ.update(lab_environment(workspace))
    from jupyterhub.singleuser import main as serve

    serve()


def packages_of(hub: Path) -> Path:
    """The hub's folder of packages for this Python; ``SystemExit`` says why there is none."""
    python = f"python3.{sys.version_info.minor}"
    folder = hub / "lib" / python / "site-packages"
    if not (folder / "jupyterhub").is_dir():
        sys.exit(f"no jupyterhub for {python}, the course's Python, in {hub}: build it with that")
    return folder


def limit_memory() -> None:
    """Give each process the memory that the spawner promised (``$MEM_LIMIT``, bytes), no more.

    A list that never ends is then a ``MemoryError`` in one kernel and not the end of the machine.
    """
    limit = os.environ.get("MEM_LIMIT", "")
    if limit.isdigit():
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (int(limit), int(limit)))


if __name__ == "__main__":
    main()
