"""What is known of one fault of a measuring client."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Finding:
    """Whether the data show a ``fault``: True, False, or None where they cannot tell.

    ``words`` say what was seen, or what it would need to tell; ``evidence`` are the numbers behind.
    """

    fault: str
    shown: bool | None
    words: str
    evidence: Mapping[str, float] = field(default_factory=dict)
