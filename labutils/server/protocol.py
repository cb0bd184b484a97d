"""What a client may ask in the OpenAI protocol, and the words in which it is answered.

The part that engines serve: completions and chat completions, whole or as server-sent events
(platform.openai.com/docs/api-reference, read November 2026). What would change an answer and is not
served is refused by name; other fields that are not known are ignored, as other servers do.
"""

import json
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from labutils.engine import Sampling

ROLES = ("system", "developer", "user", "assistant")
_NOT_SERVED = {  # fields that would change the answer, with the values that do not
    "n": (1,), "best_of": (1,), "logprobs": (False,), "top_logprobs": (0,), "prompt_logprobs": (),
    "echo": (False,), "suffix": ("",), "logit_bias": ({},), "presence_penalty": (0,),
    "frequency_penalty": (0,), "repetition_penalty": (1,), "length_penalty": (1,), "min_p": (0,),
    "min_tokens": (0,), "bad_words": ([],), "stop_token_ids": ([],), "allowed_token_ids": (),
    "include_stop_str_in_output": (False,), "skip_special_tokens": (True,),
    "truncate_prompt_tokens": (), "use_beam_search": (False,), "chat_template": (),
    "continue_final_message": (False,), "add_generation_prompt": (True,), "tools": ([],),
    "tool_choice": ("none", "auto"), "functions": ([],), "function_call": ("none", "auto"),
    "response_format": ({"type": "text"},), "structured_outputs": (), "guided_json": (),
    "guided_regex": (), "guided_choice": (), "guided_grammar": (), "regex": (), "ebnf": (),
    "json_schema": (), "min_new_tokens": (0,), "no_repeat_ngram_size": (0,), "typical_p": (1,),
}  # fmt: skip
_GREEDY_BELOW = 1e-5  # a temperature that nobody can tell from 0, as vLLM has it


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
    def of(
        cls, body: bytes, *, chat: bool, model: str, max_tokens: int, longest_text: int
    ) -> "Ask":  # fmt: skip
        """Read the body of a request. ``ProtocolError`` names the field and what was expected.

        A prompt of more than ``longest_text`` characters is refused before anybody encodes it.
        """
        asked = _Fields(_object(body))
        if (name := asked.get("model", str, model)) != model:
            raise unknown_model(name, model)
        for name, harmless in _NOT_SERVED.items():
            if (value := asked.values.get(name)) is not None and not _is_among(value, harmless):
                besides = "".join(f" or {_shown(one)}" for one in harmless)
                raise _bad(name, value, f"none{besides}, since it is not served here")
        options = asked.values.get("stream_options") or {}
        if not isinstance(options, dict):
            raise _bad("stream_options", options, "an object")
        return cls(
            chat=chat,
            prompt=(_chat_prompt if chat else _prompt)(asked.values, longest_text),
            max_tokens=_max_tokens(asked, max_tokens),
            sampling=_sampling(asked),
            stop=_stop(asked.values.get("stop")),
            stream=asked.get("stream", bool, False),
            include_usage=bool(options.get("include_usage")),
            ignore_end=asked.get("ignore_eos", bool, False),
        )

    def chunk(
        self, id: str, model: str, text: str, reason: str | None = None, *, is_first: bool = False
    ) -> dict:  # fmt: skip
        """An object of the stream: some more text, or the reason why it ended."""
        role = {"role": "assistant"} if is_first else {}  # whose words these are, said once
        delta = {"delta": role | ({"content": text} if text else {})}
        choice = {"index": 0, **(delta if self.chat else {"text": text}), "finish_reason": reason}
        found = self._object(id, model, "chat.completion.chunk") | {"choices": [choice]}
        return found | ({"usage": None} if self.include_usage else {})

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
        numeric = numeric and abs(value) <= sys.float_info.max  # 1e400 is JSON, too
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
        raise ProtocolError(400, "the body is JSON: expected an object")
    return found


def _no_number(text: str):
    raise ValueError(f"{text} is no JSON number")


def prompt_of(body: bytes, *, chat: bool, longest_text: int) -> str | list[int]:
    """The prompt alone, for one who passes the request on; errors as of ``Ask.of``."""
    return (_chat_prompt if chat else _prompt)(_object(body), longest_text)


def _prompt(values: Mapping, longest: int) -> str | list[int]:
    prompt = values.get("prompt")
    if isinstance(prompt, list) and len(prompt) == 1 and isinstance(prompt[0], (str, list)):
        prompt = prompt[0]
    if isinstance(prompt, str):
        return _short_enough("prompt", prompt, longest)
    whole = isinstance(prompt, list) and all(type(token) is int for token in prompt)
    if not whole or not prompt:
        raise _bad("prompt", prompt, "one text, or the token numbers of one")
    return prompt


def _chat_prompt(values: Mapping, longest: int) -> str:
    """A line for each message. The course's models were trained on prose, not on dialogues."""
    messages = values.get("messages")
    if not isinstance(messages, list) or not messages:
        raise _bad("messages", messages, "a list of at least one message")
    lines = [_message(n, one) for n, one in enumerate(messages)]
    return _short_enough("messages", "\n".join([*lines, "assistant:"]), longest)


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


def _short_enough(name: str, text: str, longest: int) -> str:
    if not text:
        raise _bad(name, text, "a text of at least one character")
    if len(text) > longest:
        told = f"{name}: expected at most {longest:,} characters, which is more than the model's "
        message = f"{told}context holds; got {len(text):,}"
        raise ProtocolError(400, message, param=name, code="context_length_exceeded")
    return _encodable(name, text)


def _encodable(name: str, text: str) -> str:
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
    top_k = asked.get("top_k", int, 0)
    if top_k < -1:
        raise _bad("top_k", top_k, "a whole number of at least 1, or 0 or -1 for no limit")
    seed = asked.get("seed", int, None)
    seed = None if seed is None else seed % 2**63  # the protocol allows negative ones
    return Sampling(
        temperature=0.0 if temperature < _GREEDY_BELOW else temperature,
        top_k=top_k if top_k > 0 else None, top_p=None if top_p == 1 else top_p, seed=seed,
    )  # fmt: skip


def _stop(value) -> tuple[str, ...]:
    words = [value] if isinstance(value, str) else value or []
    if not isinstance(words, list) or len(words) > 4:
        raise _bad("stop", value, "a text, or a list of at most 4")
    if not all(isinstance(word, str) and word for word in words):
        raise _bad("stop", value, "texts of at least one character")
    return tuple(_encodable("stop", word) for word in words)


def _is_among(value, harmless) -> bool:
    """Whether it is one of them; true and 1 are two things in JSON."""
    kind = isinstance(value, bool)
    return any(value == one and kind == isinstance(one, bool) for one in harmless)


def unknown_model(name: str, model: str) -> ProtocolError:
    """Another one than ``model`` is asked for."""
    message = f"model = {_shown(name)}: not served here, expected {_shown(model)}"
    return ProtocolError(404, message, param="model", code="model_not_found")


def _bad(name: str, value, expected: str) -> ProtocolError:
    return ProtocolError(400, f"{name} = {_shown(value)}: expected {expected}", param=name)


def _shown(value) -> str:
    """A value as JSON writes it, as far as it fits into a message."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return f"{text[:60]}…" if len(text) > 60 else text
