"""When a first token would come, if nothing came after it."""

from collections.abc import Iterable, Sequence

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

    Steps are laid out as ``scheduler`` would, with two guesses: there is memory for all, and a
    place for each prompt, though no more decode than there are places; and no answer ends
    meanwhile. With prompts first and enough places both are harmless, and the forecast is exact as
    long as nothing that comes later joins one of these steps.
    """
    chunked, places = scheduler.chunked, scheduler.max_sequences
    decodes = context = 0
    prompts = []
    for one in scheduler.running:
        if one.to_compute > 1:
            prompts.append((one.computed, one.known))
        elif chunked and one.to_compute == 1:  # prompts first: no step holds both
            decodes, context = decodes + 1, context + one.known
    line = Prompts([*prompts, *((one.computed, one.known) for one in (*ahead, request))])
    seconds = 0.0
    while line.is_open:
        prefill, pairs, more, longer = line.take(max(scheduler.token_budget - decodes, 1), chunked)
        shape = StepShape(prefill, pairs, decodes + more, context + longer)
        seconds += step_cost.time_s(shape)
        if chunked:
            context += decodes
            for known in line.ended[: places - decodes]:
                decodes, context = decodes + 1, context + known + 1
    return seconds


class Prompts:
    """Prompts in order, as pairs (computed, known), from which one step after the other takes.

    Only the first one is touched, and sums are kept instead of chunks: a forecast takes as long as
    there are prompts and steps, however many requests decode. ``ended`` are the lengths of those
    that the last step completed.
    """

    def __init__(self, prompts: Sequence[tuple[int, int]]):
        self.prompts, self.at, self.ended = prompts, 0, []
        self.computed = prompts[0][0]

    @property
    def is_open(self) -> bool:
        """Whether a prompt is left to compute."""
        return self.at < len(self.prompts)

    def take(self, left: int, chunked: bool) -> StepShape:
        """The work of a step that takes ``left`` tokens; whole prompts unless ``chunked``."""
        self.ended, begun = [], self.at
        prefill = pairs = decodes = context = 0
        while self.is_open and left > 0:
            known = self.prompts[self.at][1]
            new = known - self.computed
            if chunked:
                new = min(new, left)
            elif self.at > begun and known > left:
                break
            if self.computed + 1 == known:
                decodes, context = decodes + 1, context + known
            else:
                prefill, pairs = prefill + new, pairs + attention_pairs(new, self.computed)
            left, self.computed = left - new, self.computed + new
            if self.computed == known:
                self._next(known)
        return StepShape(prefill, pairs, decodes, context)

    def _next(self, known: int) -> None:
        self.ended.append(known)
        self.at += 1
        if self.is_open:
            self.computed = self.prompts[self.at][0]
