"""``build [NAME ...]``, ``slides [NAME ...]``, ``site``, ``record``, ``new``, ``check``."""

import argparse
import sys
from pathlib import Path

import labutils
from labutils.authoring.build import build
from labutils.authoring.check import differences
from labutils.authoring.lint import lint
from labutils.authoring.new import NOUNS, new
from labutils.authoring.site.whole.write import write_site
from labutils.authoring.slides.deck import write_decks
from labutils.authoring.sources.course import Course, read_course
from labutils.ground.edition import accept_changes

NAMES = "mm1.restart (an exercise's id), 03c_my_topic, lab7_my_lab, drill_id, policy_name"
CHECKOUT = Path(labutils.__file__).resolve().parent.parent


def main(arguments: list[str] | None = None) -> int:
    """Run one command; return 0, or 1 when something failed or differs."""
    options = _parser().parse_args(arguments)
    accept_changes()  # a command before this one may have written stubs
    try:
        course = read_course(options.root)
        found = _run(course, options)
    except ValueError as error:
        found = [str(error)]
    for line in found:
        print(line, file=sys.stderr)
    return 1 if found else 0


def _run(course: Course, options: argparse.Namespace) -> list[str]:
    if options.command == "build":
        return build(course, options.names, afresh=options.afresh)
    if options.command == "slides":
        return write_decks(course, options.names)
    if options.command == "site":
        return write_site(course)
    if options.command == "record":
        from labutils.authoring.site.recording.recording_table import record  # with matplotlib

        return record(course, options.names)
    if options.command == "new":
        new(course, options.noun, options.name)
        return []
    return _check(course)


def _check(course: Course) -> list[str]:
    found = [*lint(course), *differences(course)]
    if not found:
        print(f"{len(course.chapters)} chapters: editions, index and map match their sources")
    return found


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m labutils.authoring", description=__doc__)
    parser.add_argument("--root", type=Path, default=CHECKOUT, help="the checkout to work on")
    commands = parser.add_subparsers(dest="command", required=True)
    builder = commands.add_parser("build", help="write editions, topic index and course map")
    builder.add_argument("names", nargs="*", metavar="NAME", help="chapters (default: all)")
    builder.add_argument("--afresh", action="store_true", help="execute what has not changed, too")
    slides = commands.add_parser("slides", help="write a deck for each chapter to build/slides/")
    slides.add_argument("names", nargs="*", metavar="NAME", help="chapters (default: all)")
    commands.add_parser("site", help="write the course as pages to build/site/")
    recorder = commands.add_parser(
        "record", help="record explorers for the site; 12 minutes for all"
    )
    recorder.add_argument("names", nargs="*", metavar="NAME", help="explorers (default: all)")
    fresh = commands.add_parser("new", help="write the stubs of a new piece; overwrites nothing")
    fresh.add_argument("noun", choices=NOUNS)
    fresh.add_argument("name", metavar="NAME", help=NAMES)
    commands.add_parser("check", help="compare with the sources, lint; change nothing")
    return parser


if __name__ == "__main__":
    sys.exit(main())
