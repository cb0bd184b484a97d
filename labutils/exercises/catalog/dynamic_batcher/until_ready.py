"""batcher.until_ready · When a batch leaves · 9 minutes

> Two reasons to leave: the line holds max_batch tickets, or the first ticket in it is due.
  Otherwise wait, and look again: whatever woke you, things may have changed.
> `self.waiting` is sorted by `due_s`. `await self.news(until_s=moment)` wakes you when somebody
  comes, or at that moment; `until_s=None` waits for somebody to come.
> while len(self.waiting) < self.max_batch: due_s = self.waiting[0].due_s if self.waiting else None;
  if it is not None and due_s <= self.now(): return; await self.news(until_s=due_s).

A deadline is a moment, fixed on arrival: `arrival + patience`, on a clock that cannot jump. It
needs no timer of its own and cannot begin anew. A window that starts when the loop looks adds the
length of the batch before it to everybody's wait. And there is nothing to poll for: things change
when somebody comes or when the first is due, and one wait covers both. Since something else may
have happened by the time you wake (a hang-up!), the condition is asked again: hence `while`, not
`if`.
"""

from labutils.exercises.checkers import Rehearsals
from labutils.exercises.definition.patched import patched
from labutils.exercises.definition.sheet import exercise
from labutils.serving.batcher.dynamic_batcher import DynamicBatcher

from . import queue_stories as stories

_MISTAKES = """
window-from-the-look: Your window begins when your code looks at the line. When did the oldest
    request begin to wait?
- while len(self.waiting) < self.max_batch:
-     due_s = self.waiting[0].due_s if self.waiting else None
+ while not self.waiting:
+     await self.news(until_s=None)
+ begins_s = self.now()
+ while len(self.waiting) < self.max_batch:
+     due_s = begins_s + self.window_s if self.waiting else None

window-from-the-newest: Every newcomer makes the others wait longer. Whose patience ends first?
- self.waiting[0].due_s
+ max(ticket.due_s for ticket in self.waiting)

sleeps-a-window: You sleep for a window from the moment at which you look, and hear nothing
    meanwhile. The oldest may be due sooner, and the batch may be full: what wakes you then?
- while len(self.waiting) < self.max_batch:
- ...
+ while not self.waiting:
+     await self.news(until_s=None)
+ await asyncio.sleep(self.window_s)

never-waits: You leave as soon as anybody is there. What is the window for?
- while len(self.waiting) < self.max_batch:
- ...
+ while not self.waiting:
+     await self.news(until_s=None)

goes-at-any-news: Something woke your code, and the batch left. Somebody came: is it full now, or is
    anybody due?
- while len(self.waiting) < self.max_batch:
- ...
+ while not self.waiting:
+     await self.news(until_s=None)
+ if len(self.waiting) < self.max_batch and self.waiting[0].due_s > self.now():
+     await self.news(until_s=self.waiting[0].due_s)

goes-at-the-first-news: Something woke your code, and the batch left. Somebody came: is it full now,
    or is anybody due?
- while len(self.waiting) < self.max_batch:
+ if len(self.waiting) < self.max_batch:

waits-for-full: You wait until the batch is full. In a quiet night that takes until morning.
- due_s = self.waiting[0].due_s if self.waiting else None
+ due_s = None

wakes-for-newcomers-alone: You wait for somebody to come, and nothing wakes you when the first is
    due. Which two things can `news` wait for?
- await self.news(until_s=due_s)
+ await self.news(until_s=None)

counts-to-the-number: You leave when exactly `max_batch` wait. While a batch is computed more can
    come than that: what does your test say of a line that is longer?
- while len(self.waiting) < self.max_batch:
+ while len(self.waiting) != self.max_batch:

one-too-many: A batch is full, and you wait for one more. Is `max_batch` the last size that fits, or
    the first that does not?
- while len(self.waiting) < self.max_batch:
+ while len(self.waiting) <= self.max_batch:

always-waits: You wait for the window although the batch is full. What could still get better?
- while len(self.waiting) < self.max_batch:
+ while True:

due-read-once: You ask once when the first ticket is due. A more urgent one may come while you wait:
    which ticket stands first *now*?
- while len(self.waiting) < self.max_batch:
- ...
+ while not self.waiting:
+     await self.news(until_s=None)
+ due_s = self.waiting[0].due_s
+ while len(self.waiting) < self.max_batch and due_s > self.now():
+     await self.news(until_s=due_s)

due-of-the-oldest: You wait for the request that came first. A newer one may have less patience:
    which ticket stands first?
- self.waiting[0].due_s
+ min(self.waiting, key=lambda ticket: ticket.arrival_s).due_s

keeps-a-deadline: Somebody hung up, and you keep that deadline. Which ticket stands first *now*?
- while len(self.waiting) < self.max_batch:
-     due_s = self.waiting[0].due_s if self.waiting else None
+ due_s = None
+ while len(self.waiting) < self.max_batch:
+     if self.waiting:
+         due_s = min(self.waiting[0].due_s, due_s or self.waiting[0].due_s)

window-for-all: You count one window for everybody. A ticket may say itself when it is due.
- self.waiting[0].due_s
+ min(ticket.arrival_s for ticket in self.waiting) + self.window_s

window-for-the-first: You count one window from the first ticket's arrival. It may say itself when
    it is due.
- self.waiting[0].due_s
+ self.waiting[0].arrival_s + self.window_s

polls: You look every millisecond, so you are late by up to one, and busy when nobody is there. What
    can you wait *for*?
- await self.news(until_s=due_s)
+ await asyncio.sleep(0.001)
"""

UNTIL_READY = exercise(
    __doc__,
    Rehearsals(
        stories=(
            stories.QUIET_NIGHT,
            stories.AFTER_A_LONG_BATCH,
            stories.RUSH,
            stories.RUSH_AT_A_BUSY_MACHINE,
            stories.IMPATIENT,
            stories.HURRIED_ALONE,
            stories.FIRST_HANGS_UP,
        ),
        reference=DynamicBatcher,
        method="until_ready",
        misconceptions=patched(DynamicBatcher.until_ready, _MISTAKES),
    ),
)
