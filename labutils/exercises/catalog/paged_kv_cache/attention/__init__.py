"""From a page table to slots, and attention over what lies there.

``slots``: where the tokens of a request lie; ``read``: copies of its pages; ``bucket``: all
requests that decode, in one padded call.
"""
