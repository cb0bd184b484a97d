"""Random lives with drafts, right, wrong and none: see ``tests.engine.test_lives``.

Every context of every step is compared with its text, drafts included.
"""

from collections import Counter
from itertools import accumulate

import pytest
import torch

from labutils.serving.speculation import Proposal, Speculative
from tests.engine.echo import VOCABULARY, echo, echo_answer
from tests.engine.test_lives import SCHEDULERS, EchoEngine, Life, long_life
from tests.rotation import in_turn

STEPS = 5_000 if in_turn(__file__) else 250


class Drafted(EchoEngine):
    """Checks each row up to the request's own tokens; behind them stand drafts, right or wrong."""

    def _logits(self, step):
        tokens = step.tokens.tolist()
        if self.allergy in tokens:
            raise FloatingPointError(f"token {self.allergy} disagrees with me")
        assert step.slots.unique().numel() == len(tokens), "two tokens go to one slot"
        self.token_in.update(zip(step.slots.tolist(), tokens))
        contexts, ends = self._contexts(step), list(accumulate(step.lengths))
        known = {tuple(one.tokens) for one in self.open.values()}
        logits, wanted = torch.zeros(len(step.last), VOCABULARY), step.last.tolist()
        for context, end, new in zip(contexts, ends, step.lengths, strict=True):
            own = [text for text in known if list(text[: len(context)]) == context[: len(text)]]
            assert own, f"context {context}: expected a request's text, with drafts behind it"
            for back in range(new):
                if end - 1 - back in wanted:
                    row = wanted.index(end - 1 - back)
                    logits[row, echo(context[: len(context) - back])] = 1.0
        return logits


class Mixed:
    """Drafts that are right for a while; some hold a token that the model cannot bear."""

    def __init__(self, draw):
        self.draw = draw

    def bind(self, engine):
        pass

    def propose(self, requests, counts):
        return [Proposal(self._said(*pair)) for pair in zip(requests, counts, strict=True)]

    def _said(self, request, count):
        prompt, done = request.tokens[: request.prompt_tokens], len(request.answer)
        said = echo_answer(prompt, done + count)[done:]
        for place in range(count):
            if self.draw.random() < 0.2:
                said[place] = self.draw.randrange(61)
        return said[: self.draw.randint(0, count)]


class SpeculativeLife(Life):
    """A life whose steps verify drafts; the rest is the engine's."""

    def __init__(self, kind, pages):
        super().__init__(kind, pages, engine=Drafted)
        self.engine = Speculative(self.engine, Mixed(self.draw), tokens=5)


@pytest.mark.parametrize("kind", SCHEDULERS)
def test_thousands_of_random_steps_lose_nothing(kind):
    life = SpeculativeLife(kind, 17)
    seen: Counter = long_life(life, STEPS)
    tally = life.engine.tally
    assert seen["length"] > STEPS // 20 and min(seen["preempted"], seen["failed"]) > 0
    assert seen["cancelled"] > 0 and life.engine.repeated, "too quiet a life"
    assert tally.verifications > STEPS // 10 and 0.5 < tally.acceptance < 0.95
