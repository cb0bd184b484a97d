"""Trial answers to the exercises of chapter 00."""

from tests.answers.answer import right, wrong

ANSWERS = [
    wrong("start.batch_throughput", "batches a second", 1 / 0.020, true=("batches-for-vectors",)),
    wrong(
        "start.batch_throughput",
        "the time of one vector for the batch",
        16 / 0.004,
        true=("batch-for-free",),
    ),
    wrong("start.batch_throughput", "vectors a millisecond", 16 / 20, true=("scale",)),
    wrong("start.batch_throughput", "one vector after the other", "250/s", true=("one-at-a-time",)),
    wrong("start.batch_throughput", "time per vector", "1.25 ms", true=("unit",)),
    wrong("start.batch_throughput", "the batch counted sixteen times", 16 * 16 / 0.020),
    wrong("start.batch_throughput", "batch time plus the time of one", 16 / 0.024),
    wrong("start.batch_throughput", "gain instead of throughput", 3.2, true=("the-gain",)),
    wrong("start.batch_throughput", "only what the batch adds", 800 - 250),
    right("start.batch_throughput", "text with a unit", "0.8 / ms"),
    right("start.batch_throughput", "text by the second", "800 per second"),
    right("start.batch_throughput", "a calculation", 16 * 1000 / 20),
    wrong(
        "start.throughput_gain",
        "upside down",
        """
def throughput_gain(batch_size, one_s, batch_s):
    return batch_s / (batch_size * one_s)
""",
        true=("upside-down",),
    ),
    wrong(
        "start.throughput_gain",
        "forgets the batch size",
        """
def throughput_gain(batch_size, one_s, batch_s):
    return one_s / batch_s
""",
        true=("forgets-the-batch",),
    ),
    wrong(
        "start.throughput_gain",
        "throughput, not gain",
        """
def throughput_gain(batch_size, one_s, batch_s):
    return batch_size / batch_s
""",
        true=("throughput-itself",),
    ),
    wrong(
        "start.throughput_gain",
        "latency ratio",
        """
def throughput_gain(batch_size, one_s, batch_s):
    return batch_s / one_s
""",
        true=("latency-ratio",),
    ),
    wrong(
        "start.throughput_gain",
        "times swapped",
        """
def throughput_gain(batch_size, one_s, batch_s):
    return batch_size * batch_s / one_s
""",
        true=("times-swapped",),
    ),
    wrong(
        "start.throughput_gain",
        "difference of the throughputs",
        """
def throughput_gain(batch_size, one_s, batch_s):
    return batch_size / batch_s - 1 / one_s
""",
    ),
    wrong(
        "start.throughput_gain",
        "gain in per cent above one",
        """
def throughput_gain(batch_size, one_s, batch_s):
    return batch_size * one_s / batch_s - 1
""",
        true=("gain-less-one",),
    ),
    wrong(
        "start.throughput_gain",
        "rounded to whole numbers",
        """
def throughput_gain(batch_size, one_s, batch_s):
    return batch_size * one_s // batch_s
""",
    ),
    wrong(
        "start.throughput_gain",
        "never below one",
        """
def throughput_gain(batch_size, one_s, batch_s):
    return max(1, batch_size * one_s / batch_s)
""",
    ),
    right(
        "start.throughput_gain",
        "two throughputs divided",
        """
def throughput_gain(batch_size, one_s, batch_s):
    return (batch_size / batch_s) / (1 / one_s)
""",
    ),
    right(
        "start.throughput_gain",
        "numpy scalar",
        """
def throughput_gain(batch_size, one_s, batch_s):
    return np.divide(np.multiply(batch_size, one_s), batch_s)
""",
    ),
]
