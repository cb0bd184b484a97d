# ---
# jupyter:
#   course:
#     order: 10
#     slug: what_need_not_be_computed
#     title: What need not be computed
#     question: The hit rate is 95 %, and the backend falls over. What does a cache carry, and what does it hide?
#     minutes: 65
#     needs: []
#     folder: notebooks
#     gpu: false
#     small: {}
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %%
import math

from labutils.caching import backend_load, percentile_with_cache
from labutils.exercises import check, outcome, predict

# %%
predict("reuse.backend_factor", low=1.5, high=3)
outcome("reuse.backend_factor", 0.10 / 0.05)

# %%
predict("reuse.p99_ms", low=300, high=1000)
outcome("reuse.p99_ms", "490 ms")


# %%
class Counted:
    """Places, and what a cache has to count: hits, misses, and entries that went for room."""

    def __init__(self, capacity):
        self.capacity, self.entries = capacity, {}
        self.hits = self.misses = self.evictions = 0

    def counts(self):
        """(hits, misses, evictions)."""
        return self.hits, self.misses, self.evictions


# %% [markdown]
# - `get(key, now_s)` returns the value, or None where nothing may be served. None is never a value.
# - A dead entry holds its place until somebody asks for it or it is the least recently used.
# - What is found dead is a miss, and no eviction. An update is no eviction.


# %%
### BEGIN SOLUTION
class FeatureCache(Counted):
    """At most `capacity` entries; each may be served before the moment `dies_s`."""

    def get(self, key, now_s):
        value, dies_s = self.entries.pop(key, (None, now_s))
        if now_s < dies_s:
            self.hits += 1
            self.entries[key] = value, dies_s
            return value
        self.misses += 1

    def put(self, key, value, dies_s):
        self.entries.pop(key, None)
        if len(self.entries) == self.capacity:
            self.entries.pop(next(iter(self.entries)))
            self.evictions += 1
        self.entries[key] = value, dies_s


### STUB class FeatureCache(Counted):
### STUB     """At most `capacity` entries; each may be served before the moment `dies_s`."""
### STUB     def get(self, key, now_s):
### STUB         return self.entries.get(key)
### STUB     def put(self, key, value, dies_s):
### STUB         if len(self.entries) >= self.capacity:
### STUB             oldest = next(iter(self.entries))
### STUB             del self.entries[oldest]
### STUB         self.entries[key] = value
### END SOLUTION


# %%
check("reuse.lru", FeatureCache)


# %%
def refresh_early(now_s, dies_s, cost_s, u):
    """Whether this request renews the value: now - cost·ln(u) >= dies; u is uniform on (0, 1]."""
    ### BEGIN SOLUTION
    return now_s - cost_s * math.log(u) >= dies_s
    ### END SOLUTION


# %%
check("reuse.early", refresh_early)


# %%
def best_match(entries, question, threshold, scope, now_s):
    """The answer of the most similar entry that may be served, or None.

    `entries` holds (scope, vector, answer, dies_s). Its scope has to be `scope`, a tuple (tenant,
    model, prompt_version); it may be served before `dies_s`; its similarity to the vector `question`
    has to be at least `threshold`. Vectors are lists of length 1: their product is the cosine.
    """
    ### BEGIN SOLUTION
    found, nearest = None, threshold
    for owner, vector, answer, dies_s in entries:
        similarity = sum(x * y for x, y in zip(vector, question))
        if owner == scope and now_s < dies_s and similarity >= nearest:
            found, nearest = answer, similarity
    return found
    ### END SOLUTION


# %%
check("reuse.best_match", best_match)


# %%
def lowest_threshold(pairs, max_error, upper):
    """The lowest of the pairs' similarities that keeps errors to `max_error`, or None.

    `pairs` holds (similarity, same_answer). At a threshold t, pairs with similarity >= t are hits;
    those among them without the same answer are errors. `upper(errors, hits)` is the upper end of an
    interval for the share of errors among hits: it has to be at most `max_error`.
    """
    ### BEGIN SOLUTION
    kept = []
    for threshold, _ in pairs:
        hits = [same for similarity, same in pairs if similarity >= threshold]
        if upper(hits.count(False), len(hits)) <= max_error:
            kept.append(threshold)
    return min(kept, default=None)
    ### END SOLUTION


# %%
check("reuse.threshold", lowest_threshold)

# %%
### BEGIN SOLUTION
pays_from = f"{30 / 900:.2%}"
### STUB pays_from = ...
### END SOLUTION
check("reuse.pays", pays_from)
