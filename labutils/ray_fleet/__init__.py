"""Lab 8's server as a Ray Serve application: replicas, a learner's router, one door for all.

Ray is no part of the course's own packages: ``missing()`` says what to install and what it weighs.

1. ``this_machine``, ``keeper``: Ray on this machine alone, and who ends it whatever becomes of you
2. ``door_desk``: a router with ``choose(request, views)``, asked from the door's own counts
3. ``application``, ``door``: replicas that hold an engine's server; the way in to them
4. ``watching``: who is there, who is killed, and how every request ended
5. ``predicted``: what the simulator says of it; it needs Ray to be imported, as 3 does
"""

from typing import TYPE_CHECKING

from labutils.ground.lazy import lazily

from .installed import missing

if TYPE_CHECKING:
    from .door_desk import Desk
    from .this_machine import local_ray
    from .watching import ended, kill, replicas_of

_HOME = {
    "Desk": "door_desk", "ended": "watching", "kill": "watching",
    "local_ray": "this_machine", "replicas_of": "watching",
}  # fmt: skip

__all__ = ["Desk", "ended", "kill", "local_ray", "missing", "replicas_of"]
__getattr__, __dir__ = lazily(__name__, _HOME)
