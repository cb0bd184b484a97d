"""Proofs of chapter 11: mistakes that learners make, and right answers of other styles."""

import bisect
import math

from labutils.engine import Request
from labutils.exercises.catalog.promises import wrong_counters as wrong
from labutils.serving.promises.policies import TokenCounters
from labutils.serving.promises.policies.counted import Counted
from tests.proofs.proof import Proof

# --- promises.line_up ---------------------------------------------------------------------------


def by_priority(waiting, now_s, patience_s):
    return [one.id for one in sorted(waiting, key=lambda one: (one.priority, one.arrival_s))]


def older_is_worse(waiting, now_s, patience_s):
    aged = {one.id: one.priority + (now_s - one.arrival_s) / patience_s for one in waiting}
    return sorted(aged, key=aged.get)


def in_whole_steps(waiting, now_s, patience_s):
    def aged(one):
        return one.priority - int((now_s - one.arrival_s) / patience_s)

    return [one.id for one in sorted(waiting, key=aged)]


def never_better_than_the_best(waiting, now_s, patience_s):
    def aged(one):
        return max(one.priority - (now_s - one.arrival_s) / patience_s, 0.0)

    return [one.id for one in sorted(waiting, key=aged)]


def times_patience(waiting, now_s, patience_s):
    def aged(one):
        return one.priority - patience_s * (now_s - one.arrival_s)

    return [one.id for one in sorted(waiting, key=aged)]


def largest_first(waiting, now_s, patience_s):
    aged = {one.id: one.priority - (now_s - one.arrival_s) / patience_s for one in waiting}
    return sorted(aged, key=aged.get, reverse=True)


def without_the_clock(waiting, now_s, patience_s):
    """The order does not depend on the moment."""
    keys = [(one.arrival_s + patience_s * one.priority, at) for at, one in enumerate(waiting)]
    return [waiting[at].id for _, at in sorted(keys)]


def one_by_one(waiting, now_s, patience_s):
    left, order = list(waiting), []
    while left:
        best = min(left, key=lambda one: one.priority + one.arrival_s / patience_s)
        left.remove(best)
        order.append(best.id)
    return order


def by_insertion(waiting, now_s, patience_s):
    keys, ids = [], []
    for one in waiting:
        key = patience_s * one.priority - (now_s - one.arrival_s)
        place = bisect.bisect_right(keys, key)
        keys.insert(place, key)
        ids.insert(place, one.id)
    return tuple(ids)


# --- promises.first_token -----------------------------------------------------------------------


def step_s(new, decoding, cost):
    return cost.base_s + new * cost.per_prefill_token_s + decoding * cost.per_sequence_s


def its_own_prompt(ahead, prompt, decoding, budget, cost):
    return with_divmod(0, prompt, decoding, budget, cost)


def whole_budget(ahead, prompt, decoding, budget, cost):
    left, seconds = ahead + prompt, 0
    while left > 0:
        seconds += step_s(min(left, budget), decoding, cost)
        left -= budget
    return seconds


def full_steps(ahead, prompt, decoding, budget, cost):
    steps = math.ceil((ahead + prompt) / (budget - decoding))
    return steps * step_s(budget - decoding, decoding, cost)


def at_once(ahead, prompt, decoding, budget, cost):
    return step_s(ahead + prompt, decoding, cost)


def without_readers(ahead, prompt, decoding, budget, cost):
    steps = math.ceil((ahead + prompt) / (budget - decoding))
    return steps * cost.base_s + (ahead + prompt) * cost.per_prefill_token_s


def in_proportion(ahead, prompt, decoding, budget, cost):
    room = budget - decoding
    return (ahead + prompt) / room * step_s(room, decoding, cost)


def with_divmod(ahead, prompt, decoding, budget, cost):
    whole, rest = divmod(ahead + prompt, budget - decoding)
    steps = [budget - decoding] * whole + [rest] * (rest > 0)
    return sum(step_s(new, decoding, cost) for new in steps)


def with_ceil(ahead, prompt, decoding, budget, cost):
    steps = -(-(ahead + prompt) // (budget - decoding))
    each = cost.base_s + decoding * cost.per_sequence_s
    return steps * each + (ahead + prompt) * cost.per_prefill_token_s


def recursion(ahead, prompt, decoding, budget, cost):
    new = min(ahead + prompt, budget - decoding)
    rest = ahead + prompt - new
    return step_s(new, decoding, cost) + (rest and recursion(0, rest, decoding, budget, cost))


# --- promises.counters --------------------------------------------------------------------------


def walked(kind):
    def drive_fair(rows, weights, places, token_budget, memory_tokens=None):
        from labutils.serving.walks import fair_walk

        return fair_walk(kind, rows, weights, places, token_budget, memory_tokens)

    return drive_fair


class CreditForSleep(TokenCounters):
    """Only strangers begin where the others are."""

    def wait(self, request, *, first=False):
        tenant = self.promises[request.id].tenant
        if tenant not in self.counters:
            known = [self.counters[one] for one in self.waiting.lines]
            known = known or [self.counters.get(self.waiting.left, 0)]
            self.counters[tenant] = min(known)
        Counted.wait(self, request, first=first)


class PaysOnArrival(TokenCounters):
    def wait(self, request, *, first=False):
        super().wait(request, first=first)
        self.charge(request, request.prompt_tokens * self.prompt_price)

    def charge_prompt(self, request):
        return None


class EachChunkMakesOne(TokenCounters):
    def commit(self, plan):
        for request, _ in plan.chunks:
            self.charge(request, self.answer_price)
        Counted.commit(self, plan)


class BusyIsThere(TokenCounters):
    """The interview drill's rule: whoever runs was not away."""

    def wait(self, request, *, first=False):
        tenant = self.promises[request.id].tenant
        before = self.counters.get(tenant)
        busy = any(self.promises[one.id].tenant == tenant for one in self.running)
        super().wait(request, first=first)
        if busy:
            self.counters[tenant] = before


class PaysAtEachStart(TokenCounters):
    """Whoever is preempted pays for the prompt again."""

    def charge_prompt(self, request):
        self.charge(request, request.prompt_tokens * self.prompt_price)


class OnlyWhatRises(TokenCounters):
    """Right: a counter is written where it rises; a tenant without one stands at 0."""

    def wait(self, request: Request, *, first=False):
        tenant = self.promises[request.id].tenant
        if tenant not in self.waiting.lines:
            others = [*self.waiting.lines] or [self.waiting.left]
            lowest = min(self.counters.get(one, 0) for one in others)
            if lowest > self.counters.get(tenant, 0):
                self.counters[tenant] = lowest
        Counted.wait(self, request, first=first)


class Afterwards(TokenCounters):
    """Right: charges what became known, after the step."""

    def commit(self, plan):
        before = {request: request.known for request, _ in plan.chunks}
        Counted.commit(self, plan)
        for request, known in before.items():
            self.charge(request, self.answer_price * (request.known - known))


class ByCompare(TokenCounters):
    """Right: the lift is a loop."""

    def wait(self, request: Request, *, first=False):
        tenant = self.promises[request.id].tenant
        if tenant not in self.waiting.lines:
            others = [*self.waiting.lines] or [self.waiting.left]
            lowest = math.inf
            for one in others:
                if self.counters.get(one, 0) < lowest:
                    lowest = self.counters.get(one, 0)
            if self.counters.get(tenant, 0) <= lowest:
                self.counters[tenant] = lowest
        Counted.wait(self, request, first=first)


# --- promises.chunk -----------------------------------------------------------------------------


def left_s(tpot_s, decoding, cost):
    return tpot_s - cost.base_s - decoding * cost.per_sequence_s


def clipped(n, least, most):
    return min(max(n, least), most)


def without_base(tpot_s, decoding, cost, least, most):
    free = tpot_s - decoding * cost.per_sequence_s
    return most if not decoding else clipped(int(free / cost.per_prefill_token_s), least, most)


def without_decodes(tpot_s, decoding, cost, least, most):
    free = tpot_s - cost.base_s
    return most if not decoding else clipped(int(free / cost.per_prefill_token_s), least, most)


def always_careful(tpot_s, decoding, cost, least, most):
    return clipped(int(left_s(tpot_s, decoding, cost) / cost.per_prefill_token_s), least, most)


def rounded(tpot_s, decoding, cost, least, most):
    tokens = round(left_s(tpot_s, decoding, cost) / cost.per_prefill_token_s)
    return most if not decoding else clipped(tokens, least, most)


def with_nothing_at_least(tpot_s, decoding, cost, least, most):
    tokens = int(left_s(tpot_s, decoding, cost) / cost.per_prefill_token_s)
    return most if not decoding else clipped(tokens, 0, most)


def by_search(tpot_s, decoding, cost, least, most):
    if not decoding:
        return most
    fitting = [n for n in range(least, most + 1) if step_s(n, decoding, cost) <= tpot_s]
    return max(fitting, default=least)


def by_halves(tpot_s, decoding, cost, least, most):
    low, high = least, most
    while low < high:
        middle = (low + high + 1) // 2
        fits = decoding == 0 or step_s(middle, decoding, cost) <= tpot_s
        low, high = (middle, high) if fits else (low, middle - 1)
    return low


def with_floor(tpot_s, decoding, cost, least, most):
    tokens = left_s(tpot_s, decoding, cost) // cost.per_prefill_token_s
    return most if decoding == 0 else sorted((least, tokens, most))[1]


PROOFS = {
    "promises.line_up": Proof(
        mistakes={
            "by priority": (by_priority, "strict-priority"),
            "older is worse": (older_is_worse, "ages-the-wrong-way"),
            "whole steps": (in_whole_steps, "whole-steps"),
            "never better": (never_better_than_the_best, "stops-at-the-best"),
            "times patience": (times_patience, "multiplies-by-patience"),
        },
        alternatives={
            "without the clock": without_the_clock,
            "one by one": one_by_one,
            "by insertion": by_insertion,
        },
    ),
    "promises.first_token": Proof(
        mistakes={
            "its own prompt": (its_own_prompt, "forgets-those-ahead"),
            "the whole budget": (whole_budget, "decodes-take-no-budget"),
            "full steps": (full_steps, "last-step-is-full"),
            "at once": (at_once, "in-one-step"),
            "without those who read": (without_readers, "decodes-are-free"),
            "in proportion": (in_proportion, "a-share-of-a-step"),
        },
        alternatives={"divmod": with_divmod, "ceil": with_ceil, "recursion": recursion},
    ),
    "promises.counters": Proof(
        mistakes={
            "credit for sleep": (walked(CreditForSleep), "strangers-only"),
            "pays on arrival": (walked(PaysOnArrival), "charges-on-arrival"),
            "each chunk makes one": (walked(EachChunkMakesOne), "every-chunk"),
            "busy is there": (walked(BusyIsThere), "running-is-active"),
            "never lifts": (walked(wrong.over_the_courses(wrong.Wrong.NeverLifts)), "never-lifts"),
            "lowers": (walked(wrong.over_the_courses(wrong.Wrong.LowersToo)), "lowers-too"),
            "pays at each start": (walked(PaysAtEachStart), "pays-twice"),
        },
        alternatives={
            "afterwards": walked(Afterwards),
            "a loop": walked(ByCompare),
            "only what rises": walked(OnlyWhatRises),
        },
    ),
    "promises.chunk": Proof(
        mistakes={
            "without the base": (without_base, "forgets-the-base"),
            "without decodes": (without_decodes, "forgets-the-decodes"),
            "always careful": (always_careful, "careful-for-nobody"),
            "rounded": (rounded, "rounds-to-the-nearest"),
            "nothing at least": (with_nothing_at_least, "none-at-least"),
        },
        alternatives={"a search": by_search, "halves": by_halves, "floor": with_floor},
        equivalent={
            "return max(least, min(int(left_s / cost.per_prefill_token_s), most)) => "
            "return max(least, min(int(left_s // cost.per_prefill_token_s), most))": (
                "a floor is whole already, and below 0 `least` decides"
            )
        },
    ),
}
