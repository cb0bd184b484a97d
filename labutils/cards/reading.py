"""What to read, and what each source is good for."""

from labutils.cards.card import ReferenceCard


def reading() -> ReferenceCard:
    """Papers and books behind the course."""
    rows = (
        (
            "Little 1961, *A Proof for the Queuing Formula L = λW*, Operations Research 9:383–387",
            "the proof; written at Case Institute",
            "02",
        ),
        (
            "Dean and Barroso 2013, *The Tail at Scale*, CACM 56(2)",
            "fan-out, hedged and tied requests, with measurements",
            "08",
        ),
        (
            "Gil Tene, *How NOT to Measure Latency* (talk)",
            "coordinated omission, percentiles that nobody met",
            "01",
        ),
        (
            "Schroeder, Wierman and Harchol-Balter 2006, *Open Versus Closed*, NSDI",
            "why a closed loop understates latency",
            "01, 02",
        ),
        (
            "Yu et al. 2022, *Orca*, OSDI",
            "iteration-level batching; 36.9 × FasterTransformer at equal latency, GPT-3 175B",
            "07, lab 6",
        ),
        (
            "Kwon et al. 2023, *PagedAttention*, SOSP",
            "20.4 to 38.2 % of earlier KV memory held tokens; 2–4 × throughput at equal latency",
            "06, lab 5",
        ),
        (
            "Agrawal et al. 2024, *Sarathi-Serve*, OSDI",
            "chunked prefill; capacity under a tail objective",
            "07",
        ),
        (
            "Zhong et al. 2024, *DistServe*, OSDI; Patel et al. 2024, *Splitwise*, ISCA",
            "prefill and decode on separate machines; goodput",
            "07",
        ),
        (
            "Leviathan, Kalman and Matias 2023, *Fast Inference … via Speculative Decoding*, ICML",
            r"$E = (1-\alpha^{\gamma+1})/(1-\alpha)$, exact output distribution",
            "lab 7, drills",
        ),
        (
            "Agrawal et al. 2024, *Vidur*, MLSys",
            "a serving simulator, latency error below 9 %",
            "lab 4",
        ),
        (
            "Bang 2023, *GPTCache*",
            "2–10 × faster **on a hit**; no study of production cost",
            "drills",
        ),
        (
            "Beyer et al., *Site Reliability Engineering*, chapters 4 and 6",
            "objectives; the four signals",
            "01",
        ),
        (
            "Beyer et al. 2018, *The Site Reliability Workbook*, chapter 5",
            "alerts on the error budget, over two windows",
            "13",
        ),
        (
            "WHATWG, *HTML Standard*, section 9.2",
            "server-sent events: what a stream of tokens is on the wire",
            "lab 8",
        ),
        (
            "Kleppmann, *Designing Data-Intensive Applications*, chapter 1 of the first edition",
            "percentiles, head-of-line blocking, in plain words",
            "01",
        ),
        (
            "Austin et al., *How to Scale Your Model* (scaling-book)",
            "rooflines of training and inference on TPUs",
            "05",
        ),
    )
    return ReferenceCard(
        id="reading",
        title="Reading",
        topics=("U01", "U02", "U03", "U04", "U05", "U08", "U09", "U10"),
        header=("source", "good for", "here"),
        rows=rows,
    )
