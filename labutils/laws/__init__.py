"""Laws: closed forms, without a clock and without randomness. A room for each subject:

1. ``queueing``: Little's law, M/M/1 to G/G/c, queue limits, queues in a row, orders of service
2. ``batching``: what a batch costs, and the waiting of a server that works in batches
3. ``capacity``: how many machines, how much spare, what it costs, how fast an error budget burns
4. ``scaling``: Amdahl, Gustafson, the universal scalability law
5. ``tails``: fan-out, hedged requests, the slowest of many

What a language model does on a device stands in ``labutils.llm``; the same queues as simulations in
``labutils.simulation``.
"""
