"""``labutils envelope FILE``: a load test of your own engine beside the course's prediction."""

import argparse
import json
import sys
from dataclasses import replace
from pathlib import Path

_BITS = {"bf16": 16, "fp16": 16, "fp8": 8, "int8": 8, "int4": 4}
_MOST_COST_BYTES = 1 << 16
OWN_PAGES = 1 << 16  # of 16 tokens: memory is no limit where nobody says how much there is


def add_options(parser: argparse.ArgumentParser) -> None:
    """What may be said of a load test and of its engine."""
    add = parser.add_argument
    add("file", metavar="FILE", help="JSON of a client, or its folder")
    add("--model", metavar="NAME", help="of the course's catalogue, such as Llama-3.1-8B")
    add("--gpu", metavar="NAME", help="such as 'H100 SXM'")
    add("--tp", type=int, default=1, metavar="N", help="cards that share each layer")
    add("--cost", metavar="FILE", help="JSON of a fitted StepCost, in place of model and GPU")
    add("--output-tokens", type=int, metavar="N", help="asked of every answer, end of text ignored")
    add("--prompt-tokens", type=int, metavar="N", help="of every prompt, where the file lacks it")
    add("--places", type=int, default=128, metavar="N", help="max_num_seqs (default 128)")
    add("--budget", type=int, default=2048, metavar="N", help="max_num_batched_tokens (2048)")
    add("--cache", default="none", metavar="HOW", help="of each prompt: none, whole, or N tokens")
    add("--memory-share", type=float, default=0.9, metavar="SHARE")
    add("--weights", choices=tuple(_BITS), default="bf16")
    add("--bandwidth-share", type=float, default=0.85, metavar="SHARE")
    add("--layer-us", type=float, default=40.0, metavar="US", help="of each layer, no bytes moved")
    add("--edge-ms", type=float, metavar="MS", help="between client and engine (8; --cost: 0)")
    add("--late-steps", type=int, metavar="N", help="missed by a newcomer (1; --cost: 0)")
    add("--seed", type=int, default=0, metavar="N", help="of arrivals that are not known")


def run(options: argparse.Namespace) -> int:
    """Print the comparison; 2 for what cannot be read."""
    from .clients import read_run
    from .comparison import comparison

    try:
        lengths = {name: getattr(options, name) for name in ("prompt_tokens", "output_tokens")}
        measured = read_run(options.file, **lengths)
        of_engine, assumed, words = _assumed(options, measured)
        print(comparison(of_engine, assumed, seed=options.seed))
        print(f"\nAssumed\n  {words}")
    except (ValueError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def _assumed(options: argparse.Namespace, measured):
    """The run with its engine, what is assumed of it, and that in words."""
    from labutils.serving.measured.simulated import Physics, pages_of

    from .predicted import Assumed

    own = options.cost is not None
    edge_ms, late = (0.0, 0) if own else (8.0, 1)
    physics = Physics(
        bandwidth_share=options.bandwidth_share,
        per_layer_s=options.layer_us / 1e6,
        edge_s=(edge_ms if options.edge_ms is None else options.edge_ms) / 1e3,
        late_steps=late if options.late_steps is None else options.late_steps,
        usable_share=options.memory_share,
        bytes_per_weight=_BITS[options.weights] / 8,
    )
    run = replace(
        measured,
        model=options.model,
        device=options.gpu,
        tp=options.tp,
        max_running=options.places,
        token_budget=options.budget,
    )
    around = f"{options.places} places, {options.budget} tokens a step, cache {options.cache}"
    around += f", {1e3 * physics.edge_s:g} ms at the edge, steps late: {physics.late_steps}"
    around += ", exponential gaps where arrivals are not known"
    cached_tokens = _cached(options.cache)
    if own:
        assumed = Assumed(
            physics=physics, cost=_cost(options.cost), pages=OWN_PAGES, cached_tokens=cached_tokens
        )
        return run, assumed, f"{options.cost}: {OWN_PAGES} pages\n  {around}"
    if not options.model or not options.gpu:
        raise ValueError("whose engine? --model NAME --gpu NAME [--tp N], or --cost FILE")
    pages = pages_of(run, physics)
    said = (
        f"{options.model} in {options.weights} on {options.tp} x {options.gpu}: {pages} pages "
        f"({100 * options.memory_share:g} % of the memory), {100 * options.bandwidth_share:g} % of "
        f"the bandwidth, half of the arithmetic, {options.layer_us:g} us a layer"
    )
    return run, Assumed(physics=physics, cached_tokens=cached_tokens), f"{said}\n  {around}"


def _cached(how: str) -> int | None:
    if how in ("none", "whole"):
        return 0 if how == "none" else None
    if not how.isdigit():
        raise ValueError(f"--cache {how!r}: expected none, whole or a number of tokens")
    return int(how)


def _cost(path: str):
    from labutils.serving.runs.step_cost import StepCost

    text = Path(path).read_bytes()[:_MOST_COST_BYTES]
    try:
        return StepCost(**json.loads(text))
    except (TypeError, ValueError, RecursionError) as error:
        names = ", ".join(StepCost.__dataclass_fields__)
        raise ValueError(f"--cost {path}: expected a JSON object with {names} ({error})") from None
