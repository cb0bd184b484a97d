"""The wall of chapter 13: a run that was recorded, and two teams' panels of it.

1. ``recording``: scrapes and users of four replicas and a canary, from ``data/watching.jsonl.xz``
   (``scripts/watching/record_replicas.py`` makes it anew)
2. ``panels``: nine panels that hide what happened, and nine that show it; ``live_panels``: ten and
   ten, for a server that runs now (``labutils.live``)
3. ``search``: how long somebody needs to find it
"""

from typing import TYPE_CHECKING

from labutils.ground.lazy import lazily

if TYPE_CHECKING:
    from .panels import NEW, OLD, Panel
    from .recording import RecordedReplica, Recording
    from .search import Search

_HOME = {
    "NEW": "panels", "OLD": "panels", "Panel": "panels", "RecordedReplica": "recording",
    "Recording": "recording", "Search": "search",
}  # fmt: skip

__all__ = ["NEW", "OLD", "Panel", "RecordedReplica", "Recording", "Search"]
__getattr__, __dir__ = lazily(__name__, _HOME)
