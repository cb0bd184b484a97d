"""What fits: the batch that memory, arithmetic and a promise allow.

Read ``limits`` (the ridges, and the sequences that fit), ``objective`` (the largest batch under a
target for TPOT), then ``pages`` (a cache cut into pages, and what stands empty).
"""
