"""Trial answers to the exercises of chapter 02."""

from fractions import Fraction

from tests.answers.answer import right, wrong

WINDOW = """
def window_numbers(arrivals, departures, from_s, to_s):
    T = to_s - from_s
    area = sum(max(0, min(d, to_s) - max(a, from_s)) for a, d in zip(arrivals, departures))
    stays = [d - a for a, d in zip(arrivals, departures) if from_s <= a < to_s]
    return area / T, len(stays) / T, sum(stays) / len(stays)
"""


def window(old: str, new: str) -> str:
    """The window's function with one piece replaced."""
    assert old in WINDOW
    return WINDOW.replace(old, new)


def resident(body: str) -> str:
    """The function of tokens with this body."""
    return f"def resident_tokens(arrival_rate, prompts, outputs, step_s):\n    {body}\n"


ANSWERS = [
    wrong(
        "little.clipped_log",
        "clipped stays for W",
        window("[d - a for", "[max(0, min(d, to_s) - max(a, from_s)) for"),
        true=("clipped-stays",),
    ),
    wrong(
        "little.clipped_log",
        "whole stays of those who came for L",
        window("return area / T", "return sum(stays) / T"),
        true=("derived-mean",),
    ),
    wrong(
        "little.clipped_log",
        "rate of departures",
        window("len(stays) / T,", "sum(from_s <= d < to_s for d in departures) / T,"),
        true=("rate-of-departures",),
    ),
    wrong(
        "little.clipped_log",
        "area not divided",
        window("return area / T", "return area"),
        true=("never-divided",),
    ),
    wrong(
        "little.clipped_log",
        "count, not rate",
        window("len(stays) / T,", "len(stays),"),
        true=("count-for-rate",),
    ),
    wrong(
        "little.clipped_log",
        "those who come at the end counted",
        window("from_s <= a < to_s", "from_s <= a <= to_s"),
        true=("end-included",),
    ),
    wrong(
        "little.clipped_log",
        "those who come at the start left out",
        window("from_s <= a < to_s", "from_s < a < to_s"),
    ),
    wrong(
        "little.clipped_log",
        "stays of all requests",
        window(
            "sum(stays) / len(stays)",
            "sum(d - a for a, d in zip(arrivals, departures)) / len(arrivals)",
        ),
    ),
    wrong(
        "little.clipped_log",
        "divided by the end of the window",
        window("T = to_s - from_s", "T = to_s"),
    ),
    wrong(
        "little.clipped_log",
        "max(0) forgotten",
        window("max(0, min(d, to_s) - max(a, from_s))", "min(d, to_s) - max(a, from_s)"),
    ),
    wrong(
        "little.clipped_log",
        "order rate, L, W",
        window("area / T, len(stays) / T,", "len(stays) / T, area / T,"),
        true=("rate-first",),
    ),
    wrong(
        "little.clipped_log",
        "only requests that end inside",
        window("if from_s <= a < to_s", "if from_s <= a < to_s and d <= to_s"),
    ),
    right(
        "little.clipped_log",
        "numpy",
        """
def window_numbers(arrivals, departures, from_s, to_s):
    a, d = np.array(arrivals, float), np.array(departures, float)
    inside = np.clip(d, from_s, to_s) - np.clip(a, from_s, to_s)
    mine = (a >= from_s) & (a < to_s)
    return inside.sum() / (to_s - from_s), mine.sum() / (to_s - from_s), (d - a)[mine].mean()
""",
    ),
    right(
        "little.clipped_log",
        "a list",
        window(
            "return area / T, len(stays) / T, sum(stays) / len(stays)",
            "return [area / T, len(stays) / T, sum(stays) / len(stays)]",
        ),
    ),
    wrong("little.capacity", "latency with the queue", "400/s", true=("from-latency",)),
    wrong("little.capacity", "what comes today", "500/s", true=("other-numbers",)),
    wrong("little.capacity", "one slot", 1000 / 28.8, true=("one-slot",)),
    wrong(
        "little.capacity",
        "those in flight for the slots",
        20 / 0.0288,
        true=("in-flight-over-service",),
    ),
    wrong("little.capacity", "90 per cent of today", "450/s"),
    wrong("little.capacity", "per millisecond", 16 / 28.8, true=("scale",)),
    wrong("little.capacity", "the waiting time", 16 / 0.0112, true=("waiting-only",)),
    wrong("little.capacity", "slots times time", 16 * 0.0288, true=("other-numbers",)),
    wrong("little.capacity", "both times added", 16 / 0.0688),
    right("little.capacity", "text", "555.6 req/s"),
    right("little.capacity", "fraction", Fraction(16 * 10_000, 288)),
    wrong("little.fleet", "no policy", 14, true=("no-headroom",)),
    wrong("little.fleet", "rounded down", 16, true=("one-too-few",)),
    wrong("little.fleet", "headroom added again", 20, true=("headroom-twice-unrounded",)),
    wrong("little.fleet", "headroom added again after rounding", 21, true=("headroom-twice",)),
    wrong("little.fleet", "policy multiplied", 11),
    wrong("little.fleet", "service time forgotten", 9),
    wrong("little.fleet", "busy slots", 105, true=("slots",)),
    wrong("little.fleet", "not rounded", 105 / 6.4, true=("not-whole",)),
    wrong("little.fleet", "rate over the time", 8, false=("other-numbers",)),
    right("little.fleet", "text", "17 GPUs"),
    right("little.fleet", "float", 17.0),
    wrong(
        "little.resident_tokens",
        "lengths averaged first",
        resident(
            "p, m = np.mean(prompts), np.mean(outputs); "
            "return arrival_rate * step_s * m * (p + (m - 1) / 2)"
        ),
        true=("averages-first",),
    ),
    wrong(
        "little.resident_tokens",
        "full from the start",
        resident(
            "return arrival_rate * step_s * np.mean("
            "[m * (p + m) for p, m in zip(prompts, outputs)])"
        ),
        true=("final-length",),
    ),
    wrong(
        "little.resident_tokens",
        "half a step too much",
        resident(
            "return arrival_rate * step_s * np.mean("
            "[m * p + m * m / 2 for p, m in zip(prompts, outputs)])"
        ),
        true=("half-a-token-ahead",),
    ),
    wrong(
        "little.resident_tokens",
        "begins at p + 1",
        resident(
            "return arrival_rate * step_s * np.mean("
            "[m * p + m * (m + 1) / 2 for p, m in zip(prompts, outputs)])"
        ),
        true=("one-token-ahead",),
    ),
    wrong(
        "little.resident_tokens",
        "step forgotten",
        resident(
            "return arrival_rate * np.mean("
            "[m * p + m * (m - 1) / 2 for p, m in zip(prompts, outputs)])"
        ),
        true=("steps-for-seconds",),
    ),
    wrong(
        "little.resident_tokens",
        "sum over the requests",
        resident(
            "return arrival_rate * step_s * sum("
            "m * p + m * (m - 1) / 2 for p, m in zip(prompts, outputs))"
        ),
        true=("not-averaged",),
    ),
    wrong(
        "little.resident_tokens",
        "only the answers",
        resident("return arrival_rate * step_s * np.mean([m * (m - 1) / 2 for m in outputs])"),
        true=("answers-only",),
    ),
    wrong(
        "little.resident_tokens",
        "only the prompts",
        resident(
            "return arrival_rate * step_s * np.mean([m * p for p, m in zip(prompts, outputs)])"
        ),
        true=("prompt-only",),
    ),
    wrong(
        "little.resident_tokens",
        "area of one request, without the rate",
        resident(
            "return step_s * np.mean([m * p + m * (m - 1) / 2 for p, m in zip(prompts, outputs)])"
        ),
        true=("one-request",),
    ),
    wrong(
        "little.resident_tokens",
        "rounded to whole tokens",
        resident(
            "return round(arrival_rate * step_s * np.mean("
            "[m * p + m * (m - 1) / 2 for p, m in zip(prompts, outputs)]))"
        ),
        true=("rounded",),
    ),
    wrong(
        "little.resident_tokens",
        "mean held times number of requests",
        resident(
            "return arrival_rate * np.mean([p + (m - 1) / 2 for p, m in zip(prompts, outputs)])"
        ),
        true=("rate-times-holding",),
    ),
    right(
        "little.resident_tokens",
        "numpy",
        resident(
            "p, m = np.array(prompts, float), np.array(outputs, float); "
            "return arrival_rate * (step_s * m * (2 * p + m - 1) / 2).mean()"
        ),
    ),
    right(
        "little.resident_tokens",
        "staircase summed step by step",
        resident(
            "return arrival_rate * sum(step_s * held for p, m in zip(prompts, outputs) "
            "for held in range(p, p + m)) / len(prompts)"
        ),
    ),
    wrong("little.witness", "one log seems to be two instruments", "b, c, d", true=("b",)),
    wrong("little.witness", "only the load generator", "c", true=("without-d",)),
    wrong("little.witness", "only the stopwatch", "d", true=("without-c",)),
    wrong("little.witness", "those that cannot fail", "a, b", true=("a",)),
    wrong("little.witness", "all", "a, b, c, d", true=("a",)),
    wrong("little.witness", "gauge divided looks like a test", "a, c, d", true=("a",)),
    wrong("little.witness", "b and c", "b, c", true=("b",)),
    right("little.witness", "without comma", "dc"),
    right("little.witness", "with a word", "C and D"),
    wrong("little.audit", "what the report says", 30, true=("believes-the-text",)),
    wrong("little.audit", "the places", 32, true=("fifteen-replicas",)),
    wrong("little.audit", "the fleet, not one", 480, true=("fleet-as-one",)),
    wrong("little.audit", "rate on each", 667, true=("other-numbers",)),
    wrong("little.audit", "milliseconds left in", 26_667, true=("scale",)),
    wrong("little.audit", "rounded down to whole documents", 25),
    wrong("little.audit", "share of the places", 26.67 / 32, true=("other-numbers",)),
    right("little.audit", "fraction", Fraction(80, 3)),
    right("little.audit", "one decimal", 26.7),
    wrong("little.backwards", "places times time", 24 * 0.06, true=("multiplied",)),
    wrong("little.backwards", "one place", 1000 / 60, true=("one-place",)),
    wrong("little.backwards", "milliseconds left in", 0.4, true=("scale",)),
    wrong("little.backwards", "time over places", 0.06 / 24, true=("other-numbers",)),
    wrong("little.backwards", "milliseconds multiplied", 1440, true=("multiplied-milliseconds",)),
    wrong("little.backwards", "per minute", 24_000, true=("scale",)),
    wrong("little.backwards", "at 80 %", 320),
    wrong("little.backwards", "half because of filling", 200, false=("scale",)),
    right("little.backwards", "text", "400 req/s"),
    right("little.backwards", "per millisecond", "0.4 / ms"),
]
