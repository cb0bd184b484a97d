"""The race on your machine: this engine, the course's, one request at a time: ``python bench.py``.

All three serve the same requests on one core, in turn; times are processor time, so other programs
take little away. The floor is the least time in which the job's bytes and operations pass at the
rates of this machine, whoever writes the engine (the roofline: Williams et al., 2009).
"""

import argparse
import os
import platform
import random
import statistics
import time

import course_engine
import my_engine
import torch
from my_engine.weights import load

MINE, COURSE, NAIVE = "this engine", "the course's", "one at a time"
SEATS, TOKEN_BUDGET, PAGE_TOKENS, NUM_PAGES = 16, 64, 16, 64
"""So few pages that some requests are preempted."""


def requests_of(number: int, vocabulary: int, seed: int) -> list[tuple[list[int], int]]:
    """Prompts of 8 to 80 tokens, each with the length of its answer: 8 to 48."""
    draws = random.Random(seed)
    sizes = [(draws.randint(8, 80), draws.randint(8, 48)) for _ in range(number)]
    return [([draws.randrange(vocabulary) for _ in range(size)], answer) for size, answer in sizes]


def serve(room, model, asked, seats: int) -> dict:
    """Answers, steps and preemptions of the engine of ``room``; every page has to be in place."""
    pool = room.PagePool(NUM_PAGES, PAGE_TOKENS)
    scheduler = room.Scheduler(seats, pool, token_budget=TOKEN_BUDGET, chunked=True)
    engine = room.Engine(model, scheduler)
    steps = []
    engine.on_step = lambda engine, plan: steps.append(len(plan.chunks))
    for number, (prompt, length) in enumerate(asked):
        engine.add_request(prompt, max_output_tokens=length, id=number)
    engine.run()
    engine.check()
    ended = [engine.requests[number] for number in range(len(asked))]
    for one in ended:
        if one.error is not None:
            raise one.error
    preemptions = sum(one.preemptions for one in ended)
    return {"answers": [one.answer for one in ended], "steps": len(steps), "preempted": preemptions}


def race(model, asked, rounds: int) -> tuple[dict, dict]:
    """Seconds by engine and round, taken in turn after a warm-up; and what each engine served."""
    ways = {NAIVE: (course_engine, 1), COURSE: (course_engine, SEATS), MINE: (my_engine, SEATS)}
    taken, served = {name: [] for name in ways}, {}
    for number in range(rounds + 1):
        for name in list(ways)[:: 1 if number % 2 else -1]:
            room, seats = ways[name]
            begin_s = time.process_time()
            served[name] = serve(room, model, asked, seats)
            taken[name].append(time.process_time() - begin_s)
    return {name: seconds[1:] for name, seconds in taken.items()}, served


def floor(model, asked, bytes_per_s: float, flops_per_s: float) -> tuple[float, int]:
    """Seconds and steps of the job in the course's plan, with memory for all, at these rates.

    A step reads the weights once and the keys and values of decoding contexts, and writes new ones.
    Only tokens that get an answer visit the table of the vocabulary, or all of the last layer.
    """
    spec, size = model.spec, next(model.parameters()).element_size()
    weights = sum(one.numel() for one in {id(one): one for one in model.parameters()}.values())
    table = spec.vocab_size * spec.hidden_size
    body = weights - table * (1 if spec.tied_embeddings else 2)
    heads = spec.num_heads * spec.head_dim
    last = 2 * spec.hidden_size * heads + 3 * spec.hidden_size * spec.ffn_size
    kv = 2 * spec.layers * spec.num_kv_heads * spec.head_dim
    time_s, steps = 0.0, 0
    for new, contexts, fresh, pairs, outputs in steps_of(asked):
        read = body + (table if outputs else 0) + (contexts + fresh) * kv
        attention = 4 * heads * ((spec.layers - 1) * pairs + spec.layers * contexts)
        products = (body - last) * new + (last + table) * outputs
        time_s += max(read * size / bytes_per_s, (2 * products + attention) / flops_per_s)
        steps += 1
    return time_s, steps


def steps_of(asked):
    """Of each step: new tokens, decoding contexts, prompt tokens, their pairs, tokens that come."""
    pages = sum(-(-(len(prompt) + length) // PAGE_TOKENS) for prompt, length in asked)
    pool = course_engine.PagePool(pages, PAGE_TOKENS)
    scheduler = course_engine.Scheduler(SEATS, pool, token_budget=TOKEN_BUDGET, chunked=True)
    for number, (prompt, length) in enumerate(asked):
        scheduler.add(course_engine.Request(number, len(prompt), length))
    while plan := scheduler.schedule(0.0):
        parts = [(new, one.computed, one.known) for one, new in plan.chunks]
        decodes = [known for _, computed, known in parts if computed + 1 == known]
        prompts = [(new, done) for new, done, known in parts if done + 1 != known]
        fresh = sum(new for new, _ in prompts)
        pairs = sum(new * done + new * (new + 1) // 2 for new, done in prompts)
        outputs = sum(computed + new == known for new, computed, known in parts)
        yield fresh + len(decodes), sum(decodes), fresh, pairs, outputs
        scheduler.commit(plan)
        for one, _ in plan.chunks:
            if one.known == one.most:
                scheduler.finish(one)


def rates() -> tuple[float, float]:
    """Bytes that this core copies a second, and operations of a product of matrices: its best."""
    source, matrix = torch.ones(2**27, dtype=torch.uint8), torch.randn(1024, 1024)
    target, product = torch.empty_like(source), torch.empty_like(matrix)
    copy_s = quickest(lambda: target.copy_(source))
    product_s = quickest(lambda: torch.mm(matrix, matrix, out=product))
    return 2 * len(source) / copy_s, 2 * 1024**3 / product_s


def quickest(call, repeats: int = 9) -> float:
    """Processor time of the quickest of some calls, after two that warm up."""
    taken = []
    for _ in range(repeats + 2):
        begin_s = time.process_time()
        call()
        taken.append(time.process_time() - begin_s)
    return min(taken[2:])


def show(taken: dict, served: dict, floor_s: float, floor_steps: int) -> None:
    """The table, and the engine in one line."""
    tokens = sum(map(len, served[COURSE]["answers"]))
    middle = {name: statistics.median(seconds) for name, seconds in taken.items()}
    rows = [(one, s, served[one]["steps"], served[one]["preempted"]) for one, s in middle.items()]
    heads = f"{'seconds':>10}{'tokens/s':>10}{'steps':>8}{'preempted':>11}{'of the floor':>14}"
    print(f"{'':14}{heads}")
    for name, seconds, steps, preempted in [*rows, ("floor", floor_s, floor_steps, 0)]:
        share = f"{100 * floor_s / seconds:.1f} %" if floor_s <= seconds else "over 100 %"
        speed = f"{tokens / seconds:,.0f}"
        print(f"{name:14}{seconds:10.3g}{speed:>10}{steps:8}{preempted:11}{share:>14}")
    pairs = zip(served[MINE]["answers"], served[COURSE]["answers"])
    same, number = sum(mine == course for mine, course in pairs), len(served[MINE]["answers"])
    exact = "token-exact" if same == number else f"{same} of {number} answers the same"
    spread = max((max(one) - min(one)) / statistics.median(one) for one in taken.values())
    print(f"\n{exact}; {100 * middle[COURSE] / middle[MINE]:.0f} % of the course's speed, ", end="")
    print(f"{middle[NAIVE] / middle[MINE]:.1f} times that of one request at a time")
    print(f"{len(taken[MINE])} rounds of the same engine differ by up to {100 * spread:.0f} %")
    if floor_s > min(middle.values()):
        print("No engine beats the floor: its rates were measured too low. Run it again.")


def main() -> None:
    """Race, and say where."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--requests", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=3)
    options = parser.parse_args()
    if min(options.requests, options.rounds) < 1:
        parser.error("expected at least one request and one round")
    torch.set_num_threads(1)
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    model = load()[0]
    asked = requests_of(options.requests, model.spec.vocab_size, options.seed)
    show(*race(model, asked, options.rounds), *floor(model, asked, *rates()))
    print(f"{platform.platform()}, Python {platform.python_version()}, torch {torch.__version__}")


if __name__ == "__main__":
    main()
