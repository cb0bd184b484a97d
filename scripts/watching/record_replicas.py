"""Records the run that chapter 13 watches: four replicas and a canary of the course's server.

``python -m scripts.watching.record_replicas`` writes ``data/watching.jsonl.xz`` anew, in eight
minutes on two cores. The replicas run one after the other, so that they do not disturb each other,
and are laid side by side: second 0 of each is its own start. Each is scraped once a second while a
client sends Poisson arrivals. The client does what an SDK does: refused with 503, it waits as long
as ``Retry-After`` says and tries again, four times in all.

Two things are done to them. From second 40 to 60 every step of replica c takes ``SLOW_S`` longer,
as if a neighbour took its cores. At second 55 replica d is shut down and started anew.
"""

import argparse
import asyncio
import json
import lzma
import os
import platform
import random
import time
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import httpx
import torch

from labutils.engine import Engine
from labutils.server import Limits, Server
from labutils.serving.checkpoints import course_model

SECONDS = 90
SLOW_FROM_S, SLOW_UNTIL_S, SLOW_S = 40, 60, 0.16
RESTART_S = 55
OPEN_REQUESTS = 12
TRIES = 4


@dataclass(frozen=True)
class Replica:
    """What is asked of one server, and what befalls it."""

    name: str
    rate_per_s: float
    is_slow: bool = False
    restarts: bool = False
    model: str = "target"


REPLICAS = (
    Replica("a", 3.0),
    Replica("b", 2.5),
    Replica("c", 2.5, is_slow=True),
    Replica("d", 1.2, restarts=True),
    Replica("canary", 1.2, model="draft"),
)


class Service:
    """A replica's server, its engine slowed where that is its fate, and how it is started anew."""

    def __init__(self, replica: Replica):
        self.replica, self.began_s = replica, 0.0
        self._stack, self.url = ExitStack(), ""

    def start(self) -> None:
        """Start a fresh server, with counters at 0."""
        model, tokenizer = course_model(self.replica.model)
        engine = Engine(model, tokenizer=tokenizer, max_sequences=OPEN_REQUESTS)
        engine.on_step = self._on_step
        server = Server(engine, limits=Limits(open_requests=OPEN_REQUESTS), drain_s=1.0)
        self.url = self._stack.enter_context(server.running())

    def stop(self) -> None:
        """Drain and end."""
        self._stack.close()

    def _on_step(self, engine, plan) -> None:
        since_s = time.perf_counter() - self.began_s
        if self.replica.is_slow and SLOW_FROM_S <= since_s < SLOW_UNTIL_S:
            time.sleep(SLOW_S)


class Client:
    """Sends what was drawn, tries again where it was told to, and notes what its users saw."""

    def __init__(self, service: Service, http: httpx.AsyncClient, texts: list[str], seed: int):
        self.service, self.http = service, http
        self.texts, self.random = texts, random.Random(seed)
        self.seen: list[dict] = []

    async def load(self, seconds: float) -> None:
        """Poisson arrivals for so long; ends when the last answer has."""
        at_s, tasks = 0.0, []
        while (at_s := at_s + self.random.expovariate(self.service.replica.rate_per_s)) < seconds:
            await asyncio.sleep(max(0.0, at_s - self._now_s()))
            asked = self.random.choice(self.texts), self.random.choice((16, 24, 48))
            tasks.append(asyncio.create_task(self._user(at_s, *asked)))
        await asyncio.gather(*tasks)

    async def _user(self, arrival_s: float, prompt: str, max_tokens: int) -> None:
        body = {"model": "course", "prompt": prompt, "max_tokens": max_tokens, "stream": True}
        told = {"arrival_s": round(arrival_s, 4), "tries": 0, "status": "failed"}
        for told["tries"] in range(1, TRIES + 1):
            wait_s = await self._try(body, arrival_s, told)
            if wait_s is None:
                break
            await asyncio.sleep(wait_s)
        told["end_s"] = round(self._now_s() - arrival_s, 4)
        self.seen.append(told)

    async def _try(self, body: dict, arrival_s: float, told: dict) -> float | None:
        """One try; None if it is over, else the seconds until the next."""
        url = f"{self.service.url}/v1/completions"
        try:
            async with self.http.stream("POST", url, json=body) as answer:
                if answer.status_code != 200:
                    return float(answer.headers.get("retry-after", 1))
                await self._read(answer, arrival_s, told)
                return None
        except httpx.HTTPError:
            return 1.0

    async def _read(self, answer, arrival_s: float, told: dict) -> None:
        async for line in answer.aiter_lines():
            if line.startswith("data: {") and '"text"' in line and "ttft_s" not in told:
                told["ttft_s"] = round(self._now_s() - arrival_s, 4)
            if line == "data: [DONE]":
                told["status"] = "ok"

    def _now_s(self) -> float:
        return time.perf_counter() - self.service.began_s


async def scrape(service: Service, http: httpx.AsyncClient, seconds: float) -> list[dict]:
    """The text of ``/metrics`` once a second, with the moment at which it was there."""
    texts = []
    for second in range(1, int(seconds) + 1):
        await asyncio.sleep(max(0.0, service.began_s + second - time.perf_counter()))
        try:
            text = (await http.get(f"{service.url}/metrics", timeout=5)).text
        except httpx.HTTPError:
            continue
        time_s = time.perf_counter() - service.began_s
        texts.append({"time_s": round(time_s, 3), "text": text})
    return texts


async def restart(service: Service) -> None:
    """At its second, end the server and start a new one."""
    await asyncio.sleep(service.began_s + RESTART_S - time.perf_counter())
    await asyncio.to_thread(service.stop)
    await asyncio.to_thread(service.start)


async def run(replica: Replica, texts: list[str], seconds: float, seed: int) -> dict:
    """One replica's life: its scrapes and what its users saw."""
    service = Service(replica)
    service.start()
    service.began_s = time.perf_counter()
    async with httpx.AsyncClient(timeout=30) as http:
        client = Client(service, http, texts, seed)
        parts = [scrape(service, http, seconds), client.load(seconds - 2)]
        parts += [restart(service)] if replica.restarts and seconds > RESTART_S else []
        scrapes, *_ = await asyncio.gather(*parts)
    service.stop()
    seen = sorted(client.seen, key=lambda one: one["arrival_s"])
    return {"replica": replica.name, "scrapes": scrapes, "users": seen}


def about() -> dict:
    """Where and when it was recorded, and what was done."""
    return {
        "recorded": datetime.now(UTC).date().isoformat(),
        "machine": f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, shared",
        "torch": torch.__version__,
        "slow": {"replica": "c", "from_s": SLOW_FROM_S, "until_s": SLOW_UNTIL_S, "step_s": SLOW_S},
        "restart": {"replica": "d", "at_s": RESTART_S},
        "open_requests": OPEN_REQUESTS,
    }


def main() -> None:
    """Record all replicas and write the file."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--out", type=Path, default=Path("data/watching.jsonl.xz"))
    asked = parser.parse_args()
    rows = [json.loads(row)["text"] for row in Path("data/corpus.jsonl").read_text().splitlines()]
    texts = [row[:size] for row in rows for size in (200, 400, 700) if len(row) > size]
    told = [about()]
    for seed, replica in enumerate(REPLICAS):
        told.append(asyncio.run(run(replica, texts, asked.seconds, seed)))
        print(replica.name, len(told[-1]["scrapes"]), len(told[-1]["users"]), flush=True)
    lines = "\n".join(json.dumps(one) for one in told)
    asked.out.write_bytes(lzma.compress(lines.encode(), preset=9))


if __name__ == "__main__":
    main()
