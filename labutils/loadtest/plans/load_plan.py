"""A plan is data: who asks what and when. It says nothing about the server."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace

from labutils.ground import arguments

from .planned_request import Limits, PlannedRequest, name_of

FORMAT = "labutils load plan 1"
MOST_REQUESTS = 200_000
MOST_USERS = 10_000
MOST_JSON = 1 << 28


@dataclass(frozen=True, kw_only=True)
class LoadPlan:
    """The requests of a run in order, for ``seconds`` seconds.

    **Open loop** (``users`` is None): each request goes out at its ``at_s``, whether or not
    earlier ones are answered. **Closed loop**: ``users`` users take the requests in turn, each
    thinks for the ``at_s`` of its next request, sends it and waits for the answer; when all were
    taken they begin anew, until ``seconds`` are over.

    ``promises`` are the limits of a kind of requests, ``name`` says in words what the plan is.
    ``ValueError`` for no requests, for ids that come twice, for moments that run backwards or lie
    beyond ``seconds``.
    """

    requests: Sequence[PlannedRequest]
    seconds: float
    users: int | None = None
    promises: Mapping[str, Limits] = field(default_factory=dict)
    name: str = "plan"

    def __post_init__(self):
        object.__setattr__(self, "requests", tuple(self.requests))
        object.__setattr__(self, "promises", dict(self.promises))
        object.__setattr__(self, "seconds", arguments.positive("seconds", self.seconds))
        name_of("name", self.name)
        if not 0 < len(self.requests) <= MOST_REQUESTS:
            raise ValueError(f"requests = {len(self)} of them: expected 1 to {MOST_REQUESTS:,}")
        if len({request.id for request in self.requests}) < len(self):
            raise ValueError("requests: expected each id once")
        if self.users is None:
            self._check_moments()
        else:
            arguments.whole("users", self.users, at_most=MOST_USERS)

    def __len__(self) -> int:
        """Number of requests."""
        return len(self.requests)

    @property
    def is_open(self) -> bool:
        """Whether requests go out at their moments, whatever became of earlier ones."""
        return self.users is None

    def promised(self, kind: str) -> Limits:
        """The limits of a kind of requests; none that limits anything where none were promised."""
        return self.promises.get(kind, Limits())

    def part(self, which: int, parts: int) -> "LoadPlan":
        """Every ``parts``-th request from ``which`` on; a closed loop's users are divided too."""
        parts = arguments.whole("parts", parts, at_most=len(self))
        which = arguments.whole("which", which, at_least=0, at_most=parts - 1)
        users = self.users
        if users is not None:
            arguments.whole("parts", parts, at_most=users)
            users = len(range(which, users, parts))
        return replace(self, requests=self.requests[which::parts], users=users)

    def to_json(self) -> str:
        """The plan as text, which ``from_json`` reads."""
        return json.dumps(
            {
                "format": FORMAT,
                "name": self.name,
                "seconds": self.seconds,
                "users": self.users,
                "promises": {kind: limits.finite() for kind, limits in self.promises.items()},
                "requests": [_row(request) for request in self.requests],
            },
            ensure_ascii=False,
        )

    @classmethod
    def from_json(cls, text: str) -> "LoadPlan":
        """Read a plan. ``ValueError`` names what is wrong in it, and the request's place."""
        content = _content(text)
        promises = _mapping("promises", content.pop("promises", {}))
        rows = content.pop("requests", None)
        if not isinstance(rows, list) or len(rows) > MOST_REQUESTS:
            raise ValueError(f"requests: expected a list of at most {MOST_REQUESTS:,}")
        return _made(
            cls,
            "plan",
            content,
            requests=[_made(PlannedRequest, f"requests[{i}]", row) for i, row in enumerate(rows)],
            promises={
                kind: _made(Limits, f"promises[{kind!r}]", limits)
                for kind, limits in promises.items()
            },
        )

    def _check_moments(self):
        before = 0.0
        for i, request in enumerate(self.requests):
            if not before <= request.at_s <= self.seconds:
                raise ValueError(
                    f"requests[{i}].at_s = {request.at_s!r}: expected {before!r} (the one before) "
                    f"to {self.seconds!r} (the plan's seconds)"
                )
            before = request.at_s


_DEFAULTS = {one.name: one.default for one in fields(PlannedRequest)}


def _row(request: PlannedRequest) -> dict:
    """What of a request is not what a request has anyhow."""
    row = asdict(request)
    if request.prompt is not None:
        del row["prompt_words"]  # it follows from the prompt
    return {name: value for name, value in row.items() if value != _DEFAULTS[name]}


def _content(text: str) -> dict:
    if not isinstance(text, str) or len(text) > MOST_JSON:
        raise ValueError(f"plan: expected JSON of at most {MOST_JSON:,} characters")
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"plan: expected JSON ({error})") from None
    content = _mapping("plan", content)
    if content.pop("format", None) != FORMAT:
        raise ValueError(f"plan: expected a JSON object whose format is {FORMAT!r}")
    return content


def _mapping(name: str, content) -> dict:
    if not isinstance(content, dict):
        raise ValueError(f"{name} = {content!r:.200}: expected a JSON object")
    return content


def _made(kind: type, where: str, content, **more):
    """A record from its JSON object; ``ValueError`` says where it stands and what is wrong."""
    try:
        return kind(**_mapping(where, content), **more)
    except TypeError as error:  # a name too many or too few
        raise ValueError(f"{where}: {str(error).partition('() ')[2] or error}") from None
    except ValueError as error:
        known = str(error).startswith(where)
        raise (error if known else ValueError(f"{where}: {error}")) from None
