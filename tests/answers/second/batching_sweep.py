"""Second trial answers to exercises of chapter 04."""

from tests.answers.answer import right, wrong


def least(body: str) -> str:
    """The least batch, with this expression where one keeps up."""
    return (
        "import math\ndef least_batch(arrival_rate, fixed_s, per_item_s):\n"
        "    room = 1 - arrival_rate * per_item_s\n    if room <= 0:\n        return math.inf\n"
        f"    b = arrival_rate * fixed_s / room\n    return {body}\n"
    )


def padding(body: str) -> str:
    """The share of padding from real and computed tokens."""
    return (
        "def padding_share(lengths, batch):\n"
        "    parts = [lengths[i:i + batch] for i in range(0, len(lengths), batch)]\n"
        "    real, full = sum(lengths), sum(len(p) * max(p) for p in parts)\n"
        f"    return {body}\n"
    )


ANSWERS = [
    wrong(
        "batch.least_stable",
        "exactly enough keeps up",
        least("math.ceil(b)"),
        true=("met-exactly",),
    ),
    wrong("batch.least_stable", "rounded down", least("int(b)"), true=("one-less",)),
    wrong(
        "batch.least_stable", "rounded to the nearest", least("round(b)"), true=("to-the-nearest",)
    ),
    wrong("batch.least_stable", "not whole", least("b"), true=("not-whole",)),
    wrong("batch.least_stable", "one too many", least("math.floor(b) + 2"), true=("one-more",)),
    wrong(
        "batch.least_stable",
        "the costs divided by each other",
        least("int(per_item_s / fixed_s) + 1"),
    ),
    right("batch.least_stable", "the next whole number", least("math.floor(b) + 1")),
    wrong("batch.levers", "the window only", "c", true=("without-d",)),
    wrong("batch.levers", "the tuned arithmetic too", "c, d, e", true=("e",)),
    wrong("batch.levers", "a second machine too", "b, c, d", true=("b",)),
    wrong("batch.levers", "the model only", "d", true=("without-c",)),
    wrong("batch.levers", "c and e", "c, e", true=("e",)),
    wrong("batch.levers", "all but the first", "b, c, d, e", true=("b",)),
    right("batch.levers", "other order", "d, c"),
    right("batch.levers", "capitals", "C, D"),
    wrong(
        "batch.padding",
        "padding over real tokens",
        padding("(full - real) / real"),
        true=("over-the-useful",),
    ),
    wrong(
        "batch.padding", "the share that is real", padding("real / full"), true=("useful-share",)
    ),
    wrong("batch.padding", "padded tokens", padding("full - real"), true=("tokens-not-share",)),
    wrong(
        "batch.padding",
        "per cent",
        padding("100 * (full - real) / full"),
        true=("constant-factor",),
    ),
    wrong(
        "batch.padding",
        "the last batch filled up",
        padding("1 - real / sum(batch * max(p) for p in parts)"),
        true=("last-batch-full",),
    ),
    wrong(
        "batch.padding",
        "mean of the batches' shares",
        padding("sum(1 - sum(p) / len(p) / max(p) for p in parts) / len(parts)"),
        true=("mean-of-shares",),
    ),
    right("batch.padding", "one minus the real share", padding("1 - real / full")),
]
