"""Model and attention in plain numbers: an engine whose every context is compared with its text.

The next token is a sum over the context, so that a single wrong slot, stale page or lost token
shows, at a hundredth of the price of a transformer.
"""

from functools import cache
from itertools import accumulate

import torch

VOCABULARY = 61


class Echo:
    """Mixed into an engine: it keeps the token of each slot in the place of keys and values.

    In every forward it reads each context back through the page tables, and requires it to be the
    text of a request up to there: the prompt and what Echo answers to it, whatever the engine knows
    of it by then. With an ``allergy`` it raises whenever it reads that token.
    """

    def __init__(self, *args, allergy: int | None = None, **options):
        super().__init__(*args, **options)
        self.allergy = allergy
        self.token_in = dict.fromkeys(range(self.memory.keys.shape[2]))

    def _forward(self, chunks):
        self.texts = sorted(text_of(one)[: one.computed + new] for one, new in chunks)
        return super()._forward(chunks)

    def _logits(self, step):
        tokens = step.tokens.tolist()
        if self.allergy in tokens:
            raise FloatingPointError(f"token {self.allergy} disagrees with me")
        assert step.slots.unique().numel() == len(tokens), "two tokens go to one slot"
        self.token_in.update(zip(step.slots.tolist(), tokens))
        contexts, ends = self._contexts(step), list(accumulate(step.lengths))
        assert sorted(contexts) == self.texts, f"contexts {contexts}, expected {self.texts}"
        at = {end - 1: context for end, context in zip(ends, contexts, strict=True)}
        logits = torch.zeros(len(step.last), VOCABULARY)
        for line, place in zip(logits, step.last.tolist(), strict=True):
            line[echo(at[place])] = 1.0
        return logits

    def _contexts(self, step) -> list[list[int]]:
        """The tokens of each row, read through its table; places have to count up to its end."""
        size, positions = step.page_tokens, step.positions.tolist()
        places = [place for end, new in self._rows(step) for place in range(end - new, end)]
        assert positions == places, f"positions {positions}, expected {places}"
        return [
            [self.token_in[table[place // size] * size + place % size] for place in range(end)]
            for (end, _), table in zip(self._rows(step), step.tables, strict=True)
        ]

    def _rows(self, step):
        return zip(step.contexts, step.lengths, strict=True)


def echo(text) -> int:
    """The token after ``text``, by Echo's rule."""
    return (sum(place * token for place, token in enumerate(text, 1)) + 7 * len(text)) % VOCABULARY


@cache
def echo_text(prompt: tuple[int, ...], tokens: int) -> list[int]:
    """The prompt and what Echo answers to it."""
    text = list(prompt)
    for _ in range(tokens):
        text.append(echo(text))
    return text


def text_of(request) -> list[int]:
    """All that a request will ever know, if it is not stopped."""
    prompt = tuple(request.tokens[: request.prompt_tokens])
    return echo_text(prompt, request.max_output_tokens)


def echo_answer(prompt, tokens: int) -> list[int]:
    """What Echo answers."""
    return echo_text(tuple(prompt), tokens)[len(prompt) :]
