"""What a learner did, kept: an append-only file of lines in ``my/progress``.

Read ``journal`` first (one event becomes one line, and comes back), then ``history`` (the events
of one kind, of one exercise). ``set_back`` is for clocks that were wrong.
"""
