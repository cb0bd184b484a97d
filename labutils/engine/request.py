"""One object for a request, from its arrival to its end."""

from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass
from random import Random

from labutils.ground import arguments

Stop = Collection[int | str] | Callable[[Sequence[int]], bool]


class Request:
    """A prompt of ``prompt_tokens`` tokens that may get an answer of up to ``max_output_tokens``.

    A scheduler sees these counts alone: how long the answer really gets stands nowhere.

    ``known`` counts the tokens of the prompt and of the answer so far; the keys and values of the
    first ``computed`` are in memory. Computing the last known token yields the next one. With more
    than one token to compute a request *prefills*, with a single one it *decodes*.

    ``pages`` are its pages in order, with ``room`` for that many tokens; ``keys`` name the full
    pages of its prompt (``page_keys``). ``cached`` tokens were found when it first started, and
    ``preemptions`` counts how often it lost its memory. A policy may look at ``priority``.
    """

    __slots__ = (
        "arrival_s", "cached", "computed", "id", "keys", "known", "max_output_tokens", "most",
        "pages", "preemptions", "priority", "prompt_tokens", "room",
    )  # fmt: skip

    def __init__(
        self, id: Hashable, prompt_tokens: int, max_output_tokens: int, arrival_s: float = 0.0,
        *, keys: Sequence[Hashable] = (), priority: float = 0,
    ):  # fmt: skip
        self.id, self.arrival_s, self.keys, self.priority = id, arrival_s, keys, priority
        self.prompt_tokens, self.max_output_tokens = prompt_tokens, max_output_tokens
        self.known, self.most = prompt_tokens, prompt_tokens + max_output_tokens
        self.computed = self.preemptions = self.room = 0
        self.cached: int | None = None
        self.pages: list[int] = []

    @property
    def to_compute(self) -> int:
        """Known tokens without keys and values; the last token of a full answer needs none."""
        known, most = self.known, self.most
        return (known if known < most else most - 1) - self.computed

    def check(self) -> None:
        """``ValueError`` for a prompt or an answer of no tokens."""
        arguments.whole("prompt_tokens", self.prompt_tokens)
        arguments.whole("max_output_tokens", self.max_output_tokens)


@dataclass(frozen=True, kw_only=True)
class Sampling:
    """How the tokens of an answer are chosen; the default takes the likeliest one (greedy).

    Above ``temperature`` 0 a token is drawn from softmax(logits / temperature), cut first to the
    ``top_k`` likeliest tokens, then to the fewest likeliest whose share reaches ``top_p`` (Holtzman
    et al., 2020). The same ``seed`` draws the same tokens in any company; None, others every time.
    """

    temperature: float = 0.0
    top_k: int | None = None
    top_p: float | None = None
    seed: int | None = None

    def __post_init__(self):
        if 0 < arguments.non_negative("temperature", self.temperature) < 1e-300:
            raise ValueError(f"temperature = {self.temperature!r}: expected 0, or at least 1e-300")
        for name, least in (("top_k", 1), ("seed", 0)):
            if getattr(self, name) is not None:
                arguments.whole(name, getattr(self, name), at_least=least)
        if self.top_p is not None and arguments.positive("top_p", self.top_p) > 1:
            raise ValueError(f"top_p = {self.top_p!r}: expected at most 1")


class Generation(Request):
    """A request with its tokens: what an engine serves, and what its caller gets back.

    ``tokens`` are the prompt and the answer so far. ``stop`` holds token numbers and strings that
    end the answer, or is a function of it. ``on_token(id, token)`` hears each token.
    ``finish_reason`` is None until it ends: by "length" (as long as it may get), "stop",
    "cancelled", "failed" (``error`` says why) or "rejected" (it never ran). ``text`` is the answer
    in words. Times are seconds on the engine's clock, one in ``times_s`` for each token.
    """

    def __init__(
        self, id: Hashable, prompt: Sequence[int], max_output_tokens: int, *,
        sampling: Sampling = Sampling(), stop: Stop = (), tokenizer=None, sent_s: float = 0.0,
        on_token: Callable[[Hashable, int], None] | None = None, **request,
    ):  # fmt: skip
        super().__init__(id, len(prompt), max_output_tokens, **request)
        self.tokens, self.sampling, self.random = list(prompt), sampling, Random(sampling.seed)
        self.stop = stop if callable(stop) else frozenset([stop] if isinstance(stop, str) else stop)
        self.tokenizer, self.on_token, self.sent_s = tokenizer, on_token, sent_s
        if tokenizer is None and not callable(stop) and any(isinstance(s, str) for s in stop):
            raise ValueError(f"stop = {stop!r}: expected token numbers, as there is no tokenizer")
        self.admitted_s: float | None = None
        self.finish_s: float | None = None
        self.times_s: list[float] = []
        self.finish_reason: str | None = None
        self.error: Exception | None = None
        self.text: str | None = None

    @property
    def answer(self) -> list[int]:
        """The tokens of the answer so far."""
        return self.tokens[self.prompt_tokens :]

    def take(self, token: int, now_s: float) -> str | None:
        """Note the next token of the answer; returns "stop" or "length" if it ends with it."""
        self.tokens.append(token)
        self.times_s.append(now_s)
        if self.stops():
            return "stop"
        return "length" if len(self.times_s) >= self.max_output_tokens else None

    def stops(self) -> bool:
        """Whether the newest token ends the answer: by rule, as a stop token, or with a string.

        A string of n bytes that ends with the newest token lies within the last n tokens.
        """
        if callable(self.stop):
            return bool(self.stop(self.answer))
        tokens, own = self.tokens, len(self.tokens) - self.prompt_tokens
        words = (word for word in self.stop if isinstance(word, str))
        return tokens[-1] in self.stop or any(
            word in self.tokenizer.decode(tokens[-min(own, len(word.encode())) :]) for word in words
        )

    def words(self) -> str:
        """The answer as text, without a stop token, and up to the first stop string."""
        answer, stop = self.answer, () if callable(self.stop) else self.stop
        text = self.tokenizer.decode(answer[:-1] if answer and answer[-1] in stop else answer)
        found = [text.find(word) for word in stop if isinstance(word, str) and word in text]
        return text[: min(found, default=None)]
