"""A load test from a terminal: ``python -m labutils.loadtest run --url … --rate 5``."""

import sys

from labutils.ground.characters import forgive_characters


def main(arguments: list[str]) -> int:
    """Run one command; 0 if it worked, 2 for bad input and for a server that nobody reaches."""
    if arguments == ["worker"]:  # started by ``processes``, with orders on its standard input
        from .worker import work

        return work()
    from .command import run

    forgive_characters()
    return run(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
