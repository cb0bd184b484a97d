"""Hand every answer to its check and print the figures: ``python -m tests.answers [SLUG ...]``."""

import argparse
import sys

from tests.answers.outcome import figures
from tests.answers.sheet import CHAPTERS
from tests.answers.trial import trial


def main(arguments: list[str]) -> int:
    """Print each answer whose outcome somebody has to look at, then the figures."""
    parser = argparse.ArgumentParser(prog="python -m tests.answers", description=__doc__)
    parser.add_argument("slugs", nargs="*", metavar="SLUG", help=f"of {', '.join(CHAPTERS)}")
    parser.add_argument("--all", action="store_true", help="print what every check said")
    options = parser.parse_args(arguments)
    outcomes = []
    for slug in options.slugs or CHAPTERS:
        for outcome in trial(slug):
            outcomes.append(outcome)
            if options.all or outcome.asks_for_eyes:
                print(f"{outcome}\n    {outcome.said[:300]}", flush=True)
    print()
    for name, number, of, bar in figures(outcomes):
        print(f"{name:26} {number:5} of {of:5}  {100 * number / max(of, 1):6.2f} %   {bar}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
