"""Code drill 5: a router on a ring, whose nodes have a bounded load."""
