"""Trial answers to the exercises of chapter 07, of a second hand."""

import numpy as np

from tests.answers.answer import right, wrong

EFFICIENCY = """
def slot_efficiency(lengths, batch):
    paid = 0
    for start in range(0, len(lengths), batch):
        group = lengths[start : start + batch]
        paid += max(group) * batch
    return sum(lengths) / paid
"""

SCHEDULER = """
from labutils.engine import Plan
from labutils.serving.walks import drive


class Seats:
    def __init__(self, seats, memory_tokens):
        self.seats, self.memory_tokens = seats, memory_tokens
        self.waiting, self.held = [], {}

    def add(self, request):
        self.waiting.append(request)

    def commit(self, plan):
        for request, new_tokens in plan.chunks:
            self.held[request] = self.held.get(request, 0) + new_tokens

    def finish(self, request):
        del self.held[request]


class Mine(Seats):
    def schedule(self, now_s):
        chunks = [(request, 1) for request in self.held]
MIDDLE
        return Plan(chunks) if chunks else None


def drive_mine(requests, seats, memory_tokens):
    return drive(Mine(seats, memory_tokens), requests)
"""

MIDDLE = """
        used = sum(self.held.values()) + len(self.held)
        while self.waiting and len(chunks) < self.seats:
            first = self.waiting[0]
            if used + first.prompt_tokens > self.memory_tokens:
                break
            chunks.append((self.waiting.pop(0), first.prompt_tokens))
            used += first.prompt_tokens
"""

ADMISSION = """
def admit(view):
    new = view.prompt_tokens - view.cached_tokens
    pages = -(-new // view.page_tokens)
    return view.running < view.max_sequences and view.free_pages - pages >= view.running


def admit_each(views):
    return [admit(view) for view in views]
"""

BY_STEP_28 = {"A": 1, "B": 1, "C": 1, "D": 4, "E": 6, "F": 8, "G": 10, "H": 17, "I": 17, "J": 20}


def efficiency(old: str, new: str) -> str:
    """The slot efficiency with one piece replaced."""
    assert old in EFFICIENCY
    return EFFICIENCY.replace(old, new)


def scheduler(middle: str) -> str:
    """The scheduler with this middle of ``schedule``."""
    return SCHEDULER.replace("MIDDLE", middle)


def middle(old: str, new: str) -> str:
    """The scheduler with one piece of its middle replaced."""
    assert old in MIDDLE
    return scheduler(MIDDLE.replace(old, new))


def admission(old: str, new: str) -> str:
    """The rule of admission with one piece replaced."""
    assert old in ADMISSION
    return ADMISSION.replace(old, new)


ANSWERS = [
    wrong(
        "continuous.slot_efficiency",
        "the last batch pays only for the slots that it fills",
        efficiency("max(group) * batch", "max(group) * len(group)"),
        true=("short-last-batch",),
    ),
    wrong(
        "continuous.slot_efficiency",
        "the mean of the batches' shares",
        """
def slot_efficiency(lengths, batch):
    shares = []
    for start in range(0, len(lengths), batch):
        group = lengths[start : start + batch]
        shares.append(sum(group) / (batch * max(group)))
    return sum(shares) / len(shares)
""",
        true=("mean-of-ratios",),
    ),
    wrong(
        "continuous.slot_efficiency",
        "as if all were one batch: the mean over the longest",
        """
def slot_efficiency(lengths, batch):
    return sum(lengths) / len(lengths) / max(lengths)
""",
        true=("mean-over-longest",),
    ),
    wrong(
        "continuous.slot_efficiency",
        "sorted by length first",
        efficiency("    paid = 0\n", "    lengths, paid = sorted(lengths), 0\n"),
        true=("sorted-first",),
    ),
    wrong(
        "continuous.slot_efficiency",
        "a last batch that is not full is dropped from what is paid",
        efficiency(
            "range(0, len(lengths), batch)", "range(0, len(lengths) - batch + 1, batch)"
        ).replace(
            "sum(lengths) / paid", "sum(lengths[: len(lengths) // batch * batch]) / max(paid, 1)"
        ),
        true=("drops-the-rest",),
    ),
    right(
        "continuous.slot_efficiency",
        "a numpy table, filled up with zeros",
        """
import numpy as np


def slot_efficiency(lengths, batch):
    table = np.pad(np.asarray(lengths), (0, -len(lengths) % batch)).reshape(-1, batch)
    return table.mean() / table.max(axis=1).mean()
""",
    ),
    wrong(
        "continuous.by_hand",
        "H takes the seat and there is no memory",
        BY_STEP_28 | {"H": 13},
        true=("no-memory",),
    ),
    wrong(
        "continuous.by_hand",
        "D in the step in which A has its last token",
        BY_STEP_28 | {"D": 3},
        true=("no-seat",),
    ),
    wrong("continuous.by_hand", "J ends in step 31", BY_STEP_28 | {"J": 24}, true=("too-late",)),
    wrong("continuous.by_hand", "I overtakes H", BY_STEP_28 | {"H": 18}, true=("overtakes",)),
    wrong("continuous.by_hand", "G before it comes", BY_STEP_28 | {"G": 9}, true=("too-early",)),
    right(
        "continuous.by_hand",
        "numpy integers, two of them later than need be",
        {name: np.int64(step) for name, step in (BY_STEP_28 | {"E": 7, "J": 22}).items()},
    ),
    wrong(
        "continuous.scheduler",
        "without the token that each running request writes",
        middle(" + len(self.held)\n", "\n"),
        true=("no-growth",),
    ),
    wrong(
        "continuous.scheduler",
        "without the prompts just admitted",
        middle("            used += first.prompt_tokens\n", ""),
        true=("free-newcomers",),
    ),
    wrong(
        "continuous.scheduler",
        "passes over a request that does not fit",
        scheduler("""
        used = sum(self.held.values()) + len(self.held)
        for request in list(self.waiting):
            fits = used + request.prompt_tokens <= self.memory_tokens
            if len(chunks) < self.seats and fits:
                self.waiting.remove(request)
                chunks.append((request, request.prompt_tokens))
                used += request.prompt_tokens
"""),
        true=("overtaking",),
    ),
    wrong(
        "continuous.scheduler",
        "a prompt that fills the memory exactly is refused",
        middle("> self.memory_tokens", ">= self.memory_tokens"),
        true=("not-quite-full",),
    ),
    wrong(
        "continuous.scheduler",
        "at most one request a step",
        scheduler("""
        used = sum(self.held.values()) + len(self.held)
        if self.waiting and len(chunks) < self.seats:
            first = self.waiting[0]
            if used + first.prompt_tokens <= self.memory_tokens:
                chunks.append((self.waiting.pop(0), first.prompt_tokens))
"""),
        true=("one-per-step",),
    ),
    right(
        "continuous.scheduler",
        "running sums of the prompts, and a slice",
        scheduler("""
        from itertools import accumulate, takewhile

        room = self.memory_tokens - sum(tokens + 1 for tokens in self.held.values())
        head = self.waiting[: self.seats - len(self.held)]
        sums = accumulate(request.prompt_tokens for request in head)
        count = len(list(takewhile(lambda total: total <= room, sums)))
        chunks += [(request, request.prompt_tokens) for request in head[:count]]
        del self.waiting[:count]
"""),
    ),
    wrong(
        "continuous.admission",
        "the cached tokens not taken off",
        admission("view.prompt_tokens - view.cached_tokens", "view.prompt_tokens"),
        true=("forgets-the-cache",),
    ),
    wrong(
        "continuous.admission",
        "more pages left than run",
        admission("pages >= view.running", "pages > view.running"),
        true=("refuses-the-exact-fit",),
    ),
    wrong(
        "continuous.admission",
        "no look at the slots",
        admission("view.running < view.max_sequences and ", ""),
        true=("forgets-the-seats",),
    ),
    wrong(
        "continuous.admission",
        "pages rounded down",
        admission("-(-new // view.page_tokens)", "new // view.page_tokens"),
        true=("rounds-down",),
    ),
    wrong(
        "continuous.admission",
        "no page left for those that run",
        admission("view.free_pages - pages >= view.running", "view.free_pages >= pages"),
        true=("no-reserve",),
    ),
    right(
        "continuous.admission",
        "all views at once, in numpy, counted in tokens",
        """
import numpy as np


def admit_each(views):
    names = "prompt_tokens cached_tokens free_pages page_tokens running max_sequences".split()
    table = np.array([[getattr(view, name) for name in names] for view in views]).reshape(-1, 6)
    prompt, cached, free, size, running, most = table.T
    return ((running < most) & (prompt - cached <= (free - running) * size)).tolist()
""",
    ),
    wrong("continuous.chunks", "only the gap", "b", true=("without-d",)),
    wrong("continuous.chunks", "and small budgets too", "b, d, e", true=("e",)),
    wrong("continuous.chunks", "and the cheaper attention too", "b, c, d", true=("c",)),
    wrong("continuous.chunks", "better for all: an early first token", "a, b", true=("a",)),
    wrong("continuous.chunks", "the smaller the sooner, and nobody pays", "b, e", true=("e",)),
    right("continuous.chunks", "capitals without a space", "B,D"),
    wrong("continuous.budget", "the prompt tokens alone", 554, true=("prompt-tokens-alone",)),
    wrong(
        "continuous.budget",
        "the cost of the sequences that decode left out",
        590,
        true=("decodes-for-free",),
    ),
    wrong("continuous.budget", "rounded up", 579, true=("rounded-past-the-limit",)),
    wrong(
        "continuous.budget", "every token at the price of a prompt token", 566, true=("no-decodes",)
    ),
    wrong("continuous.budget", "the 6 ms left out", 678, true=("base-for-free",)),
    right(
        "continuous.budget",
        "counted up from nothing",
        max(tokens for tokens in range(24, 2000) if 6000 + 60 * (tokens - 24) + 30 * 24 <= 40_000),
    ),
]
