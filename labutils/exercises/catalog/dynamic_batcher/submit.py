"""batcher.submit · The front door · 10 minutes

> In order: is there room? When is this one due? Into the queue; wait for the answer; and if the
  wait is cancelled, out of the queue again.
> Room: compare `len(self.waiting)` with `self.max_waiting`, and raise `Overloaded(...)`. Due:
  `self.now()` plus the patience, which is `self.window_s` unless one was given.
> ticket = Ticket(item, arrival_s, due_s, asyncio.Future()); self.line_up(ticket); try: return await
  ticket.answer; except asyncio.CancelledError: self.forget(ticket); raise.

The front door keeps three promises. *Time*: the arrival is stamped here, before anything can delay
it. *Room*: a queue of bounded length bounds the wait of those in it, and an immediate refusal is an
answer with which a client can do something (go elsewhere, come back later, show a shorter page);
that is back-pressure. The bound follows from Little's law: patience times throughput. *Leaving*:
asyncio cancels the future that somebody awaits; the ticket in the queue is yours to remove.
"""

from labutils.exercises.checkers import Rehearsals
from labutils.exercises.definition.patched import patched
from labutils.exercises.definition.sheet import exercise
from labutils.serving.batcher.dynamic_batcher import DynamicBatcher

from . import queue_stories as stories
from .batch_stories import CLOSED_BROWSER

_MISTAKES = """
takes-everybody: You let everybody in. How long does the last one in an endless queue wait?
- if len(self.waiting) >= self.max_waiting:
-     raise Overloaded(f"{len(self.waiting)} requests wait already")

counts-the-running: You count the requests whose batch is running. Do they still take room in the
    queue?
- if len(self.waiting) >= self.max_waiting:
+ if len(self.waiting) + len(self.running) >= self.max_waiting:

one-too-many: One more gets in than there is room for.
- if len(self.waiting) >= self.max_waiting:
+ if len(self.waiting) > self.max_waiting:

refuses-who-is-in: You refuse a request that stands in the queue already: it takes room, and is
    computed for nobody. When should you ask for room?
- if len(self.waiting) >= self.max_waiting:
+ if False:
- self.line_up(ticket)
+ self.line_up(ticket)
+ if len(self.waiting) > self.max_waiting:
+     raise Overloaded("no room")

waits-for-room: You let requests wait for room. That is a second queue, without an end and without
    order.
- if len(self.waiting) >= self.max_waiting:
-     raise Overloaded(f"{len(self.waiting)} requests wait already")
+ while len(self.waiting) >= self.max_waiting:
+     await asyncio.sleep(0.001)

drops-the-oldest: You throw out the request that has waited longest. Which one can still go
    elsewhere without loss?
- raise Overloaded(f"{len(self.waiting)} requests wait already")
+ oldest = min(self.waiting, key=lambda ticket: ticket.arrival_s)
+ self.forget(oldest)
+ oldest.answer.set_exception(Overloaded("made room for another"))

stays-in-the-queue: A request whose client has hung up stays in the queue: it takes room, and is
    computed for nobody.
- self.forget(ticket)

swallows-the-cancel: You catch the cancellation and go on. Whoever cancelled is told that it worked;
    raise it again.
- self.forget(ticket)
- raise
+ self.forget(ticket)

one-window-for-all: You give everybody the batcher's window. Some bring a patience of their own.
- patience_s = self.window_s if patience_s is None else patience_s
+ patience_s = self.window_s

no-patience-is-none: You take a patience of 0 for none given. What does `or` make of a zero?
- self.window_s if patience_s is None else patience_s
+ patience_s or self.window_s

at-the-end-of-the-queue: You put every ticket at the end. The queue is sorted by urgency, and others
    rely on it: which method keeps it so?
- self.line_up(ticket)
+ self.waiting.append(ticket)
+ self.tell()

at-the-end-untold: You put every ticket at the end, and the loop hears nothing of it. Which method
    keeps the queue sorted and tells?
- self.line_up(ticket)
+ self.waiting.append(ticket)

removes-what-runs: Somebody hung up whose batch was in work already, and your code ended in another
    error: it stood in the queue no more. Which method copes with that?
- self.forget(ticket)
+ self.waiting.remove(ticket)

another-clock: You stamp the arrival by another clock. The loop compares with its own: `self.now()`.
- arrival_s = self.now()
+ import time
+
+ arrival_s = time.time()

returns-the-refusal: You return the refusal, and the client takes it for its answer. How does an
    error reach somebody who awaits?
- raise Overloaded(f"{len(self.waiting)} requests wait already")
+ return Overloaded(f"{len(self.waiting)} requests wait already")

refuses-by-another-name: You refuse with an error of another class. A client comes back later for
    one of them alone: which?
- raise Overloaded(
+ raise ValueError(

a-patience-for-a-moment: Your ticket is due at its patience, and a deadline is a moment: from when
    on does a request wait?
- arrival_s + patience_s
+ patience_s

returns-the-future: You return the future, and the client takes it for its answer. Who awaits it?
- return await ticket.answer
+ return ticket.answer

gives-up-itself: Your code gives the request up when its patience is over. Patience is for company
    in the batch: what happens at that moment instead?
- return await ticket.answer
+ return await asyncio.wait_for(ticket.answer, patience_s)
"""

SUBMIT = exercise(
    __doc__,
    Rehearsals(
        stories=(
            stories.FLOOD,
            stories.GIVES_UP,
            stories.IN_A_HURRY,
            stories.IMPATIENT,
            stories.AT_ONCE,
            CLOSED_BROWSER,
        ),
        reference=DynamicBatcher,
        method="submit",
        misconceptions=patched(DynamicBatcher.submit, _MISTAKES),
    ),
)
