"""Code drill 6: a scheduler that is fair by virtual counters of tokens."""
