"""The learner's folder ``my/``: filled, kept up to date, never overwritten.

``my_folder()`` finds it, ``sync()`` brings it up to date, ``carry(name)`` brings what was written
into an updated chapter (``waiting()`` names them), ``reset(name)`` hands out a fresh copy and keeps
the old one. Invariant: no step here removes or overwrites bytes that a learner wrote.
``server`` starts JupyterLab in it, ``hub`` a learner's server below a JupyterHub; ``outlines``
says what each chapter asks and in which minutes, ``routes`` which of them lead to a goal.

Two rooms: ``preflight`` checks the machine before the first chapter; ``my_engine`` is about the
engine that the learner writes, in ``my/engine``.
"""

from labutils.workspace.carry import carry, waiting
from labutils.workspace.folder import Workspace, my_folder
from labutils.workspace.reset import reset
from labutils.workspace.sync import Step, sync

__all__ = ["Step", "Workspace", "carry", "my_folder", "reset", "sync", "waiting"]
