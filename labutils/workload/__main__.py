"""Public traces from a terminal: ``python -m labutils.workload fetch NAME`` or ``… list``."""

import argparse
import sys

from .catalogue import row
from .fetch import FetchError, fetch, trace_names, traces_folder


def main(arguments: list[str]) -> int:
    """Run one command; 0 if it worked."""
    options = _parser().parse_args(arguments)
    return _fetch(options.names) if options.command == "fetch" else _list()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m labutils.workload", description="Public traces of LLM serving."
    )
    commands = parser.add_subparsers(dest="command", metavar="command", required=True)
    fetching = commands.add_parser("fetch", help="download traces and check them")
    fetching.add_argument("names", nargs="+", metavar="NAME", help=", ".join(trace_names()))
    commands.add_parser("list", help="traces, their sources and licences, and which are here")
    return parser


def _fetch(names: list[str]) -> int:
    for name in names:
        try:
            print(f"{name}: {fetch(name)}")
        except (FetchError, ValueError) as error:
            print(error, file=sys.stderr)
            return 1
    return 0


def _list() -> int:
    for name in trace_names():
        wanted = row("traces", name)
        here = "here" if (traces_folder() / wanted["file"]).exists() else "not here"
        print(f"{name} ({here}, {wanted['licence']}): {wanted['source']}")
    print(f"folder: {traces_folder()}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
