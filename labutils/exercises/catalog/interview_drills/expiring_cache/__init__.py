"""Code drill 4: a cache that evicts the least recently used, and forgets what is too old."""
