"""Proofs for chapter 00: what a batch costs and what it buys."""

from labutils.exercises.definition.verdict import Status
from tests.proofs.proof import Proof

PROOFS = {
    "start.batch_throughput": Proof(
        mistakes={
            "batches": (50, "batches-for-vectors"),
            "without batches": ("250/s", "one-at-a-time"),
            "as quick as one": (16 / 0.004, "batch-for-free"),
            "count times time": (0.32, "multiplied"),
            "per millisecond": (0.8, Status.scale),
            "a time for each": ("1.25 ms", Status.unit),
            "bytes": ("800 MB/s", Status.unit),
            "a count alone": ("16 vectors", Status.unit),
            "the gain": (3.2, "the-gain"),
            "in words": ("eight hundred", Status.unreadable),
        },
        alternatives={
            "with its unit": "800/s",
            "with what is counted": "800 vectors/s",
            "in the words of the question": "800 vectors a second",
            "per minute": "48000 per minute",
            "through the time for each": 1 / (0.020 / 16),
        },
    ),
    "start.throughput_gain": Proof(
        mistakes={
            "the price": (
                "def gain(batch_size, one_s, batch_s):\n    return batch_s / one_s",
                "latency-ratio",
            ),
            "two times compared": (
                "def gain(batch_size, one_s, batch_s):\n    return one_s / batch_s",
                "forgets-the-batch",
            ),
            "cost compared": (
                "def gain(batch_size, one_s, batch_s):\n    return batch_s / batch_size / one_s",
                "upside-down",
            ),
            "one throughput": (
                "def gain(batch_size, one_s, batch_s):\n    return batch_size / batch_s",
                "throughput-itself",
            ),
            "what is added": (
                "def gain(batch_size, one_s, batch_s):\n"
                "    alone = batch_size * one_s\n    return (alone - batch_s) / batch_s",
                "gain-less-one",
            ),
            "a percentage": (
                "def gain(batch_size, one_s, batch_s):\n"
                "    return 100 * batch_size / batch_s * one_s",
                "in-per-cent",
            ),
            "never a loss": (
                "def gain(batch_size, one_s, batch_s):\n"
                "    return max(1.0, batch_size * one_s / batch_s)",
                Status.wrong,
            ),
            "prints": (
                "def gain(batch_size, one_s, batch_s):\n    print(batch_size * one_s / batch_s)",
                "prints-instead",
            ),
            "its value": (3.2, Status.unreadable),
        },
        alternatives={
            "two throughputs": (
                "def gain(batch_size, one_s, batch_s):\n"
                "    batched, single = batch_size / batch_s, 1 / one_s\n"
                "    return batched / single"
            ),
            "two costs": (
                "def gain(batch_size, one_s, batch_s):\n    return one_s / (batch_s / batch_size)"
            ),
            "in arrays": (
                "def gain(*numbers):\n"
                "    size, one, batch = np.array(numbers, dtype=float)\n"
                "    return np.exp(np.log(size) + np.log(one) - np.log(batch))"
            ),
        },
    ),
}
