"""What lab 9 serves, asks of it and predicts: the learner's engine, as if it had a device."""

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import httpx
import numpy as np

from labutils import ray_fleet
from labutils.engine import PagePool, Scheduler
from labutils.exercises.actions import piece
from labutils.exercises.catalog.streaming_server import lab8_loads
from labutils.exercises.catalog.streaming_server.lab8_loads import kind, target
from labutils.exercises.catalog.streaming_server.lab8_servers import digest
from labutils.loadtest import Arrivals, LoadPlan, closed_plan, open_plan, run_load
from labutils.metrics import RequestLog
from labutils.ray_fleet.passing_on import Telling
from labutils.serving.checkpoints import course_model, held_out_passages
from labutils.serving.fast import packed
from labutils.serving.simulator import StepCost
from labutils.workspace.my_engine import my_engine

from .told import heard_through

__all__ = ["kind", "target"]
PLACES, PAGES = 4, 512
REST_S = 0.03


def engine():
    """An engine of the learner's with 4 places, whose steps rest for 30 ms.

    Three engines on the cores of one machine would wait for each other. A rest takes no core, as
    the work of a GPU takes none.
    """
    return _engine(*lab8_loads.model())


def smaller():
    """The same with the smaller of the course's trained models."""
    found, tokenizer = course_model("draft")
    return _engine(packed(found), tokenizer)


def _engine(model, tokenizer):
    room = my_engine(quiet=True)
    made = room.Engine(model, tokenizer=tokenizer, num_pages=PAGES, max_sequences=PLACES)
    made.on_step = _rest
    return made


def _rest(engine, plan) -> None:
    time.sleep(REST_S)


def wider():
    """The next version of ``engine``: twice the places."""
    made = engine()
    made.scheduler.max_sequences *= 2
    return made


def passing(told):
    """The learner's ``told``, or the course's where it does not pass its check."""
    tried = heard_through(told)
    return told if piece("ray.told", tried) is tried else Telling.told


def warmed(url: str) -> None:
    """A few requests that nobody counts: the first ones pay for what is built at first use."""
    run_load(closed_plan(3, 2.0, [kind()], seed=0), target(url))


def costs(seconds: float, seed: int) -> Sequence[StepCost]:
    """The cost of a step of each of three engines, fitted while all of them compute."""
    return ray_fleet.costs_together(
        engine, 3, seconds=seconds, longest_prompt=48, longest_answer=32, most_sequences=PLACES,
        seed=seed,
    )  # fmt: skip


def envelope(
    url: str, lone: LoadPlan, plans: Sequence[LoadPlan], costs: Sequence[StepCost],
    router: Callable[[], object],
) -> dict:  # fmt: skip
    """Says what each of ``plans`` will meet at ``url``, seals it, and measures.

    The way is what ``lone``, requests that come alone, take longer than the simulator says: to the
    first token, and for each step. ``router`` makes a fresh one.
    """
    alone, met = predicted(lone, costs, router()), measured(lone, url)
    step_ms, first_ms = (met[name] - alone[name] for name in ("TPOT p50", "TTFT p50"))
    costs = [replace(cost, base_s=cost.base_s + step_ms / 1e3) for cost in costs]
    said = [predicted(plan, costs, router(), first_ms - step_ms) for plan in plans]
    sealed = digest(said)
    found = [measured(plan, url) for plan in plans]
    return {"sealed": sealed, "opened": digest(said), "first_ms": first_ms, "step_ms": step_ms,
            "alone": met, "said": said, "found": found}  # fmt: skip


def predicted(
    plan: LoadPlan, costs: Sequence[StepCost], router, way_ms: float = 0.0
) -> Mapping[str, float]:
    """What the simulator says of ``plan``, in milliseconds, and in answers a second.

    ``way_ms`` is on top of every first token.
    """
    schedulers = [
        Scheduler(PLACES, PagePool(PAGES, 16), token_budget=512, chunked=True) for _ in costs
    ]
    encode = lab8_loads.model()[1].encode
    run = ray_fleet.predicted(plan, schedulers, costs, router, encode)
    return _figures(run.log, way_ms / 1e3)


def measured(plan: LoadPlan, url: str) -> Mapping[str, float]:
    """The same figures of the fleet at ``url``."""
    return _figures(RequestLog.of(run_load(plan, target(url)).records))


def _figures(log: RequestLog, way_s: float = 0.0) -> Mapping[str, float]:
    per_s = len(log.finish_s) / float(max(log.finish_s))
    return {**lab8_loads.figures(log, wire_s=way_s), "answers per s": per_s}


def assistants(many: int, per_s: float, seconds: float, seed: int) -> LoadPlan:
    """Requests that come at random, each to one of ``many`` assistants with a long beginning."""
    rng = np.random.default_rng(seed)
    plain = open_plan(Arrivals.poisson(per_s), seconds, [kind()], seed=seed)
    asked = [
        replace(one, prompt_words=80, shared=((f"assistant {rng.integers(many)}", 64),))
        for one in plain.requests
    ]
    return replace(plain, requests=asked)


def raced(url: str, plan: LoadPlan) -> Mapping[str, float]:
    """What was found in caches, in percent of the prompts' tokens, and the median TTFT in ms."""
    records = run_load(plan, target(url)).records
    asked = sum(one.prompt_tokens for one in records)
    hits = 100 * sum(one.cached_tokens for one in records) / asked
    return {"found": hits, "TTFT p50": lab8_loads.figures(RequestLog.of(records))["TTFT p50"]}


def columns(canary: str, rest: str, seconds: float, seed: int) -> Mapping[str, tuple]:
    """What is compared of two fleets that serve at the same time: by each column (bad, all) of the
    canary, (bad, all) of the rest, and the difference that is tolerated.

    Nine users ask the rest and three the canary. Bad is a first token later than 0.4 s, and more
    than 60 ms a token. Afterwards both get the same prompts, and bad is another answer.
    """
    shares = {canary: 3, rest: 9}
    plans = {url: closed_plan(users, seconds, [kind()], seed=seed) for url, users in shares.items()}
    with ThreadPoolExecutor() as pool:
        runs = {url: pool.submit(run_load, plan, target(url)) for url, plan in plans.items()}
    new, old = (RequestLog.of(runs[url].result().records) for url in (canary, rest))
    words, expected = answers(canary), answers(rest)
    changed = sum(one != other for one, other in zip(words, expected))
    return {
        "in first tokens": (_above(new.ttft_s, 0.4), _above(old.ttft_s, 0.4), 0.1),
        "in gaps": (_above(new.tpot_s, 0.06), _above(old.tpot_s, 0.06), 0.1),
        "in answers": ((changed, len(words)), (0, len(words)), 0.1),
    }


def answers(url: str, many: int = 60) -> list[str]:
    """Greedy answers of 8 tokens to fixed prompts."""
    prompts = held_out_passages()[:many]
    with httpx.Client(timeout=60) as http, ThreadPoolExecutor(PLACES) as pool:
        return [*pool.map(lambda prompt: _answer(http, url, prompt), prompts)]


def _answer(http: httpx.Client, url: str, prompt: str) -> str:
    asked = {"prompt": prompt, "max_tokens": 8, "temperature": 0}
    return http.post(f"{url}/v1/completions", json=asked).json()["choices"][0]["text"]


def _above(values, limit: float) -> tuple[int, int]:
    """How many are later, or never came, and of how many."""
    return int(np.sum(~(np.asarray(values) <= limit))), len(values)
