"""Our routers as the numbers that the compiled loop takes."""

from labutils.serving.simulator.compiled.replicas.replica_tables import (
    BY_LOAD,
    BY_PREFIX,
    BY_SCORE,
    FIXED,
    IN_TURN,
    RANDOM,
    Policy,
)

from .routers import (
    FourWaitingPlusRunning,
    LeastInFlight,
    LeastReported,
    PrefixBounded,
    Random,
    RoundRobin,
    TwoChoices,
    WeightedScores,
)


def policy_of(router) -> Policy | None:
    """The numbers of one of our routers; None for anybody else's."""
    match router:
        case Random():
            return Policy(RANDOM)
        case RoundRobin():
            return Policy(IN_TURN)
        case LeastInFlight():
            return Policy(BY_LOAD, own=1.0)
        case LeastReported():
            return Policy(BY_LOAD, waiting=1.0, running=1.0)
        case FourWaitingPlusRunning(counts_own=counts_own):
            since = 4.0 if counts_own else 0.0
            return Policy(BY_LOAD, since=since, waiting=4.0, running=1.0)
        case TwoChoices(report_every_s=None):
            return Policy(BY_LOAD, two=True, own=1.0)
        case TwoChoices():
            return Policy(BY_LOAD, two=True, waiting=1.0, running=1.0)
        case PrefixBounded(bound):
            return Policy(BY_PREFIX, bound=float(bound))
        case WeightedScores(prefix, queue, kv):
            weights = {"prefix": float(prefix), "queue": float(queue), "kv": float(kv)}
            return Policy(BY_SCORE, **weights)
    return None


FIXED_POLICY = Policy(FIXED)
