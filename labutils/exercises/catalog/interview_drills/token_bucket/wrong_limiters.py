"""Limiters that do not survive the stories of the code drill, each by one mistake."""

from labutils.capacity.limiter import Limiter


class StartsEmpty(Limiter):
    def filled(self, tenant, now_s):
        self.levels.setdefault(tenant, 0)
        return super().filled(tenant, now_s)


class OneForAll(Limiter):
    """All tenants draw from one bucket."""

    def filled(self, tenant, now_s):
        level = super().filled("everybody", now_s)
        self.levels[tenant] = level
        return level

    def allow(self, tenant, tokens, now_s):
        return super().allow("everybody", tokens, now_s)

    def refund(self, tenant, tokens, now_s):
        super().refund("everybody", tokens, now_s)


class OneClock(Limiter):
    """One time of the last call for all tenants: whoever asks stops the others' inflow."""

    def filled(self, tenant, now_s):
        self.told_s[tenant] = max(self.told_s.values(), default=now_s)
        return super().filled(tenant, now_s)


class CountsRequests(Limiter):
    """Each request costs one."""

    def allow(self, tenant, tokens, now_s):
        return tokens <= self.burst and super().allow(tenant, 1, now_s)


class NeverTheLast(Limiter):
    """What is exactly there is refused."""

    def enough(self, tokens, level):
        return tokens < level


class TakesWhatThereIs(Limiter):
    """A refused request empties the bucket."""

    def allow(self, tenant, tokens, now_s):
        allowed = super().allow(tenant, tokens, now_s)
        if not allowed:
            self.levels[tenant] = 0
        return allowed


class GoesIntoDebt(Limiter):
    """A refused request is charged all the same."""

    def allow(self, tenant, tokens, now_s):
        allowed = super().allow(tenant, tokens, now_s)
        if not allowed:
            self.levels[tenant] -= tokens
        return allowed


class NeverFull(Limiter):
    """What flows in is kept without limit."""

    def filled(self, tenant, now_s):
        burst, self.burst = self.burst, float("inf")
        self.levels.setdefault(tenant, burst)
        level = super().filled(tenant, now_s)
        self.burst = burst
        return level


class NeverRefills(Limiter):
    def gained(self, seconds):
        return 0


class WholeSeconds(Limiter):
    """Counts finished seconds and forgets the rest."""

    def gained(self, seconds):
        return super().gained(int(seconds))


class WholeTokens(Limiter):
    """Rounds what has flowed in down to whole tokens."""

    def gained(self, seconds):
        return int(super().gained(seconds))


class SlidingLog(Limiter):
    """Adds up what was allowed in the last burst / rate seconds; nothing flows in until then."""

    def __init__(self, rate, burst):
        super().__init__(rate, burst)
        self.log = []

    def filled(self, tenant, now_s):
        now_s = max(now_s, self.told_s.get(tenant, now_s))
        self.told_s[tenant] = now_s
        since_s = now_s - self.burst / self.rate
        spent = sum(n for who, at_s, n in self.log if who == tenant and at_s > since_s)
        self.levels[tenant] = self.burst - max(0, spent)
        return self.levels[tenant]

    def allow(self, tenant, tokens, now_s):
        allowed = super().allow(tenant, tokens, now_s)
        self.log += [(tenant, self.told_s[tenant], tokens)] * allowed
        return allowed

    def refund(self, tenant, tokens, now_s):
        self.filled(tenant, now_s)
        self.log.append((tenant, self.told_s[tenant], -tokens))


class FixedWindows(Limiter):
    """A window of burst / rate seconds, and everybody begins anew when it ends."""

    def filled(self, tenant, now_s):
        before_s = self.told_s.get(tenant, now_s)
        self.told_s[tenant] = max(before_s, now_s)
        old, new = (t * self.rate // self.burst for t in (before_s, self.told_s[tenant]))
        self.levels[tenant] = self.levels.get(tenant, self.burst) if old == new else self.burst
        return self.levels[tenant]


class ForgetsTheRefused(Limiter):
    """A refusal moves the clock and not the level: who asks often gets nothing."""

    def allow(self, tenant, tokens, now_s):
        before = self.levels.get(tenant, self.burst)
        allowed = super().allow(tenant, tokens, now_s)
        if not allowed:
            self.levels[tenant] = before
        return allowed


class AlwaysATick(Limiter):
    """Takes at least a second to have passed."""

    def gained(self, seconds):
        return super().gained(seconds or 1)

    def filled(self, tenant, now_s):
        if tenant not in self.levels:
            self.levels[tenant], self.told_s[tenant] = self.burst, now_s
            return self.burst
        return super().filled(tenant, now_s)


class RunsBackwards(Limiter):
    """A clock that goes back takes tokens out."""

    def filled(self, tenant, now_s):
        before_s = self.told_s.get(tenant, now_s)
        level = self.levels.get(tenant, self.burst)
        self.told_s[tenant] = now_s
        self.levels[tenant] = min(self.burst, level + self.gained(now_s - before_s))
        return self.levels[tenant]


class PaysTwice(Limiter):
    """Goes back with the clock, and pays for the same seconds again."""

    def filled(self, tenant, now_s):
        level = super().filled(tenant, now_s)
        self.told_s[tenant] = now_s
        return level


class WaitsForAll(Limiter):
    """Waits as if the bucket were empty."""

    def wait(self, tenant, tokens, now_s):
        wait_s = super().wait(tenant, tokens, now_s)
        return wait_s and tokens / self.rate


class WaitsBelowZero(Limiter):
    """Where nobody has to wait it says for how long not."""

    def wait(self, tenant, tokens, now_s):
        if tokens > self.burst:
            return None
        return (tokens - self.filled(tenant, now_s)) / self.rate


class AskingTakes(Limiter):
    """Who asks how long has taken the tokens."""

    def wait(self, tenant, tokens, now_s):
        wait_s = super().wait(tenant, tokens, now_s)
        if wait_s is not None:
            self.levels[tenant] = max(0, self.levels[tenant] - tokens)
        return wait_s


class PromisesTheImpossible(Limiter):
    """Names a time for a request that no full bucket can pay."""

    def wait(self, tenant, tokens, now_s):
        return max(0, tokens - self.filled(tenant, now_s)) / self.rate


class LetsTheLargeThrough(Limiter):
    """A full bucket is enough for anything; what is missing stays as a debt."""

    def enough(self, tokens, level):
        return min(tokens, self.burst) <= level


class LargeEmptiesIt(Limiter):
    """A full bucket is enough for anything, and is empty then."""

    def allow(self, tenant, tokens, now_s):
        return super().allow(tenant, min(tokens, self.burst), now_s)


class KeepsTheRest(Limiter):
    def refund(self, tenant, tokens, now_s):
        self.filled(tenant, now_s)


class RefundsWithoutEnd(Limiter):
    """More comes back than the bucket holds."""

    def refund(self, tenant, tokens, now_s):
        self.levels[tenant] = self.filled(tenant, now_s) + tokens

    def filled(self, tenant, now_s):
        above = max(0, self.levels.get(tenant, 0) - self.burst)
        level = super().filled(tenant, now_s)
        self.levels[tenant] = level + above
        return level + above


class RefundStopsTheFlow(Limiter):
    """The time of the refund is noted, and what has flowed in until then is not."""

    def refund(self, tenant, tokens, now_s):
        before = self.levels.get(tenant, self.burst)
        self.filled(tenant, now_s)
        self.levels[tenant] = min(self.burst, before + tokens)


class RefundFillsUp(Limiter):
    """A refund makes a bucket full."""

    def refund(self, tenant, tokens, now_s):
        self.filled(tenant, now_s)
        self.levels[tenant] = self.burst


class RefundSetsTheClockBack(Limiter):
    """Notes the time of a refund even if it lies before one that was told."""

    def refund(self, tenant, tokens, now_s):
        super().refund(tenant, tokens, now_s)
        self.told_s[tenant] = now_s


class WaitsByAnotherClock(Limiter):
    """Counts a wait from the time that was told, and the tokens from the latest."""

    def wait(self, tenant, tokens, now_s):
        behind_s = max(0, self.told_s.get(tenant, now_s) - now_s)
        wait_s = super().wait(tenant, tokens, now_s)
        return wait_s + behind_s if wait_s else wait_s


class StrangersNeverWait(Limiter):
    """Whoever has no bucket yet may come now, with whatever."""

    def wait(self, tenant, tokens, now_s):
        return super().wait(tenant, tokens, now_s) if tenant in self.levels else 0
