"""A compiled twin of ``plain``: the shipped policies over a whole trace, as fast as they get.

1. ``choice``: which runs can be compiled
2. ``job``, ``spread``: the columns that it starts from; ``tables``: those that it works on
3. ``pages``: the verbs of ``PagePool`` over counts
4. ``planning``, ``serve``: the scheduler and the loop; ``noting``: what is written down
5. ``run``, ``result``: one run, from a job to a ``ServingRun``

numba is imported by 3 to 5 alone.
"""
