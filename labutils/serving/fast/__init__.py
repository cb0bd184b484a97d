"""What makes the engine fast, added from outside.

1. ``packed_linear``: weights in the order in which a processor reads them
"""
