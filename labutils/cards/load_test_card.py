"""What a load test has to say so that others can predict it: chapter 12b on one card."""

from labutils.cards.card import ReferenceCard
from labutils.ground.units import format_quantity as fmt
from labutils.serving.measured import measured_run


def load_test() -> ReferenceCard:
    """What to publish, and what the report itself shows where it is missing."""
    run = measured_run("Llama-2-7B general")
    busy = run.stages[1]
    overload = measured_run("Mixtral-8x7B reasoning").stages[0]
    spread = busy.e2e_s["p90"] / busy.e2e_s["median"] - 1
    rows = (
        (
            "Time per token",
            r"$\frac{\text{end to end}-\text{TTFT}}{n-1}$",
            f"{fmt(run.tpot_s(busy), 's')}, where the client said "
            f"{fmt(busy.reported_tpot_s['mean'], 's')}: it counted two events for each token.",
        ),
        (
            "Tokens of an answer",
            "the server's `usage`, or lengths that are forced",
            f"{busy.reported_output_tokens['mean']:.0f} were reported, counted again from the "
            f"text, and {run.output_tokens} were there.",
        ),
        (
            "Prompts",
            "how many different ones, and the hit rate",
            "Lengths that agree from stage to stage, to the digit, are the same prompts again. "
            "TTFT below the time to compute a prompt says so, too.",
        ),
        (
            "Arrivals",
            "each one's time, or the distribution; open or closed loop",
            f"Even gaps leave no spread. {100 * spread:.0f} % between median and p90 are "
            "exponential gaps, whatever the configuration says.",
        ),
        (
            "Failures",
            "how many, when, and the client's limit",
            f"{overload.failed:,} of {overload.requests:,} failed, all after "
            f"{overload.failed_after_s['p10']:.0f} to {overload.failed_after_s['p90']:.0f} s: that "
            "is a client's patience. Percentiles of the others leave them out.",
        ),
        (
            "Engine",
            "version, places, token budget, memory share, pages",
            "Without pages and budget nobody can say where the limit is, and beside the limit a "
            "mean says nothing of the tail.",
        ),
        (
            "Each request",
            "when it was meant, sent, begun, ended; its tokens",
            "Every figure follows from these, and every fault above can be found in them.",
        ),
    )
    return ReferenceCard(
        id="load-test",
        title="How to publish a load test",
        topics=("L12", "A06", "L15"),
        header=("what", "say", "why"),
        rows=rows,
        note=(
            "$n$: tokens of an answer, by the server. Figures: vLLM 0.15.1 on one H100, "
            f"{busy.rate_per_s} requests/s, and an overload (chapter 12b). `labutils envelope` "
            "reads a report, predicts it, and says which of these faults it shows."
        ),
        sources=("github.com/inference-sim/training, commit ed5c1d2",),
    )
