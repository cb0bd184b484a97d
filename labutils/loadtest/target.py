"""Where the load goes: the address of a server, and what is said with every request."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from labutils.ground.loopback import is_loopback

_NAME = re.compile(r"[A-Za-z0-9.:@/_-]{1,128}")


@dataclass(frozen=True)
class Target:
    """An OpenAI-compatible server at ``url``, asked for ``model``.

    ``extra`` are further fields of each request's body, ``{"ignore_eos": True}`` say, ``headers``
    further headers, a token among them. A server that is not on this machine is refused unless
    ``allow_remote``: load on a server whose owner does not expect it is an attack on it.

    ``ValueError`` for an address without scheme or host, and for one that is refused.
    """

    url: str
    model: str = "course"
    extra: Mapping[str, object] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    allow_remote: bool = False

    def __post_init__(self):
        host = _host(self.url)
        if not self.allow_remote and not is_loopback(host):
            raise ValueError(
                f"url = {self.url!r}: expected an address of this machine, such as "
                "http://127.0.0.1:8000; load on a server whose owner does not expect it is an "
                "attack on it, so any other address needs allow_remote (--allow-remote)"
            )
        if not isinstance(self.model, str) or not self.model:
            raise ValueError(f"model = {self.model!r}: expected a name")
        for name in ("extra", "headers"):
            if not isinstance(getattr(self, name), Mapping):
                raise ValueError(f"{name} = {getattr(self, name)!r}: expected names and values")
            object.__setattr__(self, name, dict(getattr(self, name)))
        taken = {"prompt", "max_tokens", "stream"} & set(self.extra)
        if taken:
            raise ValueError(f"extra = {sorted(taken)}: expected none of what the plan says")

    @property
    def endpoint(self) -> str:
        """The address that requests are posted to; a ``url`` may end in ``/v1`` or not."""
        return f"{self._base}/completions"

    def introduction(self, *, id: object, tenant: str, ttft_s: float) -> dict[str, str]:
        """Headers that say who asks: the course's server reads them, others ignore them.

        A name that no header can hold is left out.
        """
        said = {"X-Request-Id": str(id), "X-Tenant": tenant}
        if ttft_s != math.inf:
            said["X-TTFT-Deadline-Ms"] = f"{1e3 * ttft_s:.6g}"
        return {name: value for name, value in said.items() if _NAME.fullmatch(value)}

    @property
    def models(self) -> str:
        """The address that lists the server's models."""
        return f"{self._base}/models"

    @property
    def _base(self) -> str:
        return f"{self.url.rstrip('/').removesuffix('/v1')}/v1"

    def body(self, *, prompt, max_tokens: int, tenant: str) -> dict[str, object]:
        """What a request says. The tenant goes into ``user``, as the API calls it."""
        return {
            "model": self.model,
            "user": tenant,
            **self.extra,
            "prompt": prompt,
            "max_tokens": max_tokens,
            "stream": True,
            "stream_options": {"include_usage": True},
        }


def _host(url: str) -> str:
    expected = "expected an address such as http://127.0.0.1:8000"
    if not isinstance(url, str) or "://" not in url:
        raise ValueError(f"url = {url!r}: {expected}, with its scheme")
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        raise ValueError(f"url = {url!r}: {expected} ({error})") from None
    if parts.scheme not in ("http", "https") or not host:
        raise ValueError(f"url = {url!r}: {expected}")
    if parts.query or parts.fragment:
        raise ValueError(f"url = {url!r}: {expected}, without query or fragment")
    return host
