"""Does the simulator name the better policy? Fitted on one, asked about pairs, held to an engine.

``python -m benchmarks.arena_pairs`` runs it in full and keeps the table in ``data``.
"""

import json
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from labutils.serving.arena import (
    RIVALS,
    Pairs,
    SealedTable,
    SmallEngine,
    Table,
    contest,
    workloads,
)
from labutils.serving.arena.pairs import FIGURES
from labutils.serving.trials.reveal import spread

from . import machine
from .arena import POLICIES
from .registry import Goal, Row, Settings, benchmark

SEED, LOAD = 23, 1.3
FIT_S, REQUESTS, ROUNDS = 60, 100, 2
PLACE = Path("data/arena_pairs.json")


@benchmark
def simulator_picks_the_winner(settings: Settings) -> Iterator[Row]:
    """The simulator picks the winner: of decisive pairs of policies, how often the better one"""
    *_, last = played(settings)
    yield from rows_of(last, settings)


def played(settings: Settings) -> Iterator[dict]:
    """Fit, predict and measure; after each round all that is to be kept, as JSON takes it."""
    engine = SmallEngine(seconds=settings.choose(FIT_S, 1))
    policies = dict(list(RIVALS.items())[::3]) if settings.quick else POLICIES
    drawn = workloads(settings.choose(REQUESTS, 20), seed=SEED, load=LOAD)
    small = engine.scaled(drawn)
    sealed, rounds = SealedTable.of(policies, small, engine), []
    for _ in range(ROUNDS):
        rounds.append(contest(policies, small, play=engine.play))
        yield {
            "digest": sealed.digest, "seed": SEED, "load": LOAD, "requests": REQUESTS,
            "rounds": len(rounds), "fitted_s": float(sum(engine.calibration.totals_s)),
            "step_cost": engine.calibration.costs, "second_s": engine.server.second_s,
            "noise": spread(engine.calibration.totals_s), "speed_range": engine.bench.speed_range,
            "sent_off": [one.sent_off for table in rounds for one in table.scores if one.sent_off],
            "scores": scores_of(sealed.predicted, rounds),
        }  # fmt: skip


def scores_of(predicted: Table, rounds: list[Table]) -> list[dict]:
    """For each match the figures that were predicted, and those of each round."""
    return [
        {
            "policy": said.policy, "workload": said.workload,
            **{name: [round(getattr(one, name), 6) for one in (said, *found)] for name in FIGURES},
        }
        for said, *found in zip(predicted.scores, *(table.scores for table in rounds))
    ]  # fmt: skip


def rows_of(kept: dict, settings: Settings) -> Iterator[Row]:
    """The share that was named rightly, the confusion table, and what the machine could show."""
    pairs = Pairs.recorded(kept["scores"])
    of = f"{len(pairs.decisive) - len(pairs.wrong)} of {len(pairs.decisive)} decisive pairs"
    goal = None if settings.quick else Goal(0.9, at_least=True)
    yield Row("the better policy was named", pairs.right_share, "", goal=goal, note=of)
    for figure, counts in pairs.confusion().items():
        told = ", ".join(f"{n} {word}" for n, word in zip(counts, ("rightly", "wrongly", "equal")))
        yield Row(f"by {figure}", counts[0] / max(sum(counts), 1), "", note=told)
    if kept["rounds"] > 1:
        again = Pairs.between_rounds(kept["scores"]).right_share
        note = "the first round asked about the second: how far the engine agrees with itself"
        yield Row("the engine names itself", again, "", note=note)
    yield Row("passes of the same steps differ by", kept["noise"], "", note=f"speed varied by "
              f"{kept['speed_range']:.2f}, fitted on {kept['fitted_s']:.0f} s")  # fmt: skip
    print(pairs.by_policy())


def main() -> int:
    """Run it in full and keep it, after each round."""
    settings = Settings()
    for kept in played(settings):
        for row in rows_of(kept, settings):
            print(row.name, row.value, row.note, flush=True)
        keep(kept)
    return 0


def keep(kept: dict) -> None:
    """Write the file that ``Pairs.recorded()`` reads, a line for each match."""
    here = machine.describe()
    here = {name: here[name] for name in ("cpu", "cores", "load_at_start", "python", "packages")}
    here["packages"] = {name: here["packages"][name] for name in ("numpy", "torch")}
    stamp = {"command": "python -m benchmarks.arena_pairs", "machine": here,
             "date": datetime.now(UTC).isoformat(timespec="seconds")}  # fmt: skip
    lines = ",\n".join(json.dumps(row) for row in kept["scores"])
    head = {name: value for name, value in kept.items() if name != "scores"}
    text = json.dumps({**stamp, **head}, indent=1)
    PLACE.write_text(f'{text[:-2]},\n "scores": [\n{lines}\n]}}\n', encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
