"""Proofs for chapter 00, the tour of the four words."""

from labutils.exercises.verdict import Status
from tests.proofs.proof import Proof

PROOFS = {
    "start.utilization": Proof(
        mistakes={
            "rates as they stand": (30 / 0.020, "requests-over-service-time"),
            "capacity over work": (50 / 30, "inverted"),
            "20 ms over 30": ("0.667", "requests-per-service"),
            "milliseconds": (600, Status.scale),
            "a time": ("0.6 s", Status.unit),
            "in words": ("six tenths", Status.unreadable),
        },
        alternatives={"percent": "60 %", "through the service rate": 30 / (1 / 0.020)},
    ),
    "start.utilization_function": Proof(
        mistakes={
            "one server": (
                "def utilization(arrival_rate, mean_service_time, num_servers):\n"
                "    return arrival_rate * mean_service_time",
                "forgets-the-servers",
            ),
            "divides by a time": (
                "def utilization(arrival_rate, mean_service_time, num_servers):\n"
                "    return arrival_rate / (mean_service_time * num_servers)",
                "service-rate-for-time",
            ),
            "stops at one": (
                "def utilization(arrival_rate, mean_service_time, num_servers):\n"
                "    busy = arrival_rate * mean_service_time / num_servers\n"
                "    return busy if busy < 1 else 1.0",
                "capped",
            ),
            "prints": (
                "def utilization(arrival_rate, mean_service_time, num_servers):\n"
                "    print(arrival_rate * mean_service_time / num_servers)",
                "prints-instead",
            ),
            "its value": (0.6, Status.unreadable),
        },
        alternatives={
            "through the service rate": (
                "def utilization(arrival_rate, mean_service_time, num_servers):\n"
                "    service_rate = 1 / mean_service_time\n"
                "    return arrival_rate / (num_servers * service_rate)"
            ),
            "in arrays": (
                "def utilization(*numbers):\n"
                "    rate, time, servers = np.array(numbers, dtype=float)\n"
                "    return rate / servers * time"
            ),
        },
    ),
}
