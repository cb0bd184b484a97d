"""Measure this machine: how long a call takes, and how far to trust the figure.

``timed`` and ``timed_in_turn`` warm up, wait for the device, repeat, and keep every duration in a
``Timing``. ``copy_bandwidth`` and ``matrix_rate`` measure the two rates that bound every program;
a ``MachineProfile`` keeps what was measured, with date and spread, for later chapters. A ``Stream``
is a device's queue of work, on a GPU and on a processor alike. torch is
imported only where a function needs it, and its settings (threads, precision) stay as they are.
"""

from labutils.measure.device import synchronizer
from labutils.measure.machine import Machine
from labutils.measure.measurement import BatchTimeMeasurement, Measurement, StepCostMeasurement
from labutils.measure.profile import MachineProfile
from labutils.measure.rates import CopyBandwidth, MatrixRate, Rate, copy_bandwidth, matrix_rate
from labutils.measure.scripted import Job, ScriptedStream
from labutils.measure.sharing import claim_memory_share, turn
from labutils.measure.stream import Stream, open_stream
from labutils.measure.timer import timed, timed_in_turn
from labutils.measure.timing import Timing
from labutils.measure.tuned_block import TunedBlock

__all__ = [
    "BatchTimeMeasurement",
    "CopyBandwidth",
    "Job",
    "Machine",
    "MachineProfile",
    "MatrixRate",
    "Measurement",
    "Rate",
    "ScriptedStream",
    "StepCostMeasurement",
    "Stream",
    "Timing",
    "TunedBlock",
    "claim_memory_share",
    "copy_bandwidth",
    "matrix_rate",
    "open_stream",
    "synchronizer",
    "timed",
    "timed_in_turn",
    "turn",
]
