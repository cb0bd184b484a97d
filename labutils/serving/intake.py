"""Whether a prompt can be served at all, and why not."""

import operator
from collections.abc import Hashable, Sequence
from functools import partial

from labutils import arguments
from labutils.llm import ModelSpec

from .keys import chained_keys
from .request import Request


def prompt_of(prompt: Sequence[int] | str, tokenizer) -> list[int]:
    """The token numbers of a prompt. ``ValueError`` for text that nobody can encode."""
    if isinstance(prompt, str):
        if tokenizer is None:
            raise ValueError("prompt is text: expected token numbers, since there is no tokenizer")
        return list(tokenizer.encode(prompt))
    try:
        return [operator.index(token) for token in prompt]
    except TypeError as error:
        raise ValueError(f"prompt: expected whole token numbers ({error})") from None


def request_of(
    id: Hashable, prompt: Sequence[int], max_output_tokens: int, arrival_s: float, sharing: bool
) -> Request:
    """What the scheduler learns: lengths, and names for the prompt's pages if they are shared."""
    keys = partial(chained_keys, tuple(prompt)) if sharing else None
    return Request(id, len(prompt), max_output_tokens, arrival_s, keys)


def check_prompt(prompt: Sequence[int], max_output_tokens: int, spec: ModelSpec) -> None:
    """``ValueError`` for an empty prompt, an unknown token, or more than the model's context."""
    arguments.whole("max_output_tokens", max_output_tokens)
    if not prompt:
        raise ValueError("prompt = []: expected at least 1 token")
    if min(prompt) < 0 or max(prompt) >= spec.vocab_size:
        at = next(i for i, token in enumerate(prompt) if not 0 <= token < spec.vocab_size)
        raise ValueError(
            f"prompt[{at}] = {prompt[at]}: expected a token from 0 to {spec.vocab_size - 1}"
        )
    most = spec.max_context
    if most is not None and len(prompt) + max_output_tokens > most:
        raise ValueError(
            f"prompt of {len(prompt)} tokens with max_output_tokens = {max_output_tokens}: "
            f"expected at most {most} together, the model's context"
        )
