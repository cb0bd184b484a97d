"""Code drill 3: a limiter that counts tokens, and is told the time."""
