"""Claims about gains: what does the source say, and what has been added on the way?"""

from labutils import scaling
from labutils.drills.definition.draw import Draw
from labutils.drills.definition.drill import Drill, Mistake, Step
from labutils.drills.definition.template import Decision, Form, template

FAULTS = {"faster_on_a_hit": ("X78",), "times_faster_than_what": ("X79",)}


@template(
    "faster_on_a_hit",
    "A gain on a hit is not a gain of the service",
    level=2,
    decision=Decision.estimate,
    topics=("F03", "R08", "U09"),
    form=Form.flaw,
)
def faster_on_a_hit(draw: Draw) -> Drill:
    hit, times = draw.share(0.12, 0.55), draw.one_of((3, 4, 5, 6, 8))
    gain = scaling.amdahl_speedup(hit, times)
    return Drill(
        story=(
            "A vendor pitches a semantic cache: '30 to 60 % lower cost in production; see the "
            "GPTCache paper (Bang, 2023)'. Its abstract says that response speed can increase 2 to "
            f"10 times when the cache is hit. In a pilot on your traffic {100 * hit:.0f} % of "
            f"the requests hit, and a hit is {times} times as fast as asking the model; a miss "
            "takes as long as before."
        ),
        question="By which factor does the mean response time of your service fall?",
        options=draw.options(
            "How much sooner an answer can come if the cache holds it.",
            {
                "What share of the cost a production service saves.": (
                    "Cost depends on how often traffic hits. Does the sentence say anything about "
                    "how often?"
                ),
                "How often the requests of a typical service hit.": (
                    "The sentence begins once there is a hit. How often that happens is another "
                    "measurement."
                ),
                "How often an answer from the cache fits the question.": (
                    "A hit is fast whether it fits or not. Quality is not in that sentence."
                ),
            },
            question="What does the quoted sentence of the abstract support?",
        ),
        answer=gain,
        tolerance=0.02,
        mistakes=(
            Mistake(
                "the-hit-alone",
                times,
                "That is how much faster a hit is. What about the requests that miss?",
            ),
            Mistake(
                "mean-of-factors",
                hit * times + (1 - hit),
                "You average the factors. Average the times, and then compare.",
            ),
            Mistake(
                "saved-share",
                1 / (1 - hit),
                "You let a hit take no time at all. How long does it take?",
            ),
        ),
        hints=(
            "Compute the new mean time of a request, with the old one as 1.",
            "New = (1 - h) + h / s; the factor is 1 over that.",
            f"1 / ({1 - hit:.2g} + {hit:g} / {times}).",
        ),
        steps=(
            Step(
                f"New mean: {1 - hit:.2g} + {hit:g} / {times} = {1 / gain:.4g} of the old",
                name="new",
                value=1 / gain,
            ),
            Step(f"Factor: {gain:.3g}", name="factor", value=gain),
        ),
        sanity=f"Misses take as long as before, so the factor stays below 1 / {1 - hit:.2g}.",
        moral=(
            "A figure 'on a hit' times an unknown hit rate is no saving. Amdahl's law gives the "
            "mean; hits that were wrong, and the embedding that every request now pays, come off. "
            "Ask a source: which quantity, under which condition, on whose traffic?"
        ),
        scale=False,
    )


@template(
    "times_faster_than_what",
    "Name the baseline and the measure",
    level=2,
    decision=Decision.model,
    topics=("E05", "U09", "E02"),
    form=Form.flaw,
)
def times_faster_than_what(draw: Draw) -> Drill:
    one = draw.whole(40, 200)
    static = round(one * draw.number(5, 9))
    new = round(static * draw.number(1.4, 3))
    gain = new / static
    return Drill(
        story=(
            "A slide: 'Continuous batching is 23 times faster.' The figure comes from a blog post "
            "(Anyscale, 2023), which compares the throughput of vLLM with naive static batching. "
            "The paper that introduced scheduling by iteration (Orca, OSDI 2022) reports 36.9 "
            "times the throughput of FasterTransformer at the same latency. On your own machine "
            f"you measure {one:,} tokens/s one request at a time, {static:,} with the static "
            f"batches of 16 that you run today, and {new:,} with continuous batching."
        ),
        question="By which factor would your throughput rise if you switched?",
        options=draw.options(
            "More throughput than the baseline that each names.",
            {
                "A gain in latency for a single request.": (
                    "Both count tokens or requests per second. Is one of them about the time of a "
                    "request alone?"
                ),
                "A gain over whatever system a reader runs today.": (
                    "Each names what it was compared with. Is that your system?"
                ),
                "An upper bound on what any scheduler can reach.": (
                    "They are two measurements. What makes a measurement a bound?"
                ),
            },
            question="What do the blog post and the paper both report?",
        ),
        answer=gain,
        tolerance=0.02,
        mistakes=(
            Mistake(
                "against-one-at-a-time",
                new / one,
                "You compare with one request at a time. Is that what you run today?",
            ),
            Mistake(
                "static-against-one",
                static / one,
                "You have that gain already: it is the gain of batching itself.",
            ),
        ),
        hints=(
            "Which of the three figures is your baseline?",
            "Factor = new throughput / throughput today.",
            f"{new:,} / {static:,}.",
        ),
        steps=(
            Step(
                f"Batching itself, which you have: {static / one:.3g} times",
                name="batching",
                value=static / one,
            ),
            Step(f"The switch: {new:,} / {static:,} = {gain:.3g} times", name="switch", value=gain),
        ),
        sanity=f"Less than {new:,} / {one:,}: you have the part of it that static batches bring.",
        moral=(
            "A factor without a baseline is a ratio with half of it missing: against one request "
            f"at a time, even your static batches are {static / one:.2g} times faster. Name the "
            "baseline and its batch size, the lengths of prompts and answers, and the measure: "
            "tokens a second with a full queue, or requests served within a latency limit."
        ),
        scale=False,
    )
