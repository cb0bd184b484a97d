"""Measure this machine: how long a call takes, and how far to trust the figure.

``timed`` and ``timed_in_turn`` warm up, wait for the device, repeat, and keep every duration in a
``Timing``. torch is imported only where a function needs it, and its settings (threads, precision)
stay as they are.
"""

from labutils.measure.device import synchronizer
from labutils.measure.timer import timed, timed_in_turn
from labutils.measure.timing import Timing

__all__ = ["Timing", "synchronizer", "timed", "timed_in_turn"]
