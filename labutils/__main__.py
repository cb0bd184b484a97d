"""The course from a terminal: ``python -m labutils``."""

import argparse
import sys


def main(arguments: list[str]) -> int:
    options, rest = _parser().parse_known_args(arguments)
    if options.command == "lab":
        from labutils.workspace import open_lab

        return open_lab(tuple(rest))
    if rest:
        _parser().error(f"unknown: {' '.join(rest)}")
    if options.command is None:
        _parser().print_help()
        return 0
    return COMMANDS[options.command](options)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m labutils", description="Tokens in Flight.")
    commands = parser.add_subparsers(dest="command", metavar="command")
    commands.add_parser(
        "lab", help="bring my/ up to date and open JupyterLab; further flags go to JupyterLab"
    )
    reset = commands.add_parser("reset", help="fresh copies of chapters; yours are kept, dated")
    reset.add_argument("names", nargs="+", metavar="NAME", help="03, lab1, mm1_explosion …")
    commands.add_parser("preflight", help="check this machine and print a receipt")
    commands.add_parser("progress", help="what you have done so far")
    return parser


def _reset(options) -> int:
    from labutils.workspace import reset

    try:
        for name in options.names:
            print(reset(name).message)
    except (ValueError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _preflight(options) -> int:
    from labutils import preflight

    receipt = preflight.examine()
    print(receipt)
    return 0 if receipt.ready else 1


def _progress(options) -> int:
    from labutils.exercises import progress

    print(progress())
    return 0


COMMANDS = {"reset": _reset, "preflight": _preflight, "progress": _progress}

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
