"""A server from a terminal: ``python -m labutils.server``, ``labutils engine serve``.

What serves is imported when it is asked for: the course's commands run without torch, too.
"""

import argparse
import os
import sys
from collections.abc import Callable


def add_options(parser: argparse.ArgumentParser) -> None:
    """What may be said of a server."""
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--host", default="127.0.0.1", help="another address needs --token")
    parser.add_argument(
        "--token", default=os.environ.get("LABUTILS_TOKEN"),
        help="clients have to send it; LABUTILS_TOKEN keeps it out of the list of processes",
    )  # fmt: skip
    parser.add_argument("--tenant", action="append", default=[], metavar="NAME:PER_S:BURST")
    parser.add_argument("--waiting-tokens", type=int, default=16_384, metavar="N")
    parser.add_argument("--drain-s", type=float, default=30.0)
    parser.add_argument(
        "--stream-interval", type=int, default=1, metavar="N", help="tokens of an event"
    )


def serve(make_engine: Callable, asked: argparse.Namespace) -> None:
    """Serve until SIGTERM. ``ValueError`` for options that no server can have."""
    from .admission import Limits, tenants_of
    from .life import Server, listening
    from .settings import Settings

    limits = Limits(asked.waiting_tokens, tenants=tenants_of(asked.tenant))
    settings = Settings(token=asked.token, stream_interval=asked.stream_interval)
    listening(asked.host, asked.port).close()  # a port that is taken is told before the model loads
    server = Server(
        make_engine(), host=asked.host, port=asked.port, drain_s=asked.drain_s, limits=limits,
        settings=settings, write=print_line,
    )  # fmt: skip
    print(f"serving {server.front.settings.model!r} at {server.url}", file=sys.stderr)
    server.run()


def course_engine(package=None, **options):
    """The course's trained model in an ``Engine`` of ``package`` (default: the course's own)."""
    from labutils import engine
    from labutils.serving.checkpoints import course_model

    model, tokenizer = course_model()
    return (package or engine).Engine(model, tokenizer=tokenizer, **options)


def print_line(line: str) -> None:
    """Write a log line to standard error."""
    print(line, file=sys.stderr, flush=True)


def main(arguments: list[str] | None = None) -> None:
    """The course's model in the course's engine, behind HTTP on this machine."""
    parser = argparse.ArgumentParser(prog="python -m labutils.server", description=main.__doc__)
    add_options(parser)
    try:
        serve(course_engine, parser.parse_args(arguments))
    except ValueError as error:
        parser.exit(2, f"{error}\n")
