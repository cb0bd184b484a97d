"""cache.generate · Prefill once, then decode · 4 minutes

> Each call feeds what the cache does not know yet: first the prompt, then one token.
> Count in a variable how many tokens the cache knows. The next call's positions are as many numbers
  from there on.
> torch.arange(known, known + tokens.shape[1]), then known += tokens.shape[1]; the next tokens are
  logits[:, -1].argmax(-1, keepdim=True).

Prefill and decode are one code path: a call with the tokens that are new, at the positions where
they stand, over everything kept. What differs is how many are new. A module with two branches has
two places for the same mistake, and comments that are soon exchanged.
"""

from labutils.exercises.checkers import Function
from labutils.exercises.comparing.trial import Property
from labutils.exercises.definition.sheet import exercise, made, mistakes_in, says

from . import inputs
from .workbook import generate as _generate


def _loop(*, at=lambda known, step: known, feeds=lambda told, tokens: tokens, first=-1):
    """``generate`` with another position, or other tokens, in a call."""

    def generate(model, prompt, steps, cache):
        import torch

        told = tokens = prompt
        known, chosen = 0, []
        for step in range(steps):
            fed = feeds(told, tokens)
            positions = torch.arange(fed.shape[1]) + at(known, step)
            logits = model(fed, positions, attend=cache)
            known += fed.shape[1]
            tokens = logits[:, first if step == 0 else -1].argmax(-1, keepdim=True)
            told = torch.cat([told, tokens], dim=1)
            chosen.append(tokens)
        return torch.cat(chosen, dim=1)

    return generate


class Wrong:
    positions_start_again = says("""Every call begins at position 0, as the model assumes when
        nothing is said. At which position does the first new token stand?""")(
        _loop(at=lambda known, step: 0)
    )
    one_too_late = says("""Your new tokens stand one position too far. Positions count from 0: where
        does the token behind a prompt of n tokens stand?""")(
        _loop(at=lambda known, step: known + (step > 0))
    )
    one_too_early = says("""Your first new token stands at the position of the prompt's last one.
        Two tokens cannot.""")(_loop(at=lambda known, step: known - (step > 0)))
    stands_still = says("""Your first new token stands right, and the following ones at the same
        place. What moves on after each call?""")(
        _loop(at=lambda known, step: known if step < 2 else known - step + 1)
    )
    from_one = says("""Your positions begin at 1. From which number does the text count?""")(
        _loop(at=lambda known, step: known + 1)
    )
    feeds_everything_again = says("""You feed all tokens into every call, and the cache keeps them
        all once more. What does it know already?""")(
        _loop(feeds=lambda told, tokens: told, at=lambda known, step: 0)
    )
    first_logits = says("""The first token is chosen from the logits after the first prompt token.
        Which row has read the whole prompt?""")(_loop(first=0))

    def one_too_many(model, prompt, steps, cache):
        """Your answers are one token too long. How many calls does an answer of one token take?"""
        return _generate(model, prompt, steps + 1, cache)

    def without_the_first(model, prompt, steps, cache):
        """The first token of the answer is missing: it comes out of the call that reads the
        prompt."""
        return _generate(model, prompt, steps + 1, cache)[:, 1:]

    def with_the_prompt(model, prompt, steps, cache):
        """You return the prompt, too. Asked for are the new tokens alone."""
        import torch

        return torch.cat([prompt, _generate(model, prompt, steps, cache)], dim=1)


def _uses_a_cache(result, seed, length, steps):
    return result["cache"] != "in no call"


def _always_the_same(result, seed, length, steps):
    return result["cache"] == "in every call"


def _reads_at_once(result, seed, length, steps):
    return _fed(result)[:1] == [length]


def _feeds_one(result, seed, length, steps):
    return set(_fed(result)[1:]) <= {1}


def _calls_as_often(result, seed, length, steps):
    return len(_fed(result)) == steps


def _fed(result) -> list[int]:
    """How many tokens each call of the model got."""
    return [int(tokens) for tokens in result["calls"].split(" + ") if tokens]


def _driven(generate):
    def generated(seed, length, steps):
        return inputs.generated(generate, seed, length, steps)

    return generated


def _prompts():
    """Prompts of two to five tokens, answers of one to four."""
    from hypothesis import strategies as st

    return st.tuples(st.integers(0, 9999), st.integers(2, 5), st.integers(1, 4))


GENERATE = exercise(
    __doc__,
    Function(
        _driven(_generate),
        _prompts,
        properties=(
            Property(
                "never-uses-the-cache",
                _uses_a_cache,
                "You never use the cache: no call of the model gets `attend=cache`. Each call "
                "after the first has to get one token, and the cache the rest.",
            ),
            Property(
                "prompt-in-pieces",
                _reads_at_once,
                "The prompt is read once, in one call. Your first call gets another number of "
                "tokens than the prompt has.",
            ),
            Property(
                "another-cache",
                _always_the_same,
                "Not every call gets the cache that was handed in. What does a fresh one know of "
                "the tokens before?",
            ),
            Property(
                "more-than-one-token",
                _feeds_one,
                "Each call after the first has to get one token: the cache knows the others.",
            ),
            Property(
                "number-of-calls",
                _calls_as_often,
                "An answer of n tokens takes n calls of the model: the one that reads the prompt "
                "gives the first. What is your last call for?",
            ),
        ),
        misconceptions=made(_driven, mistakes_in(Wrong)),
    ),
)
