"""Run the benchmarks, print a table, write JSON: ``python -m benchmarks [--quick]``."""

import argparse
import shlex
import sys
import traceback
from datetime import UTC, datetime
from pathlib import Path

from . import machine, report
from .registry import Settings, Unavailable, all_benchmarks, group_of


def main(arguments: list[str]) -> int:
    """Run what was asked for; return 1 if a benchmark broke. A missed goal is no failure."""
    options = _parser().parse_args(arguments)
    header = {
        "command": shlex.join(["python", "-m", "benchmarks", *arguments]),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "quick": options.quick,
        "machine": machine.describe(),
    }
    print("{cpu}, {cores} cores, {memory_gib} GiB, Python {python}".format(**header["machine"]))
    rows, problems, is_broken = [], {}, False
    for function in all_benchmarks():
        name = f"{group_of(function)}.{function.__name__}"
        if options.only and not {name, group_of(function)} & set(options.only):
            continue
        print(f"\n{(function.__doc__ or name).splitlines()[0]}", flush=True)
        try:
            for row in function(Settings(options.quick)):
                rows.append(row)
                print(report.line(row), flush=True)
        except Unavailable as missing:
            problems[name] = str(missing)
            print(f"  not run: {missing}")
        except Exception:
            problems[name] = traceback.format_exc(limit=-3)
            is_broken = True
            traceback.print_exc()
    report.save(options.out, header, rows, problems)
    _print_summary(rows, options.out)
    return int(is_broken)


def _print_summary(rows, out) -> None:
    held, behind = [row for row in rows if row.goal], report.missed(rows)
    print(f"\n{len(held) - len(behind)} of {len(held)} goals met. Written to {out}.")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer rounds, smaller sizes")
    only = "run these files, or FILE.FUNCTION, only"
    parser.add_argument("--only", nargs="+", metavar="GROUP", help=only)
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results/latest.json"))
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
