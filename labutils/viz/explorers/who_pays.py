"""The explorer of chapter 11: two tenants and a burst, under six policies side by side."""

from dataclasses import replace
from functools import lru_cache

from labutils.engine import Scheduler
from labutils.ground.arguments import positive
from labutils.serving.arena.match import Setting
from labutils.serving.arena.night import CHAT, DOCUMENTS, night
from labutils.serving.arena.rivals import SheddingByDeadline
from labutils.serving.arena.workload import Workload
from labutils.serving.promises import Kept, Promises
from labutils.serving.promises.policies import Ageing, EarliestDeadline, TokenBuckets, TokenCounters
from labutils.serving.simulator import simulate
from labutils.viz.controls import steps
from labutils.viz.explorer import Explorer
from labutils.viz.figures.who_pays import Bills

PATIENCE_S = 10.0
COUNTERS = "token counters"
POLICIES = {  # the class, its own arguments, and which settings beside the traffic it heeds
    "first come": (Scheduler, {}, ()),
    "priority that ages": (Ageing, {"patience_s": PATIENCE_S}, ()),
    "deadlines": (EarliestDeadline, {}, ("promised_s",)),
    "shedding by deadline": (SheddingByDeadline, {}, ("promised_s",)),
    "token buckets": (TokenBuckets, {}, ()),
    COUNTERS: (TokenCounters, {}, ("weight",)),
}


def who_pays_explorer(*, seed: int, duration_s: float = 40.0) -> Explorer:
    """Explore who keeps which promise, and who pays, when documents meet a chat.

    The controls are the documents that come at once, the chat's requests a second, the seconds
    within which documents were promised a first token, and the shop's weight (the lawyers' is 1).
    Every frame serves the night of ``duration_s`` again under each policy that is affected.
    """
    view = _View(seed, positive("duration_s", duration_s))
    seconds = [(f"{s} s", float(s)) for s in (5, 10, 20, 30, 60, 120)]
    controls = {
        "documents": steps("documents at once", (0, 1, 2, 4, 6, 8, 12), 6),
        "chat_per_s": steps("chats per second", (2.0, 3.0, 4.0, 5.0, 6.0, 7.0), 4.0),
        "promised_s": steps("first token promised to documents", seconds, 120.0),
        "weight": steps("the shop's weight", (1, 2, 4, 8), 1),
    }
    return Explorer(view.fig, view.update, controls=controls)


class _View:
    """The artists of the figure, and what moves them."""

    def __init__(self, seed: int, duration_s: float):
        self._seed, self._duration_s = seed, duration_s
        self._bills = Bills(POLICIES, title="Documents meet a chat: who keeps which promise?")
        self.fig = self._bills.fig
        self._serve = lru_cache(500)(self._served)

    def update(self, *, documents, chat_per_s, promised_s, weight) -> str:
        """Serve the night under each policy; return who pays."""
        heeded = {"promised_s": promised_s, "weight": weight}
        bulk = replace(DOCUMENTS, ttft_s=promised_s)
        workload = self._night(documents, chat_per_s, bulk, weight)
        runs = {}
        for name, (*_, own) in POLICIES.items():
            known = {key: heeded[key] for key in own}
            served = self._serve(name, documents, chat_per_s, **known)
            runs[name] = Kept.of(served, workload.promises)
        told = self._bills.draw(runs, {"chat": CHAT.ttft_s, "documents": promised_s})
        return _finding(told, runs)

    def _served(self, name, documents, chat_per_s, *, promised_s=DOCUMENTS.ttft_s, weight=1):
        kind, own, _ = POLICIES[name]
        bulk = replace(DOCUMENTS, ttft_s=promised_s)
        workload = self._night(documents, chat_per_s, bulk, weight)
        setting = Setting(promises=workload.promises)
        options = {**setting.options, **own}
        if kind is not Scheduler:
            options["promises"] = setting.promises
        if kind is SheddingByDeadline:
            options["step_cost"] = setting.step_cost
        scheduler = kind(*setting.server(), **options)
        answers = workload.output_tokens
        return simulate(workload.requests, scheduler, setting.step_cost, output_tokens=answers)

    def _night(self, documents, chat_per_s, bulk, weight) -> Workload:
        workload = night(
            seed=self._seed, chat_per_s=chat_per_s, duration_s=self._duration_s,
            documents=documents, bulk=bulk,
        )  # fmt: skip
        old = workload.promises
        tenants = [
            replace(one, weight=float(weight)) if one.name == CHAT.tenant else one
            for one in old.tenants.values()
        ]
        return replace(workload, promises=Promises(old.by_id, tenants=tenants))


def _finding(told: dict[str, dict[str, str]], runs: dict[str, Kept]) -> str:
    best = max(runs, key=lambda name: runs[name].share)
    bills = "; ".join(f"{name}: {said(bill)}" for name, bill in told.items())
    return f"Who pays? {bills}. {best.capitalize()} keeps most: {runs[best].share:.0%}."


def said(bill: dict[str, str]) -> str:
    """The bill of one policy in words."""
    return ", ".join(f"{kind} {what}" for kind, what in bill.items()) or "nobody"
