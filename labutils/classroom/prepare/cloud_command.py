"""``labutils cloud``: class copies for machines that are not yours, and what to do with them."""

import argparse
import sys
from pathlib import Path

from labutils.classroom.prepare.class_folder import ALL, PLAN, SHEET, Prepared, prepare
from labutils.classroom.prepare.set_up import PLATFORMS

THEN = {
    "published": "Commit and push the folder to your copy: the sheet's links open it there.",
    "colab": f"Send {ALL}, or share the folder in Drive: each notebook is opened in Colab.",
    "kaggle": f"Send {ALL}: each notebook is opened with File > Import Notebook.",
    "hub": "Copy the notebooks into the homes: docs/cloud/jupyterhub.md, Class copies.",
    "zip": f"Send {ALL}, and course.zip, which their first cell unpacks.",
}


def add_options(parser: argparse.ArgumentParser) -> None:
    """What may be said of a class."""
    add = parser.add_argument
    add("--address", default="", metavar="URL", help="of your copy of the course, or of your hub")
    add("--to", choices=PLATFORMS, default="colab", help="zip: Colab without an address")
    add("--drive", action="store_true", help="Colab: answers are kept in each learner's Drive")
    add("--plan", default=PLAN, metavar="NAME", help=f"of INSTRUCTOR.md (default: {PLAN})")
    add("--start", default="0:00", metavar="TIME", help="of the day, such as 13:30")
    add("--out", type=Path, metavar="DIR", help="a new folder (default: class, in the course)")


def run(options: argparse.Namespace) -> int:
    """Write the folder and say what to do with it; 1 where that cannot be."""
    kept = {name: getattr(options, name) for name in ("plan", "to", "drive", "start", "out")}
    try:
        prepared = prepare(options.address, **kept)
    except (ValueError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    print("\n".join(told(prepared)))
    return 0


def told(prepared: Prepared) -> list[str]:
    """What was written, and the next step."""
    lesson = prepared.lesson
    published = lesson.platform in ("colab", "kaggle") and lesson.links.sheet
    return [
        f"{prepared.folder}: {len(prepared.notebooks)} notebooks for {lesson.plan.name}",
        *(f"  {name}" for name in prepared.notebooks),
        f"  {SHEET}: one page to hand out",
        f"  {ALL}: all of it",
        THEN["published" if published else lesson.platform],
    ]
