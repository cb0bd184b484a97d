"""``python -m labutils engine``: the map, the proof, the race, the envelope, the export …"""

import argparse
import sys
from pathlib import Path

from labutils.server.command import add_options

from .engine import my_engine
from .map import engine_map
from .store import Store
from .texts.course_engine import FILES, course_sources
from .texts.functions import functions_of


def add_commands(engine: argparse.ArgumentParser) -> None:
    """Add the actions below the ``engine`` command; without one it shows the map."""
    actions = engine.add_subparsers(dest="action", metavar="action")
    prove = actions.add_parser("prove", help="token for token against the course's, on three jobs")
    prove.add_argument("--seed", type=int, default=1, metavar="N", help="other jobs")
    actions.add_parser("bench", help="yours, the course's, one at a time, and the machine's floor")
    actions.add_parser(
        "envelope", help="what a simulator says of it, sealed, and what it then does"
    )
    export = actions.add_parser("export", help="write a package that needs torch and safetensors")
    export.add_argument("folder", type=Path, metavar="DIR", help="an empty folder, or a new one")
    export.add_argument(
        "--unproved", action="store_true", help="exit with 0 although the proof does not hold"
    )
    export.add_argument("--name", default="", help="yours, for the page; left out unless given")
    serve = actions.add_parser("serve", help="behind HTTP, until it is told to end")
    add_options(serve)
    reset = actions.add_parser("reset", help="give a function or a file back to the course")
    reset.add_argument("name", metavar="FILE[:FUNCTION]", help="scheduler, pages:PagePool.evict …")


def run(options) -> int:
    """Do what was asked for; an exit code."""
    try:
        return ACTIONS[options.action](options)
    except (ValueError, OSError) as error:
        print(error, file=sys.stderr)
        return 1


def _map(_options) -> int:
    print(repr(engine_map()))
    return 0


def _prove(options) -> int:
    from .prove import prove

    proof = prove(my_engine(), seed=options.seed)
    print(repr(proof))
    return 0 if proof.holds else 1


def _bench(_options) -> int:
    from .bench import bench
    from .measured import keep_race

    engine = my_engine()
    race = bench(engine)
    print(repr(race))
    keep_race(engine, race)
    return 0


def _envelope(_options) -> int:
    from labutils.serving.trials import engines_of, seal

    from .measured import keep_envelope

    engine = my_engine()
    sealed = seal(engines_of(engine))
    print(f"sealed: {sealed.digest}; capacity {sealed.capacity_per_s:.0f} requests a second")
    opened = sealed.open(sealed.run())
    print(opened.verdict(), *opened.lines(), sep="\n")
    keep_envelope(engine, sealed, opened)
    return 0


def _export(options) -> int:
    from .export import exported, said

    folder, proof = options.folder, exported(options.folder, Store(), name=options.name)
    print(f"{folder} holds your engine. Try: cd {folder} && python test_engine.py")
    print(f"The page to show: {folder / 'index.html'}")
    if not proof.holds:
        print(said(proof), file=sys.stderr)
    return 0 if proof.holds or options.unproved else 1


def _serve(options) -> int:
    from labutils.server.command import course_engine, serve as serve_until_told

    serve_until_told(lambda: course_engine(my_engine()), options)
    return 0


def _reset(options) -> int:
    file, _, function = options.name.partition(":")
    if file not in FILES or (function and function not in functions_of(course_sources()[file])):
        raise ValueError(f"name = {options.name!r}: expected a file and a function of the map")
    print(
        f"{Store().reset(file, function or None)} is the course's again; yours is in my/backups/."
    )
    return 0


ACTIONS = {
    None: _map, "prove": _prove, "bench": _bench, "envelope": _envelope, "export": _export,
    "serve": _serve, "reset": _reset,
}  # fmt: skip
