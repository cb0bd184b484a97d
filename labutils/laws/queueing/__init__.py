"""Closed forms for queues: what theory says before you simulate or measure.

Rates are per second, times in seconds. Steady-state models share one interface (``QueueModel``):

=========  ================================================  =============================
``MM1``    one server, exponential services                  exact
``MMc``    several servers, exponential services             exact
``MMcK``   the same with a limit on how many may be inside   exact
``MD1``    one server, services all equally long             exact
``MG1``    one server, services of any spread                exact means, approximate tails
``GGc``    any gaps and services (Kingman, Allen–Cunneen)    approximate
=========  ================================================  =============================

Those serve in order of arrival. ``ProcessorSharing``, ``ShortestJobFirst`` and
``ShortestRemainingTime`` do not; they and ``FirstCome`` give mean times at one server, by the size
of the request, for ``services`` of a known distribution.

``MM1Tandem`` puts M/M/1 queues in a row. A ``Stage`` may have several servers and be visited more
than once: ``largest_rate`` is what a pipeline of them carries.

``mean_num_inside`` and its turns are Little's law, which needs no model at all. Above saturation
there is no steady state: models raise ``UnstableQueueError`` and ``Overload`` takes over.

Three rooms: ``formulas`` (to be read first), ``models`` and ``disciplines``.
"""

from labutils.laws.queueing.disciplines.service_laws import (
    ExponentialServices,
    HyperexponentialServices,
    KnownLengths,
    LognormalServices,
    Services,
)
from labutils.laws.queueing.disciplines.service_orders import (
    Discipline,
    FirstCome,
    ProcessorSharing,
    ShortestJobFirst,
    ShortestRemainingTime,
)
from labutils.laws.queueing.formulas.erlang import erlang_b, erlang_c
from labutils.laws.queueing.formulas.errors import UnstableQueueError
from labutils.laws.queueing.formulas.littles_law import (
    mean_num_inside,
    mean_time_inside,
    rate_through,
    utilization,
)
from labutils.laws.queueing.formulas.mixture import mixture_moments
from labutils.laws.queueing.formulas.queue_limit import queue_limit, refused_share
from labutils.laws.queueing.models.ggc import GGc, allen_cunneen, kingman
from labutils.laws.queueing.models.md1 import MD1
from labutils.laws.queueing.models.mg1 import MG1
from labutils.laws.queueing.models.mm1 import MM1
from labutils.laws.queueing.models.mmc import MMc
from labutils.laws.queueing.models.mmck import MMcK
from labutils.laws.queueing.models.model import QueueModel
from labutils.laws.queueing.models.overload import Overload
from labutils.laws.queueing.models.sizing import (
    largest_arrival_rate,
    largest_utilization,
    least_servers,
    least_servers_for_quantile,
    utilization_at_queue_length,
)
from labutils.laws.queueing.models.stage import Stage
from labutils.laws.queueing.models.tandem import (
    MM1Tandem,
    bottleneck,
    clocked_latency,
    clocked_mean,
    fixed_tandem_mean,
    largest_rate,
)

__all__ = [
    "MD1",
    "MG1",
    "MM1",
    "Discipline",
    "ExponentialServices",
    "FirstCome",
    "GGc",
    "HyperexponentialServices",
    "KnownLengths",
    "LognormalServices",
    "MM1Tandem",
    "MMc",
    "MMcK",
    "Overload",
    "ProcessorSharing",
    "QueueModel",
    "Services",
    "ShortestJobFirst",
    "ShortestRemainingTime",
    "Stage",
    "UnstableQueueError",
    "allen_cunneen",
    "bottleneck",
    "clocked_latency",
    "clocked_mean",
    "erlang_b",
    "erlang_c",
    "fixed_tandem_mean",
    "kingman",
    "largest_arrival_rate",
    "largest_rate",
    "largest_utilization",
    "least_servers",
    "least_servers_for_quantile",
    "mean_num_inside",
    "mean_time_inside",
    "mixture_moments",
    "queue_limit",
    "rate_through",
    "refused_share",
    "utilization",
    "utilization_at_queue_length",
]
