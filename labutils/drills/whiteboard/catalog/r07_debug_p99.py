"""R07: the p99 went from 50 to 500 ms."""

import math

from labutils import queueing
from labutils.drills.whiteboard.prompt import Clarification, FollowUp, Prompt, Solution
from labutils.units import format_quantity as say

LOAD, MORE = 0.5, 0.95


def _solve() -> Solution:
    service_s = 0.05 * (1 - LOAD) / math.log(100)  # so that the p99 was 50 ms
    before, after = (queueing.MM1(load / service_s, 1 / service_s) for load in (LOAD, MORE))
    return Solution(
        parts={
            "First: is it the service?": (
                "Or is it the measurement: another window or boundary, a new client in the sample, "
                "failures now counted, a p99 at the histogram's last edge. One minute, then on."
            ),
            "One host or all": (
                "One: take it out of rotation, look later. All: something they share. It is the "
                "cheapest question and halves the search."
            ),
            "Traffic": (
                f"Less than twice the traffic is enough for ten times the p99: an M/M/1 server "
                f"goes from {say(before.sojourn_time_quantile(0.99), 's')} at a load of {LOAD:g} "
                f"to {say(after.sojourn_time_quantile(0.99), 's')} at {MORE:g}. But then its p50 "
                "rises tenfold too. Here it did not, so "
                "expect a queue on one host or in one class, not everywhere. Look at arrivals, "
                "retries, utilization and queue length by host. A long queue: shed, then scale."
            ),
            "Inputs": (
                "Prompt and output lengths by tenant, hit rate. A tenant with inputs two to five "
                "times as long moves the p99 of all. Limit it, chunk it, give it a queue of its "
                "own."
            ),
            "Model and features": (
                "What was deployed at the time of the step? A flag, a cold cache, a dependency. "
                "Roll back first, explain afterwards."
            ),
            "Runtime": (
                "Garbage collection, throttling, preemptions, memory pressure, a noisy neighbour. "
                "The shape helps: pauses of one length show as a second hump, a queue as a long "
                "slope; a model that is slower for all would have moved p50."
            ),
            "Afterwards": ("Write down which panel would have said it in a minute, and add it."),
        },
        follow_ups=(
            FollowUp(
                "p50 is unchanged. What does that rule out?",
                "Everything that slows all requests: a slower model, higher load on all hosts. It "
                "leaves pauses, one host of many, long inputs, a slow dependency met by few.",
            ),
            FollowUp(
                "p50 and p99 both went up tenfold.",
                "More load, or a slower service for all. The time in service, without the queue, "
                "tells them apart: under load it is as before, with a slower model it is not.",
            ),
            FollowUp(
                "It is over before you found it. Now what?",
                "Reconstruct from counters that were there: arrivals, completions, in flight. "
                "Little gives the mean latency minute by minute; the minute in which "
                "arrivals first exceed completions is when it began.",
            ),
        ),
    )


PROMPT = Prompt(
    id="r07",
    title="Debug a p99 that went from 50 to 500 ms",
    topics=("R07", "C22", "M13", "L16", "L17"),
    minutes=10,
    ask=(
        "You are paged: the p99 of a service went from 50 to 500 ms within five minutes. p50 is "
        "12 ms, as before. Walk me through the next ten minutes."
    ),
    clarifications=(
        Clarification("Is it still going on?", "Yes.", "whether to mitigate before explaining"),
        Clarification(
            "Was anything deployed?", "Nothing in the last hour.", "where to search first"
        ),
    ),
    must_hits=(
        "One host or all, first",
        "Traffic, then inputs, then model and features, then runtime",
        "What p50 unchanged rules out",
        "Mitigation before explanation",
        "What would have shown it sooner",
    ),
    solve=_solve,
    a_three={"failure": "“I shed batch traffic while I look; no user notices that.”"},
)
