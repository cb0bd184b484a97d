"""Proofs of chapter 03: mistakes that learners make, and right answers of other styles."""

import itertools
import math
from array import array

import numpy as np

from labutils import queueing
from labutils import simulation as sim
from labutils.exercises.definition.verdict import Status
from tests.proofs.proof import Proof

# --- mm1.recursion ------------------------------------------------------------------------------


def gaps_shifted_by_one(arrivals, services):
    waits = [0.0]
    for n in range(1, len(arrivals)):
        gap = arrivals[n] - arrivals[max(0, n - 2)]
        waits.append(max(0.0, waits[-1] + services[n - 1] - gap))
    return waits


def adds_the_gap(arrivals, services):
    waits = [0.0]
    for n in range(1, len(arrivals)):
        waits.append(max(0.0, waits[-1] - services[n - 1] + arrivals[n] - arrivals[n - 1]))
    return waits


def forgets_the_first(arrivals, services):
    waits, wait = [], 0.0
    for n in range(1, len(arrivals)):
        wait = max(0.0, wait + services[n - 1] - (arrivals[n] - arrivals[n - 1]))
        waits.append(wait)
    return waits


def numpy_without_memory(arrivals, services):
    arrivals, services = np.asarray(arrivals), np.asarray(services)
    return np.maximum(0.0, np.append(0.0, services[:-1] - np.diff(arrivals)))


def absolute_value(arrivals, services):
    waits = [0.0]
    for n in range(1, len(arrivals)):
        waits.append(abs(waits[-1] + services[n - 1] - (arrivals[n] - arrivals[n - 1])))
    return waits


def returns_sojourns(arrivals, services):
    free, result = 0.0, []
    for arrival, service in zip(arrivals, services):
        free = max(free, arrival) + service
        result.append(free - arrival)
    return result


def first_request_waits_for_its_own_arrival(arrivals, services):
    waits, left = [], 0.0
    for arrival, service in zip(arrivals, services):
        waits.append(max(0.0, left - arrival))
        left += service
    return waits


def start_times(arrivals, services):
    free, starts = -math.inf, []
    for arrival, service in zip(arrivals, services):
        starts.append(max(arrival, free))
        free = starts[-1] + service
    return starts


def first_served_at_once(arrivals, services):
    waits, wait = [], services[0]
    for n, arrival in enumerate(arrivals):
        if n:
            wait = max(0.0, wait + services[n - 1] + arrivals[n - 1] - arrival)
        waits.append(wait)
    return waits


def work_in_line_since_the_first(arrivals, services):
    begin = np.cumsum(services) - services + arrivals[0]
    return np.clip(begin - arrivals, 0.0, None)


def with_the_time_the_server_falls_free(arrivals, services):
    free, waits = -math.inf, []
    for arrival, service in zip(arrivals, services):
        start = max(arrival, free)
        waits.append(start - arrival)
        free = start + service
    return waits


def as_a_numpy_array(arrivals, services):
    arrivals, services = np.asarray(arrivals, float), np.asarray(services, float)
    steps = np.append(0.0, services[:-1] - np.diff(arrivals))
    walk = np.cumsum(steps)
    return walk - np.minimum.accumulate(np.minimum(walk, 0.0))


def with_accumulate(arrivals, services):
    steps = [s - (b - a) for s, (a, b) in zip(services, itertools.pairwise(arrivals))]
    return tuple(itertools.accumulate(steps, lambda w, x: max(0, w + x), initial=0))


# --- mm1.least_servers --------------------------------------------------------------------------


def compares_the_latency(arrival_rate, mean_service_time, max_mean_wait):
    load = arrival_rate * mean_service_time
    servers = math.floor(load) + 1
    while True:
        wait = queueing.erlang_c(load, servers) * mean_service_time / (servers - load)
        if wait + mean_service_time <= max_mean_wait or servers > load + 200:
            return servers
        servers += 1


def compares_the_latency_for_ever(arrival_rate, mean_service_time, max_mean_wait):
    load = arrival_rate * mean_service_time
    servers = int(load) + 1
    while True:
        queue = queueing.MMc(arrival_rate, 1 / mean_service_time, servers)
        if queue.mean_sojourn_time <= max_mean_wait:
            return servers
        servers += 1


def starts_at_the_rounded_load(arrival_rate, mean_service_time, max_mean_wait):
    load = arrival_rate * mean_service_time
    servers = round(load)
    while queueing.erlang_c(load, servers) * mean_service_time / (servers - load) > max_mean_wait:
        servers += 1
    return servers


def divides_by_the_servers(arrival_rate, mean_service_time, max_mean_wait):
    load = arrival_rate * mean_service_time
    servers = math.floor(load) + 1
    while queueing.erlang_c(load, servers) * mean_service_time / servers > max_mean_wait:
        servers += 1
    return servers


def returns_the_load(arrival_rate, mean_service_time, max_mean_wait):
    servers = queueing.least_servers(arrival_rate, mean_service_time, max_mean_wait)
    return arrival_rate * mean_service_time / servers


def stops_one_early(arrival_rate, mean_service_time, max_mean_wait):
    stable = math.floor(arrival_rate * mean_service_time) + 1
    return max(stable, queueing.least_servers(arrival_rate, mean_service_time, max_mean_wait) - 1)


def one_before_the_last(arrival_rate, mean_service_time, max_mean_wait):
    for servers in itertools.count(math.floor(arrival_rate * mean_service_time) + 1):
        queue = queueing.MMc(arrival_rate, 1 / mean_service_time, servers)
        if queue.mean_waiting_time <= max_mean_wait:
            return servers - 1


def two_to_spare(arrival_rate, mean_service_time, max_mean_wait):
    return int(arrival_rate * mean_service_time) + 2


def wait_in_service_times(arrival_rate, mean_service_time, max_mean_wait):
    load = arrival_rate * mean_service_time
    servers = math.floor(load) + 1
    while queueing.erlang_c(load, servers) > max_mean_wait * (servers - load):
        servers += 1
    return servers


def gives_up(bound):
    def least_servers(arrival_rate, mean_service_time, max_mean_wait):
        load = arrival_rate * mean_service_time
        for servers in range(math.floor(load) + 1, bound):
            wait = queueing.erlang_c(load, servers) * mean_service_time / (servers - load)
            if wait <= max_mean_wait:
                return servers

    return least_servers


def never_counts_on(arrival_rate, mean_service_time, max_mean_wait):
    load, servers = arrival_rate * mean_service_time, 1
    while True:
        try:
            if queueing.erlang_c(load, servers) * mean_service_time / (servers - load) <= (
                max_mean_wait
            ):
                return servers
        except ValueError:
            continue
        servers += 1


def with_the_model_class(arrival_rate, mean_service_time, max_mean_wait):
    for servers in itertools.count(1):
        try:
            queue = queueing.MMc(arrival_rate, 1 / mean_service_time, servers)
        except queueing.UnstableQueueError:
            continue
        if queue.mean_waiting_time <= max_mean_wait:
            return servers


def with_its_own_erlang(arrival_rate, mean_service_time, max_mean_wait):
    load, blocking, servers = arrival_rate * mean_service_time, 1.0, 0
    while True:
        servers += 1
        blocking = load * blocking / (servers + load * blocking)
        if servers <= load:
            continue
        p_wait = blocking / (1 - load / servers * (1 - blocking))
        if p_wait * mean_service_time / (servers - load) <= max_mean_wait:
            return np.int64(servers)


def _waits(scv, *, n=4_000_000, seed=3):
    rng = np.random.default_rng(seed)
    kind = "hyperexponential" if scv > 1 else "gamma"
    services = 0.010 * sim.draw_unit(kind, n, rng, scv)
    return sim.fifo_queue(sim.poisson_arrivals(70, n, rng), services)


_W_Q = queueing.MG1(arrival_rate=70, service_rate=100, scv_service=4).mean_waiting_time


def _shuffled(waits):
    return np.random.default_rng(8).permutation(waits)


TOO_LONG = "queueing.erlang_c(offered_load, servers) * mean_service_time / (servers - offered_load)"

PROOFS = {
    "mm1.recursion": Proof(
        mistakes={
            "gaps shifted by one": (gaps_shifted_by_one, Status.wrong),
            "adds the gap, subtracts the service": (adds_the_gap, Status.wrong),
            "forgets the first request": (forgets_the_first, Status.wrong),
            "numpy without memory": (numpy_without_memory, "forgets-the-wait-before"),
            "absolute value": (absolute_value, "absolute-value"),
            "start times": (start_times, "start-times"),
            "departure times": (lambda a, s: np.add(start_times(a, s), s), "departure-times"),
            "the first waits for itself": (first_served_at_once, "first-waits-for-itself"),
            "idle time saved up": (work_in_line_since_the_first, "idle-time-saved-up"),
            "sojourns by another route": (returns_sojourns, "sojourn"),
            "lets the server start before anyone came": (
                first_request_waits_for_its_own_arrival,
                "idle-since-zero",
            ),
        },
        alternatives={
            "tracks when the server falls free": with_the_time_the_server_falls_free,
            "cumulative sums in numpy": as_a_numpy_array,
            "itertools.accumulate, a tuple": with_accumulate,
        },
    ),
    "mm1.load_for_ten": Proof(
        mistakes={
            "ten in the system": (10 / 11, "counts-those-in-service"),
            "two decimals": (0.91, "rounded-down"),
            "per cent without the sign": (91.608, Status.scale),
            "read off the figure": (0.92, "read-off"),
            "a time": ("0.9161 s", Status.unit),
            "the square forgotten": (0.5, Status.wrong),
        },
        alternatives={"per cent": "91.61 %", "four decimals": 0.9161, "numpy": np.float64(0.91608)},
    ),
    "mm1.least_servers": Proof(
        mistakes={
            "compares the latency, and gives up": (compares_the_latency, Status.wrong),
            "compares the latency": (compares_the_latency_for_ever, "latency-against-target"),
            "starts at the rounded load": (starts_at_the_rounded_load, Status.raised),
            "divides by the servers": (divides_by_the_servers, "divides-by-servers"),
            "returns the load": (returns_the_load, Status.wrong),
            "stops one early, but stable": (stops_one_early, Status.wrong),
            "stops one early": (one_before_the_last, "one-too-few"),
            "two spare": (two_to_spare, "two-spare"),
            "the load, rounded up": (
                lambda arrival_rate, mean_service_time, max_mean_wait: math.ceil(
                    arrival_rate * mean_service_time
                ),
                "load-rounded-up",
            ),
            "forgets the service time": (wait_in_service_times, "forgets-the-service-time"),
            "gives up at a hundred": (gives_up(101), "returns-nothing"),
            "gives up at 250": (gives_up(251), "returns-nothing"),
            "never counts on": (never_counts_on, Status.timed_out),
        },
        alternatives={
            "tries the model class": with_the_model_class,
            "its own Erlang recursion, a numpy integer": with_its_own_erlang,
        },
        equivalent={
            f"while {TOO_LONG} > max_mean_wait: => while {TOO_LONG} >= max_mean_wait:": (
                "a wait equal to the target to the last bit depends on the order of the operations"
            ),
        },
    ),
    "mm1.launch": Proof(
        mistakes={
            "counts requests": (23_340_000, "requests-not-seconds"),
            "forgets the work done": ("43636 s", "forgets-the-work-done"),
            "divides by arrivals": ("1167 s", "divides-by-arrivals"),
            "minutes": (42_436 / 60, Status.scale),
            "the report's p99": ("8 s", "what-the-report-says"),
            "bytes": ("42436 B", Status.unit),
            "words": ("about twelve hours", Status.unreadable),
        },
        alternatives={"hours": "11.8 h", "bare seconds": 42_436, "minutes": "707 min"},
    ),
    "mm1.story": Proof(
        mistakes={
            "a": ("a", "a"),
            "b": ("b", "b"),
            "c": ("c", "c"),
            "no option": ("e", Status.unreadable),
        },
        alternatives={"capital": "D", "in brackets": " d "},
    ),
    "mm1.peak": Proof(
        mistakes={
            "rule of thumb": ("60 %", "rule-of-thumb"),
            "saturates": (0.2, "saturates"),
            "per cent without the sign": (18, Status.scale),
            "multiplies": (4.5, Status.wrong),
            "a fifth of the rule of thumb": ("12 %", "sixty-at-the-peak"),
        },
        alternatives={"per cent": "18%", "fraction": 9 / 50},
    ),
    "mm1.measure_variable": Proof(
        mistakes={
            "exponential services": (_waits(1).waiting_time_s, "exponential-services"),
            "sojourn times": (_waits(4).sojourn_time_s, "sojourn"),
            "too short": (_waits(4, n=2_000).waiting_time_s, Status.too_noisy),
            "scv 2": (_waits(2).waiting_time_s, Status.wrong),
            "one number": (0.0583, Status.unreadable),
            "shuffled": (_shuffled(_waits(4).waiting_time_s), "shuffled"),
            "any numbers of the right mean": (
                np.random.default_rng(7).exponential(_W_Q, 2_000_000),
                "no-queue",
            ),
        },
        alternatives={
            "another seed, an array of the standard library": array(
                "d", _waits(4, seed=4).waiting_time_s
            ),
            "lognormal services": sim.fifo_queue(
                sim.poisson_arrivals(70, 8_000_000, np.random.default_rng(5)),
                sim.lognormal_services(0.010, 8_000_000, np.random.default_rng(6), scv_service=4),
            ).waiting_time_s,
        },
    ),
}
