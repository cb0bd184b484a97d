"""Simulate the map of layouts (chapter 12) anew: data/layout_maps.npz. Takes half an hour.

From the course's folder: ``.venv/bin/python scripts/maps/layout_maps.py``; an argument
names another path.
"""

import sys
from pathlib import Path

from labutils.serving.multi_gpu.kept_maps import save_maps
from labutils.serving.multi_gpu.scenes import runs_in, runs_of, scenes
from labutils.serving.simulator.progress import Progress

HERE = Path(__file__).resolve().parents[2] / "data" / "layout_maps.npz"


def main(path: Path = HERE) -> None:
    """Run every layout of every scene, and write them to one file."""
    total = sum(runs_in(scene) for scene in scenes())
    progress, maps = Progress(total, shown=True, said="runs"), {}
    for scene in scenes():
        maps[scene] = []
        for run in runs_of(scene):
            maps[scene].append(run)
            progress.update()
    progress.close()
    save_maps(maps, path)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
