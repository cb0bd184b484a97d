"""Everything around ``labutils.engine``: in rooms, each with a door of its own.

1. ``memory``: other memories than the engine's pages, and what is told about pages
2. ``scheduling``: other policies than the engine's, and an auditor for all of them
3. ``runs``: what a simulated run starts from, and what is left of it
4. ``simulator``: the same schedulers on a simulated clock, plain and compiled
5. ``walks``: a few requests walked through a scheduler, step by step, for exercises
6. ``checkpoints``: models from disk: their shapes, their weights, their words
7. ``fast``: what makes the engine fast, and what watches it
8. ``trials``: models against reality: what was predicted, and what the engine then did
9. ``promises``: what was promised to whom, who kept it, and policies that look at it
10. ``arena``: schedulers against each other, on workloads that they have not seen
11. ``batcher``: requests one by one, answered in batches, on asyncio
12. ``speculation``: several tokens from one step, with a draft around the engine
13. ``multi_gpu``: one model on several cards, under load
14. ``measured``: load tests of real engines, and what the simulator says of them
15. ``envelope``: your own load test beside its prediction
16. ``replicas``: many replicas of the simulator behind a router
"""
