"""How the routes behave, in one place."""

from dataclasses import dataclass

from labutils.ground.arguments import whole


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How the routes behave."""

    model: str = "course"
    token: str | None = None  # clients have to send it as a bearer token
    body_bytes: int = 1_000_000
    body_s: float = 10.0  # a body that takes longer is refused
    max_tokens: int = 64  # of an answer whose client names no limit
    stream_interval: int = 1  # tokens of an event, after the first one: fewer events cost less
    heartbeat_s: float = 15.0
    most_unread: int = 4_096  # events; a client further behind is cut
    stalled_s: float = 10.0  # a closed stream whose client reads nothing for so long is given up
    gone_s: float = 30.0  # a client whose machine confirms nothing for so long is gone
    resume_s: float = 60.0  # how long an answer can be read again
    kept_answers: int = 256

    def __post_init__(self):
        whole("stream_interval", self.stream_interval, at_least=1)
        if self.token == "":  # as of a variable that is not set: it would keep nobody out
            raise ValueError("token = '': expected at least one character")
