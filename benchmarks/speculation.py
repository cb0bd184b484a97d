"""Speculation with the trained pair: what is accepted, what it costs, and whether it pays.

Times are processor seconds of one thread, so that neighbours on the machine count for little.
"""

import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

from labutils.exercises.catalog.speculative_decoding.draft_texts import (
    KINDS,
    PROMPT_TOKENS,
    pieces_of,
)
from labutils.llm.levers.speculation import speculation_speedup, tokens_per_verification

from .registry import Goal, Row, Settings, benchmark

BATCHES = (1, 2, 4, 8, 16)
DRAFTS = (1, 2, 4)
ANSWER_TOKENS = 40
WARM_STEPS = 2  # the prompts, and the draft's reading of them


@dataclass(frozen=True)
class Window:
    """Steps with all requests still open."""

    tokens: int
    steps: int
    seconds: float

    @property
    def step_ms(self) -> float:
        return self.seconds / self.steps * 1e3

    @property
    def rate_per_s(self) -> float:
        return self.tokens / self.seconds


@benchmark
def acceptance(settings: Settings) -> Iterator[Row]:
    """Drafts accepted by place and kind of text, four drafts a step"""
    count = settings.choose(24, 3)
    for kind in KINDS:
        for name in ("model", "look-up"):
            for temperature in (0.0, 1.0):
                tally = _tally(kind, name, temperature, count)
                places = " ".join(f"{share:.2f}" for share in tally.by_place)
                how = "sampled at 1" if temperature else "greedy"
                note = f"by place {places}; {tally.tokens_per_verification:.2f} tokens a step"
                note += f"; {sum(tally.tried)} drafts looked at"
                yield Row(f"{kind}, {name}, {how}", tally.acceptance, "", note=note)


@benchmark
def gain(settings: Settings) -> Iterator[Row]:
    """Tokens per processor second with drafts over without, greedy on course text, by batch"""
    rounds = settings.choose(3, 1)
    batches = BATCHES if not settings.quick else BATCHES[:2]
    rows = sorted({batch * (1 + drafts) for batch in batches for drafts in (0, *DRAFTS)})
    target_ms = {count: _plain_step_ms("target", count, rounds) for count in rows}
    draft_ms = {batch: _plain_step_ms("draft", batch, rounds) for batch in batches}
    for count in rows:
        yield Row(f"target, {count} rows", target_ms[count], "ms", note="a decode step, alone")
    for batch in batches:
        ratio = draft_ms[batch] / target_ms[batch]
        note = f"{ratio:.2f} of the target's step"
        yield Row(f"draft, {batch} rows", draft_ms[batch], "ms", note=note)
    alpha, found = {}, {}
    for name in ("model", "look-up"):
        alpha[name] = _tally("course text", name, 0.0, settings.choose(24, 3)).acceptance
    for batch in batches:
        for name, drafts in (*(("model", one) for one in DRAFTS), ("look-up", 4)):
            drafting = draft_ms[batch] if name == "model" else 0.0
            verify_ms = target_ms[batch * (1 + drafts)], _verify_ms(batch, drafts, rounds)
            predicted = [
                speculation_speedup(
                    alpha[name],
                    drafts,
                    drafting / target_ms[batch],
                    verification_cost=step_ms / target_ms[batch],
                )
                for step_ms in verify_ms
            ]
            if name == "model":
                found[batch, drafts] = predicted[0]
            yield from _gain_rows(name, batch, drafts, predicted, alpha[name], rounds)
    for batch in batches:
        best = max(DRAFTS, key=lambda drafts: found[batch, drafts])
        note = f"gain {found[batch, best]:.2f} from rows, at an acceptance of {alpha['model']:.2f}"
        yield Row(f"best drafts by the model, batch {batch}", best, "", note=note)


def _gain_rows(name, batch, drafts, predicted, alpha, rounds) -> Iterator[Row]:
    measured, shares = [], []
    for _ in range(rounds):
        alone = _window(_engine("target", batch), batch)
        engine, split = _split(_speculative(name, batch, drafts))
        together = _window(engine, batch, started=split.clear)
        measured.append(together.rate_per_s / alone.rate_per_s)
        shares.append((split.draft_s / together.seconds, split.verify_s / together.seconds))
    value = statistics.median(measured)
    drafting, verifying = (statistics.median(share) for share in zip(*shares))
    got, expected = together.tokens / together.steps / batch, tokens_per_verification(alpha, drafts)
    note = (
        f"{got:.2f} tokens a step (formula {expected:.2f}); {drafting:.0%} drafting, "
        f"{verifying:.0%} verifying"
    )
    yield Row(f"gain, batch {batch}, {drafts} by {name}", max(measured), "×", value, note=note)
    for what, gain in zip(("rows", "chunks"), predicted, strict=True):
        off, note = abs(gain / value - 1), f"predicted {gain:.2f} ({gain / value - 1:+.0%})"
        yield Row(f"  predicted from {what}, off by", off, "", None, Goal(0.15), note)


def _verify_ms(batch: int, drafts: int, rounds: int) -> float:
    """A step of the target over a chunk of each request, alone: any drafts cost the same."""
    import torch

    from labutils.serving.speculation.spare_pages import make_room
    from labutils.serving.speculation.stretch import verification

    engine = _engine("target", batch)
    for prompt in pieces_of("course text", batch):
        engine.add_request(prompt, max_output_tokens=ANSWER_TOKENS)
    for _ in range(ANSWER_TOKENS // 3):
        engine.step()
    chunks = [(one, 1) for one in engine.open.values()]
    drafted = {one: [5] * drafts for one, _ in chunks}
    for one in drafted:
        make_room(engine.pool, one, drafts)
    times = []
    for _ in range(10 * rounds):
        begun = time.thread_time()
        with torch.inference_mode():
            step, _ = verification(chunks, drafted, engine.pool.page_tokens, engine.device)
            engine._logits(step).argmax(-1).tolist()
        times.append(time.thread_time() - begun)
    return statistics.median(times) * 1e3


class Split:
    """Seconds spent drafting and verifying."""

    def __init__(self):
        self.clear()

    def clear(self) -> None:
        self.draft_s = self.verify_s = 0.0

    def watch(self, name: str, call: Callable) -> Callable:
        def timed(*arguments):
            begun = time.thread_time()
            try:
                return call(*arguments)
            finally:
                setattr(self, name, getattr(self, name) + time.thread_time() - begun)

        return timed


def _split(engine) -> tuple[object, Split]:
    split = Split()
    engine.draft.propose = split.watch("draft_s", engine.draft.propose)
    engine.engine._logits = split.watch("verify_s", engine.engine._logits)
    return engine, split


def _window(engine, batch: int, started: Callable[[], None] = lambda: None) -> Window:
    """Serve ``batch`` prompts; the steps behind the first ones, up to the first end."""
    for prompt in pieces_of("course text", batch):
        engine.add_request(prompt, max_output_tokens=ANSWER_TOKENS)
    for _ in range(WARM_STEPS):
        engine.step()
    started()
    tokens = steps = 0
    begun = time.thread_time()
    while len(engine.open) == batch:
        tokens += len(engine.step())
        steps += 1
    return Window(tokens, steps, time.thread_time() - begun)


def _plain_step_ms(name: str, rows: int, rounds: int) -> float:
    return statistics.median(_window(_engine(name, rows), rows).step_ms for _ in range(rounds))


def _tally(kind: str, name: str, temperature: float, count: int):
    from labutils.engine import Sampling

    engine = _speculative(name, 8, 4)
    for seed, prompt in enumerate(pieces_of(kind, count)):
        sampling = Sampling(temperature=temperature, seed=seed)
        engine.add_request(prompt, max_output_tokens=ANSWER_TOKENS, sampling=sampling)
    engine.run()
    return engine.tally


def _engine(name: str, batch: int):
    from labutils.engine import Engine

    pages = batch * (-(-(PROMPT_TOKENS + ANSWER_TOKENS) // 16) + 1)
    budget = max(512, batch * PROMPT_TOKENS)
    return Engine(_model(name), num_pages=pages, max_sequences=batch, token_budget=budget)


def _speculative(name: str, batch: int, drafts: int):
    from labutils.serving.speculation import LookupDraft, ModelDraft, Speculative

    draft = ModelDraft(_model("draft")) if name == "model" else LookupDraft()
    return Speculative(_engine("target", batch), draft, tokens=drafts)


@cache
def _model(name: str):
    import torch

    from labutils.serving.checkpoints.checkpoint import course_model
    from labutils.serving.fast import packed

    torch.set_num_threads(1)
    return packed(course_model(name)[0])
