"""What is asked of a serving system: how long prompts and answers are, when requests arrive.

>>> trace = mix("azure-conversation").trace(500, rate_per_s=3.0, seed=7)
>>> print(trace.summary())
azure-conversation: 500 requests in 169 s, 2.95 per second, gaps with CV 1.07
prompt tokens: mean 1,163, p50 1,030, p90 2,585, p99 4,147, longest 6,631
output tokens: mean 200, p50 118, p90 423, p99 600, longest 864

Real traces are read with ``read_azure``, ``read_mooncake`` and ``read_servegen``, once
``python -m labutils.workload fetch NAME`` has brought them here.
"""

from .azure import read_azure
from .catalogue import recorded_prefix_hits
from .fetch import FetchError, trace_file
from .lines import MalformedLine
from .mix import RequestMix, mix, mix_names
from .mooncake import read_mooncake
from .quantile_table import QuantileTable
from .servegen import ClientRates, read_servegen
from .sessions import Sessions
from .trace import RequestTrace, uniform_trace

__all__ = [
    "ClientRates",
    "FetchError",
    "MalformedLine",
    "QuantileTable",
    "RequestMix",
    "RequestTrace",
    "Sessions",
    "mix",
    "mix_names",
    "read_azure",
    "read_mooncake",
    "read_servegen",
    "recorded_prefix_hits",
    "trace_file",
    "uniform_trace",
]
