# ---
# jupyter:
#   course:
#     order: 9
#     slug: where_the_time_goes
#     title: Where the time goes
#     question: You made the model twice as fast, and users gained a fifth. Where is the rest, and what would have paid?
#     minutes: 60
#     needs: [two_numbers, mm1_explosion]
#     folder: notebooks
#     gpu: false
#     small: {requests: 20000, questions: 24}
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown] tags=["topic:O08"]
# An assistant answers questions from a company's documents. For each question it looks for passages, ranks
# them, writes a prompt and lets a model answer. For three months a team has worked on the model, and now it
# generates twice as fast. The users' mean latency has fallen by a fifth.
#
# So the model took two fifths of the time, and the team had never measured that. Where are the other three
# fifths? And which of them would have been cheaper?
#
# When you are through, you can answer three questions:
#
# 1. Where does the time of a request go, when its stages overlap?
# 2. What is a faster stage worth, for the mean and for the p99, and how does that change with load?
# 3. What may each stage promise, so that the whole keeps its promise?
#
# The chapter runs on an assistant that is real in every part: it answers from the text of this course. New
# words stand in bold; the glossary at the end of `docs/cards.html` keeps them.

# %%
import numpy as np

from labutils.exercises import check, outcome, piece, predict
from labutils.latency import percentile

# %% tags=["parameters"]
seed = 7  # every random draw in this chapter follows from it
requests = 100_000  # in a simulated run
questions = 60  # put to the assistant

# %% [markdown] tags=["topic:C05", "topic:C04"]
# ## Ten stages keep their limits: what does the whole keep?
#
# A plan on paper, as many teams have one. The assistant promises 3,000 ms at the p99. Each stage gets a limit
# for its own p99, in ms:
#
# | check | embed | search | fetch | rank | prompt | first token | answer | filter | send |
# | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
# | 30 | 20 | 50 | 100 | 100 | 50 | 400 | 2,000 | 50 | 50 |
#
# Together 2,850 ms, and 150 ms are margin. Each stage keeps its limit exactly: one request in a hundred is
# above it. The stages follow each other, and they are slow **independently** of each other. Their times are
# lognormal, with a p99 of 3.2 times the median.
#
# What is the p99 of the whole, in ms?

# %%
### BEGIN SOLUTION
predict("where.total_p99", low=2000, high=2600)
### STUB predict("where.total_p99", ...)
### END SOLUTION

# %% tags=["topic:C05"]
limits_ms = np.array([30, 20, 50, 100, 100, 50, 400, 2000, 50, 50])
rng = np.random.default_rng(seed)
normal, stalled = rng.normal(size=(10, requests)), rng.random((10, requests)) < 0.009
at_p99 = 2.3263  # of a normal number
pipelines = {
    "independent": np.exp(0.5 * (normal - at_p99)),
    "all slow together": np.exp(0.5 * (normal[:1].repeat(10, axis=0) - at_p99)),
    "rare stalls": np.where(stalled, 20.0, np.exp(0.5 * (np.minimum(normal, at_p99) - at_p99))),
}
print("stages             p99s added   p99 of the whole   above 2,850 ms")
for name, parts in pipelines.items():
    whole = limits_ms @ parts
    added, p99 = sum(percentile(limits_ms[k] * parts[k], 0.99) for k in range(10)), percentile(whole, 0.99)
    print(f"{name:17} {added:8,.0f} ms {p99:15,.0f} ms {np.mean(whole > 2850):15.1%}")
outcome("where.total_p99", percentile(limits_ms @ pipelines["independent"], 0.99))

# %% [markdown] tags=["topic:C05"]
# ### Limits add up, percentiles do not
#
# All three pipelines pass the same reviews: every stage keeps its p99. In the first the whole is far better
# than the sum, because a request is hardly ever slow in several stages at once. In the second the sum is
# exact. In the third it is far too low: every stage stalls for much longer in 9 of 1,000 requests, which its
# p99 does not show, and a request has ten chances to meet a stall.
#
# So the sum of the p99s is no bound, in either direction. Before anybody writes a plan, somebody has to
# measure whole requests with all their stages.

# %% [markdown] tags=["topic:L10"]
# ## What does the request itself do while its stages run?
#
# **One case by hand.** A request lasts from 0 to 50 ms. It starts a search that runs from 10 to 30, and
# another beside it from 20 to 40. How long did the request do something itself?
#
# | from | to | runs | the request itself |
# | --- | --- | --- | --- |
# | 0 | 10 | nothing else | 10 ms |
# | 10 | 40 | one search or both | 0 |
# | 40 | 50 | nothing else | 10 ms |
#
# So 20 ms. Subtracting the durations gives 50 − 20 − 20 = 10, which is wrong: from 20 to 30 both run, and
# these 10 ms were subtracted twice.
#
# ### Build: the time that no child accounts for
#
# A **span** is a named stretch of time with a parent. Return the part of `span` in which none of its
# `children` runs: its **exclusive time**. All are pairs (start, end) in ms. A child starts inside the span,
# and may go on after its end. Children may overlap, and come in any order.


# %%
def alone(span, children):
    """Return the milliseconds of the span in which none of its children runs."""
    ### BEGIN SOLUTION
    start, end = span
    total, covered_to = 0, start
    for child_start, child_end in sorted(children):
        total += max(0, min(child_start, end) - covered_to)
        covered_to = max(covered_to, min(child_end, end))
    return total + end - covered_to
    ### END SOLUTION


# %%
check("where.alone", alone)

# %% [markdown] tags=["topic:B18"]
# ## Which stages did the answer wait for?
#
# **One case by hand.** The stages of one request, in ms:
#
# | stage | from | to |
# | --- | --- | --- |
# | embed the question | 0 | 10 |
# | search by words | 0 | 25 |
# | search by vector | 10 | 18 |
# | write the prompt | 25 | 30 |
#
# Walk back from the end. The prompt ended last, and it started at 25. By then the search by words had ended
# last, also at 25: the prompt waited for it. That search started at 0, and nothing had ended before. So the
# answer waited for `["words", "prompt"]`, its **critical path**. The search by vector could take 7 ms longer,
# and nobody would notice.
#
# ### Build: the critical path
#
# `stages` maps names to (start, end) in ms. Return the names on the critical path, in order of time. A stage
# waited for the one that had ended last when it started; one that ends at that very moment counts. No two
# stages end at the same time.


# %%
def waited_for(stages):
    """Return the names of the stages that the end waited for, in order of time."""
    ### BEGIN SOLUTION
    path, until = [], max(end for _, end in stages.values())
    while done := [name for name, (_, end) in stages.items() if end <= until]:
        last = max(done, key=lambda name: stages[name][1])
        path.append(last)
        until = stages[last][0]
    return path[::-1]
    ### END SOLUTION


# %%
check("where.waited_for", waited_for)

# %% [markdown] tags=["topic:B05", "topic:C02"]
# ## What is a faster stage worth?
#
# If the stage takes a share $P$ of the mean time and becomes $s$ times as fast, what remains is
#
# $$\frac{\text{new mean}}{\text{old mean}} = 1 - P + \frac{P}{s} \qquad\text{(Amdahl 1967)},$$
#
# and however large $s$ is, $1 - P$ remains.

# %%
def saved(times, stage, factor, share):
    """Return by how much a percentile falls, in ms, if the stage is factor times as fast."""
    ### BEGIN SOLUTION
    before = [sum(row) for row in times]
    after = [sum(row) - row[stage] + row[stage] / factor for row in times]
    return percentile(before, share) - percentile(after, share)
    ### END SOLUTION


# %%
check("where.saved", saved)


# %%
def largest_rate(stages):
    """Return the requests per second at which the first stage is full."""
    ### BEGIN SOLUTION
    return min(servers / (visits * seconds) for visits, seconds, servers in stages)
    ### END SOLUTION


# %%
check("where.largest_rate", largest_rate)


# %%
def stage_limits(stages, limit):
    """Return one limit for each stage, all at the same rank; together they keep the limit."""
    ### BEGIN SOLUTION
    ordered = [sorted(times) for times in stages]
    for k in reversed(range(len(stages[0]))):
        limits = [times[k] for times in ordered]
        if sum(limits) <= limit:
            return limits
    ### END SOLUTION


# %%
check("where.stage_limits", stage_limits)

# %% tags=["optional"]
### BEGIN SOLUTION
clocked_ms = 4 * max(30, 50, 20, 30)
### STUB clocked_ms = ...
### END SOLUTION
check("where.clocked", clocked_ms)
