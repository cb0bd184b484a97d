"""Drafts for tests: a target's blurred twin, one that is always right, and some that are not."""

import random
from functools import cache

import torch

from labutils.engine import Engine, LlamaModel, PagePool, Scheduler
from labutils.serving.speculation import LookupDraft, ModelDraft, Proposal, Speculative
from tests.engine.jobs import SPEC, plain_answer, tiny_model


@cache
def blurred(noise: float = 0.05, seed: int = 1) -> LlamaModel:
    """The tiny model with noise on its weights: it agrees with it now and then."""
    model = LlamaModel(SPEC, dtype=torch.float64, init_std=0.3)
    generator = torch.Generator().manual_seed(seed)
    for weights in model.parameters():
        weights += noise * torch.randn(weights.shape, generator=generator, dtype=weights.dtype)
    return model


class Oracle:
    """Knows the greedy answer; where its number is not a multiple of ``lies``, the token is."""

    def __init__(self, lies: int = 10**9):
        self.lies = lies

    def bind(self, engine):
        pass

    def propose(self, requests, counts):
        return [Proposal(self._said(*pair)) for pair in zip(requests, counts, strict=True)]

    def _said(self, request, count):
        prompt, done = request.tokens[: request.prompt_tokens], len(request.answer)
        right = plain_answer(prompt, done + count)[done:]
        return [
            (token + 1) % 61 if (done + place) % self.lies == self.lies - 1 else token
            for place, token in enumerate(right)
        ]


class Guess:
    """Any tokens at all, sometimes fewer than asked for."""

    def __init__(self, seed: int = 0):
        self.draw = random.Random(seed)

    def bind(self, engine):
        pass

    def propose(self, requests, counts):
        sizes = [self.draw.randint(0, count) for count in counts]
        return [Proposal([self.draw.randrange(61) for _ in range(size)]) for size in sizes]


DRAFTS = {
    "model": lambda: ModelDraft(blurred()),
    "look-up": LookupDraft,
    "oracle": Oracle,
    "liar": lambda: Oracle(lies=3),
    "guess": Guess,
}


def small_engine(*, pages=30, page_tokens=4, sequences=5, budget=24, chunked=True) -> Engine:
    pool = PagePool(pages, page_tokens)
    return Engine(tiny_model(), Scheduler(sequences, pool, token_budget=budget, chunked=chunked))


def speculative(draft="model", *, tokens=4, **sizes) -> Speculative:
    return Speculative(small_engine(**sizes), DRAFTS[draft](), tokens=tokens)
