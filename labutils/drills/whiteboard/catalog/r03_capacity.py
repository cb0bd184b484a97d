"""R03: a capacity plan for fifty requests a second."""

import math

from labutils import queueing
from labutils.drills.whiteboard.prompt import Clarification, FollowUp, Prompt, Solution
from labutils.units import format_quantity as say

RATE, STAY_S, SLOTS, CEILING, GROWTH = 50.0, 2.0, 8, 0.8, 1.2


def _solve() -> Solution:
    busy = RATE * STAY_S
    least = math.ceil(busy / SLOTS)
    planned = math.ceil(busy / (SLOTS * CEILING))
    grown = math.ceil(GROWTH * busy / (SLOTS * CEILING))
    pool = queueing.MMc(RATE, 1 / STAY_S, planned * SLOTS)
    split = queueing.MMc(RATE / planned, 1 / STAY_S, SLOTS)
    lost = busy / ((planned - 1) * SLOTS)
    return Solution(
        parts={
            "Little": (
                f"{say(RATE, 'req/s')} × {say(STAY_S, 's')} = {busy:g} slots busy on average. "
                f"{SLOTS} slots a GPU: {least - 1} GPUs are overloaded, {least} are "
                f"{100 * busy / (least * SLOTS):.0f} % busy: the least that is stable, not a plan."
            ),
            "One headroom": (
                f"At {100 * CEILING:.0f} % of the slots: {planned} GPUs, "
                f"{100 * busy / (planned * SLOTS):.0f} % busy. If traffic grows by "
                f"{100 * (GROWTH - 1):.0f} %: {grown}. Not both a ceiling and a peak factor and a "
                "spare on top, each without being said."
            ),
            "Is 80 % right?": (
                f"It depends on pooling. One queue for {planned * SLOTS} slots: a mean wait of "
                f"{say(pool.mean_waiting_time, 's')}. {planned} queues of {SLOTS}, requests dealt "
                f"at random: {say(split.mean_waiting_time, 's')}. So the router matters as much as "
                "the ceiling."
            ),
            "Failure": (
                f"One GPU down: {100 * lost:.0f} % busy on the others. That, or a zone, is what "
                "the spare is for."
            ),
            "What is not constant": (
                "The 2 s were measured at some batch. At another load the step is longer, and "
                "with long contexts the slots are fewer, since the cache is full. Put the new 2 s "
                "in and go round again; then measure."
            ),
        },
        follow_ups=(
            FollowUp(
                "The answers become twice as long.",
                f"Twice the stay, {2 * busy:g} slots; and each slot holds more cache, so fewer "
                "fit. More than twice the GPUs, unless memory was idle.",
            ),
            FollowUp(
                "Somebody multiplies 16 GPUs by 1.2 and says 20.",
                f"The 16 were sized for {100 * CEILING:.0f} % already: 20 of them run at "
                f"{100 * busy / 160:.1f} %. Perhaps wanted; but then say which risk it covers.",
            ),
            FollowUp(
                "How do you check the plan before the launch?",
                "Open loop, the production mix, at 50, 80 and 110 % of the predicted capacity, on "
                "one replica. The wait at 80 % and the slope of the backlog at 110 % test the "
                "model, not only the machine.",
            ),
        ),
    )


PROMPT = Prompt(
    id="r03",
    title="Capacity for fifty requests a second",
    topics=("R03", "B25", "C08", "C01", "T03"),
    minutes=10,
    ask=(
        f"Plan the GPUs for {RATE:g} requests a second. A request takes {STAY_S:g} s, a GPU runs "
        f"{SLOTS} at a time."
    ),
    clarifications=(
        Clarification(
            "Is that the peak, or the average?", "The busiest quarter of an hour.", "headroom"
        ),
        Clarification(
            "Are the 2 s with or without waiting?", "Without, at 8 at a time.", "service time"
        ),
        Clarification("What is promised?", "P95 of the wait below half a second.", "which ceiling"),
    ),
    must_hits=(
        "Slots busy = rate × service time, and the minimum it implies",
        "One headroom policy, stated, with the resulting utilization",
        "What a lost GPU does to the others",
        "The service time is not a constant: batch, context, memory",
        "How the plan would be tested",
    ),
    solve=_solve,
    a_three={"limit": "“Slots bind here; with longer contexts the cache would.”"},
)
