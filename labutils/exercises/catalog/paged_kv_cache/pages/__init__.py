"""The page pool's functions, written one after the other and tried in walks.

1. ``pool_walk``: what happens to a pool, call by call, and its state in words; ``audit`` finds the
   page that is out of place
2. ``walks``: which walks are drawn, each with a point of its own
3. ``take``, ``release``: pages for tokens; ``names``, ``find``, ``publish``: which are shared;
   ``fits``, ``start``: who gets them; ``evict``: what goes when memory runs out
"""
