"""Lab 8's server as a Ray Serve application: replicas, a learner's router, one door for all.

Ray is no part of the course's own packages: ``missing()`` says what to install and what it weighs.

1. ``this_machine``, ``keeper``: Ray on this machine alone, and who ends it whatever becomes of you
2. ``door_desk``: a router with ``choose(request, views)``, asked from the door's own counts
3. ``application``: a fleet served, replaced, removed; ``replica``, ``door``: its two parts, which
   need Ray to be imported
4. ``passing_on``: what a client hears if its replica is lost
5. ``watching``: who is there, who is killed, and how every request ended
6. ``prediction``: what the simulator says of it
7. ``experiment``: an experiment, carried out here or read from a recorded run
"""

from typing import TYPE_CHECKING

from labutils.ground.lazy import lazily

from .installed import missing

if TYPE_CHECKING:
    from .application import deployed, removed, serving
    from .door_desk import Desk
    from .experiment import trial
    from .prediction import costs_together, predicted
    from .this_machine import local_ray
    from .watching import Watch, ended, kill, replicas_of, rows_of, weighs

_HOME = {
    "Desk": "door_desk", "Watch": "watching", "costs_together": "prediction",
    "deployed": "application", "ended": "watching", "kill": "watching",
    "local_ray": "this_machine", "predicted": "prediction", "removed": "application",
    "replicas_of": "watching", "rows_of": "watching", "serving": "application",
    "trial": "experiment", "weighs": "watching",
}  # fmt: skip

__all__ = [
    "Desk", "Watch", "costs_together", "deployed", "ended", "kill", "local_ray",
    "missing", "predicted", "removed", "replicas_of", "rows_of", "serving", "trial", "weighs",
]  # fmt: skip
__getattr__, __dir__ = lazily(__name__, _HOME)
