"""Methods for a batch in work (deliver, run, rescue) that each make one mistake."""

import asyncio

from labutils.serving.batcher.dynamic_batcher import DynamicBatcher


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


def only_too_few(self, batch, results):
    if len(results) < len(batch):
        self.fail(batch, ValueError("too few results"))
        return
    for ticket, result in zip(batch, results):
        if not ticket.answer.done():
            ticket.answer.set_result(result)


def silent_when_short(self, batch, results):
    if len(results) == len(batch):
        for ticket, result in zip(batch, results):
            if not ticket.answer.done():
                ticket.answer.set_result(result)


def _hands_out(self, batch, results, *, counts):
    """Hand out what ``counts`` as a result."""
    if len(results) != len(batch):
        self.fail(batch, ValueError("another number of results"))
        return
    for ticket, result in zip(batch, results):
        if counts(result) and not ticket.answer.done():
            ticket.answer.set_result(result)


def falsy_is_nothing(self, batch, results):
    _hands_out(self, batch, results, counts=bool)


def none_is_nothing(self, batch, results):
    _hands_out(self, batch, results, counts=lambda result: result is not None)


def _called(self, batch):
    """The model's results for a batch, in the batcher's own worker; to be awaited."""
    items = [ticket.item for ticket in batch]
    return asyncio.get_running_loop().run_in_executor(self._worker, self.call, items)


async def blocks(self, batch):
    try:
        results = self.call([ticket.item for ticket in batch])
    except Exception as error:
        await self.rescue(batch, error)
    else:
        self.deliver(batch, results)


async def lets_it_raise(self, batch):
    self.deliver(batch, await _called(self, batch))


async def blocks_and_raises(self, batch):
    self.deliver(batch, self.call([ticket.item for ticket in batch]))


async def swallows(self, batch):
    try:
        results = await _called(self, batch)
    except Exception:
        return
    self.deliver(batch, results)


async def does_not_wait(self, batch):
    self.elsewhere = asyncio.create_task(DynamicBatcher.run(self, batch))


async def in_the_shared_pool(self, batch):
    try:
        results = await asyncio.to_thread(self.call, [ticket.item for ticket in batch])
    except Exception as error:
        await self.rescue(batch, error)
    else:
        self.deliver(batch, results)


async def goes_on_when_told_to_stop(self, batch):
    try:
        results = await _called(self, batch)
    except BaseException as error:
        await self.rescue(batch, error)
    else:
        self.deliver(batch, results)


async def never_rescues(self, batch):
    try:
        results = await _called(self, batch)
    except Exception as error:
        self.fail(batch, error)
    else:
        self.deliver(batch, results)


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


async def second_half_forgotten(self, batch, error):
    if not self.bisect or len(batch) == 1:
        self.fail(batch, error)
        return
    await self.run(batch[: len(batch) // 2])


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


async def _in_parts(self, batch, error, *, half=None, backwards=False, at_once=False):
    if not self.bisect or len(batch) == 1:
        self.fail(batch, error)
        return
    half = len(batch) // 2 if half is None else half(len(batch))
    parts = [self.run(batch[:half]), self.run(batch[half:])]
    if at_once:
        await asyncio.gather(*parts)
        return
    for part in reversed(parts) if backwards else parts:
        await part


async def second_half_first(self, batch, error):
    await _in_parts(self, batch, error, backwards=True)


async def larger_half_first(self, batch, error):
    await _in_parts(self, batch, error, half=lambda size: (size + 1) // 2)


async def both_at_once(self, batch, error):
    await _in_parts(self, batch, error, at_once=True)
