"""Proofs of chapter 10: mistakes that learners make, and right answers of other styles."""

import inspect
import math
from collections import Counter, OrderedDict
from functools import reduce

import numpy as np

from labutils.exercises.catalog.what_need_not_be_computed import feature_caches
from labutils.exercises.definition.verdict import Status
from tests.proofs.flights import FLIGHT_PROOF
from tests.proofs.proof import Proof

# --- reuse.lru ----------------------------------------------------------------------------------

HANDED_OUT = inspect.getsource(feature_caches.HandedOut).replace("HandedOut", "FeatureCache")
READ_IS_USE = HANDED_OUT.replace(
    "return self.entries.get(key)",
    "if key not in self.entries:\n            return None\n"
    "        self.entries[key] = self.entries.pop(key)\n        return self.entries[key]",
)
ROOM_ONCE = READ_IS_USE.replace(
    "if len(self.entries) >= self.capacity:",
    "if key not in self.entries and len(self.entries) >= self.capacity:",
)
MOVED = READ_IS_USE.replace(
    "if len(self.entries) >= self.capacity:",
    "self.entries.pop(key, None)\n        if len(self.entries) >= self.capacity:",
)
MORTAL = MOVED.replace("= value", "= value, dies_s").replace(
    "        self.entries[key] = self.entries.pop(key)\n        return self.entries[key]",
    "        if now_s >= self.entries[key][1]:\n            return None\n"
    "        self.entries[key] = self.entries.pop(key)\n        return self.entries[key][0]",
)
BURIED = MORTAL.replace(
    "        if now_s >= self.entries[key][1]:\n            return None",
    "        if now_s >= self.entries[key][1]:\n            del self.entries[key]\n"
    "            return None",
)


class Ordered:
    """Right: an OrderedDict and a Counter."""

    def __init__(self, capacity):
        self.capacity, self.kept, self.tally = capacity, OrderedDict(), Counter()

    def get(self, key, now_s):
        if key in self.kept and self.kept[key][1] > now_s:
            self.tally["hit"] += 1
            self.kept.move_to_end(key)
            return self.kept[key][0]
        self.kept.pop(key, None)
        self.tally["miss"] += 1
        return None

    def put(self, key, value, dies_s):
        if key not in self.kept and len(self.kept) == self.capacity:
            self.kept.popitem(last=False)
            self.tally["evicted"] += 1
        self.kept[key] = (value, dies_s)
        self.kept.move_to_end(key)

    def counts(self):
        return [self.tally["hit"], self.tally["miss"], self.tally["evicted"]]


class Ticking:
    """Right as well: a number for every use, and nothing is in any order."""

    def __init__(self, capacity):
        self.capacity, self.tick, self.rows = capacity, 0, {}
        self.hits = self.misses = self.evictions = 0

    def use(self, key):
        self.tick += 1
        self.rows[key][2] = self.tick

    def get(self, key, now_s):
        if key not in self.rows or self.dead(key, now_s):
            self.rows.pop(key, None)
            self.misses += 1
            return None
        self.use(key)
        self.hits += 1
        return self.rows[key][0]

    def dead(self, key, now_s):
        return now_s >= self.rows[key][1]

    def put(self, key, value, dies_s):
        if key not in self.rows and len(self.rows) >= self.capacity:
            del self.rows[min(self.rows, key=lambda k: self.rows[k][2])]
            self.evictions += 1
        self.rows[key] = [value, dies_s, 0]
        self.use(key)

    def counts(self):
        return np.array([self.hits, self.misses, self.evictions])


class Listed:
    """Right as well: a list of triples, the newest in front."""

    def __init__(self, capacity):
        self.capacity, self.rows, self.seen = capacity, [], [0, 0, 0]

    def taken(self, key):
        row = next((row for row in self.rows if row[0] == key), None)
        self.rows = [row for row in self.rows if row[0] != key]
        return row

    def get(self, key, now_s):
        row = self.taken(key)
        served = row is not None and now_s < row[2]
        self.seen[not served] += 1
        self.rows[:0] = [row] if served else []
        return row[1] if served else None

    def put(self, key, value, dies_s):
        self.taken(key)
        self.seen[2] += len(self.rows) == self.capacity
        self.rows = [(key, value, dies_s), *self.rows[: self.capacity - 1]]

    def counts(self):
        return tuple(self.seen)


class PopsTheWrongEnd(Ordered):
    """`popitem()` as it comes."""

    def put(self, key, value, dies_s):
        if key not in self.kept and len(self.kept) == self.capacity:
            self.kept.popitem()
            self.tally["evicted"] += 1
        self.kept[key] = (value, dies_s)


class AssignsOnly(Ordered):
    def put(self, key, value, dies_s):
        if key in self.kept:
            self.kept[key] = (value, dies_s)
        else:
            super().put(key, value, dies_s)


class TrustsTruth(Listed):
    def get(self, key, now_s):
        return super().get(key, now_s) or None


class StillAtTheMoment(Ticking):
    def dead(self, key, now_s):
        return now_s > self.rows[key][1]


class LeavesTheDead(Ordered):
    def get(self, key, now_s):
        row = self.kept.get(key)
        if row is not None and row[1] <= now_s:
            self.tally["miss"] += 1
            return None
        return super().get(key, now_s)


class CountsTheBuried(Ordered):
    def get(self, key, now_s):
        before = len(self.kept)
        found = super().get(key, now_s)
        self.tally["evicted"] += before - len(self.kept)
        return found


class FoundIsHit(Ordered):
    def get(self, key, now_s):
        known = key in self.kept
        found = super().get(key, now_s)
        if known and found is None:
            self.tally["hit"] += 1
            self.tally["miss"] -= 1
        return found


class OrderApart(Ordered):
    """The order stands in a list, from which the dead are not taken."""

    def __init__(self, capacity):
        super().__init__(capacity)
        self.order = []

    def get(self, key, now_s):
        found = super().get(key, now_s)
        if key in self.kept:
            self.order.remove(key)
            self.order.append(key)
        return found

    def put(self, key, value, dies_s):
        if key in self.order:
            self.order.remove(key)
        elif len(self.kept) >= self.capacity:
            self.kept.pop(self.order.pop(0), None)
            self.tally["evicted"] += 1
        self.order.append(key)
        self.kept[key] = (value, dies_s)


class HitBeforeTheLook(Ordered):
    def get(self, key, now_s):
        known = key in self.kept
        found = super().get(key, now_s)
        self.tally["hit"] += known and found is None
        return found


class StrangersAreNotCounted(Ordered):
    def get(self, key, now_s):
        return super().get(key, now_s) if key in self.kept else None


class LeastFrequent(Ticking):
    """Evicts who was used least often."""

    def use(self, key):
        self.rows[key][2] += 1


class RestsOnTheFirstDeath(Ticking):
    """A value that is written again keeps its death."""

    def put(self, key, value, dies_s):
        old = self.rows.get(key)
        super().put(key, value, old[1] if old else dies_s)


class AFreshLife(Ordered):
    """The first level gives every value a life of its own, from its first reading."""

    def get(self, key, now_s):
        value, dies_s = self.kept.get(key, (None, 0))
        if key in self.kept and dies_s <= now_s + 60:
            self.kept[key] = value, now_s + 60
        return super().get(key, now_s)


# --- reuse.early --------------------------------------------------------------------------------


def logarithm_of_the_cost(now_s, dies_s, cost_s, u):
    return now_s - math.log(u) / cost_s >= dies_s


def adds(now_s, dies_s, cost_s, u):
    return now_s + cost_s * np.log(u) >= dies_s


def base_ten(now_s, dies_s, cost_s, u):
    return now_s >= dies_s + cost_s * math.log10(u)


def when_dead(now_s, dies_s, cost_s, u):
    return dies_s <= now_s


def by_probability(now_s, dies_s, cost_s, u):
    return u <= math.exp(min(0.0, (now_s - dies_s) / cost_s))


def with_a_lead(now_s, dies_s, cost_s, u):
    lead_s = cost_s * math.log(1 / u)
    return not now_s + lead_s < dies_s


def with_numpy(now_s, dies_s, cost_s, u):
    return np.bool_(dies_s - now_s <= -cost_s * np.log(u))


# --- reuse.best_match ---------------------------------------------------------------------------


def first_hit(entries, question, threshold, scope, now_s):
    for owner, vector, answer, dies_s in entries:
        if owner == scope and dies_s > now_s and np.dot(vector, question) >= threshold:
            return answer
    return None


def winner_first(entries, question, threshold, scope, now_s):
    living = [e for e in entries if e[3] > now_s]
    if not living:
        return None
    owner, vector, answer, _ = max(living, key=lambda e: np.dot(e[1], question))
    return answer if owner == scope and np.dot(vector, question) >= threshold else None


def only_the_tenant(entries, question, threshold, scope, now_s):
    mine = [e for e in entries if e[0][0] == scope[0] and now_s < e[3]]
    return best_of(mine, question, threshold)


def even_the_dead(entries, question, threshold, scope, now_s):
    return best_of([e for e in entries if e[0] == scope], question, threshold)


def best_of(entries, question, threshold):
    near = [(float(np.dot(vector, question)), answer) for _, vector, answer, _ in entries]
    near = sorted(pair for pair in near if pair[0] >= threshold)
    return near[-1][1] if near else None


def more_than_the_threshold(entries, question, threshold, scope, now_s):
    near = [
        (math.fsum(map(math.prod, zip(vector, question))), answer)
        for owner, vector, answer, dies_s in entries
        if owner == scope and dies_s > now_s
    ]
    near = [pair for pair in near if pair[0] > threshold]
    return max(near)[1] if near else None


def least_far(entries, question, threshold, scope, now_s):
    """The smallest distance among all, whatever the threshold."""
    mine = [e for e in entries if e[0] == scope and now_s < e[3]]
    return min(mine, key=lambda e: math.dist(e[1], question))[2] if mine else None


def truthy(entries, question, threshold, scope, now_s):
    mine = [e for e in entries if e[0] == scope and now_s < e[3]]
    return best_of(mine, question, threshold) or None


def keyed_by_answer(entries, question, threshold, scope, now_s):
    near = {e[2]: np.dot(e[1], question) for e in entries if e[0] == scope and now_s < e[3]}
    found = max(near, key=near.get, default=None)
    return found if near and near[found] >= threshold else None


def first_of_an_answer(entries, *rest):
    return keyed_by_answer(entries[::-1], *rest)


def size_alone(entries, question, threshold, scope, now_s):
    mine = [e for e in entries if e[0] == scope and now_s < e[3]]
    found = max(mine, key=lambda e: abs(np.dot(e[1], question)), default=None)
    return found[2] if found and abs(np.dot(found[1], question)) >= threshold else None


def scopes_by(of_scope):
    def serve(entries, question, threshold, scope, now_s):
        mine = [e for e in entries if of_scope(e[0]) == of_scope(scope) and now_s < e[3]]
        return best_of(mine, question, threshold)

    return serve


def with_a_matrix(entries, question, threshold, scope, now_s):
    if not entries:
        return None
    near = np.array([vector for _, vector, _, _ in entries]) @ np.array(question)
    near[[owner != scope or dies_s <= now_s for owner, _, _, dies_s in entries]] = -np.inf
    row = int(near.argmax())
    return entries[row][2] if near[row] >= threshold else None


def sorted_by_similarity(entries, question, threshold, scope, now_s):
    def near(entry):
        return sum(x * y for x, y in zip(entry[1], question))

    for entry in sorted(entries, key=near, reverse=True):
        if near(entry) < threshold:
            return None
        if entry[0] == scope and entry[3] > now_s:
            return entry[2]
    return None


def one_by_one(entries, question, threshold, scope, now_s):
    if not entries:
        return None
    (owner, vector, answer, dies_s), *others = entries
    near = sum(x * y for x, y in zip(vector, question))
    if owner != scope or now_s >= dies_s or near < threshold:
        return one_by_one(others, question, threshold, scope, now_s)
    better = one_by_one(others, question, near, scope, now_s)
    return answer if better is None else better


# --- reuse.threshold ----------------------------------------------------------------------------


def seen_share(pairs, max_error, upper):
    kept = []
    for t in {s for s, _ in pairs}:
        hits = [same for s, same in pairs if s >= t]
        if hits.count(False) / len(hits) <= max_error:
            kept.append(t)
    return min(kept, default=None)


def down_to_the_first(pairs, max_error, upper):
    best = None
    for t in sorted((s for s, _ in pairs), reverse=True):
        hits = [same for s, same in pairs if s >= t]
        if upper(len(hits) - sum(hits), len(hits)) > max_error:
            return best
        best = t
    return best


def one_at_a_time(pairs, max_error, upper):
    best, errors = None, 0
    for hits, (similarity, same) in enumerate(sorted(pairs)[::-1]):
        errors += 0 if same else 1
        if upper(errors, hits + 1) <= max_error:
            best = similarity
    return best


def safest_of_all(pairs, max_error, upper):
    ends = {}
    for t, _ in pairs:
        hits = [same for s, same in pairs if s >= t]
        ends[t] = upper(hits.count(False), len(hits))
    best = min(ends, key=lambda t: (ends[t], t), default=None)
    return best if best is not None and ends[best] <= max_error else None


def of_all_pairs(pairs, max_error, upper):
    for t in sorted({s for s, _ in pairs}):
        if upper(sum(s >= t and not same for s, same in pairs), len(pairs)) <= max_error:
            return t
    return None


def the_last_resort(pairs, max_error, upper):
    found = from_the_bottom(pairs, max_error, upper)
    return found if found is not None or not pairs else max(s for s, _ in pairs)


def or_none(pairs, max_error, upper):
    return from_the_bottom(pairs, max_error, upper) or None


def from_the_bottom_of(is_tried):
    """As if no other similarity could be a threshold."""

    def lowest(pairs, max_error, upper):
        for t in sorted(filter(is_tried, {s for s, _ in pairs})):
            hits = [same for s, same in pairs if s >= t]
            if upper(hits.count(False), len(hits)) <= max_error:
                return t
        return None

    return lowest


def hits_before_errors(pairs, max_error, upper):
    return from_the_bottom(pairs, max_error, lambda errors, hits: upper(hits, errors))


def from_the_bottom(pairs, max_error, upper):
    for t in sorted({s for s, _ in pairs}):
        hits = [same for s, same in pairs if s >= t]
        if upper(sum(not same for same in hits), len(hits)) <= max_error:
            return t
    return None


def with_cumulated_counts(pairs, max_error, upper):
    if not pairs:
        return None
    near, same = np.array([s for s, _ in pairs]), np.array([same for _, same in pairs], dtype=bool)
    tried = np.unique(near)
    is_hit = near[None, :] >= tried[:, None]
    hits, errors = is_hit.sum(axis=1), (is_hit & ~same).sum(axis=1)
    good = [upper(int(e), int(h)) <= max_error for e, h in zip(errors, hits)]
    return float(tried[np.argmax(good)]) if any(good) else None


def by_reduction(pairs, max_error, upper):
    def lower(found, pair):
        hits = [same for s, same in pairs if s >= pair[0]]
        keeps = upper(len(hits) - sum(hits), len(hits)) <= max_error
        return pair[0] if keeps and (found is None or pair[0] < found) else found

    return reduce(lower, pairs, None)


def by_generator(pairs, max_error, upper):
    def kept():
        for t, _ in pairs:
            labels = Counter(same for s, same in pairs if s >= t)
            if upper(labels[False], labels.total()) <= max_error:
                yield t

    return min(kept(), default=None)


PROOFS = {
    "reuse.lru": Proof(
        mistakes={
            "a read is use": (READ_IS_USE, "update-evicts"),
            "an update makes no room": (ROOM_ONCE, "update-keeps-its-place"),
            "an update moves": (MOVED, "never-dies"),
            "the dead stay": (MORTAL, "dead-hold-their-place"),
            "everything but the counters": (BURIED, "counts-nothing"),
            "the wrong end": (PopsTheWrongEnd, "evicts-the-newest"),
            "assigns only": (AssignsOnly, "update-keeps-its-place"),
            "empty is none": (TrustsTruth, "falsy-is-missing"),
            "still at the moment": (StillAtTheMoment, "late-by-a-moment"),
            "leaves the dead": (LeavesTheDead, "dead-hold-their-place"),
            "counts the buried": (CountsTheBuried, "dead-is-evicted"),
            "found is a hit": (FoundIsHit, "dead-is-a-hit"),
            "an order apart": (OrderApart, "keeps-a-ghost"),
            "a hit before the look": (HitBeforeTheLook, "dead-is-both"),
            "strangers are not counted": (StrangersAreNotCounted, "absent-is-no-miss"),
            "least frequent": (LeastFrequent, "least-frequent"),
            "rests on the first death": (RestsOnTheFirstDeath, "keeps-the-old-life"),
            "a life of its own": (AFreshLife, "never-dies"),
        },
        alternatives={"ordered": Ordered, "ticking": Ticking, "a list": Listed},
    ),
    "reuse.flight": FLIGHT_PROOF,
    "reuse.early": Proof(
        mistakes={
            "divided": (logarithm_of_the_cost, "divided-by-the-cost"),
            "adds": (adds, "plus-sign"),
            "base ten": (base_ten, "log10"),
            "when dead": (when_dead, "at-its-death-only"),
        },
        alternatives={
            "a probability": by_probability,
            "a lead": with_a_lead,
            "a truth value of numpy": with_numpy,
        },
    ),
    "reuse.best_match": Proof(
        mistakes={
            "the first hit": (first_hit, "first-match"),
            "the winner first": (winner_first, "best-of-all-scopes"),
            "the tenant alone": (only_the_tenant, "tenant-only"),
            "even the dead": (even_the_dead, "serves-the-dead"),
            "more than the threshold": (more_than_the_threshold, "strictly-above"),
            "empty is none": (truthy, "empty-is-nothing"),
            "keyed by answer": (keyed_by_answer, "last-of-an-answer"),
            "the first of an answer": (first_of_an_answer, "first-of-an-answer"),
            "its size": (size_alone, "without-the-sign"),
            "scopes as sets": (scopes_by(frozenset), "parts-in-any-order"),
            "scopes as one text": (scopes_by("".join), "parts-run-together"),
            "the least far": (least_far, "no-threshold"),
        },
        alternatives={
            "a matrix": with_a_matrix,
            "sorted": sorted_by_similarity,
            "recursion": one_by_one,
        },
    ),
    "reuse.threshold": Proof(
        mistakes={
            "the share seen": (seen_share, "point-estimate"),
            "down to the first": (down_to_the_first, "stops-at-the-first-failure"),
            "one at a time": (one_at_a_time, "splits-equal-similarities"),
            "the safest": (safest_of_all, "smallest-bound"),
            "of all pairs": (of_all_pairs, "errors-over-all"),
            "or none": (or_none, "zero-is-none"),
            "positive ones": (from_the_bottom_of(lambda t: t > 0), "above-zero"),
            "none below 0": (from_the_bottom_of(lambda t: t >= 0), "from-zero-up"),
            "hits before errors": (hits_before_errors, "swapped"),
            "a last resort": (the_last_resort, "highest-if-none"),
        },
        alternatives={
            "from the bottom": from_the_bottom,
            "numpy": with_cumulated_counts,
            "a reduction": by_reduction,
            "a generator": by_generator,
        },
    ),
    "reuse.pays": Proof(
        mistakes={
            "misses look": ("3.23 %", "lookup-on-misses-only"),
            "hits pay twice": (3.45, "lookup-on-hits-twice"),
            "inverted": (30, Status.wrong),
            "misses that one can afford": ("96.7 %", "miss-rate"),
            "a share without a sign": (0.0333, Status.scale),
        },
        alternatives={"rounded": "3.3 %", "a number": 3.33, "numpy": np.float64(10) / 3},
    ),
}
