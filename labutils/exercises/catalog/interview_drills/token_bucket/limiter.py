"""interview.limiter · A limiter that counts tokens · 20 minutes, optional

> Two numbers a tenant: a level, and the time for which it is true. Nothing flows between calls;
  every call first brings both up to date, and only then does what it is asked.
> Bring up to date: the time becomes the later of what it was and what you are told; the level grows
  by rate × the difference, up to burst. A stranger's bucket is full. A refusal changes nothing
  else.
> allow: False if tokens > level, else level -= tokens. wait: None if tokens > burst, else max(0,
  tokens - level) / rate. refund: level = min(burst, level + tokens).

A bucket needs no timer: *a level, and the time for which it is true*. Each call first moves both,
by the same difference; whoever moves one of them alone loses or invents tokens. The burst says how
much may come at once, the rate how much in the long run: within t seconds at most burst + rate × t,
from whatever moment you count. A window that begins anew admits twice its limit around the turn.

A request that is larger than the bucket never fits, so it hears *never* (400), and not 429 with a
time at which it is refused again. What an answer will cost is not known at the door: take the
prompt and the longest answer, give back what was not used. Time comes from outside, since clocks of
several servers differ; a clock that is behind must neither drain a bucket nor pay twice.

*Then they ask:* and on five servers? (each its share, or one store with a script that reads and
writes at once, or leases of tokens: what can be overspent in each?) A hundred thousand tenants?
(drop full buckets: a stranger's is full, too.) Reserve 4,096 tokens for answers of 300? (most of
the bucket is then held by what is never made: reserve the tenant's own p95, and settle.) Two
limits, per minute and per day? (two buckets, and take from both or from none.)
"""

from labutils.exercises.checkers import Stories
from labutils.exercises.definition.sheet import exercise
from labutils.laws.capacity.limiter import Limiter

from .limiter_stories import STORIES
from .wrong_limiters import MISTAKES

LIMITER = exercise(__doc__, Stories(stories=STORIES, reference=Limiter, misconceptions=MISTAKES))
