"""Limiters that do not survive the stories of the code drill, each by one mistake."""

from labutils.exercises.definition.patched import patched
from labutils.laws.capacity.limiter import Limiter

_SHEET = """
starts-empty: A new tenant finds an empty bucket. What did the interviewer say of the first burst?
- level = self.levels.get(tenant, self.burst)
+ level = self.levels.get(tenant, 0)

counts-requests: A long request costs as much as a short one. What does the bucket hold?
- level = self.filled(tenant, now_s)
+ if tokens > self.burst:
+     return False
+ tokens, level = 1, self.filled(tenant, now_s)

never-the-last: Who asks for exactly what is there is refused. Would anything be owed?
- tokens <= level
+ tokens < level

one-for-all: Tenants draw from the same bucket. Whose limit is it?
- level = self.filled(tenant, now_s)
+ tenant = "everybody"
+ level = self.filled(tenant, now_s)
- self.levels[tenant] = min(self.burst, self.filled(tenant, now_s) + tokens)
+ tenant = "everybody"
+ self.levels[tenant] = min(self.burst, self.filled(tenant, now_s) + tokens)
- before_s = self.told_s.get(tenant, now_s)
+ tenant = "everybody"
+ before_s = self.told_s.get(tenant, now_s)

one-clock: One tenant's call stops the inflow of another. Whose time did you note?
- before_s = self.told_s.get(tenant, now_s)
+ before_s = max(self.told_s.values(), default=now_s)

latest-of-all: One tenant's clock, which is ahead, fills another one's bucket. Whose latest time
    counts?
- self.told_s[tenant] = max(before_s, now_s)
+ self.told_s[tenant] = max([before_s, now_s, *self.told_s.values()])

takes-what-there-is: A refused request empties the bucket. What must have changed after False?
= if not self.enough(tokens, level):
+     self.levels[tenant] = 0

goes-into-debt: A refused request is charged. What did that client receive?
= if not self.enough(tokens, level):
+     self.levels[tenant] -= tokens

never-refills: Nothing flows in. How many tokens have come since the last call?
- return self.rate * seconds
+ return 0

whole-seconds: Parts of a second bring nothing, and are lost. How many are there at eight calls in
    one?
- return self.rate * seconds
+ return self.rate * int(seconds)

whole-tokens: Parts of a token are lost at each call. How many calls come while one flows in?
- return self.rate * seconds
+ return int(self.rate * seconds)

sliding-log: What was taken comes back all at once when it is old enough. How does a bucket fill?
= self.levels, self.told_s = {}, {}
+ self.log = []
- self.levels[tenant] = level - tokens
+ self.log.append((tenant, self.told_s[tenant], tokens))
- self.levels[tenant] = min(self.burst, self.filled(tenant, now_s) + tokens)
+ self.filled(tenant, now_s)
+ self.log.append((tenant, self.told_s[tenant], -tokens))
- before_s = self.told_s.get(tenant, now_s)
- ...
+ now_s = self.told_s[tenant] = max(now_s, self.told_s.get(tenant, now_s))
+ since_s = now_s - self.burst / self.rate
+ spent = sum(n for who, at_s, n in self.log if who == tenant and at_s > since_s)
+ self.levels[tenant] = self.burst - max(0, spent)
+ return self.levels[tenant]

forgets-the-refused: A refusal moves the clock, and what had flowed in until then is gone. Which two
    numbers change together?
- level = self.filled(tenant, now_s)
- if not self.enough(tokens, level):
+ before, level = self.levels.get(tenant, self.burst), self.filled(tenant, now_s)
+ if not self.enough(tokens, level):
+     self.levels[tenant] = before

never-full: An idle tenant saves up more than a burst. What is the most that a bucket holds?
- min(self.burst, level + self.gained(self.told_s[tenant] - before_s))
+ level + self.gained(self.told_s[tenant] - before_s)

fixed-windows: You count in windows that all begin anew. What may somebody send just before the
    turn, and just after?
- level = self.levels.get(tenant, self.burst)
- self.levels[tenant] = min(self.burst, level + self.gained(self.told_s[tenant] - before_s))
+ old, new = (t * self.rate // self.burst for t in (before_s, self.told_s[tenant]))
+ self.levels[tenant] = self.levels.get(tenant, self.burst) if old == new else self.burst

waits-for-all: You wait for all tokens of the request. How many are there already?
- return max(0, tokens - self.filled(tenant, now_s)) / self.rate
+ return tokens / self.rate if tokens > self.filled(tenant, now_s) else 0.0

never-a-whole-burst: You say never to a request of exactly a burst. A full bucket holds that many.
- if tokens > self.burst:
+ if tokens >= self.burst:

waits-in-whole-seconds: You round the wait up to whole seconds. Parts of a second count.
- return max(0, tokens - self.filled(tenant, now_s)) / self.rate
+ return -(-max(0, tokens - self.filled(tenant, now_s)) / self.rate // 1)

a-moment-for-a-wait: You name the moment at which it may come. Asked for are the seconds until then.
- return max(0, tokens - self.filled(tenant, now_s)) / self.rate
+ wait_s = max(0, tokens - self.filled(tenant, now_s)) / self.rate
+ return wait_s and self.told_s[tenant] + wait_s

waits-below-zero: A wait is negative. What shall the header say to somebody who may come now?
- max(0, tokens - self.filled(tenant, now_s))
+ (tokens - self.filled(tenant, now_s))

asking-takes: `wait` takes the tokens. Who has received anything?
- return max(0, tokens - self.filled(tenant, now_s)) / self.rate
+ level = self.filled(tenant, now_s)
+ self.levels[tenant] = max(0, level - tokens)
+ return max(0, tokens - level) / self.rate

promises-the-impossible: You name a time for a request that is larger than the bucket. Will it be
    True then?
- if tokens > self.burst:
-     return None

strangers-never-wait: A tenant that was not seen yet may come now, however much it asks for. What
    does its bucket hold?
- if tokens > self.burst:
+ if tenant not in self.levels:
+     return 0
+ if tokens > self.burst:

large-goes-through: A request larger than the bucket goes through, and leaves a debt. What is the
    burst for?
- tokens <= level
+ min(tokens, self.burst) <= level

large-empties: A request larger than the bucket goes through at the price of a full one. Who pays
    the rest?
- level = self.filled(tenant, now_s)
+ tokens, level = min(tokens, self.burst), self.filled(tenant, now_s)

always-a-tick: Tokens flow in while the clock stands still. How much time is 0 seconds?
- before_s = self.told_s.get(tenant, now_s)
+ if tenant not in self.levels:
+     self.levels[tenant], self.told_s[tenant] = self.burst, now_s
+     return self.burst
+ before_s = self.told_s.get(tenant, now_s)
- return self.rate * seconds
+ return self.rate * (seconds or 1)

runs-backwards: A clock that is behind takes tokens out of the bucket. How long was the time since
    the last call, at least?
- self.told_s[tenant] = max(before_s, now_s)
+ self.told_s[tenant] = now_s

pays-twice: After a clock that was behind, the same seconds are paid again. Which time do you keep?
- return self.levels[tenant]
+ self.told_s[tenant] = now_s
+ return self.levels[tenant]

waits-by-another-clock: A server whose clock is behind is told to wait for longer. Which time counts
    for `wait`?
- return max(0, tokens - self.filled(tenant, now_s)) / self.rate
+ behind_s = max(0, self.told_s.get(tenant, now_s) - now_s)
+ wait_s = max(0, tokens - self.filled(tenant, now_s)) / self.rate
+ return wait_s + behind_s if wait_s else wait_s

keeps-the-rest: What was given back is not in the bucket.
- self.levels[tenant] = min(self.burst, self.filled(tenant, now_s) + tokens)
+ self.filled(tenant, now_s)

refunds-without-end: After a refund the bucket holds more than a burst. Has anything else filled it
    meanwhile?
- min(self.burst, self.filled(tenant, now_s) + tokens)
+ self.filled(tenant, now_s) + tokens
- self.levels[tenant] = min(self.burst, level + self.gained(self.told_s[tenant] - before_s))
+ above, gained = max(0, level - self.burst), self.gained(self.told_s[tenant] - before_s)
+ self.levels[tenant] = min(self.burst, level + gained) + above

refund-stops-the-flow: A refund notes its time, and what had flowed in until then is lost.
- self.levels[tenant] = min(self.burst, self.filled(tenant, now_s) + tokens)
+ before = self.levels.get(tenant, self.burst)
+ self.filled(tenant, now_s)
+ self.levels[tenant] = min(self.burst, before + tokens)

refund-sets-the-clock-back: A refund comes from a server whose clock is behind, and the same seconds
    are paid again. Which time do you keep?
= self.levels[tenant] = min(self.burst, self.filled(tenant, now_s) + tokens)
+ self.told_s[tenant] = now_s

refund-without-its-time: A refund tells the time as well, and the next server's clock may be behind
    it. What had flowed in until then?
- self.levels[tenant] = min(self.burst, self.filled(tenant, now_s) + tokens)
+ self.levels[tenant] = min(self.burst, self.levels.get(tenant, self.burst) + tokens)

refund-fills-up: A refund fills the bucket. How much came back?
- self.levels[tenant] = min(self.burst, self.filled(tenant, now_s) + tokens)
+ self.filled(tenant, now_s)
+ self.levels[tenant] = self.burst
"""

MISTAKES = patched(Limiter, _SHEET)
