"""Everything around ``labutils.engine``: in rooms, each with a door of its own.

1. ``memory``: other memories than the engine's pages, and what is told about pages
2. ``scheduling``: other policies than the engine's, and an auditor for all of them
3. ``simulator``: the same schedulers on a simulated clock, plain and compiled
4. ``walks``: small stories about schedulers, for exercises
5. ``checkpoints``: models from disk: their shapes, their weights, their words
6. ``fast``: what makes the engine fast, and what watches it
7. ``trials``: models against reality: what was predicted, and what the engine then did
8. ``batcher``: requests one by one, answered in batches, on asyncio
"""
