"""Methods of a batcher that lose somebody: each makes one mistake."""

import asyncio

from labutils.serving.dynamic_batcher import DynamicBatcher, Overloaded, Ticket


def count_unchecked(self, batch, results):
    for ticket, result in zip(batch, results):
        if not ticket.answer.done():
            ticket.answer.set_result(result)


def gone_unchecked(self, batch, results):
    if len(results) != len(batch):
        self.fail(batch, ValueError("another number of results"))
        return
    for ticket, result in zip(batch, results):
        ticket.answer.set_result(result)


def stops_at_the_gone(self, batch, results):
    if len(results) != len(batch):
        self.fail(batch, ValueError("another number of results"))
        return
    for ticket, result in zip(batch, results):
        if ticket.answer.done():
            break
        ticket.answer.set_result(result)


def closes_the_gap(self, batch, results):
    if len(results) != len(batch):
        self.fail(batch, ValueError("another number of results"))
        return
    for ticket, result in zip([t for t in batch if not t.answer.done()], results):
        ticket.answer.set_result(result)


def all_for_one(self, batch, results):
    if len(results) != len(batch) or any(ticket.answer.done() for ticket in batch):
        self.fail(batch, ValueError("somebody hung up"))
        return
    for ticket, result in zip(batch, results):
        ticket.answer.set_result(result)


def trusts_the_order(self, batch, results):
    for ticket, result in zip(batch, results):
        if not ticket.answer.done():
            ticket.answer.set_result(result)
    self.fail(batch[len(results) :], ValueError("no result"))


def count_and_gone_unchecked(self, batch, results):
    for ticket, result in zip(batch, results):
        ticket.answer.set_result(result)


async def blocks(self, batch):
    try:
        results = self.call([ticket.item for ticket in batch])
    except Exception as error:
        await self.rescue(batch, error)
    else:
        self.deliver(batch, results)


async def lets_it_raise(self, batch):
    items = [ticket.item for ticket in batch]
    loop = asyncio.get_running_loop()
    self.deliver(batch, await loop.run_in_executor(None, self.call, items))


async def blocks_and_raises(self, batch):
    self.deliver(batch, self.call([ticket.item for ticket in batch]))


async def swallows(self, batch):
    items = [ticket.item for ticket in batch]
    try:
        results = await asyncio.to_thread(self.call, items)
    except Exception:
        return
    self.deliver(batch, results)


async def does_not_wait(self, batch):
    self.elsewhere = asyncio.create_task(DynamicBatcher.run(self, batch))


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


async def _submitted(self, item, patience_s, *, forgets=False, own=True, line_up=None):
    arrival_s = self.now()
    due_s = arrival_s + (patience_s if own and patience_s is not None else self.window_s)
    ticket = Ticket(item, arrival_s, due_s, asyncio.Future())
    (line_up or self.line_up)(ticket)
    try:
        return await ticket.answer
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


async def stays_in_the_line(self, item, *, patience_s=None):
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


async def at_the_end_of_the_line(self, item, *, patience_s=None):
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


async def fails_as_one(self, batch, error):
    self.fail(batch, error)


async def one_by_one(self, batch, error):
    if not self.bisect or len(batch) == 1:
        self.fail(batch, error)
        return
    for ticket in batch:
        await self.run([ticket])


async def first_half_only(self, batch, error):
    if not self.bisect or len(batch) == 1:
        self.fail(batch, error)
        return
    half = len(batch) // 2
    await self.run(batch[:half])
    self.fail(batch[half:], error)


async def without_the_option(self, batch, error):
    if len(batch) == 1:
        self.fail(batch, error)
        return
    half = len(batch) // 2
    await self.run(batch[:half])
    await self.run(batch[half:])


async def never_alone(self, batch, error):
    """Halves a batch of one for ever; a few times here, then nobody hears."""
    if not self.bisect:
        self.fail(batch, error)
        return
    if len(batch) > 1:
        half = len(batch) // 2
        await self.run(batch[:half])
        await self.run(batch[half:])
