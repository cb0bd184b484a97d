"""Stores that several processes share, for the second level.

1. ``shared_store``: what a store has to offer, and how it fails
2. ``redis_store`` over ``redis_client``; ``sqlite_store`` where there is no Redis
3. ``redis_server``: a Redis to kill and to stall; ``shared_level``: the one that this machine has
"""
