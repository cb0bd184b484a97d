"""Answers that are code, which is run: a function, a class, asyncio code, a piece of the engine.

1. ``function``: judged on fresh inputs; ``feedback`` says what a learner reads about a failure
2. ``naming``, ``pattern``, ``slip_rules``: which mistake explains the wrong results
3. ``stories`` and ``story_feedback``: a class; ``rehearsals``, ``rehearsal_feedback``: asyncio code
4. ``piece``: functions of the engine, tried in their places
"""
