"""scheduler.decode · A token for every decode · 5 minutes

> Three questions before a single page is taken: which requests decode, which of them need a page
  for their token, and are there that many free pages?
> A request decodes if `to_compute == 1`; it needs a page if `known > room`. While more need one
  than `self.pool.num_free`, call `self._preempt(plan)`, and take the request that it returns out of
  both lists. Then grow, then plan.
> decoding: those of self.running with to_compute == 1; growing: those of them with known > room.
  while len(growing) > self.pool.num_free: newest = self._preempt(plan), and both lists without it.
  Then self.pool.grow(request) for each that grows, and plan.chunks.extend((one, 1) for one in
  decoding).

All is counted before anything is taken, so no page is taken for a request that is preempted a line
later. And while one request after the other gives way, those that are left need fewer pages: each
has to leave both lists. The decodes come before the prompts, and each costs one token of the
budget, so no answer ever stalls for a long prompt.
"""

from labutils.exercises.definition.sheet import exercise

from .small_loads import READS_ITS_PROMPT, piece_of_scheduler, unlike_loads

# When all must go first, what the newest gives back is blank: no page of the shared beginning is
# evicted, and r3 finds it when it comes back.
_SHARED = ([("r1", 1, 4, 2), ("r2", 1, 5, 6), ("r3", 4, 4, 2)], 4, 9, 7, True, "like prompts")


def grows_as_it_goes(self, plan):
    for request in list(self.running):
        while request.to_compute == 1 and request.known > request.room:
            if self.pool.num_free:
                self.pool.grow(request)
            elif self._preempt(plan) is request:
                break
        if request.to_compute == 1 and request in self.running:
            plan.chunks.append((request, 1))


# Who has ended, which is told late, needs no page any more.
_ENDED_AND_FULL = [("r1", 1, 2, 4), ("r2", 1, 2, 5), ("r3", 1, 1, 2)], 5, 13, 4, True, "late ends"

_MISTAKES = """
full-answers-need-pages: You count requests that compute nothing in this step: a full answer needs
    no page any more. Only those that decode ask for one.
- while len(growing) > self.pool.num_free:
+ while sum(one.known > one.room for one in self.running) > self.pool.num_free:

keeps-one-page-always: You preempt although the pages just suffice. May the pool be empty?
- while len(growing) > self.pool.num_free:
+ while len(growing) >= self.pool.num_free:

preempted-must-decode: The newest may be reading its prompt. Then it stands in no list of those that
    decode, and cannot be removed from one.
- decoding = [one for one in decoding if one is not newest]
+ decoding.remove(newest)

a-page-too-soon: A request gets a page while its last one has room for this token. When is the room
    too small?
- growing = [one for one in decoding if one.known > one.room]
+ growing = [one for one in decoding if one.known >= one.room]

cut-prompts-decode: A prompt that was cut gets a single token here. Which requests have exactly one
    to compute?
- decoding = [one for one in self.running if one.to_compute == 1]
+ decoding = [one for one in self.running if one.to_compute >= 1]

counts-the-missing-once: You preempt as many requests as pages are missing. Each gives back what it
    holds, and may want a page less: count again after each.
- while len(growing) > self.pool.num_free:
+ for _ in range(len(growing) - self.pool.num_free):

full-answers-decode: An answer that is full computes on. With nothing to compute a request waits for
    its `finish`.
- decoding = [one for one in self.running if one.to_compute == 1]
+ decoding = [one for one in self.running if one.to_compute <= 1]

keeps-one-page: You preempt while a page is free. May the pool be empty?
- while len(growing) > self.pool.num_free:
+ while len(growing) > max(0, self.pool.num_free - 1):

nobody-gives-way: A page is taken that is not there: nobody asked, and nobody gave way. Count the
    pages that this step needs before you take the first.
- while len(growing) > self.pool.num_free:
+ while False:

no-page-for-the-token: A request computes a token for which it has no room: its last page is full,
    and no other was taken.
- self.pool.grow(request)
+ pass

a-page-for-everybody: Every decode takes a page in every step. Which ones have filled their last
    page?
- growing = [one for one in decoding if one.known > one.room]
+ growing = [one for one in decoding ]

one-is-enough: You preempt one request at most. Are there enough pages even then?
- while len(growing) > self.pool.num_free:
+ if len(growing) > self.pool.num_free:

preempted-and-planned: A preempted request is still in the plan: it would compute a token without
    memory. `_preempt` returns it. Plan after the last preemption, without it.
- decoding = [one for one in decoding if one is not newest]

counts-the-preempted: A preempted request needs no page any more, and still you count it.
- growing = [one for one in growing if one is not newest]
+ growing = growing[:]

ignores-who-went: You do not use what `_preempt` returns: a preempted request is still in your
    lists, so it counts, takes a page and is planned.
- decoding = [one for one in decoding if one is not newest]
- growing = [one for one in growing if one is not newest]

grows-as-it-goes: Pages are taken before all that must go have gone: pages that could be found are
    evicted, though the newest is about to give some back. Preempt all that must go before the first
    `grow`.
- decoding = [one for one in self.running if one.to_compute == 1]
- ...
+ for request in list(self.running):
+     while request.to_compute == 1 and request.known > request.room:
+         if self.pool.num_free:
+             self.pool.grow(request)
+         elif self._preempt(plan) is request:
+             break
+     if request.to_compute == 1 and request in self.running:
+         plan.chunks.append((request, 1))
"""

DECODE = exercise(
    __doc__,
    piece_of_scheduler(
        _MISTAKES,
        "_decode",
        inputs=unlike_loads,
        always=(_SHARED, _ENDED_AND_FULL, READS_ITS_PROMPT),
    ),
)
