"""What the command line takes."""

import argparse
import os

from .load_run import DEFAULT_TIMEOUT_S


def parser() -> argparse.ArgumentParser:
    """The parser of ``python -m labutils.loadtest``."""
    top = argparse.ArgumentParser(
        prog="python -m labutils.loadtest",
        description="Load on an OpenAI-compatible streaming server of this machine.",
        allow_abbrev=False,
    )
    commands = top.add_subparsers(dest="command", metavar="command", required=True)
    run = commands.add_parser(
        "run", help="send requests and report what came back", allow_abbrev=False
    )
    for add in (_where, _when, _what, _promises, _clients, _out):
        add(run)
    return top


def _where(run) -> None:
    group = run.add_argument_group("where to")
    group.add_argument("--url", required=True, help="such as http://127.0.0.1:8000")
    group.add_argument("--model", default="course", help="default: the course's own")
    group.add_argument(
        "--token", default=os.environ.get("LABUTILS_TOKEN"),
        help="sent as a bearer token; LABUTILS_TOKEN keeps it out of the list of processes",
    )  # fmt: skip
    group.add_argument("--extra", metavar="JSON", default="{}", help="fields for each request")
    group.add_argument(
        "--allow-remote",
        action="store_true",
        help="send load to another machine. Refused otherwise: load on a server whose owner does "
        "not expect it is an attack on it",
    )


def _when(run) -> None:
    group = run.add_argument_group("when (open loop with --rate, closed loop with --users)")
    source = group.add_mutually_exclusive_group(required=True)
    source.add_argument("--rate", type=float, metavar="R", help="requests per second in the mean")
    source.add_argument("--users", type=int, metavar="N", help="users who wait for each answer")
    source.add_argument("--plan", metavar="FILE", help="a plan that --save-plan wrote")
    group.add_argument("--seconds", type=float, default=20.0, metavar="S")
    group.add_argument(
        "--arrivals", choices=("poisson", "evenly", "gamma", "on-off"), default="poisson"
    )
    group.add_argument("--cv", type=float, default=2.0, help="of gamma gaps (default 2)")
    group.add_argument("--on", type=float, default=1.0, metavar="S", help="mean on period")
    group.add_argument("--off", type=float, default=4.0, metavar="S", help="mean off period")
    group.add_argument("--think", type=float, default=0.0, metavar="S", help="a user's mean pause")
    group.add_argument("--seed", type=int, default=1)


def _what(run) -> None:
    group = run.add_argument_group("what")
    group.add_argument("--kinds", metavar="FILE", help="a JSON list of kinds (RequestKind's names)")
    group.add_argument("--prompt-words", type=int, default=64, metavar="N")
    group.add_argument("--max-tokens", type=int, default=32, metavar="N")
    group.add_argument("--lengths", metavar="MIX", help="draw both from a public trace's table")
    group.add_argument("--prefix-words", type=int, default=0, metavar="N", help="shared beginning")
    group.add_argument("--prefix-groups", type=int, default=1, metavar="N")


def _promises(run) -> None:
    group = run.add_argument_group("promises, such as '200 ms'")
    for name in ("ttft", "tpot", "e2e"):
        group.add_argument(f"--{name}", metavar="TIME")


def _clients(run) -> None:
    group = run.add_argument_group("clients")
    group.add_argument("--leave-share", type=float, default=0.0, metavar="SHARE")
    group.add_argument("--leave-after", type=int, default=1, metavar="TOKENS")
    group.add_argument("--slow-share", type=float, default=0.0, metavar="SHARE")
    group.add_argument("--slow-pause", type=float, default=0.05, metavar="S")
    group.add_argument("--timeout", type=float, default=DEFAULT_TIMEOUT_S, metavar="S")
    group.add_argument("--processes", type=int, default=1, metavar="N")


def _out(run) -> None:
    group = run.add_argument_group("report")
    group.add_argument("--warm-up", type=float, default=0.0, metavar="S", help="to be cut off")
    group.add_argument(
        "--json", nargs="?", const="-", metavar="FILE", help="as JSON, in place of the table or to"
    )
    group.add_argument("--html", metavar="FILE")
    group.add_argument("--records", metavar="FILE", help="each request as a line of JSON")
    group.add_argument("--save-plan", metavar="FILE")
