# ---
# jupyter:
#   course:
#     order: 19
#     slug: fleet_on_ray
#     title: A fleet on Ray Serve
#     question: One of three servers dies in the middle of forty answers. Who tells the users, and what brings it back?
#     minutes: 100
#     needs: [streaming_server, many_replicas, watching]
#     folder: labs
#     gpu: false
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown] tags=["topic:K06"]
# Intro.

# %%
from collections.abc import Mapping, Sequence

from labutils.exercises import check, hint, outcome, piece, predict, reveal
from labutils.exercises.catalog.fleet_on_ray.told import heard_through
from labutils.ray_fleet.telling import ReplicaLost
from labutils.telemetry.watching import compare

# %% [markdown]
# ## Build 1: whatever happens, the client hears it
#
# Text of build 1.


# %%
### INCLUDE labutils.ray_fleet.telling:Telling.told


# %%
check("ray.told", heard_through(told))

# %% [markdown]
# ## Build 2: requests a second, of a fleet whose members change


# %%
def fleet_rate(times_s: Sequence[float], scrapes: Sequence[Mapping[int, float]]) -> float:
    """Return the requests per second of the whole fleet, from the first scrape to the last.

    ``scrapes``: at each of ``times_s``, the counter of every replica that answered, by its number.
    A counter that fell has started anew at 0; a replica that is new since the first scrape, too.
    """
    ### BEGIN SOLUTION
    counted, last = 0, dict(scrapes[0])
    for scrape in scrapes[1:]:
        for replica, value in scrape.items():
            before = last.get(replica, 0)
            counted += value - before if value >= before else value
        last |= scrape
    return counted / (times_s[-1] - times_s[0])
    ### STUB ...
    ### END SOLUTION


# %%
check("ray.rate", fleet_rate)

# %% [markdown]
# ## Build 3: who says that the canary was good?


# %%
def decided(columns: Sequence[tuple], planned: int, is_burning: bool = False) -> str:
    """Return "wait", "go on" or "roll back".

    Each of ``columns`` has (bad, all) of the canary, (bad, all) of the others, and the tolerated
    difference of their shares. ``planned``: requests of the canary before anybody judges;
    ``is_burning``: its alarm of chapter 13 rings.
    """
    ### BEGIN SOLUTION
    if is_burning:
        return "roll back"
    if min(canary[1] for canary, _, _ in columns) < planned:
        return "wait"
    words = {compare(canary, rest, tolerated=most).word for canary, rest, most in columns}
    return "go on" if words == {"good enough"} else "roll back"
    ### STUB ...
    ### END SOLUTION


# %%
check("ray.canary", decided)
