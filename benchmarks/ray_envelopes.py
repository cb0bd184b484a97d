"""Lab 9's envelope, opened many times: how far the simulator is off a fleet on Ray Serve.

``python -m benchmarks.ray_envelopes 10``; it needs Ray (``labutils.ray_fleet.missing`` says which).
"""

import sys

from labutils.exercises.catalog.fleet_on_ray import lab9_loads as load
from labutils.exercises.catalog.many_replicas.two_choices import TwoChoices
from labutils.loadtest import Arrivals, open_plan
from labutils.ray_fleet import trial
from labutils.server import Server

RATES, SECONDS, CALIBRATING_S = (6, 15), 12.0, 4.0
NAMES = ("TTFT p50", "TTFT p90", "TPOT p50", "TPOT p90", "answers per s")


def opened(seed: int) -> dict:
    """One envelope, with loads of this seed, on a fleet of its own."""
    lone, *plans = (
        open_plan(arrivals, SECONDS, [load.kind()], seed=seed)
        for arrivals in (Arrivals.evenly(2), *map(Arrivals.poisson, RATES))
    )

    def envelope(url):
        load.warmed(url)
        costs = load.costs(CALIBRATING_S, seed)
        return load.envelope(url, lone, plans, costs, lambda: TwoChoices(seed))

    parts = {"server": Server, "engine": load.engine, "router": TwoChoices(seed)}
    return trial("envelope", envelope, **parts)


def main(runs: int) -> None:
    """Print how far each figure is off, in percent, a line for each run and rate."""
    print("seed, rate:", *NAMES, sep="\t")
    for seed in range(1, runs + 1):
        found = opened(seed)
        for rate, said, met in zip(RATES, found["said"], found["found"]):
            offs = (f"{100 * (said[name] / met[name] - 1):+.1f}" for name in NAMES)
            print(f"{seed}, {rate}:", *offs, sep="\t", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]))
