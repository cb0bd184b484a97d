"""One request of a plan, and what its kind was promised."""

import math
from dataclasses import dataclass

from labutils.ground import arguments

from .prompts import worded_prompt

MOST_WORDS = 1 << 20
MOST_NAME = 200


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What a kind of requests was promised, in seconds; infinity promises nothing.

    The first token within ``ttft_s`` of the intended arrival, tokens ``tpot_s`` apart in the mean,
    the whole answer within ``e2e_s``.
    """

    ttft_s: float = math.inf
    tpot_s: float = math.inf
    e2e_s: float = math.inf

    def __post_init__(self):
        for name in ("ttft_s", "tpot_s", "e2e_s"):
            if getattr(self, name) != math.inf:
                object.__setattr__(self, name, arguments.positive(name, getattr(self, name)))

    def finite(self) -> dict[str, float]:
        """The limits that limit anything, by name."""
        return {name: value for name, value in vars(self).items() if value != math.inf}


@dataclass(frozen=True, kw_only=True)
class PlannedRequest:
    """One request: when it is due, what it asks, and how its client behaves.

    ``at_s`` is due in seconds from the start of the run; in a closed loop, how long its user
    thinks before it. ``prompt`` is text or token ids; if it is None, the prompt is made of
    ``prompt_words`` words when it is sent, and begins with the ``shared`` pieces, pairs of a name
    and a number of words. ``leave_after`` so many tokens the client closes the connection;
    ``pause_s`` is how long a slow client rests after each token that it has read.
    """

    id: int
    at_s: float
    max_tokens: int
    prompt: str | tuple[int, ...] | None = None
    prompt_words: int = 0
    shared: tuple[tuple[str, int], ...] = ()
    kind: str = "any"
    tenant: str = "anybody"
    leave_after: int | None = None
    pause_s: float = 0.0

    def __post_init__(self):
        for name, value in (
            ("id", arguments.whole("id", self.id, at_least=0)),
            ("at_s", arguments.non_negative("at_s", self.at_s)),
            ("max_tokens", arguments.whole("max_tokens", self.max_tokens, at_most=MOST_WORDS)),
            ("kind", name_of("kind", self.kind)),
            ("tenant", name_of("tenant", self.tenant)),
            ("pause_s", arguments.non_negative("pause_s", self.pause_s)),
            *self._clean_prompt(),
        ):
            object.__setattr__(self, name, value)
        if self.leave_after is not None:
            arguments.whole("leave_after", self.leave_after)

    @property
    def is_slow(self) -> bool:
        """Whether its client reads more slowly than it could."""
        return self.pause_s > 0

    def asked(self, own: object) -> str | list[int]:
        """What is sent as the prompt; ``own`` decides the words that it shares with nobody."""
        if self.prompt is None:
            return worded_prompt(str(own), self.prompt_words, self.shared)
        return self.prompt if isinstance(self.prompt, str) else list(self.prompt)

    def _clean_prompt(self):
        shared = _shared(self.shared)
        yield "shared", shared
        if self.prompt is not None:
            if self.shared:
                raise ValueError(f"shared = {shared!r}: expected none beside a given prompt")
            yield "prompt", _prompt(self.prompt)
            words = len(self.prompt.split()) if isinstance(self.prompt, str) else len(self.prompt)
            yield "prompt_words", words
            return
        yield "prompt_words", arguments.whole("prompt_words", self.prompt_words, at_most=MOST_WORDS)


def name_of(name: str, value) -> str:
    """``value``, if it is a text that can serve as a name."""
    if not isinstance(value, str) or not value.strip() or len(value) > MOST_NAME:
        raise ValueError(f"{name} = {value!r:.200}: expected 1 to {MOST_NAME} characters")
    return value


def _prompt(value) -> str | tuple[int, ...]:
    if isinstance(value, str):
        if not 0 < len(value) <= 8 * MOST_WORDS:
            raise ValueError(f"prompt of {len(value)} characters: expected 1 to {8 * MOST_WORDS:,}")
        return value
    if not isinstance(value, list | tuple) or not 0 < len(value) <= MOST_WORDS:
        raise ValueError(f"prompt = {value!r:.200}: expected text, or up to {MOST_WORDS:,} ids")
    return tuple(arguments.whole(f"prompt[{i}]", x, at_least=0) for i, x in enumerate(value))


def _shared(value) -> tuple[tuple[str, int], ...]:
    pieces = []
    for i, piece in enumerate(value if isinstance(value, list | tuple) else [value]):
        if not isinstance(piece, list | tuple) or len(piece) != 2:
            raise ValueError(f"shared[{i}] = {piece!r:.200}: expected a name and a number of words")
        name, words = piece
        pieces.append(
            (name_of(f"shared[{i}]", name), arguments.whole(f"shared[{i}]", words, at_least=0))
        )
    return tuple(pieces)
