"""What is asked of a serving system: how long prompts and answers are, when requests arrive.

>>> trace = mix("azure-conversation").trace(500, rate_per_s=3.0, seed=7)
>>> print(trace.summary())

Real traces are read with ``read_azure``, ``read_mooncake`` and ``read_servegen``, once
``python -m labutils.workload fetch NAME`` has brought them here.
"""

from .azure import read_azure
from .fetch import FetchError, trace_file
from .lines import MalformedLine
from .mix import RequestMix, mix, mix_names
from .mooncake import read_mooncake
from .quantile_table import QuantileTable
from .servegen import ClientRates, read_servegen
from .trace import RequestTrace, uniform_trace

__all__ = [
    "ClientRates",
    "FetchError",
    "MalformedLine",
    "QuantileTable",
    "RequestMix",
    "RequestTrace",
    "mix",
    "mix_names",
    "read_azure",
    "read_mooncake",
    "read_servegen",
    "trace_file",
    "uniform_trace",
]
