"""A tuning playbook and a checklist, as they circulate, with what each step rests on."""

from labutils.cards.card import ReferenceCard


def playbook() -> ReferenceCard:
    """Twelve steps in circulation, read critically."""
    rows = (
        ("1. Baseline", "Open loop, p50/p99 of TTFT and TPOT, goodput, after warm-up."),
        ("2. Kernels", "Fused attention for prefill, split-KV attention for long decodes."),
        (
            "3. Graphs",
            "Worth it where launching a step takes longer than running it: small models "
            "and batches.",
        ),
        ("4. Host pipeline", "Tokenise, schedule and copy while the device computes."),
        (
            "5. Quantise",
            "Weights alone: decode gains (fewer bytes). With activations: prefill gains too.",
        ),
        (
            "6. Continuous batching",
            "Admission at every step. The “3–5 ms window” of lists belongs to dynamic batchers.",
        ),
        (
            "7. GQA or MQA",
            "No tuning step: a choice made when the model was trained. Pick a model that has it.",
        ),
        (
            "8. Speculation",
            "While bandwidth binds and drafts are accepted; re-check at full batch.",
        ),
        ("9. Prompt cache", "Stable prefixes first in the prompt; route by prefix; count hits."),
        (
            "10. Parallelism",
            "Tensor parallel lowers latency on fast links and costs throughput per device.",
        ),
        (
            "11. Routing by objective",
            "Queues and budgets per class; shed before the deadline: 429 for a tenant's own limit, "
            "503 for the server's.",
        ),
        (
            "12. Telemetry",
            "Late or refused of all that asked comes first. Then queue time, KV in use, "
            "preemptions, hit rate, step time: per class.",
        ),
    )
    return ReferenceCard(
        id="playbook",
        title="Tuning playbook in twelve steps, read critically",
        topics=("M06", "G02"),
        header=("step", "what it rests on"),
        rows=rows,
        note="Each step ends with the baseline's measurement, repeated. One change at a time.",
    )


def checklist() -> ReferenceCard:
    """Twelve questions before an inference service goes live."""
    rows = (
        ("1. Baselines", "Is there a number to compare with, with its interval?"),
        ("2. Kernels", "Is fused attention in use for the shapes that you serve?"),
        ("3. Graphs", "Does the host need less time for a step than the device?"),
        ("4. Batching", "What limits the batch: TPOT, memory or arrivals? Do you log which?"),
        ("5. Prompt cache", "What share of prompt tokens is found, counted once for each request?"),
        (
            "6. KV metrics",
            "Are pages in use, requests waiting for pages and preemptions on a panel, with alarms?",
        ),
        ("7. Quantisation, KV heads", "Was quality measured on your own task at this precision?"),
        (
            "8. Speculation",
            "Do you know the acceptance by class, and the load from which it is off?",
        ),
        ("9. Routing by objective", "Does a long prompt of one tenant move another's ITL?"),
        (
            "10. Dashboards",
            "Do the buckets reach beyond the worst value? Is any p99 an average of p99s? Where do "
            "the refused stand? May anything page that no user feels?",
        ),
        (
            "11. Streams",
            "Does the first token come through all that stands in front? Does the work stop when a "
            "client leaves? Can a client tell whole, broken and cut apart?",
        ),
        ("12. Ends", "How many answers does SIGTERM under load cut?"),
    )
    return ReferenceCard(
        id="checklist",
        title="Checklist for an inference service",
        topics=("M10", "L11", "O06", "P08"),
        header=("item", "the question behind it"),
        rows=rows,
        note="The lists that circulate end at 10. Lab 8 breaks a server in the ways of 11 and 12.",
    )
