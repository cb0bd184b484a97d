"""Second trial answers to the exercises of chapter 02."""

from fractions import Fraction

from tests.answers.answer import right, wrong

WINDOW = """
def window_numbers(arrivals, departures, from_s, to_s):
    T = to_s - from_s
    log = list(zip(arrivals, departures))
    inside = sum(max(0, min(d, to_s) - max(a, from_s)) for a, d in log)
    came = [(a, d) for a, d in log if from_s <= a < to_s]
    rate = len(came) / T
    W = sum(d - a for a, d in came) / len(came)
    return inside / T, rate, W
"""


def window(old: str, new: str) -> str:
    """The window's numbers with one piece replaced."""
    assert old in WINDOW
    return WINDOW.replace(old, new)


def resident(body: str) -> str:
    """The function of resident tokens with these lines."""
    head = "import numpy as np\ndef resident_tokens(arrival_rate, prompts, outputs, step_s):\n"
    return head + "".join(f"    {line}\n" for line in body.splitlines())


ANSWERS = [
    wrong(
        "little.clipped_log",
        "stays clipped to the window in the mean stay too",
        window("sum(d - a for", "sum(min(d, to_s) - a for"),
        true=("clipped-stays",),
    ),
    wrong(
        "little.clipped_log",
        "the mean in flight as rate times stay",
        window("return inside / T, rate, W", "return rate * W, rate, W"),
        true=("derived-mean",),
    ),
    wrong(
        "little.clipped_log",
        "forgets those inside when the window opens",
        window("for a, d in log)", "for a, d in log if from_s <= a < to_s)"),
        true=("own-arrivals-only",),
    ),
    wrong(
        "little.clipped_log",
        "mean stay of all that were inside in the window",
        window(
            "W = sum(d - a for a, d in came) / len(came)",
            "seen = [d - a for a, d in log if a < to_s and d > from_s]; W = sum(seen) / len(seen)",
        ),
    ),
    wrong(
        "little.clipped_log",
        "rate and stay of the requests that leave in the window",
        window("if from_s <= a < to_s]", "if from_s <= d < to_s]"),
    ),
    right(
        "little.clipped_log",
        "numpy with clip",
        "import numpy as np\n"
        "def window_numbers(arrivals, departures, from_s, to_s):\n"
        "    a, d = np.asarray(arrivals, float), np.asarray(departures, float)\n"
        "    clipped = np.clip(d, from_s, to_s) - np.clip(a, from_s, to_s)\n"
        "    mine = (from_s <= a) & (a < to_s)\n"
        "    length = to_s - from_s\n"
        "    return clipped.sum() / length, mine.sum() / length, (d - a)[mine].mean()\n",
    ),
    wrong(
        "little.capacity",
        "slots over the latency with the queue",
        "400 req/s",
        true=("from-latency",),
    ),
    wrong("little.capacity", "milliseconds left in", 16 / 28.8, true=("scale",)),
    wrong("little.capacity", "what comes now, since it keeps up", 500, true=("other-numbers",)),
    wrong(
        "little.capacity",
        "those in flight over the time in the slot",
        20 / 0.0288,
        true=("in-flight-over-service",),
    ),
    wrong("little.capacity", "one slot only", "34.7 req/s", true=("one-slot",)),
    right("little.capacity", "rounded, with a unit", "556 req/s"),
    wrong(
        "little.fleet",
        "the pencilled fifth on top of the policy",
        20,
        true=("headroom-twice-unrounded",),
    ),
    wrong("little.fleet", "rounded to the nearest", round(70 * 1.5 / 6.4), true=("one-too-few",)),
    wrong("little.fleet", "all slots busy, no policy", 14, true=("no-headroom",)),
    wrong("little.fleet", "not rounded", 70 * 1.5 / 6.4, true=("not-whole",)),
    wrong(
        "little.fleet", "rounded up, then a fifth more and up again", 21, true=("headroom-twice",)
    ),
    right("little.fleet", "with the word", "17 GPUs"),
    wrong(
        "little.resident_tokens",
        "lengths averaged first",
        resident(
            "p, m = np.mean(prompts), np.mean(outputs)\n"
            "return arrival_rate * step_s * (m * p + m * (m - 1) / 2)"
        ),
        true=("averages-first",),
    ),
    wrong(
        "little.resident_tokens",
        "the first token counted in its own step",
        resident(
            "areas = [step_s * sum(p + k for k in range(1, m + 1)) "
            "for p, m in zip(prompts, outputs)]\n"
            "return arrival_rate * sum(areas) / len(areas)"
        ),
        true=("one-token-ahead",),
    ),
    wrong(
        "little.resident_tokens",
        "a smooth ramp in place of the staircase",
        resident(
            "p, m = np.array(prompts), np.array(outputs)\n"
            "return arrival_rate * step_s * np.mean(m * (p + m / 2))"
        ),
        true=("half-a-token-ahead",),
    ),
    wrong(
        "little.resident_tokens",
        "full length held from the start",
        resident(
            "p, m = np.array(prompts), np.array(outputs)\n"
            "return arrival_rate * step_s * np.mean(m * (p + m))"
        ),
        true=("final-length",),
    ),
    wrong(
        "little.resident_tokens",
        "the areas of all requests, not of a mean one",
        resident(
            "total = 0\n"
            "for p, m in zip(prompts, outputs):\n"
            "    total += step_s * (m * p + m * (m - 1) / 2)\n"
            "return arrival_rate * total"
        ),
        true=("not-averaged",),
    ),
    right(
        "little.resident_tokens",
        "first and last step averaged, in numpy",
        resident(
            "p, m = np.asarray(prompts, float), np.asarray(outputs, float)\n"
            "middle = (p + (p + m - 1)) / 2\n"
            "return arrival_rate * np.average(m * step_s * middle)"
        ),
    ),
    wrong("little.witness", "the other side of the question", "a, b", true=("a",)),
    wrong("little.witness", "only the gauge against the generator", "c", true=("without-d",)),
    wrong("little.witness", "one log taken for a witness", "b, c, d", true=("b",)),
    wrong("little.witness", "only two places of measuring", "d", true=("without-c",)),
    wrong("little.witness", "the gauge against itself taken for a check", "a, c, d", true=("a",)),
    right("little.witness", "capitals with and", "C and D"),
    wrong("little.audit", "the whole service", 480, true=("fleet-as-one",)),
    wrong("little.audit", "the case study's own figure", 30, true=("believes-the-text",)),
    wrong("little.audit", "as with fifteen replicas", 32, true=("fifteen-replicas",)),
    wrong(
        "little.audit", "milliseconds not turned into seconds", 12_000 / 18 * 40, true=("scale",)
    ),
    wrong("little.audit", "share of the places", 12_000 / 18 * 0.040 / 32, true=("other-numbers",)),
    right("little.audit", "a fraction", Fraction(12_000, 18) * Fraction(4, 100)),
    wrong("little.backwards", "per millisecond", 24 / 60, true=("scale",)),
    wrong("little.backwards", "places times seconds", 24 * 0.060, true=("multiplied",)),
    wrong("little.backwards", "one place only", "16.7/s", true=("one-place",)),
    wrong("little.backwards", "a slip of ten", "4,000/s"),
    wrong(
        "little.backwards", "places times milliseconds", 24 * 60, true=("multiplied-milliseconds",)
    ),
    right("little.backwards", "in words", "400 per second"),
]
