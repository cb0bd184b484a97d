"""The course's server under a light load, with faults on demand: a process that reads orders.

It says the server's address on standard output, once the server has answered. Each line of
standard input is a fault's name, or ``calm``. When the input ends it ends, too, however whoever
started it came to its end.
"""

import asyncio
import contextlib
import sys
import time
from itertools import count

import httpx
import torch
from prometheus_client import Counter

from labutils.loadtest import Arrivals, LoadRun, RequestKind, Target, open_plan
from labutils.server import Limits, Server
from labutils.server.command import course_engine
from labutils.serving.checkpoints import held_out_passages
from labutils.serving.checkpoints.quantised import with_weights
from labutils.serving.promises import Tenant

from .live_faults import FAULTS, SHORT, Fault

CALM = Fault(said="nothing is wrong", panel=0)
PER_S, PLANNED_S = 3.0, 120.0
PAGES, TOGETHER = 96, 8  # memory for eight short answers, or for three long ones
TENANTS = (
    Tenant(name=SHORT.tenant),
    Tenant(name="reports", tokens_per_s=100, burst_tokens=200),
)
PROBES, PROBE_S = 8, 0.4


class UnderLoad:
    """A server whose engine can be slowed and whose model can be exchanged while it runs."""

    def __init__(self, seed: int):
        torch.set_num_threads(1)  # the other cores are for whoever watches
        self.seed, self.fault, self.extra = seed, CALM, None
        engine = course_engine(num_pages=PAGES, max_sequences=TOGETHER, prefix_sharing=False)
        engine.on_step = lambda *_: time.sleep(self.fault.step_s)
        self.engine, self.model = engine, engine.model
        limits = Limits(open_requests=64, tenants=TENANTS)
        self.server = Server(engine, limits=limits, drain_s=0.2)
        self.probes = Counter(
            "probe:answers", "fixed prompts, by whether the answer is still the first one",
            ["same"], registry=self.server.front.watch.registry,
        )  # fmt: skip

    async def follow(self, orders) -> None:
        """Load and probes until ``orders``, a file of lines, ends; each line is obeyed at once."""
        going = [
            asyncio.create_task(self._load(SHORT, PER_S)), asyncio.create_task(self._probe())
        ]  # fmt: skip
        while line := await asyncio.to_thread(orders.readline):
            self.befall(line.strip())
        for task in filter(None, (*going, self.extra)):
            task.cancel()

    def befall(self, name: str) -> None:
        """Start the fault called ``name``, after ending the one that was on."""
        self.fault = FAULTS.get(name, CALM)
        if self.extra is not None:
            self.extra.cancel()
        fault, self.extra = self.fault, None
        self.engine.model = with_weights(self.model, fault.bits) if fault.bits else self.model
        if fault.kind is not None:
            self.extra = asyncio.create_task(self._load(fault.kind, fault.rate_per_s))

    async def _load(self, kind: RequestKind, rate_per_s: float) -> None:
        target = Target(self.server.url, extra={"ignore_eos": True})
        for seed in count(self.seed):
            plan = open_plan(Arrivals.poisson(rate_per_s), PLANNED_S, [kind], seed=seed)
            await LoadRun(plan, target).go()

    async def _probe(self) -> None:
        """Ask fixed prompts in turn, and count the answers that are no longer the first ones."""
        texts = [passage[:40] for passage in held_out_passages()[:PROBES]]
        async with httpx.AsyncClient(timeout=60, trust_env=False) as http:
            first = [await self._answer(http, text) for text in texts]
            print(self.server.url, flush=True)  # from now on every histogram has its series
            while True:
                for text, before in zip(texts, first):
                    same = await self._answer(http, text) == before
                    self.probes.labels("yes" if same else "no").inc()
                    await asyncio.sleep(PROBE_S)

    async def _answer(self, http: httpx.AsyncClient, text: str) -> str:
        body = {"prompt": text, "max_tokens": 8, "temperature": 0, "user": SHORT.tenant}
        found = await http.post(f"{self.server.url}/v1/completions", json=body)
        return found.text if found.status_code != 200 else found.json()["choices"][0]["text"]


def main() -> None:
    """Serve until standard input ends."""
    service = UnderLoad(int(sys.argv[1]))
    with service.server.running(), contextlib.suppress(KeyboardInterrupt):
        asyncio.run(service.follow(sys.stdin))
