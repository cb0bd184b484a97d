"""Methods for the queue (until_ready, submit) that each make one mistake."""

import asyncio

from labutils.serving.batcher.dynamic_batcher import Overloaded, Ticket


async def _until(self, first_due_s):
    """Wait until the batch is full, or for as long as ``first_due_s(self)`` says."""
    while len(self.waiting) < self.max_batch:
        due_s = first_due_s(self) if self.waiting else None
        if due_s is not None and due_s <= self.now():
            return
        await self.news(until_s=due_s)


async def window_from_the_look(self):
    while not self.waiting:
        await self.news(until_s=None)
    begins_s = self.now()
    await _until(self, lambda self: begins_s + self.window_s)


async def window_from_the_newest(self):
    await _until(self, lambda self: max(ticket.due_s for ticket in self.waiting))


async def window_for_all(self):
    await _until(self, lambda self: min(t.arrival_s for t in self.waiting) + self.window_s)


async def due_read_once(self):
    while not self.waiting:
        await self.news(until_s=None)
    due_s = self.waiting[0].due_s
    while len(self.waiting) < self.max_batch and due_s > self.now():
        await self.news(until_s=due_s)


async def sleeps_a_window(self):
    while not self.waiting:
        await self.news(until_s=None)
    await asyncio.sleep(self.window_s)


async def never_waits(self):
    while not self.waiting:
        await self.news(until_s=None)


async def goes_at_any_news(self):
    while not self.waiting:
        await self.news(until_s=None)
    if len(self.waiting) < self.max_batch and self.waiting[0].due_s > self.now():
        await self.news(until_s=self.waiting[0].due_s)


async def goes_at_the_first_news(self):
    if len(self.waiting) < self.max_batch:
        due_s = self.waiting[0].due_s if self.waiting else None
        if due_s is None or due_s > self.now():
            await self.news(until_s=due_s)


async def waits_for_full(self):
    while len(self.waiting) < self.max_batch:
        await self.news(until_s=None)


async def always_waits(self):
    while not self.waiting or self.waiting[0].due_s > self.now():
        await self.news(until_s=self.waiting[0].due_s if self.waiting else None)


async def polls(self):
    while len(self.waiting) < self.max_batch:
        if self.waiting and self.waiting[0].due_s <= self.now():
            return
        await asyncio.sleep(0.001)


async def _submitted(
    self, item, patience_s, *, forgets=False, own=True, line_up=None, limit_s=None
):
    arrival_s = self.now()
    due_s = arrival_s + (patience_s if own and patience_s is not None else self.window_s)
    ticket = Ticket(item, arrival_s, due_s, asyncio.Future())
    (line_up or self.line_up)(ticket)
    try:
        return await asyncio.wait_for(ticket.answer, limit_s)
    except asyncio.CancelledError:
        if not forgets:
            self.forget(ticket)
        raise


async def takes_everybody(self, item, *, patience_s=None):
    return await _submitted(self, item, patience_s)


async def counts_the_running(self, item, *, patience_s=None):
    if len(self.waiting) + len(self.running) >= self.max_waiting:
        raise Overloaded("no room")
    return await _submitted(self, item, patience_s)


async def one_too_many(self, item, *, patience_s=None):
    if len(self.waiting) > self.max_waiting:
        raise Overloaded("no room")
    return await _submitted(self, item, patience_s)


async def waits_for_room(self, item, *, patience_s=None):
    while len(self.waiting) >= self.max_waiting:
        await asyncio.sleep(0.001)
    return await _submitted(self, item, patience_s)


async def drops_the_oldest(self, item, *, patience_s=None):
    if len(self.waiting) >= self.max_waiting:
        oldest = min(self.waiting, key=lambda ticket: ticket.arrival_s)
        self.forget(oldest)
        oldest.answer.set_exception(Overloaded("made room for another"))
    return await _submitted(self, item, patience_s)


async def stays_in_the_queue(self, item, *, patience_s=None):
    if len(self.waiting) >= self.max_waiting:
        raise Overloaded("no room")
    return await _submitted(self, item, patience_s, forgets=True)


async def one_window_for_all(self, item, *, patience_s=None):
    if len(self.waiting) >= self.max_waiting:
        raise Overloaded("no room")
    return await _submitted(self, item, patience_s, own=False)


async def no_patience_is_none(self, item, *, patience_s=None):
    if len(self.waiting) >= self.max_waiting:
        raise Overloaded("no room")
    return await _submitted(self, item, patience_s or None)


async def at_the_end_of_the_queue(self, item, *, patience_s=None):
    if len(self.waiting) >= self.max_waiting:
        raise Overloaded("no room")

    def line_up(ticket):
        self.waiting.append(ticket)
        self.tell()

    return await _submitted(self, item, patience_s, line_up=line_up)


async def swallows_the_cancel(self, item, *, patience_s=None):
    if len(self.waiting) >= self.max_waiting:
        raise Overloaded("no room")
    try:
        return await _submitted(self, item, patience_s)
    except asyncio.CancelledError:
        return None


async def returns_the_refusal(self, item, *, patience_s=None):
    if len(self.waiting) >= self.max_waiting:
        return Overloaded("no room")
    return await _submitted(self, item, patience_s)


async def refuses_by_another_name(self, item, *, patience_s=None):
    if len(self.waiting) >= self.max_waiting:
        raise ValueError("no room")
    return await _submitted(self, item, patience_s)


async def gives_up_itself(self, item, *, patience_s=None):
    if len(self.waiting) >= self.max_waiting:
        raise Overloaded("no room")
    own_s = self.window_s if patience_s is None else patience_s
    return await _submitted(self, item, patience_s, limit_s=own_s)
