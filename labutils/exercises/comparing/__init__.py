"""A learner's results beside the reference's: on which input they differ, and in what way.

1. ``trial``: one input, tried on both; ``compare`` and ``fault`` say what differs
2. ``draws`` finds inputs for a function, ``drawing`` numbers for the script of a class
3. ``shortest`` leaves out what a failure does not need; ``kept`` holds a result as it was
4. ``culprit`` finds the learner's own line, ``literal`` writes the call so that it can be pasted
"""
