"""R01: latency and throughput, and when they conflict."""

from labutils.batching import AffineBatchTime
from labutils.drills.whiteboard.prompt import Clarification, FollowUp, Prompt, Solution
from labutils.units import format_quantity as say

MACHINE = AffineBatchTime(fixed_s=0.004, per_item_s=0.0009)


def _solve() -> Solution:
    one, many = MACHINE(1), MACHINE(32)
    return Solution(
        parts={
            "Two numbers": (
                "Latency is the time of one request, from its intended arrival to its last token. "
                "Throughput is completed work per second. In between lies what is inside: "
                "concurrency = throughput × latency."
            ),
            "They conflict": (
                "When batching is the lever: a machine that takes 4 + 0.9 b ms serves "
                f"{say(1 / one, 'req/s')} one by one at {say(one, 's')} each, "
                f"{say(32 / many, 'req/s')} in batches of 32 at {say(many, 's')} each, waiting not "
                "counted. And near saturation: the last tenth of utilization is bought with "
                "waiting."
            ),
            "They do not": (
                "Under load the larger batch has the lower latency, since the queue is what you "
                "wait in. Caching, quantisation, better kernels and shorter prompts help both."
            ),
            "Which to serve": (
                "Write the objective first: P95 of TTFT below a limit, say, then maximise "
                "throughput within it. A perception stack needs the latency of each frame; a "
                "billion documents overnight need throughput alone."
            ),
        },
        follow_ups=(
            FollowUp(
                "Two replicas instead of one: which number moves?",
                "Throughput doubles. The service time of one request stays; its waiting falls, "
                "since the load per replica halves.",
            ),
            FollowUp(
                "A dashboard shows throughput flat and latency rising. What happened?",
                "Saturation: what comes in exceeds what goes out. The queue grows for as long as "
                "it lasts; latency is then a function of time, not of load.",
            ),
            FollowUp(
                "Your P95 is 2 s and users complain. Is the objective wrong?",
                "Ask what they wait for: first token, gaps, or the whole. One user sends many "
                "requests: of 20 a day one is beyond a p95 on average.",
            ),
        ),
    )


PROMPT = Prompt(
    id="r01",
    title="Latency against throughput",
    topics=("R01", "A01", "A02", "M12", "O21"),
    minutes=10,
    ask="What is the difference between latency and throughput, and when do they conflict?",
    clarifications=(
        Clarification("For which kind of service?", "A model behind an API.", "batching matters"),
        Clarification("Below or near saturation?", "Both.", "two different answers"),
    ),
    must_hits=(
        "Both defined with their boundary, and concurrency as the third quantity",
        "A conflict with numbers (batching, or the last tenth of utilization)",
        "Cases without a conflict: load, caching, better kernels",
        "Objective first, then maximise within it",
    ),
    solve=_solve,
    a_three={"commit": "“P95 of TTFT below 1 s; within that, the largest batch.”"},
)
