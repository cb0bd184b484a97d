"""What a client may ask in the OpenAI protocol, and the words in which it is answered.

The part that engines serve: completions and chat completions, whole or as server-sent events
(platform.openai.com/docs/api-reference, read November 2026). What would change an answer and is not
served is refused by name; other fields that are not known are ignored, as other servers do.
"""

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from labutils.engine import Sampling

LONGEST_TEXT = 1_000_000  # characters of a prompt; the engine refuses what its context cannot hold
ROLES = ("system", "developer", "user", "assistant")
_NOT_SERVED = {  # fields that would change the answer, with the values that do not
    "n": (1,), "best_of": (1,), "logprobs": (False, 0), "top_logprobs": (0,), "echo": (False,),
    "suffix": ("",), "logit_bias": ({},), "presence_penalty": (0,), "frequency_penalty": (0,),
    "tools": ([],), "functions": ([],), "response_format": ({"type": "text"},),
}  # fmt: skip


class ProtocolError(Exception):
    """An answer that is an error: an HTTP status, and the object that the protocol prescribes."""

    def __init__(
        self, status: int, message: str, *, param: str | None = None, code: str | None = None,
        retry_after_s: float | None = None, **more,
    ):  # fmt: skip
        super().__init__(message)
        self.status, self.param, self.code, self.more = status, param, code, more
        self.retry_after_s = retry_after_s

    def body(self) -> dict:
        """The object of the answer."""
        kinds = {429: "rate_limit_error", 401: "authentication_error", 403: "permission_error"}
        kind = kinds.get(self.status)
        kind = kind or ("server_error" if self.status >= 500 else "invalid_request_error")
        error = {"message": str(self), "type": kind, "param": self.param, "code": self.code}
        return {"error": error | self.more}


@dataclass(frozen=True, kw_only=True)
class Ask:
    """One request that can be served, as far as the protocol sees it."""

    chat: bool
    prompt: str | list[int]
    max_tokens: int
    sampling: Sampling
    stop: tuple[str, ...] = ()
    stream: bool = False
    include_usage: bool = False
    ignore_end: bool = False  # vLLM's ignore_eos: load generators want answers of a stated length
    created: int = field(default_factory=lambda: int(time.time()))

    @classmethod
    def of(cls, body: bytes, *, chat: bool, model: str, max_tokens: int) -> "Ask":
        """Read the body of a request. ``ProtocolError`` names the field and what was expected."""
        asked = _Fields(_object(body))
        if (name := asked.get("model", str, model)) != model:
            message = f"model {name!r} is not served here: expected {model!r}"
            raise ProtocolError(404, message, param="model", code="model_not_found")
        for name, harmless in _NOT_SERVED.items():
            if (value := asked.values.get(name)) is not None and value not in harmless:
                raise _bad(name, value, f"{harmless[0]!r} (nothing else is served here)")
        options = asked.values.get("stream_options") or {}
        if not isinstance(options, dict):
            raise _bad("stream_options", options, "an object")
        return cls(
            chat=chat,
            prompt=_chat_prompt(asked.values) if chat else _prompt(asked.values),
            max_tokens=_max_tokens(asked, max_tokens),
            sampling=_sampling(asked),
            stop=_stop(asked.values.get("stop")),
            stream=asked.get("stream", bool, False),
            include_usage=bool(options.get("include_usage")),
            ignore_end=asked.get("ignore_eos", bool, False),
        )

    def chunk(self, id: str, model: str, text: str, reason: str | None = None) -> dict:
        """An object of the stream: some more text, or the reason why it ended."""
        delta = {"delta": {"content": text} if text else {}} if self.chat else {"text": text}
        choice = {"index": 0, **delta, "finish_reason": reason}
        return self._object(id, model, "chat.completion.chunk") | {"choices": [choice]}

    def whole(self, id: str, model: str, text: str, reason: str, usage: dict) -> dict:
        """The object of an answer that is not streamed."""
        message = {"message": {"role": "assistant", "content": text}}
        choice = {"index": 0, **(message if self.chat else {"text": text})}
        choices = [choice | {"finish_reason": reason}]
        return self._object(id, model, "chat.completion") | {"choices": choices, "usage": usage}

    def usage_chunk(self, id: str, model: str, usage: dict) -> dict:
        """The last object of a stream whose client asked for ``include_usage``."""
        found = self._object(id, model, "chat.completion.chunk")
        return found | {"choices": [], "usage": usage}

    def _object(self, id: str, model: str, kind: str) -> dict:
        kind = kind if self.chat else "text_completion"
        return {"id": id, "object": kind, "created": self.created, "model": model}


class _Fields:
    """The fields of a request, asked for by type; null counts as absent."""

    def __init__(self, values: Mapping):
        self.values = values

    def get(self, name: str, kind: type, otherwise):
        value = self.values.get(name)
        if value is None:
            return otherwise
        numeric = kind in (int, float) and isinstance(value, (int, float))
        if isinstance(value, bool) != (kind is bool) or not (numeric or isinstance(value, kind)):
            expected = {str: "text", bool: "true or false", int: "a whole number"}
            raise _bad(name, value, expected.get(kind, "a number"))
        if kind is int and value != int(value):
            raise _bad(name, value, "a whole number")
        return kind(value)


def _object(body: bytes) -> dict:
    try:
        found = json.loads(body.decode(), parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        why = str(error) if isinstance(error, ValueError) else "too deeply nested"
        raise ProtocolError(400, f"the body is not JSON in UTF-8: {why[:200]}") from None
    if not isinstance(found, dict):
        raise ProtocolError(
            400, f"the body is JSON of type {type(found).__name__}: expected an object"
        )
    return found


def _no_number(text: str):
    raise ValueError(f"{text} is no JSON number")


def _prompt(values: Mapping) -> str | list[int]:
    prompt = values.get("prompt")
    if isinstance(prompt, list) and len(prompt) == 1 and isinstance(prompt[0], (str, list)):
        prompt = prompt[0]
    if isinstance(prompt, str):
        return _short_enough("prompt", prompt)
    whole = isinstance(prompt, list) and all(type(token) is int for token in prompt)
    if not whole or not prompt or len(prompt) > LONGEST_TEXT:
        raise _bad("prompt", prompt, "one text, or the token numbers of one")
    return prompt


def _chat_prompt(values: Mapping) -> str:
    """A line for each message. The course's models were trained on prose, not on dialogues."""
    messages = values.get("messages")
    if not isinstance(messages, list) or not messages:
        raise _bad("messages", messages, "a list of at least one message")
    lines = [_message(n, one) for n, one in enumerate(messages)]
    return _short_enough("messages", "\n".join([*lines, "assistant:"]))


def _message(n: int, message) -> str:
    name = f"messages[{n}]"
    if not isinstance(message, dict) or message.get("role") not in ROLES:
        raise _bad(name, message, f"an object with a role of {', '.join(ROLES)}")
    content = message.get("content")
    if isinstance(content, list):  # parts
        texts = [part.get("text") for part in content if isinstance(part, dict)]
        all_text = len(texts) == len(content) and all(isinstance(text, str) for text in texts)
        content = "".join(texts) if all_text else None
    if not isinstance(content, str):
        raise _bad(f"{name}.content", message.get("content"), "text, or parts of type text")
    return f"{message['role']}: {content}"


def _short_enough(name: str, text: str) -> str:
    if not text or len(text) > LONGEST_TEXT:
        raise _bad(name, text, f"1 to {LONGEST_TEXT:,} characters, got {len(text):,}")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise _bad(name, ascii(text), "text without lone surrogates") from None
    return text


def _max_tokens(asked: _Fields, otherwise: int) -> int:
    for name in ("max_completion_tokens", "max_tokens"):
        if (value := asked.get(name, int, None)) is not None:
            if value < 1:
                raise _bad(name, value, "a whole number of at least 1")
            return value
    return otherwise


def _sampling(asked: _Fields) -> Sampling:
    temperature, top_p = asked.get("temperature", float, 1.0), asked.get("top_p", float, 1.0)
    if not 0 <= temperature <= 2:
        raise _bad("temperature", temperature, "a number from 0 to 2")
    if not 0 < top_p <= 1:
        raise _bad("top_p", top_p, "a number above 0 and at most 1")
    seed = asked.get("seed", int, None)
    seed = None if seed is None else seed % 2**63  # the protocol allows negative ones
    return Sampling(temperature=temperature, top_p=None if top_p == 1 else top_p, seed=seed)


def _stop(value) -> tuple[str, ...]:
    words = [value] if isinstance(value, str) else value or []
    if not isinstance(words, list) or len(words) > 4:
        raise _bad("stop", value, "a text, or a list of at most 4")
    if not all(isinstance(word, str) and word for word in words):
        raise _bad("stop", value, "texts of at least one character")
    return tuple(_short_enough("stop", word) for word in words)


def _bad(name: str, value, expected: str) -> ProtocolError:
    shown = value if isinstance(value, str) else json.dumps(value, default=str)
    shown = f"{shown[:60]}…" if len(shown) > 60 else shown
    return ProtocolError(400, f"{name} = {shown}: expected {expected}", param=name)
