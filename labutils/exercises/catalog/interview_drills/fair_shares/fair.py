"""interview.fair · A scheduler that is fair by tokens · 25 minutes, optional

> A number per tenant says what it was served. Three events move it: a request starts, tokens are
  made, a tenant becomes active. Write these three, and `pick` is a minimum.
> A tenant becomes active with a request while it has none that waits or runs. Then its counter is
  the larger one of its own and the lowest of those who are active; if nobody is, of the tenant
  whose request ended last.
> submit: if tenant not in active(): counters[tenant] = max(own, floor). pick: min(ready,
  key=counters.get) over a dict keeps the order in which tenants were seen; charge prompt_price ×
  tokens / weight. made: answer_price × tokens / weight. done: remember whose it was.

This is the virtual token counter of Sheng et al. (OSDI 2024), small enough for a whiteboard. It
charges what was *served*, when it is served: answers are as long as they become, and nobody has to
guess. It wastes nothing: whoever waits is served while others do not ask. And two tenants that both
always wait stay within one request's charge of each other.

The lift makes it fair over time. Without it an idle hour is credit, and whoever comes back has the
machine until the debt is paid; lifted to the highest instead of the lowest, it waits for everybody.
It only lifts: a counter that falls would reward going away for a moment. An empty machine needs a
rule of its own, or the first who comes in the morning sets the clock to zero and last night's
tenants starve.

One rule here is simpler than the paper's, and weaker. Here whoever waits *or runs* is active;
there, whoever has a request in the queue. So here a tenant with one long answer at work is never
lifted: it falls behind while others are served, comes back with a burst and takes the machine until
it has caught up. The paper's bound, that two tenants who both wait are never served very
differently, holds for its own rule alone (`TokenCounters` in the course has that one).

*Then they ask:* which prices? (what a token takes of the device: 1 to 2 or 1 to 5, and more behind
a long context.) A million tenants? (a heap of those who wait; the lift needs its minimum.) Who
holds the memory meanwhile? (pages need a limit of their own.) Caches? (the fairest next request may
be cold: allow a debt, and serve by prefix within it.) Several replicas? (counters in one place, or
a counter each and a router that spreads every tenant.) How is it measured? (the largest difference
of counters between two tenants that both wait.)
"""

from labutils.exercises.checkers import Stories
from labutils.exercises.definition.sheet import exercise

from .fair_stories import STORIES
from .schedulers import Fair
from .wrong_schedulers import MISTAKES

FAIR = exercise(__doc__, Stories(stories=STORIES, reference=Fair, misconceptions=MISTAKES))
