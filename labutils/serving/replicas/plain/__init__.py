"""The story of many replicas, slow and readable: what the compiled loop is held to.

1. ``plain_replica``: one replica; ``plain_routers``: our routers as functions
2. ``sending``: what is sent when, ``serve_plainly``
"""
