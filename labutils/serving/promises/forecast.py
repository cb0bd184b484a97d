"""When a first token would come, if nothing came after it."""

from collections.abc import Iterable

from labutils.engine import Request, Scheduler
from labutils.serving.runs.step_cost import StepCost
from labutils.serving.scheduling.step_shape import StepShape, attention_pairs


def shape_of(chunks: Iterable[tuple[int, int, int]]) -> StepShape:
    """The work of a step from its chunks, each (computed tokens, known tokens, new tokens)."""
    prefill = pairs = decodes = context = 0
    for computed, known, new in chunks:
        if computed + 1 == known:
            decodes, context = decodes + 1, context + known
        else:
            prefill, pairs = prefill + new, pairs + attention_pairs(new, computed)
    return StepShape(prefill, pairs, decodes, context)


def prefill_s(
    scheduler: Scheduler, request: Request, ahead: Iterable[Request], step_cost: StepCost
) -> float:
    """Seconds from the next step on until ``request`` has its first token, behind ``ahead``.

    Steps are laid out as ``scheduler`` would, with two guesses: there are a place and memory for
    all, and no answer ends meanwhile. With prompts first and enough places both are harmless, and
    the forecast is exact as long as nothing that comes later joins one of these steps. A policy
    that chooses each step's budget says so by ``step_budget(contexts)``.
    """
    prompts = [[one.computed, one.known] for one in scheduler.running if one.to_compute > 1]
    prompts += [[one.computed, one.known] for one in (*ahead, request)]
    decoding = [one.known for one in scheduler.running if one.to_compute == 1]
    own, seconds = prompts[-1], 0.0
    while own[0] < own[1]:
        chunks = [(known - 1, known, 1) for known in decoding] if scheduler.chunked else []
        started = _fill(chunks, prompts, scheduler)
        seconds += step_cost.time_s(shape_of(chunks))
        if scheduler.chunked:
            decoding = [known + 1 for known in decoding] + [known + 1 for known in started]
    return seconds


def _fill(chunks: list, prompts: list[list[int]], scheduler: Scheduler) -> list[int]:
    """Put prompts into a step, in their order; returns the lengths of those that it completes."""
    contexts = [known for _, known, _ in chunks]
    chosen = getattr(scheduler, "step_budget", lambda contexts: scheduler.token_budget)
    left, done = max(1, chosen(contexts) - len(chunks)), []  # more may decode here than ever will
    while prompts and left > 0:
        computed, known = prompts[0]
        new = min(known - computed, left) if scheduler.chunked else known - computed
        if not scheduler.chunked and chunks and known > left:
            break
        chunks.append((computed, known, new))
        left -= new
        prompts[0][0] += new
        if prompts[0][0] == known:
            done.append(prompts.pop(0)[1])
    return done
