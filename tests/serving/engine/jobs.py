"""Small models, ragged prompts, and what greedy decoding without any cache says about them."""

import random
from functools import cache

import numpy as np
import torch

from labutils.serving import Continuous, Engine, LlamaModel, small_spec

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


def answers_of(engine: Engine, prompts, lengths, order=None) -> list[list[int]]:
    """The answers to ``prompts``, sent in ``order``, of ``lengths`` tokens; every page is back."""
    ids = {}
    for at in order or range(len(prompts)):
        ids[at] = engine.add_request(prompts[at], max_output_tokens=lengths[at])
    engine.run()
    engine.check()
    return [list(engine.answers[ids[at]].tokens) for at in range(len(prompts))]


class Echo:
    """Model and attention in one, in plain numbers: the next token is a sum over the context.

    It keeps the token of each slot and reads every context back through the block tables, so that
    a single wrong slot, stale page or lost token shows, at a hundredth of the price.
    """

    def __init__(self, engine: Engine):
        self.memory = np.full(engine.runner.pool.num_slots, -1)
        engine.runner.model, engine.runner.attention = self, self

    def bind(self, step):
        return lambda: self._write_and_read(step)

    def __call__(self, tokens, positions, *, attend, rows):
        contexts = attend()
        logits = torch.zeros(1, len(rows), 61)
        for line, place in zip(logits[0], rows.tolist()):
            line[echo(contexts[place])] = 1.0
        return logits

    def _write_and_read(self, step) -> dict[int, list[int]]:
        """The context of each row, under the place of its last token."""
        self.memory[step.slots.numpy()] = step.tokens.numpy()
        contexts, end = {}, 0
        for new, length, table in zip(step.query_lengths, step.context_lengths, step.tables):
            end += new
            slots = table.numpy()[:, None] * step.page_tokens + np.arange(step.page_tokens)
            contexts[end - 1] = self.memory[slots.ravel()[:length]].tolist()
        return contexts


def echo(text) -> int:
    """The token after ``text``, by Echo's rule."""
    return (sum(place * token for place, token in enumerate(text, 1)) + 7 * len(text)) % 61


def echo_answer(prompt, tokens: int) -> list[int]:
    """What Echo answers."""
    text = list(prompt)
    for _ in range(tokens):
        text.append(echo(text))
    return text[len(prompt) :]


class Shaky(Continuous):
    """Takes the newest request's memory away at random, needed or not."""

    def __init__(self, *args, seed: int, **options):
        super().__init__(*args, **options)
        self.draw, self.taken = random.Random(seed), 0

    def _decode(self, step):
        if (
            len(self.running.prefilling) + len(self.running.decoding) > 1
            and self.draw.random() < 0.3
        ):
            sequence = self.running.preempt_newest()
            self.waiting.appendleft(sequence)
            step.preempted.append(sequence.id)
            self.taken += 1
        super()._decode(step)
