# ---
# jupyter:
#   course:
#     order: 0
#     slug: start_here
#     title: Start here
#     question: Does everything work, where is what, and how do the exercises talk to you?
#     minutes: 15
#     needs: []
#     folder: notebooks
#     gpu: false
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# Welcome. You are about to learn latency and throughput engineering for AI systems by building and
# measuring, one notebook at a time. This first one takes a quarter of an hour: it checks your
# machine, shows you the map, and lets you try the four words with which every exercise works.
#
# Run a cell with **Shift+Enter**, from top to bottom.

# %% [markdown]
# ## Is this machine ready?
#
# The preflight does what the course does (it draws, compiles, computes, writes) and reports what
# works. A GPU is welcome and not needed.

# %% tags=["nbval-ignore-output"]
from labutils import preflight

preflight.run()

# %% [markdown]
# A line that starts with `!!` comes with its remedy. In a workshop, send the last line to your
# instructor: it says what works, and nothing about you.
#
# ## How an exercise works
#
# There are four words. Nothing is graded, nothing leaves this machine, and skipping is allowed.

# %%
from labutils.exercises import check, hint, outcome, predict, reveal

# %% [markdown]
# ### Predict: commit to a number before you see it
#
# Response times are rarely symmetric. Take a service whose response times are exponentially
# distributed with a mean of 10 ms: most requests are quick, a few take long. **What share of the
# requests takes longer than the average of 10 ms?**
#
# Replace the dots by a number, such as `0.4` or `"40 %"`, or by a range that you are 80 % sure of:
# `low=0.3, high=0.6`. Then run both cells.

# %%
predict("start.above_mean", ...)

# %%
import numpy as np

rng = np.random.default_rng(20)
times_s = rng.exponential(scale=0.010, size=1_000_000)
share = float(np.mean(times_s > times_s.mean()))
outcome("start.above_mean", round(share, 3))

# %% [markdown]
# If you said one half, you are in good company, and that is why this course asks first: a wrong
# prediction is the cheapest way to find out what you did not know. The slow few pull the mean up, so
# fewer than half of the requests lie above it. You will meet your predictions again.
#
# ### Check: hand in an answer, get a diagnosis
#
# **A server receives 30 requests a second, and each keeps it busy for 20 ms. Which share of the time
# is it busy?** Put your answer in place of the dots. Numbers with units are fine: `0.25`, `"25 %"`.

# %%
### BEGIN SOLUTION
busy = 30 * 0.020
### STUB busy = ...
### END SOLUTION
check("start.utilization", busy)

# %% [markdown]
# A wrong answer is answered, too. Here are three, each with its own mistake: read what the check makes
# of them.

# %%
check("start.utilization", 600)

# %%
check("start.utilization", "0.6 ms")

# %%
check("start.utilization", 1.67)

# %% [markdown]
# ### Build: write a function, and let it be tried on cases that you did not think of
#
# Write it for any number of servers, each of which takes one request at a time. One line is enough. The
# stub raises an error so that nobody mistakes it for an answer: replace that line.


# %%
def utilization(arrival_rate, mean_service_time, num_servers):
    """Return the share of time that each of the servers is busy."""
    ### BEGIN SOLUTION
    return arrival_rate * mean_service_time / num_servers
    ### END SOLUTION


# %%
check("start.utilization_function", utilization)

# %% [markdown]
# If your function is wrong, the check shows the smallest call that proves it, ready to paste into a
# cell of your own.
#
# ### Hint and reveal: when you are stuck
#
# Each exercise has three hints, from a nudge to nearly there, and an explanation. Both are a call away.
# The progress table counts them, for you alone: a good moment to come back to an exercise later.

# %%
hint("start.utilization_function")

# %%
reveal("start.utilization")

# %% [markdown]
# ## The map
#
# What is finished, and how far you are. An exercise counts as solved once its check said so.

# %% tags=["nbval-ignore-output"]
from labutils.exercises import progress

progress()

# %% [markdown]
# ## Your work is safe
#
# - You work in the folder `my/`, on copies. Updating the course never overwrites a notebook that you
#   changed; a newer edition is put beside it, and `make lab` says so in one line.
# - To start a chapter over, run `.venv/bin/python -m labutils reset 03` in a terminal, with the
#   chapter's number. Your old copy goes to `my/backups/`, dated.
# - Progress and predictions are small text files in `my/progress/`. Delete them and they are forgotten.
#
# **Without a GPU** everything in this chapter and the next runs as it is.
