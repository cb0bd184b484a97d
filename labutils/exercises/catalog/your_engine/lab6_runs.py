"""What lab 6 runs beside its exercises: jobs, one decode step on purpose, notes of a run."""

import random
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

import torch

from labutils.engine import Generation, LlamaModel
from labutils.ground.patches import patches
from labutils.workspace.my_engine.texts.assemble import with_functions
from labutils.workspace.my_engine.texts.course_engine import course_sources
from labutils.workspace.my_engine.texts.functions import source_of
from labutils.workspace.my_engine.texts.load_pieces import load
from labutils.workspace.my_engine.texts.slips import with_patch


def some_prompts(requests: int, vocabulary: int, *, seed: int) -> list[list[int]]:
    """Prompts of 8 to 40 drawn tokens."""
    draw = random.Random(seed)
    lengths = [draw.randint(8, 40) for _ in range(requests)]
    return [[draw.randrange(vocabulary) for _ in range(length)] for length in lengths]


def answers_of(engine, prompts: Sequence[Sequence[int]], *, tokens: int) -> list[list[int]]:
    """Serve ``prompts`` with ``engine``, greedily, to answers of so many tokens each."""
    done = engine.generate(prompts, max_output_tokens=tokens)
    engine.check()
    return [request.answer for request in done]


def request_of(id: Hashable, tokens: int, computed: int, pages: Sequence[int]) -> Generation:
    """A request that knows ``tokens`` tokens (numbered from 100), ``computed`` of them computed."""
    request = Generation(id, range(100, 100 + tokens), 8)
    request.computed, request.pages = computed, list(pages)
    return request


def decode_step(
    model: LlamaModel, contexts: Sequence[int], *, bucket_slots: int, page_tokens: int = 16
) -> Callable[[], torch.Tensor]:
    """One step that decodes behind drawn contexts, to be timed; the course's functions run it.

    Decodes are cut into buckets of at most ``bucket_slots`` padded slots.
    """
    room = load(course_sources(), fresh=True)
    room.attention.BUCKET_SLOTS = bucket_slots
    free, chunks = iter(range(sum(-(-n // page_tokens) for n in contexts))), []
    for id, context in enumerate(sorted(contexts)):
        pages = [next(free) for _ in range(-(-context // page_tokens))]
        chunks.append((request_of(id, context, context - 1, pages), 1))
    pages, weights = sum(len(one.pages) for one, _ in chunks), model.lm_head.weight
    where = {"dtype": weights.dtype, "device": weights.device}
    memory = room.attention.KVMemory(model.spec, pages, page_tokens, **where)
    for half in (memory.keys, memory.values):
        half.normal_()
    step = room.packing.pack(chunks, page_tokens, weights.device)
    tokens, positions = step.tokens[None] % model.spec.vocab_size, step.positions[None]

    def call() -> torch.Tensor:
        attend = room.attention.paged_attention(memory, step)
        with torch.inference_mode():
            return model(tokens, positions, attend=attend, rows=step.last)

    return call


@dataclass(frozen=True)
class Line:
    """The line of one step: pairs (request, new tokens) in its order, and what came of it.

    ``outputs`` are the places with logits, ``preempted`` the requests that lost their memory.
    """

    rows: list[tuple[Hashable, int]]
    outputs: set[int]
    preempted: list[Hashable]


def watched(engine) -> list[Line]:
    """A list that fills with the line of each step that ``engine`` computes from now on."""
    lines: list[Line] = []
    outputs: list[set[int]] = []
    logits = engine._logits

    def noting(step):
        outputs.append(set(step.last.tolist()))
        return logits(step)

    def on_step(_, plan):
        chunks = sorted(plan.chunks, key=lambda one: (one[1] > 1, one[0].computed - one[1]))
        rows = [(request.id, new) for request, new in chunks]
        lost = [request.id for request in plan.preempted]
        lines.append(Line(rows, outputs.pop() if outputs else set(), lost))

    engine._logits, engine.on_step = noting, on_step
    return lines


class Streaming:
    """Prints the text of one request as it comes: ``on_token=Streaming(engine)``."""

    def __init__(self, engine):
        self.engine, self.shown = engine, ""

    def __call__(self, id: Hashable, token: int) -> None:
        text = self.engine.requests[id].words()
        whole = text.rstrip("\ufffd")  # half a letter waits for its other half
        print(whole[len(self.shown) :], end="", flush=True)
        self.shown = whole


(_COLLEAGUES,) = patches("""
sorted-too-late: The rows are in the order of the plan, and the chunks in that of the line.
- chunks = sorted(chunks, key=lambda chunk: (chunk[1] > 1, chunk[0].computed))
- rows = [one for one, new in chunks if one.computed + new == one.known]
+ rows = [one for one, new in chunks if one.computed + new == one.known]
+ chunks = sorted(chunks, key=lambda chunk: (chunk[1] > 1, chunk[0].computed))
""")
_FORWARD = "loop:Engine._forward"


def colleagues_engine():
    """The course's engine with a mistake in ``_forward``."""
    return with_functions(with_patch(_COLLEAGUES, [_FORWARD]))


def colleagues_source() -> str:
    """The body of that function, without its docstring."""
    right = source_of(course_sources()["loop"], "Engine._forward")
    source = _COLLEAGUES.made_in({_FORWARD: right})[_FORWARD]
    return source[source.index("    rows = ") :]
