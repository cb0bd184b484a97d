"""Small models, ragged prompts, and what greedy decoding without any cache says about them."""

import random
from functools import cache

import torch

from labutils.engine import Engine, LlamaModel, Scheduler, small_spec

SPEC = small_spec(
    layers=2,
    hidden_size=24,
    num_heads=4,
    num_kv_heads=2,
    head_dim=6,
    ffn_size=20,
    vocab_size=61,
    max_context=120,
)


@cache
def tiny_model(**options) -> LlamaModel:
    """Two layers in float64, whose next token depends on every token before."""
    return LlamaModel(SPEC, dtype=torch.float64, init_std=0.3, **options)


def ragged_prompts(count: int, *, seed: int, longest: int = 40, vocabulary: int = 61):
    """Prompts of 1 to ``longest`` tokens; every third starts as the one before it does."""
    draw = random.Random(seed)
    prompts = []
    for number in range(count):
        head = prompts[-1][: draw.randint(1, longest)] if number % 3 == 2 else []
        length = draw.randint(1, max(1, longest - len(head)))
        prompts.append(head + [draw.randrange(vocabulary) for _ in range(length)])
    return prompts


def plain_answer(prompt, tokens: int) -> list[int]:
    """Greedy tokens of the tiny model, every one from the whole text before it."""
    return list(_plain_answer(tuple(prompt), tokens))


@cache
def _plain_answer(text: tuple[int, ...], tokens: int) -> tuple[int, ...]:
    if not tokens:
        return ()
    before = _plain_answer(text, tokens - 1)
    logits = tiny_model()(torch.tensor([[*text, *before]]), last_only=True)
    return (*before, int(logits[0, -1].argmax()))


def answers_of(engine: Engine, prompts, lengths, order=None, **options) -> list[list[int]]:
    """The answers to ``prompts``, sent in ``order``, of ``lengths`` tokens; every page is back."""
    ids = {}
    for at in order or range(len(prompts)):
        ids[at] = engine.add_request(prompts[at], max_output_tokens=lengths[at], **options)
    engine.run()
    require_empty(engine)
    return [engine.requests[ids[at]].answer for at in range(len(prompts))]


def require_empty(engine: Engine) -> None:
    """Nothing is open, and every page can be had again."""
    engine.check()
    assert not engine.open and engine.pool.num_free == engine.pool.num_pages
    assert not engine.scheduler.waiting and not engine.scheduler.running


def watched(engine: Engine) -> list:
    """The plans of all steps to come, as they come: pairs (id, new tokens), and ids preempted."""
    plans, hook = [], engine.on_step

    def note(engine, plan):
        chunks = [(request.id, new) for request, new in plan.chunks]
        plans.append((chunks, [request.id for request in plan.preempted]))
        if hook is not None:
            hook(engine, plan)

    engine.on_step = note
    return plans


class Shaky(Scheduler):
    """Takes the newest request's memory away at random, needed or not."""

    def __init__(self, *args, seed: int, **options):
        super().__init__(*args, **options)
        self.draw, self.taken = random.Random(seed), 0

    def _decode(self, plan):
        computing = [one for one in self.running if one.to_compute > 0]
        if len(computing) > 1 and self.draw.random() < 0.3:
            self._preempt(plan)
            self.taken += 1
        super()._decode(plan)


class Allergic:
    """A model that raises whenever it reads the token 60, the first ``times`` times."""

    def __init__(self, model, times=10**9):
        self.model, self.spec, self.times = model, model.spec, times

    def __call__(self, tokens, *args, **options):
        if (tokens == 60).any() and self.times > 0:
            self.times -= 1
            raise FloatingPointError("token 60 disagrees with me")
        return self.model(tokens, *args, **options)
