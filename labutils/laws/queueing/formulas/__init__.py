"""What holds for any queue, or needs no more than a sum.

``little`` (Little's law in its three directions), ``erlang`` (who is blocked, who waits),
``mixture`` (services of several kinds), ``queue_limit`` (how long a queue may be). The rest serves
the models: ``times``, ``roots`` (the solver of every inverse question) and ``errors``.
"""
