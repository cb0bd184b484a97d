"""Queues in steady state, one file each; and what happens where there is none.

Read ``model`` first (what every queue can answer), then ``exponential_wait``, which ``mm1``,
``mmc``, ``mg1`` and ``ggc`` share; ``md1`` and ``mmck`` stand alone. ``sizing`` turns the questions
round (how many servers?), ``overload`` is what comes above saturation.
"""
