"""What is raised for a request that a policy turns away at the door."""

from collections.abc import Hashable


class Refused(ValueError):
    """A request is refused when it arrives, by policy: it could be served, and will not be.

    The answer holds what the caller may do with it: ``predicted_ttft_s``, the first token that it
    would have got, in seconds after its arrival, or ``retry_after_s`` (None: what is not known).
    A simulation and an engine record the request as rejected, and go on.
    """

    def __init__(
        self, id: Hashable, why: str, *,
        predicted_ttft_s: float | None = None, retry_after_s: float | None = None,
    ):  # fmt: skip
        super().__init__(f"request {id!r} is refused: {why}")
        self.predicted_ttft_s, self.retry_after_s = predicted_ttft_s, retry_after_s
