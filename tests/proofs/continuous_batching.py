"""Proofs of chapter 07: mistakes that learners make, and right answers of other styles."""

import itertools

import numpy as np

from labutils.batching import seats
from labutils.engine import Plan
from labutils.exercises.definition.verdict import Status
from tests.proofs.proof import Proof

# --- continuous.slot_efficiency -----------------------------------------------------------------


def averages_the_batches(lengths, batch):
    shares = []
    for first in range(0, len(lengths), batch):
        one = lengths[first : first + batch]
        shares.append(np.mean(one) / max(one) * len(one) / batch)
    return np.mean(shares)


def skips_an_unfilled_batch(lengths, batch):
    wrote = paid = 0
    for first in range(0, len(lengths) - batch + 1, batch):
        one = lengths[first : first + batch]
        wrote, paid = wrote + sum(one), paid + batch * max(one)
    return wrote / paid if paid else 0.0


def mean_over_longest(lengths, batch):
    return np.mean(lengths) / max(lengths)


def shares_in_per_cent(lengths, batch):
    return 100 * with_reshape(lengths, batch)


def with_reshape(lengths, batch):
    padded = np.zeros(-(-len(lengths) // batch) * batch)
    padded[: len(lengths)] = lengths
    return padded.sum() / (batch * padded.reshape(-1, batch).max(axis=1).sum())


def with_islice(lengths, batch):
    left, steps = iter(lengths), 0
    while one := list(itertools.islice(left, batch)):
        steps += max(one)
    return sum(lengths) / (steps * batch)


# --- continuous.by_hand -------------------------------------------------------------------------

PROBLEM = seats.by_hand()
GREEDY = PROBLEM.continuous_starts()
STATIC = PROBLEM.static_starts()
IN_PAIRS = {"A": 1, "B": 1, "C": 17, "D": 17, "E": 24, "F": 24, "G": 36, "H": 36, "I": 48, "J": 48}

# --- continuous.scheduler -----------------------------------------------------------------------


class Queue:
    """Bookkeeping of another style, and the rule in ``admitted``."""

    def __init__(self, seats, memory_tokens):
        self.seats, self.memory = seats, memory_tokens
        self.line, self.inside = [], {}

    def add(self, request):
        self.line.append(request)

    def schedule(self, now_s):
        new = self.admitted()
        self.line = [request for request in self.line if request not in new]
        chunks = [(one, 1) for one in self.inside] + [(one, one.prompt_tokens) for one in new]
        return Plan(chunks) if chunks else None

    def admitted(self):
        used = sum(self.inside.values()) + len(self.inside)
        totals = used + np.cumsum([request.prompt_tokens for request in self.line])
        places = self.seats - len(self.inside)
        return [r for r, total in zip(self.line[:places], totals) if total <= self.memory]

    def commit(self, plan):
        for request, new in plan.chunks:
            self.inside[request] = self.inside.get(request, 0) + new

    def finish(self, request):
        self.inside.pop(request)


class ShortestFirst(Queue):
    def admitted(self):
        self.line.sort(key=lambda request: request.prompt_tokens)
        return super().admitted()


class CountsTheSeatsOfAll(Queue):
    def admitted(self):
        return super().admitted() if not self.inside else []


class ASeatMore(Queue):
    def admitted(self):
        self.seats += 1
        new = super().admitted()
        self.seats -= 1
        return new


class RoomForTheFirst(Queue):
    def admitted(self):
        used = sum(self.inside.values()) + len(self.inside)
        totals = used + np.cumsum([request.prompt_tokens + 1 for request in self.line])
        places = self.seats - len(self.inside)
        return [r for r, total in zip(self.line[:places], totals) if total <= self.memory]


class NotesItself(Queue):
    def schedule(self, now_s):
        plan = super().schedule(now_s)
        for request, new in plan.chunks if plan else ():
            self.inside.setdefault(request, new)
        return plan


class NeverLeavesTheLine(Queue):
    """Looks at the head of the line, and leaves it there."""

    def admitted(self):
        room, new = self.memory - sum(self.inside.values()) - len(self.inside), []
        while self.line and len(self.inside) + len(new) < self.seats:
            if self.line[0].prompt_tokens > room:
                break
            new.append(self.line[0])
            room -= new[-1].prompt_tokens
        return new

    def schedule(self, now_s):
        line = self.line
        plan = super().schedule(now_s)
        self.line = line
        return plan


class ForgetsTheGrowth(Queue):
    def admitted(self):
        used = sum(self.inside.values())
        totals = used + np.cumsum([request.prompt_tokens for request in self.line])
        places = self.seats - len(self.inside)
        return [r for r, total in zip(self.line[:places], totals) if total <= self.memory]


class CountsTheSeatsOfBefore(Queue):
    def admitted(self):
        used = sum(self.inside.values()) + len(self.inside)
        totals = used + np.cumsum([request.prompt_tokens for request in self.line])
        free = len(self.inside) < self.seats
        return [r for r, total in zip(self.line, totals) if free and total <= self.memory]


def driven(scheduler):
    def drive_it(requests, seats, memory_tokens):
        from labutils.serving.walks import drive

        return drive(scheduler(seats, memory_tokens), requests)

    return drive_it


# --- continuous.admission -----------------------------------------------------------------------


def each(rule):
    return lambda views: [rule(view) for view in views]


def pages_needed(view):
    return int(np.ceil((view.prompt_tokens - view.cached_tokens) / view.page_tokens))


def fits_and_no_more(view):
    return view.running < view.max_sequences and pages_needed(view) <= view.free_pages


def tokens_for_pages(view):
    wanted = view.prompt_tokens - view.cached_tokens
    return view.running < view.max_sequences and wanted + view.running <= view.free_pages


def new_tokens_that_fit(view):
    new = view.prompt_tokens - view.cached_tokens
    return new <= view.free_pages and view.running != view.max_sequences


def rounds_down(view):
    pages = (view.prompt_tokens - view.cached_tokens) // view.page_tokens
    return view.running < view.max_sequences and pages + view.running <= view.free_pages


def rounds_down_and_adds_one(view):
    pages = (view.prompt_tokens - view.cached_tokens) // view.page_tokens + 1
    return view.running < view.max_sequences and pages + view.running <= view.free_pages


def always(view):
    return True


def a_fixed_watermark(view):
    return view.running < view.max_sequences and pages_needed(view) + 4 <= view.free_pages


def one_refusal_after_the_other(view):
    if view.running >= view.max_sequences:
        return False
    spare = view.free_pages - pages_needed(view)
    return spare >= view.running


def with_the_views_own_count(view):
    return np.bool_(
        view.max_sequences > view.running and view.pages_needed <= view.free_pages - view.running
    )


PROOFS = {
    "continuous.slot_efficiency": Proof(
        mistakes={
            "averages the batches": (averages_the_batches, "mean-of-ratios"),
            "skips an unfilled batch": (skips_an_unfilled_batch, "drops-the-rest"),
            "mean over longest": (mean_over_longest, "mean-over-longest"),
            "in per cent": (shares_in_per_cent, "per-cent"),
        },
        alternatives={"reshaped": with_reshape, "islice": with_islice},
    ),
    "continuous.by_hand": Proof(
        mistakes={
            "static batches": (STATIC, "waits-for-the-batch"),
            "in pairs": (IN_PAIRS, "waits-for-the-batch"),
            "before it comes": ({**GREEDY, "G": 9}, "too-early"),
            "overtakes": ({**GREEDY, "I": 13}, "overtakes"),
            "four at a time": ({**GREEDY, "D": 3}, "no-seat"),
            "memory forgotten": ({**GREEDY, "H": 14, "I": 17}, "no-memory"),
            "a break at the end": ({**GREEDY, "J": 24}, "too-late"),
            "a list": (list(GREEDY.values()), Status.unreadable),
            "half a step": ({**GREEDY, "J": 20.5}, Status.unreadable),
        },
        alternatives={
            "as the code does": GREEDY,
            "slack at the end": {**GREEDY, "H": 19, "I": 19, "J": 20},
            "as floats": {name: float(step) for name, step in GREEDY.items()},
            "numpy's numbers": {name: np.int64(step) for name, step in GREEDY.items()},
        },
    ),
    "continuous.scheduler": Proof(
        mistakes={
            "shortest prompt first": (driven(ShortestFirst), Status.wrong),
            "waits until all have left": (driven(CountsTheSeatsOfAll), "static"),
            "forgets the growth": (driven(ForgetsTheGrowth), "no-growth"),
            "seats of those who ran before": (driven(CountsTheSeatsOfBefore), "seats-of-before"),
            "a seat more": (driven(ASeatMore), "one-seat-too-many"),
            "room for the answer's first": (driven(RoomForTheFirst), "reserves-the-next-token"),
            "notes what commit notes": (driven(NotesItself), "counts-it-twice"),
            "never leaves the line": (driven(NeverLeavesTheLine), "stays-in-the-line"),
        },
        alternatives={"cumulative sums": driven(Queue)},
    ),
    "continuous.admission": Proof(
        mistakes={
            "what fits now": (each(fits_and_no_more), "no-reserve"),
            "tokens for pages": (each(tokens_for_pages), "tokens-for-pages"),
            "tokens that fit": (
                each(lambda v: v.running < v.max_sequences and v.prompt_tokens <= v.free_pages),
                Status.wrong,
            ),
            "new tokens that fit": (each(new_tokens_that_fit), "tokens-and-no-reserve"),
            "a place": (each(lambda view: view.running < view.max_sequences), "memory-forgotten"),
            "rounds down": (each(rounds_down), "rounds-down"),
            "always one page more": (each(rounds_down_and_adds_one), "one-page-too-many"),
            "always": (each(always), "admits-everybody"),
            "a fixed watermark": (each(a_fixed_watermark), Status.wrong),
        },
        alternatives={
            "one refusal after the other": each(one_refusal_after_the_other),
            "the view's own count": each(with_the_views_own_count),
            "1 and 0": each(lambda view: int(with_the_views_own_count(view))),
        },
        equivalent={
            "pages = -(-(view.prompt_tokens - view.cached_tokens) // view.page_tokens) => "
            "pages = -(-(view.prompt_tokens - view.cached_tokens) / view.page_tokens)": "in "
            "whole numbers a share of a page is within a limit if the whole page is",
        },
    ),
    "continuous.chunks": Proof(
        mistakes={
            "early streaming": ("a, b", "a"),
            "cheaper attention": (["b", "c", "d"], "c"),
            "smaller is sooner": ("e", "e"),
            "one missing": ("b", "without-d"),
        },
        alternatives={"a list": ["d", "b"], "without commas": "B D"},
    ),
    "continuous.budget": Proof(
        mistakes={
            "prompt tokens alone": (554.7, "prompt-tokens-alone"),
            "no base": (666.7, "no-base"),
            "decodes for nothing": (566.7, "no-decodes"),
            "no base, but decodes": (654.7, "base-forgotten"),
            "no base, and those who decode": (678.7, "base-for-free"),
            "decodes cost nothing": (590.7, "decodes-for-free"),
            "a time": ("578 ms", Status.unit),
            "rounded up": (579, "rounded-past-the-limit"),
            "one too few": (577, Status.close),
        },
        alternatives={"whole tokens": 578, "numpy": np.float64(33.28 / 0.06 + 24)},
    ),
}
