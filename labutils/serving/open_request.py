"""What the engine knows about a request that has not ended."""

import random
from collections.abc import Callable, Collection, Hashable, Sequence
from typing import NamedTuple

from labutils.metrics import RequestRecord

from .answer import STATUS_OF, Answer
from .errors import BadPlan
from .request import Request
from .sampling import Sampling

Stop = Collection[int] | Callable[[Sequence[int]], bool]


class OpenRequest:
    """A request on its way through the engine.

    ``tokens`` are the prompt and what is known of the answer. Its newest token may still be on the
    device only: ``sampled`` counts the tokens of the answer that were chosen, read or not. The
    first ``computed`` tokens have their KV in memory; it ``decodes`` once it has caught up with
    them. ``row`` is its line in the runner's tables.
    """

    __slots__ = (
        "cached_tokens",
        "computed",
        "decodes",
        "has_ended",
        "id",
        "on_token",
        "preemptions",
        "prompt_tokens",
        "random",
        "request",
        "room",
        "row",
        "sampled",
        "sampling",
        "stop",
        "times_s",
        "tokens",
        "when",
    )

    def __init__(
        self,
        request: Request,
        prompt: Sequence[int],
        *,
        sampling: Sampling,
        stop: Stop,
        on_token: Callable[[Hashable, int], None] | None,
        sent_s: float,
    ):
        self.request, self.id = request, request.id
        self.tokens, self.prompt_tokens = list(prompt), len(prompt)
        self.sampling, self.random = sampling, random.Random(sampling.seed)
        self.stop = stop if callable(stop) else frozenset(stop)
        self.on_token = on_token
        self.when = {"intended_arrival_s": request.arrival_s, "sent_s": sent_s}
        self.times_s: list[float] = []
        self.computed = self.sampled = self.cached_tokens = self.preemptions = 0
        self.row: int | None = None
        self.room = 0  # tokens for which the runner knows the pages
        self.decodes = self.has_ended = False

    @property
    def known(self) -> int:
        """Tokens of the prompt and of the answer so far, the one on the device included."""
        return self.prompt_tokens + self.sampled

    @property
    def answer_tokens(self) -> list[int]:
        """The answer as far as it was read."""
        return self.tokens[self.prompt_tokens :]

    def part(self, new_tokens: int, now_s: float) -> "Part":
        """What it computes in a step that starts now. ``BadPlan`` unless that many are missing."""
        missing = self.known - self.computed
        if self.sampled >= self.request.max_output_tokens or not 1 <= new_tokens <= missing:
            raise BadPlan(
                f"request {self.id!r} is to compute {new_tokens} tokens: expected from 1 to "
                f"{missing}, and none once its answer is full"
            )
        if "admitted_s" not in self.when:
            self.when["admitted_s"] = now_s
            self.cached_tokens = self.computed
        return Part.of(self, new_tokens)

    def find(self, cached_tokens: int) -> None:
        """The KV of the first tokens is in memory already."""
        if self.computed or not 0 <= cached_tokens < self.known:
            raise BadPlan(
                f"request {self.id!r} starts behind {cached_tokens} cached tokens: expected fewer "
                f"than its {self.known}, before it has computed any"
            )
        self.computed = cached_tokens

    def move_on(self, part: "Part") -> None:
        """The part runs."""
        self.computed += part.new_tokens
        self.sampled += part.samples
        self.decodes = part.samples

    def lose_memory(self) -> None:
        """Everything has to be computed again."""
        self.computed = self.room = 0
        self.decodes = False
        self.preemptions += 1

    def take(self, token: int, now_s: float) -> str | None:
        """Note the next token of the answer; returns why the answer ends with it, if it does."""
        self.tokens.append(token)
        self.times_s.append(now_s)
        if self.stop(self.answer_tokens) if callable(self.stop) else token in self.stop:
            return "stop"
        return "length" if len(self.times_s) >= self.request.max_output_tokens else None

    def text(self, reason: str, tokenizer) -> str | None:
        """The answer in words, without the stop token; None without a tokenizer."""
        answer = self.answer_tokens
        spoken = answer[:-1] if reason == "stop" and not callable(self.stop) else answer
        return tokenizer.decode(spoken) if tokenizer else None

    def end(self, reason: str, error: Exception | None, now_s: float, text: str | None) -> Answer:
        """The answer, for whatever reason it ends."""
        self.has_ended = True
        record = RequestRecord(
            self.id,
            **self.when,
            token_times_s=self.times_s,
            finish_s=now_s,
            status=STATUS_OF[reason],
            prompt_tokens=self.prompt_tokens,
            cached_tokens=self.cached_tokens,
            preemptions=self.preemptions,
        )
        return Answer(
            id=self.id,
            prompt_tokens=tuple(self.tokens[: self.prompt_tokens]),
            tokens=tuple(self.answer_tokens),
            text=text,
            finish_reason=reason,
            error=error,
            record=record,
        )


class Part(NamedTuple):
    """What one request computes in a step: ``new_tokens`` behind the ``computed`` ones.

    ``samples`` says whether that reaches its last known token and so yields the next one, and
    ``fed`` whether that last token was sampled, so that the device has it. ``uniform`` is the
    random number for the choice.
    """

    request: OpenRequest
    computed: int
    new_tokens: int
    samples: bool
    fed: bool
    decodes: bool
    uniform: float

    @classmethod
    def of(cls, request: OpenRequest, new_tokens: int) -> "Part":
        """The next ``new_tokens`` tokens of ``request``."""
        samples = request.computed + new_tokens == request.known
        draws = samples and not request.sampling.is_greedy
        uniform = request.random.random() if draws else 0.0
        fed = samples and request.sampled > 0
        return cls(request, request.computed, new_tokens, samples, fed, request.decodes, uniform)
