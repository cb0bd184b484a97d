"""batch.repair · A batcher that loses nobody · 10 minutes

> Take the stories one at a time. The line holds (name, arrival in ms): the arrival of the oldest is
  all that the window needs, and `since_ms` can go.
> `next_batch`: full, or the oldest has waited window_ms. `deliver`: compare the two lengths first;
  skip who is in `self.gone`. `submit`: compare the line with max_waiting first.
> `late = self.waiting and now_ms >= self.waiting[0][1] + self.window_ms`; with another number of
  results, everybody in `self.running` gets "failed"; `if name not in self.gone` before `resolve`;
  and `self.resolve(name, "refused")` when the line is full.

Four faults, all of them found in a batcher that is in circulation. *The window* belongs to the
request, not to the loop: a deadline counted from arrival, on a monotonic clock that is handed in,
cannot begin anew, and can be tested without waiting. *A model* that returns another number of
results has broken its contract: `zip` hides that, and only failing everybody is honest. *A caller*
who hangs up is an everyday event; an exception for one of a batch must not end the delivery to the
others. *A line* without an end turns a flood into an outage for everyone. The same faults in
`asyncio` are worth a test each.
"""

from labutils.exercises.checkers import Stories
from labutils.exercises.definition.sheet import exercise, mistakes_in

from . import batchers
from .batchers import Wrong
from .sweep_stories import STORIES

REPAIR = exercise(
    __doc__,
    Stories(
        stories=STORIES,
        reference=batchers.OneMachine,
        start=batchers.HandedOut,
        misconceptions=mistakes_in(Wrong),
    ),
)
