"""What each learner's server runs: ``python -m benchmarks.classroom_server``.

It brings ``my/`` in the learner's home up to date, as ``make lab`` does, and becomes the
single-user server of JupyterHub, all in the course's own Python. Where the hub is installed
apart, ``CLASSROOM_PACKAGES`` names its folder of packages; they come last on the path, so that
the course's own keep their versions.
"""

import os
import site
import sys
from pathlib import Path


def main() -> None:
    """Hand out chapters, then serve."""
    if folder := os.environ.get("CLASSROOM_PACKAGES"):
        site.addsitedir(folder)
    os.environ.setdefault("LABUTILS_MY", str(Path.home() / "my"))  # kernels inherit it
    if os.environ.get("CLASSROOM_COLD"):  # nobody's compiled loops are there for this learner
        os.environ["NUMBA_CACHE_DIR"] = str(Path.home() / "compiled")
    from labutils.workspace import sync

    for step in sync():
        print(step.message, file=sys.stderr)
    from jupyterhub.singleuser import main as serve

    serve()


if __name__ == "__main__":
    main()
