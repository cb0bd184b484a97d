"""Every policy on every workload, and a table of who kept what."""

import hashlib
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass

import numpy as np

from labutils.engine import Scheduler
from labutils.serving.simulator.progress import Progress

from .match import FAIRNESS, Policy, Score, play
from .workload import Workload

ALL = "all workloads"


@dataclass(frozen=True)
class Table:
    """The scores of all matches, in the order in which they were played.

    ``played`` says on what: tables of other workloads cannot be compared.
    """

    scores: tuple[Score, ...]
    played: str = ""

    def of(self, policy: str) -> list[Score]:
        """The scores of one policy."""
        return [score for score in self.scores if score.policy == policy]

    def ranking(self) -> list[tuple[str, float]]:
        """Policies by the share of promises kept, in the mean over workloads; best first.

        Of equals the one whose worst tenant got more, then the one with the shorter worst wait.
        Whoever was sent off anywhere stands last, with NaN.
        """
        ranked = sorted(self.totals(), key=lambda one: (one.kept != one.kept, one.order))
        return [(one.policy, one.kept) for one in ranked]

    def standings(self) -> str:
        """The ranking as lines; of a policy that was sent off where it was, and why."""
        return "\n".join(f"{name:<22} {self.told(name, kept)}" for name, kept in self.ranking())

    def told(self, policy: str, kept: float) -> str:
        """What the ranking says of a policy: the share that it ``kept``, or why it was sent off."""
        off = next((score for score in self.of(policy) if score.sent_off), None)
        return f"sent off ({off.workload}), {off.sent_off}" if off else f"{kept:6.1%}"

    def leaders(self) -> list[str]:
        """All policies that keep as much as the first of the ranking; none if all were sent off."""
        ranking = self.ranking()
        return [name for name, kept in ranking if kept == ranking[0][1]]

    def totals(self) -> list[Score]:
        """One score for each policy, over all its workloads: means of what is kept, the goodput
        and the fairness; the worst of tenants and waits; the first time that it was sent off.
        """
        names = dict.fromkeys(score.policy for score in self.scores)
        return [_total(name, self.of(name)) for name in names]

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
        return "\n".join([*lines, FAIRNESS])


def contest(
    policies: Mapping[str, Policy], workloads: Mapping[str, Workload], *,
    limit_s: float = 60.0, progress: bool = False, play: Callable[..., Score] = play,
) -> Table:  # fmt: skip
    """Play all matches; a policy that is sent off in one still plays the others.

    ``limit_s`` is what one match may take on this machine. ``play`` plays one: in the simulator, or
    on an engine (``SmallEngine.play``).
    """
    for name, policy in policies.items():
        if isinstance(policy, type) and issubclass(policy, Scheduler):
            raise ValueError(
                f"policy {name!r} = {policy!r}: expected a function of a Setting; wrap it in "
                f"policy_of: policy_of({policy.__name__})"
            )
        if not callable(policy):
            raise ValueError(f"policy {name!r} = {policy!r}: expected a function of a Setting")
    pairs = [(name, where) for where in workloads.values() for name in policies]
    scores = []
    with closing(Progress(len(pairs), shown=progress, said="matches are over")) as bar:
        for name, where in pairs:
            scores.append(play(name, policies[name], where, limit_s=limit_s))
            bar.update()
    return Table(tuple(scores), played=digest(workloads))


def digest(workloads: Mapping[str, Workload]) -> str:
    """Eight letters that no other workloads have (the beginning of their SHA-256)."""
    told = [(name, one.fingerprint()) for name, one in sorted(workloads.items())]
    return hashlib.sha256(repr(told).encode()).hexdigest()[:8]


def _total(name: str, scores: list[Score]) -> Score:
    def mean(field: str) -> float:
        return float(np.mean([getattr(one, field) for one in scores]))

    def worst(field: str, of: Callable) -> float:
        return float(of([getattr(one, field) for one in scores]))

    return Score(
        name, ALL, mean("kept"), mean("goodput_per_s"), mean("fairness"),
        worst("worst_tenant", np.min), worst("worst_wait_s", np.max),
        sum(one.refused for one in scores), sum(one.steps for one in scores),
        next((one.sent_off for one in scores if one.sent_off), ""), worst("p90_wait_s", np.max),
    )  # fmt: skip
