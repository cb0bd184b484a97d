"""The learner's folder ``my/``: filled, kept up to date, never overwritten.

``my_folder()`` finds it, ``sync()`` brings it up to date, ``reset(name)`` hands out a fresh copy
and keeps the old one, ``open_lab()`` starts JupyterLab in it. Invariant: no step here removes or
overwrites bytes that a learner wrote.
"""

from labutils.workspace.folder import Workspace, my_folder
from labutils.workspace.reset import reset
from labutils.workspace.server import open_lab
from labutils.workspace.sync import Step, sync

__all__ = ["Step", "Workspace", "my_folder", "open_lab", "reset", "sync"]
