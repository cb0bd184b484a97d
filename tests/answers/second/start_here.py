"""Second trial answers to the exercises of chapter 00."""

from tests.answers.answer import right, wrong


def gain(expression: str) -> str:
    """The function of the gain that returns this."""
    return f"def throughput_gain(batch_size, one_s, batch_s):\n    return {expression}\n"


ANSWERS = [
    wrong(
        "start.batch_throughput",
        "batches in place of vectors",
        1 / 0.020,
        true=("batches-for-vectors",),
    ),
    wrong("start.batch_throughput", "per millisecond", 16 / 20, true=("scale",)),
    wrong(
        "start.batch_throughput",
        "the time of one vector for a batch",
        "4,000/s",
        true=("batch-for-free",),
    ),
    wrong("start.batch_throughput", "one after the other", "250/s", true=("one-at-a-time",)),
    wrong("start.batch_throughput", "how many times as many", 16 * 4 / 20, true=("the-gain",)),
    right("start.batch_throughput", "with the word", "800 vectors/s"),
    wrong(
        "start.throughput_gain",
        "forgets the size of the batch",
        gain("one_s / batch_s"),
        true=("forgets-the-batch",),
    ),
    wrong(
        "start.throughput_gain",
        "upside down",
        gain("batch_s / (batch_size * one_s)"),
        true=("upside-down",),
    ),
    wrong(
        "start.throughput_gain",
        "the throughput in batches",
        gain("batch_size / batch_s"),
        true=("throughput-itself",),
    ),
    wrong(
        "start.throughput_gain",
        "how many more",
        gain("batch_size * one_s / batch_s - 1"),
        true=("gain-less-one",),
    ),
    wrong(
        "start.throughput_gain", "how much longer", gain("batch_s / one_s"), true=("latency-ratio",)
    ),
    right(
        "start.throughput_gain",
        "two throughputs, one by the other",
        gain("(batch_size / batch_s) / (1 / one_s)"),
    ),
]
