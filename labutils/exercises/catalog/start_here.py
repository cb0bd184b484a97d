"""Exercises and the prediction of chapter 00, the tour of predict, check, hint and reveal."""

import math

from labutils.exercises.checkers import Function, Number
from labutils.exercises.exercise import Exercise, Misconception, Prediction

UTILIZATION = Exercise(
    id="start.utilization",
    title="How busy is the server?",
    minutes=1,
    checker=Number(
        expected=lambda: 30 * 0.020,
        unit="1",
        tolerance=0.01,
        misconceptions=(
            Misconception(
                "inverted",
                lambda: 1 / (30 * 0.020),
                "You divided what the server can do by what it is asked to do. Load is the other "
                "way round: work that arrives over work that it can do.",
            ),
            Misconception(
                "requests-over-service-time",
                lambda: 30 / 0.020,
                "You divided by the service time. Each request brings 0.020 s of work: how much "
                "work do 30 of them bring in a second?",
            ),
            Misconception(
                "requests-per-service",
                lambda: 20 / 30,
                "You put 20 ms over 30 requests. How many seconds of work arrive in one second?",
            ),
        ),
    ),
    hints=(
        "How many seconds of work arrive in each second?",
        "30 requests a second, and each brings 20 ms of work. Mind the unit: 20 ms = 0.020 s.",
        "30 per second × 0.020 s.",
    ),
    explanation=(
        "Thirty requests of 20 ms bring $30 \\times 0.020 = 0.6$ seconds of work in each second, "
        "so the server is busy 60 % of the time: $\\rho = \\lambda S$."
    ),
)


def _some_servers():
    """Rates, service times and fleets, with no two of the three numbers alike by design."""
    from hypothesis import strategies as st

    return st.tuples(
        st.integers(1, 400),
        st.integers(1, 80).map(lambda k: k / 40),
        st.integers(1, 48),
    )


UTILIZATION_FUNCTION = Exercise(
    id="start.utilization_function",
    title="How busy is each of many servers?",
    minutes=2,
    checker=Function(
        reference=lambda arrival_rate, mean_service_time, num_servers: (
            arrival_rate * mean_service_time / num_servers
        ),
        inputs=_some_servers,
        misconceptions=(
            Misconception(
                "forgets-the-servers",
                lambda arrival_rate, mean_service_time, num_servers: (
                    arrival_rate * mean_service_time
                ),
                "That is how many servers the traffic keeps busy in total. Share it among them.",
            ),
            Misconception(
                "service-rate-for-time",
                lambda arrival_rate, mean_service_time, num_servers: (
                    arrival_rate / mean_service_time / num_servers
                ),
                "You divide by the service time. It is a time, not a rate: multiply.",
            ),
            Misconception(
                "capped",
                lambda arrival_rate, mean_service_time, num_servers: min(
                    1.0, arrival_rate * mean_service_time / num_servers
                ),
                "You cap the result at 1. Keep what lies above: it says by how much the servers "
                "are overloaded.",
            ),
            Misconception(
                "rounded",
                lambda arrival_rate, mean_service_time, num_servers: math.floor(
                    arrival_rate * mean_service_time / num_servers
                ),
                "You round down. A share is not a whole number: use / and not //.",
            ),
        ),
    ),
    hints=(
        "How many seconds of work arrive in each second, and how many servers share them?",
        "Work per second is arrival_rate * mean_service_time.",
        "return arrival_rate * mean_service_time / num_servers",
    ),
    explanation=(
        "$\\rho = \\lambda S / c$: the work that arrives in a second, shared among $c$ servers. "
        "Above 1 more arrives than the servers can do."
    ),
)

ORDER = 0
TITLE = "Start here"

EXERCISES = (UTILIZATION, UTILIZATION_FUNCTION)

PREDICTIONS = (
    Prediction(
        id="start.above_mean",
        question="What share of exponentially distributed response times lies above their mean?",
        unit="1",
        explanation=(
            "For an exponential distribution it is 1/e, whatever the mean: the slow few pull the "
            "mean up, above most of the others."
        ),
    ),
)
