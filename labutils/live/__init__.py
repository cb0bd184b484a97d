"""A server that runs now, breaks on demand, and is watched on two walls (chapter 13).

1. ``live_faults``: what can befall it; ``under_load``: the server, its load and its faults, in a
   process of its own
2. ``live_service``: that process as seen from here, and its scrapes
3. ``hunt``: how long somebody needs to say what it is; ``live_wall``: the walls and the buttons
"""

from typing import TYPE_CHECKING

from labutils.ground.lazy import lazily

if TYPE_CHECKING:
    from .hunt import Hunt
    from .live_faults import FAULTS, Fault
    from .live_service import LiveService
    from .live_wall import LiveWall

_HOME = {
    "FAULTS": "live_faults", "Fault": "live_faults", "Hunt": "hunt",
    "LiveService": "live_service", "LiveWall": "live_wall",
}  # fmt: skip

__all__ = ["FAULTS", "Fault", "Hunt", "LiveService", "LiveWall"]
__getattr__, __dir__ = lazily(__name__, _HOME)
