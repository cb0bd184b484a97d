"""Proofs of lab 3: mistakes that learners make, and right answers of other styles."""

import asyncio
import contextlib
import time

import numpy as np

from labutils.exercises.definition.verdict import Status
from labutils.serving.batcher.dynamic_batcher import Overloaded, Ticket
from tests.proofs.proof import Proof

# --- batcher.deliver ----------------------------------------------------------------------------


def pairs_without_a_look(self, batch, results):
    for number in range(min(len(batch), len(results))):
        batch[number].answer.set_result(results[number])


def strict_zip_alone(self, batch, results):
    """Raises in the loop when the numbers differ: nobody else is served afterwards."""
    for ticket, result in zip(batch, results, strict=True):
        if not ticket.answer.done():
            ticket.answer.set_result(result)


def looks_at_cancelled_only_for_the_first(self, batch, results):
    if len(results) != len(batch):
        return self.fail(batch, ValueError("numbers differ"))
    for ticket, result in zip(batch, results):
        if ticket.answer.cancelled():
            return None
        ticket.answer.set_result(result)


def drops_the_cancelled_first(self, batch, results):
    if len(batch) != len(results):
        return self.fail(batch, ValueError("numbers differ"))
    batch = [ticket for ticket in batch if not ticket.answer.cancelled()]
    for ticket, result in zip(batch, results):
        ticket.answer.set_result(result)


def says_nothing_when_short(self, batch, results):
    if len(results) != len(batch):
        return
    for ticket, result in zip(batch, results):
        if not ticket.answer.done():
            ticket.answer.set_result(result)


def hands_out_what_is_true(self, batch, results):
    if len(results) != len(batch):
        return self.fail(batch, ValueError("numbers differ"))
    for ticket, result in zip(batch, results):
        if result and not ticket.answer.done():
            ticket.answer.set_result(result)


def hands_out_what_is_something(self, batch, results):
    if len(results) != len(batch):
        return self.fail(batch, ValueError("numbers differ"))
    for ticket in batch:
        result = results[batch.index(ticket)]
        if result is None or ticket.answer.done():
            continue
        ticket.answer.set_result(result)


def minds_only_a_lack(self, batch, results):
    if len(results) < len(batch):
        return self.fail(batch, ValueError("numbers differ"))
    for number, ticket in enumerate(batch):
        if not ticket.answer.done():
            ticket.answer.set_result(results[number])


def asks_forgiveness(self, batch, results):
    if len(results) - len(batch):
        for ticket in batch:
            if not ticket.answer.cancelled():
                ticket.answer.set_exception(RuntimeError("the model lost count"))
        return
    for number, ticket in enumerate(batch):
        try:
            ticket.answer.set_result(results[number])
        except asyncio.InvalidStateError:
            continue


# --- batcher.run --------------------------------------------------------------------------------


def in_own_worker(self, call, *arguments):
    return asyncio.get_running_loop().run_in_executor(self._worker, call, *arguments)


async def on_the_loop(self, batch):
    try:
        self.deliver(batch, self.call([t.item for t in batch]))
    except ValueError as error:
        await self.rescue(batch, error)


async def without_try(self, batch):
    self.deliver(batch, await in_own_worker(self, self.call, [t.item for t in batch]))


async def passes_over_errors(self, batch):
    with contextlib.suppress(Exception):
        self.deliver(batch, await in_own_worker(self, self.call, [t.item for t in batch]))


async def hands_in_the_tickets(self, batch):
    try:
        results = await in_own_worker(self, self.call, batch)
    except Exception as error:
        await self.rescue(batch, error)
    else:
        self.deliver(batch, results)


async def wraps_a_future(self, batch):
    items = [ticket.item for ticket in batch]
    try:
        results = await asyncio.wrap_future(self._worker.submit(self.call, items))
    except Exception as error:
        await self.rescue(batch, error)
    else:
        self.deliver(batch, results)


async def settles_in_the_worker(self, batch):
    """Futures touched from a thread that is not the loop's."""

    def work():
        self.deliver(batch, self.call([t.item for t in batch]))

    try:
        await in_own_worker(self, work)
    except Exception as error:
        await self.rescue(batch, error)


async def in_the_default_executor(self, batch):
    loop = asyncio.get_running_loop()
    try:
        results = await loop.run_in_executor(None, self.call, [t.item for t in batch])
    except Exception as error:
        await self.rescue(batch, error)
        return
    self.deliver(batch, results)


async def catches_everything(self, batch):
    try:
        results = await in_own_worker(self, self.call, [t.item for t in batch])
        self.deliver(batch, results)
    except:  # noqa: E722
        await self.rescue(batch, RuntimeError("the model failed"))


async def decides_itself(self, batch):
    try:
        self.deliver(batch, await in_own_worker(self, self.call, [t.item for t in batch]))
    except Exception as error:
        self.fail(batch, error)


async def gathers(self, batch):
    work = in_own_worker(self, self.call, [t.item for t in batch])
    outcome = await asyncio.gather(work, return_exceptions=True)
    if isinstance(outcome[0], Exception):
        await self.rescue(batch, outcome[0])
        return
    self.deliver(batch, outcome[0])


async def lets_a_stop_pass(self, batch):
    try:
        results = await in_own_worker(self, self.call, [t.item for t in batch])
    except asyncio.CancelledError:
        raise
    except BaseException as error:
        await self.rescue(batch, error)
    else:
        self.deliver(batch, results)


# --- batcher.until_ready ------------------------------------------------------------------------


async def sleeps_a_window(self):
    while not self.waiting:
        await self.news(until_s=None)
    await asyncio.sleep(self.window_s)


async def a_stopwatch_of_its_own(self):
    started = None
    while len(self.waiting) < self.max_batch:
        if self.waiting and started is None:
            started = self.now()
        if started is not None and self.now() >= started + self.window_s:
            return
        await self.news(until_s=None if started is None else started + self.window_s)


async def on_the_wall_clock(self):
    while len(self.waiting) < self.max_batch:
        if self.waiting and self.waiting[0].due_s <= time.monotonic() - 1e6:
            return
        await self.news(until_s=None)


async def looks_at_the_last(self):
    while len(self.waiting) < self.max_batch:
        due_s = self.waiting[-1].due_s if self.waiting else None
        if due_s is not None and due_s <= self.now():
            return
        await self.news(until_s=due_s)


async def if_instead_of_while(self):
    """Whoever comes wakes it, and it goes without asking again."""
    if len(self.waiting) < self.max_batch:
        due_s = self.waiting[0].due_s if self.waiting else None
        if due_s is None or due_s > self.now():
            await self.news(until_s=due_s)


async def returns_after_any_news(self):
    while len(self.waiting) < self.max_batch:
        if not self.waiting:
            await self.news(until_s=None)
            continue
        await self.news(until_s=self.waiting[0].due_s)
        return


async def asks_once_when_it_is_due(self):
    while not self.waiting:
        await self.news(until_s=None)
    until_s = self.waiting[0].due_s
    while self.now() < until_s and len(self.waiting) < self.max_batch:
        await self.news(until_s=until_s)


async def one_window_for_everybody(self):
    while len(self.waiting) < self.max_batch:
        arrivals = [ticket.arrival_s for ticket in self.waiting]
        until_s = min(arrivals) + self.window_s if arrivals else None
        if arrivals and until_s <= self.now():
            return
        await self.news(until_s=until_s)


async def asks_whether_ready(self):
    def ready():
        full = len(self.waiting) >= self.max_batch
        return full or min((t.due_s for t in self.waiting), default=np.inf) <= self.now()

    while not ready():
        await self.news(until_s=min((t.due_s for t in self.waiting), default=None))


# --- batcher.submit -----------------------------------------------------------------------------


def front_door(*, room=lambda self: len(self.waiting) < self.max_waiting, leave=True, due=None):
    async def submit(self, item, *, patience_s=None):
        if not room(self):
            raise Overloaded("come back later")
        now = self.now()
        own = self.window_s if patience_s is None else patience_s
        until = due(self, now, patience_s) if due else now + own
        ticket = Ticket(item, now, until, asyncio.get_running_loop().create_future())
        self.line_up(ticket)
        try:
            return await ticket.answer
        finally:
            if leave:
                self.forget(ticket)

    return submit


async def refuses_by_another_name(self, item, *, patience_s=None):
    if len(self.waiting) >= self.max_waiting:
        raise asyncio.QueueFull
    return await front_door()(self, item, patience_s=patience_s)


async def hands_back_the_refusal(self, item, *, patience_s=None):
    try:
        return await front_door()(self, item, patience_s=patience_s)
    except Overloaded as refusal:
        return refusal


async def loses_patience(self, item, *, patience_s=None):
    if len(self.waiting) >= self.max_waiting:
        raise Overloaded("come back later")
    own = self.window_s if patience_s is None else patience_s
    ticket = Ticket(item, self.now(), self.now() + own, asyncio.Future())
    self.line_up(ticket)
    try:
        return await asyncio.wait_for(ticket.answer, timeout=own)
    finally:
        self.forget(ticket)


async def two_futures(self, item, *, patience_s=None):
    """Waits for a shielded future: the cancellation never reaches the ticket."""
    if len(self.waiting) >= self.max_waiting:
        raise Overloaded("come back later")
    now, own = self.now(), self.window_s if patience_s is None else patience_s
    ticket = Ticket(item, now, now + own, asyncio.Future())
    self.line_up(ticket)
    return await asyncio.shield(ticket.answer)


# --- batcher.bisect -----------------------------------------------------------------------------


async def each_alone(self, batch, error):
    if len(batch) > 1 and self.bisect:
        for one in batch:
            await self.run([one])
    else:
        self.fail(batch, error)


async def fails_all(self, batch, error):
    for ticket in batch:
        self.fail([ticket], error)


async def forgets_the_second_half(self, batch, error):
    if len(batch) > 1 and self.bisect:
        await self.run(batch[: len(batch) // 2])
    else:
        self.fail(batch, error)


async def backwards(self, batch, error):
    if len(batch) == 1 or not self.bisect:
        return self.fail(batch, error)
    middle = len(batch) // 2
    for part in (batch[middle:], batch[:middle]):
        await self.run(part)


async def at_the_same_time(self, batch, error):
    if len(batch) == 1 or not self.bisect:
        return self.fail(batch, error)
    middle = len(batch) // 2
    await asyncio.gather(self.run(batch[:middle]), self.run(batch[middle:]))


async def rounds_up(self, batch, error):
    if len(batch) == 1 or not self.bisect:
        return self.fail(batch, error)
    middle = -(-len(batch) // 2)
    await self.run(batch[:middle])
    await self.run(batch[middle:])


async def with_a_loop(self, batch, error):
    if len(batch) == 1 or not self.bisect:
        return self.fail(batch, error)
    middle = len(batch) >> 1
    for part in (batch[:middle], batch[middle:]):
        await self.run(part)


PROOFS = {
    "batcher.deliver": Proof(
        mistakes={
            "pairs without a look": (pairs_without_a_look, "count-and-gone-unchecked"),
            "a strict zip": (strict_zip_alone, Status.raised),
            "returns at the first": (looks_at_cancelled_only_for_the_first, "stops-at-the-gone"),
            "drops the cancelled": (drops_the_cancelled_first, "closes-the-gap"),
            "what is true": (hands_out_what_is_true, "falsy-is-nothing"),
            "what is something": (hands_out_what_is_something, "none-is-nothing"),
            "minds only a lack": (minds_only_a_lack, "only-too-few"),
            "says nothing": (says_nothing_when_short, "silent-when-short"),
            "a number": (4, Status.unreadable),
        },
        alternatives={"asks forgiveness": asks_forgiveness},
    ),
    "batcher.run": Proof(
        mistakes={
            "on the loop": (on_the_loop, "blocks"),
            "without try": (without_try, "lets-it-raise"),
            "passes over errors": (passes_over_errors, "swallows"),
            "hands in the tickets": (hands_in_the_tickets, Status.wrong),
            "settles in the worker": (settles_in_the_worker, Status.wrong),
            "in the default executor": (in_the_default_executor, "shared-pool"),
            "catches everything": (catches_everything, "deaf-to-the-stop"),
            "decides itself": (decides_itself, "never-rescues"),
        },
        alternatives={
            "gather": gathers,
            "lets a stop pass": lets_a_stop_pass,
            "wraps the worker's future": wraps_a_future,
        },
    ),
    "batcher.until_ready": Proof(
        mistakes={
            "sleeps a window": (sleeps_a_window, "sleeps-a-window"),
            "a stopwatch": (a_stopwatch_of_its_own, "window-from-the-look"),
            "on another clock": (on_the_wall_clock, "waits-for-full"),
            "looks at the last": (looks_at_the_last, "window-from-the-newest"),
            "if instead of while": (if_instead_of_while, "goes-at-the-first-news"),
            "returns after any news": (returns_after_any_news, "goes-at-any-news"),
            "asks once": (asks_once_when_it_is_due, "due-read-once"),
            "one window": (one_window_for_everybody, "window-for-all"),
        },
        alternatives={"asks whether ready": asks_whether_ready},
    ),
    "batcher.submit": Proof(
        mistakes={
            "no bound": (front_door(room=lambda self: True), "takes-everybody"),
            "counts those in work": (
                front_door(
                    room=lambda self: len(self.waiting) + len(self.running) < self.max_waiting
                ),
                "counts-the-running",
            ),
            "one too many": (
                front_door(room=lambda self: len(self.waiting) <= self.max_waiting),
                "one-too-many",
            ),
            "never leaves": (front_door(leave=False), "stays-in-the-queue"),
            "one window": (
                front_door(due=lambda self, now, own: now + self.window_s),
                "one-window-for-all",
            ),
            "zero is falsy": (
                front_door(due=lambda self, now, own: now + (own or self.window_s)),
                "no-patience-is-none",
            ),
            "another error": (refuses_by_another_name, "refuses-by-another-name"),
            "a refusal for an answer": (hands_back_the_refusal, "returns-the-refusal"),
            "loses patience": (loses_patience, "gives-up-itself"),
            "a shield": (two_futures, "stays-in-the-queue"),
        },
        alternatives={"finally": front_door()},
    ),
    "batcher.field_bug": Proof(
        mistakes={
            "a dead thread": ("a", "a"),
            "next blocks": ("b", "b"),
            "not an Exception": ("d", "d"),
            "a shared generator": ("e", "e"),
        },
        alternatives={"in parentheses": "(c)"},
    ),
    "batcher.room": Proof(
        mistakes={
            "the whole deadline": (414, "whole-deadline"),
            "batches": (16, "batches"),
            "by the arrivals": (188, "by-the-arrivals"),
            "without c0": (476, "fixed-cost-forgotten"),
            "fifteen batches": (360, "one-batch-too-few"),
            "a part of a batch": (389, "parts-of-batches"),
        },
        alternatives={"numpy": np.int64(384), "text": "384"},
    ),
    "batcher.bisect": Proof(
        mistakes={
            "each alone": (each_alone, "one-by-one"),
            "fails all": (fails_all, "fails-as-one"),
            "forgets the second half": (forgets_the_second_half, "second-half-forgotten"),
            "backwards": (backwards, "second-half-first"),
            "at the same time": (at_the_same_time, "both-at-once"),
            "rounds up": (rounds_up, "larger-half-first"),
        },
        alternatives={"with a loop": with_a_loop},
    ),
}
