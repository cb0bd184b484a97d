"""Every policy on every workload, and a table of who kept what."""

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass

import numpy as np

from labutils.serving.simulator.progress import Progress

from .match import Policy, Score, play
from .workload import Workload


@dataclass(frozen=True)
class Table:
    """The scores of all matches, in the order in which they were played."""

    scores: tuple[Score, ...]

    def of(self, policy: str) -> list[Score]:
        """The scores of one policy."""
        return [score for score in self.scores if score.policy == policy]

    def ranking(self) -> list[tuple[str, float]]:
        """Policies by the share of promises kept, in the mean over workloads; best first.

        Whoever was sent off anywhere stands last, with NaN.
        """
        names = dict.fromkeys(score.policy for score in self.scores)
        means = {name: float(np.mean([one.kept for one in self.of(name)])) for name in names}
        return sorted(means.items(), key=lambda pair: (pair[1] != pair[1], -pair[1]))

    def __str__(self) -> str:
        head = f"{'policy':<22}{'workload':<24}  kept  good/s  fairness  worst tenant  worst wait"
        lines = [head]
        for name, _ in self.ranking():
            for one in self.of(name):
                told = one.sent_off or (
                    f"{one.kept:6.1%} {one.goodput_per_s:6.2f} {one.fairness:9.3f} "
                    f"{one.worst_tenant:13.1%} {one.worst_wait_s:9.1f} s"
                )
                lines.append(f"{one.policy:<22}{one.workload:<24}{told}")
        return "\n".join(lines)


def contest(
    policies: Mapping[str, Policy], workloads: Mapping[str, Workload], *,
    limit_s: float = 60.0, progress: bool = False,
) -> Table:  # fmt: skip
    """Play all matches; a policy that is sent off in one still plays the others.

    ``limit_s`` is what one match may take on this machine.
    """
    for name, policy in policies.items():
        if not callable(policy):
            raise ValueError(f"policy {name!r} = {policy!r}: expected a function of a Setting")
    pairs = [(name, where) for where in workloads.values() for name in policies]
    scores = []
    with closing(Progress(len(pairs), shown=progress, said="matches are over")) as bar:
        for name, where in pairs:
            scores.append(play(name, policies[name], where, limit_s=limit_s))
            bar.update()
    return Table(tuple(scores))
