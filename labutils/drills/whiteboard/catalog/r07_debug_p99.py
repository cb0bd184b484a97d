"""R07: the p99 went from 50 to 500 ms."""

from labutils import queueing
from labutils.drills.whiteboard.prompt import Clarification, FollowUp, Prompt, Solution
from labutils.units import format_quantity as say


def _solve() -> Solution:
    service = 0.01
    before = queueing.MM1(100 * (1 - 4.605 * service / 0.05), 100)
    after = queueing.MM1(100 * (1 - 4.605 * service / 0.5), 100)
    return Solution(
        parts={
            "First: is it the service?": (
                "Same window, same boundary, same population? A top bucket, a new client, "
                "failures counted or not. One minute, then on."
            ),
            "One host or all": (
                "One: take it out of rotation, look later. All: something they share. It is the "
                "cheapest question and halves the search."
            ),
            "Traffic": (
                f"Ten times the p99 needs little: on one M/M/1 server of {say(service, 's')} "
                f"services the p99 is 50 ms at a load of {before.utilization:.2f} and 500 ms at "
                f"{after.utilization:.2f}. Look at arrivals, retries, utilization, queue length. "
                "If the queue is long everywhere: shed, then scale."
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
                "Pauses of a collector, throttling, preemptions, memory pressure, a neighbour. "
                "Shape helps: a second hump at the length of a pause is not a queue; a stretched "
                "tail at unchanged p50 is not a slower model."
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
                "Load or a slower service for all: utilization tells them apart. At high load "
                "mean service time is as before; with a slower model it is not.",
            ),
            FollowUp(
                "It is over before you found it. Now what?",
                "Reconstruct from counters that were there: arrivals, completions, in flight. "
                "Little gives the mean wait minute by minute; the gap between arrivals and "
                "completions dates the beginning.",
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
        Clarification("Is it still going on?", "Yes.", "mitigate before explaining"),
        Clarification("Was anything deployed?", "Nothing in the last hour.", "order of search"),
    ),
    must_hits=(
        "One host or all, first",
        "Traffic, then inputs, then model and features, then runtime",
        "What p50 unchanged rules out",
        "Mitigation before explanation",
        "What would have shown it sooner",
    ),
    solve=_solve,
    a_three={"failure": "“I shed batch traffic while I look; that costs nobody a page.”"},
)
