"""Many replicas in one compiled loop: each runs to the moment at which a router looks at it.

1. ``replica_tables``: the tables of all, a row for each, and what a router is told
2. ``run_until``: one replica's own loop, up to a moment; ``look``: what it looks like then
3. ``attempts``: what is sent next, a fresh request or one whose client tries again
4. ``choose``: the routers; ``dispatch``: request after request, to the replica that is chosen
5. ``losses``: a replica is gone
"""
