"""A limiter in tokens: a bucket for each tenant, told the time by whoever asks."""


class Limiter:
    """A bucket a tenant: ``rate`` tokens a second flow in, ``burst`` is the most that it holds.

    Invariant: a level lies between 0 and ``burst``, and the time of a bucket never runs back.
    """

    def __init__(self, rate, burst):
        self.rate, self.burst = rate, burst
        self.levels, self.told_s = {}, {}

    def allow(self, tenant, tokens, now_s):
        """Take ``tokens`` if the bucket holds them: True. Else take nothing: False."""
        level = self.filled(tenant, now_s)
        if not self.enough(tokens, level):
            return False
        self.levels[tenant] = level - tokens
        return True

    def enough(self, tokens, level):
        """Whether a level suffices."""
        return tokens <= level

    def wait(self, tenant, tokens, now_s):
        """Seconds until ``allow`` would be True if nobody else took any; None if never."""
        if tokens > self.burst:
            return None
        return max(0, tokens - self.filled(tenant, now_s)) / self.rate

    def refund(self, tenant, tokens, now_s):
        """Give back what was taken and not used, as far as the bucket holds it."""
        self.levels[tenant] = min(self.burst, self.filled(tenant, now_s) + tokens)

    def filled(self, tenant, now_s):
        """The level at ``now_s``, or at the latest time told if that lies behind it."""
        before_s = self.told_s.get(tenant, now_s)
        self.told_s[tenant] = max(before_s, now_s)
        level = self.levels.get(tenant, self.burst)
        self.levels[tenant] = min(self.burst, level + self.gained(self.told_s[tenant] - before_s))
        return self.levels[tenant]

    def gained(self, seconds):
        """Tokens that flow in."""
        return self.rate * seconds
