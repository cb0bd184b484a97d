"""``labutils export`` and ``labutils progress merge``: two commands, and what they print."""

import argparse
import sys
from pathlib import Path

from labutils.ground.characters import printable
from labutils.ground.folder import my_folder

DEFAULT_FOLDER = "class_report"


def add_commands(progress: argparse.ArgumentParser) -> None:
    """Add ``export`` and ``merge`` below the ``progress`` command."""
    actions = progress.add_subparsers(dest="action", metavar="action")
    add_export(actions)
    merge = actions.add_parser("merge", help="make one report of many learners' files")
    merge.add_argument("files", nargs="+", type=Path, metavar="FILE")
    merge.add_argument(
        "--out",
        type=Path,
        metavar="FOLDER",
        help=f"where the notebook and the page go (default: {DEFAULT_FOLDER}/ in my/)",
    )


def add_export(commands) -> None:
    """Add ``export`` to a parser's commands; what it writes is for the instructor of a class."""
    export = commands.add_parser(
        "export",
        help="write what a class may know of your progress to a file, and print it",
        description="Write a file for your instructor, and print exactly what it holds: which "
        "exercises and drills, how each check ended, which known mistake, hints, seconds. It "
        "holds no name, no answer, no value and no time of day; a random token tells your file "
        "from others and is the same next time. Nothing is sent: you hand the file over.",
    )
    export.add_argument("file", nargs="?", type=Path, metavar="FILE", help="default: in my/")
    export.set_defaults(action="export")


def run(options) -> int:
    """Do what was asked for; an exit code."""
    try:
        return _export(options.file) if options.action == "export" else _merge(options)
    except OSError as error:
        print(_in_words(error), file=sys.stderr)
        return 1


def _export(target: Path | None) -> int:
    """The file's own text goes to standard output, everything about it to standard error."""
    from labutils.classroom.handover import export

    path, text = export(target)
    sys.stdout.write(text)
    sys.stdout.flush()
    lines = len(text.splitlines())
    about = f"These {lines} lines are all that {path} holds." if lines else f"{path} is empty."
    print(f"{about} It stays here until you hand it over.", file=sys.stderr)
    return 0


def _merge(options) -> int:
    from labutils.classroom import tables
    from labutils.classroom.report import NothingToReport, merge

    try:
        report = merge(options.files, options.out or my_folder() / DEFAULT_FOLDER)
    except NothingToReport as nothing:
        print(nothing, file=sys.stderr)
        return 1
    print("\n\n".join(card.plain() for card in tables.overview(report.found)))
    print("".join(f"\n{remark}" for remark in report.gathered.remarks))
    print(f"\nNotebook: {report.notebook}\nPage: {report.page}")
    return 0


def _in_words(error: OSError) -> str:
    """An error of the disk in one line, with the file that it is about."""
    if error.filename is None or error.strerror is None:
        return str(error)
    return f"{printable(str(error.filename))}: {error.strerror}"
