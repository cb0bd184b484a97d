"""Queues, mostly first come, first served: a compiled loop, and the same as a story in SimPy.

Read ``twins`` (the story), ``kernels`` (the loop; ``compiled`` says how loops are compiled here)
and ``queue_run`` (one run of it). ``order_of_service`` serves in other orders than that of arrival.
``in_flight`` counts who is inside, ``sweep`` draws the load curve, ``transient`` looks before it
settles, ``batch_means`` says how far to trust a mean.
"""
