"""The course from a terminal: ``labutils``, or ``python -m labutils``; ``--help`` lists it all.

A notebook has the same words as functions: ``labutils.course``.
"""

import argparse
import sys

from labutils.classroom import terminal as classroom
from labutils.classroom.prepare import cloud_command as cloud
from labutils.ground.characters import forgive_characters
from labutils.serving.envelope import envelope_command as envelope
from labutils.workspace.my_engine import engine_terminal


def main(arguments: list[str]) -> int:
    options, rest = _parser().parse_known_args(arguments)
    if options.command == "lab":
        return _lab(tuple(rest))
    if rest:
        _parser().error(f"unknown: {' '.join(rest)}")
    if options.command is None:
        _parser().print_help()
        return 0
    return COMMANDS[options.command](options)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="labutils", description="Tokens in Flight.")
    commands = parser.add_subparsers(dest="command", metavar="command")
    commands.add_parser(
        "lab", help="bring my/ up to date and open JupyterLab; further flags go to JupyterLab"
    )
    reset = commands.add_parser("reset", help="fresh copies of chapters; yours are kept, dated")
    reset.add_argument("names", nargs="+", metavar="NAME", help="03, lab1, mm1_explosion …")
    carry = commands.add_parser("carry", help="bring your answers into an updated chapter")
    carry.add_argument("names", nargs="*", metavar="NAME", help="default: all that have an update")
    commands.add_parser("home", help="where you are, what comes next, what is due and new")
    recap = commands.add_parser("recap", help="what became of a chapter; kept in my/recaps")
    recap.add_argument("name", metavar="NAME", help="03, lab1 …")
    commands.add_parser("preflight", help="check this machine and print a receipt")
    _add_drill_arguments(
        commands.add_parser("drill", help="interview drills at the keyboard, or a timed mock")
    )
    progress = commands.add_parser(
        "progress", help="what you have done so far; export and merge are for a class"
    )
    classroom.add_commands(progress)
    classroom.add_export(commands)
    engine_terminal.add_commands(
        commands.add_parser("engine", help="the engine that you write in the labs: whose lines")
    )
    envelope.add_options(
        commands.add_parser("envelope", help="a load test of your own engine, and what was to come")
    )
    cloud.add_options(
        commands.add_parser("cloud", help="for instructors: a plan's notebooks for a whole class")
    )
    return parser


def _add_drill_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("id", nargs="?", metavar="ID", help="a drill by name; without one, whose turn it is")
    add("--seed", type=int, metavar="N", help="the same seed, the same numbers")
    add("--level", type=int, metavar="N", help="1 to 4")
    add("--form", help="number, verdict, flaw, missing, chain, dashboard, defend")
    add("--decision", help="model, estimate, limit, commit")
    add("--topics", nargs="+", default=(), metavar="ID", help="such as D07, or D for all of them")
    add("--rough", action="store_true", help="one significant figure, 60 s, no calculator")
    add("--mock", action="store_true", help="ten questions in 25 minutes, and a report")
    add("--until", metavar="DAY", help="an interview, such as 2026-12-04: all comes back before")
    add("--due", action="store_true", help="how many are due")


def _lab(flags: tuple[str, ...]) -> int:
    from labutils.workspace.server import open_lab

    try:
        return open_lab(flags)
    except OSError as error:
        print(error, file=sys.stderr)
        return 1


def _reset(options) -> int:
    from labutils.workspace import reset

    return _each(reset, options.names)


def _carry(options) -> int:
    from labutils.workspace import carry, waiting

    try:
        names = options.names or waiting()
    except OSError as error:
        print(error, file=sys.stderr)
        return 1
    if not names:
        print("No chapter has an update that waits.")
    return _each(carry, names)


def _each(action, names: list[str]) -> int:
    """Do it for each chapter and say what was done, up to the first that cannot be."""
    try:
        for name in names:
            print(action(name).message)
    except (ValueError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _preflight(options) -> int:
    from labutils.workspace import preflight

    receipt = preflight.examine()
    print(receipt)
    return 0 if receipt.ready else 1


def _home(_options) -> int:
    from labutils.home import home

    print(home())
    return 0


def _recap(options) -> int:
    from labutils.home import recap

    try:
        print(recap(options.name))
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _drill(options) -> int:
    from labutils.drills import terminal

    return terminal.main(options)


def _progress(options) -> int:
    if options.action:
        return classroom.run(options)
    from labutils.exercises import progress

    print(progress())
    return 0


COMMANDS = {
    "reset": _reset,
    "carry": _carry,
    "cloud": cloud.run,
    "drill": _drill,
    "export": classroom.run,
    "engine": engine_terminal.run,
    "envelope": envelope.run,
    "home": _home,
    "preflight": _preflight,
    "progress": _progress,
    "recap": _recap,
}


def run() -> int:
    """What the command ``labutils`` does: the same as ``python -m labutils``."""
    forgive_characters()
    return main(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(run())
