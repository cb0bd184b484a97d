"""Trial answers to the exercises of lab 3."""

from tests.answers.answer import right, wrong

DELIVER = """
def deliver(self, batch, results):
    if len(results) != len(batch):
        self.fail(batch, RuntimeError(f"{len(results)} results for {len(batch)} items"))
        return
    for ticket, result in zip(batch, results):
        if not ticket.answer.done():
            ticket.answer.set_result(result)
"""
RUN = """
async def run(self, batch):
    loop = asyncio.get_running_loop()
    items = [ticket.item for ticket in batch]
    try:
        results = await loop.run_in_executor(self._worker, self.call, items)
    except Exception as error:
        await self.rescue(batch, error)
    else:
        self.deliver(batch, results)
"""
READY = """
async def until_ready(self):
    while len(self.waiting) < self.max_batch:
        due_s = self.waiting[0].due_s if self.waiting else None
        if due_s is not None and due_s <= self.now():
            return
        await self.news(until_s=due_s)
"""
SUBMIT = """
async def submit(self, item, *, patience_s=None):
    if len(self.waiting) >= self.max_waiting:
        raise Overloaded("the queue is full")
    now_s = self.now()
    patience_s = self.window_s if patience_s is None else patience_s
    answer = asyncio.get_running_loop().create_future()
    ticket = Ticket(item=item, arrival_s=now_s, due_s=now_s + patience_s, answer=answer)
    self.line_up(ticket)
    try:
        return await answer
    except asyncio.CancelledError:
        if ticket in self.waiting:
            self.forget(ticket)
        raise
"""
RESCUE = """
async def rescue(self, batch, error):
    if not self.bisect or len(batch) < 2:
        self.fail(batch, error)
        return
    middle = len(batch) // 2
    await self.run(batch[:middle])
    await self.run(batch[middle:])
"""

FULL = """    if len(self.waiting) >= self.max_waiting:
        raise Overloaded("the queue is full")
"""


def edited(source: str, *pairs: tuple[str, str]) -> str:
    """The source with some pieces replaced."""
    for old, new in pairs:
        assert old in source, old
        source = source.replace(old, new)
    return source


CHECKS = """    if len(results) != len(batch):
        self.fail(batch, RuntimeError(f"{len(results)} results for {len(batch)} items"))
        return
"""
ANSWERS = [
    wrong(
        "batcher.deliver",
        "does not ask whether the client is still there",
        edited(
            DELIVER, ("        if not ticket.answer.done():\n            ticket", "        ticket")
        ),
        true=("gone-unchecked",),
    ),
    wrong(
        "batcher.deliver",
        "pairs whatever came",
        edited(DELIVER, (CHECKS, "")),
        true=("count-unchecked",),
    ),
    wrong(
        "batcher.deliver",
        "too few are an error, too many are not",
        edited(DELIVER, ("len(results) != len(batch)", "len(results) < len(batch)")),
        true=("only-too-few",),
    ),
    wrong(
        "batcher.deliver",
        "zip strict, after some were answered",
        """
def deliver(self, batch, results):
    try:
        for ticket, result in zip(batch, results, strict=True):
            if not ticket.answer.done():
                ticket.answer.set_result(result)
    except ValueError as error:
        self.fail(batch, error)
""",
        true=("trusts-the-order",),
    ),
    wrong(
        "batcher.deliver",
        "drops those who hung up first, then pairs",
        """
def deliver(self, batch, results):
    batch = [ticket for ticket in batch if not ticket.answer.done()]
    if len(results) != len(batch):
        self.fail(batch, RuntimeError("wrong number of results"))
        return
    for ticket, result in zip(batch, results):
        ticket.answer.set_result(result)
""",
        true=("all-for-one",),
    ),
    wrong(
        "batcher.deliver",
        "0 and None are no results",
        edited(DELIVER, ("if not ticket.answer.done()", "if result and not ticket.answer.done()")),
        true=("falsy-is-nothing",),
    ),
    wrong(
        "batcher.deliver",
        "raises where the numbers differ",
        edited(
            DELIVER,
            ("self.fail(batch, RuntimeError(", "raise RuntimeError("),
            ('items"))', 'items")'),
            ("        return\n", ""),
        ),
    ),
    right(
        "batcher.deliver",
        "fails all, so that the loop finds nobody who waits",
        edited(DELIVER, ("        return\n", "")),
    ),
    right(
        "batcher.deliver",
        "by places",
        """
def deliver(self, batch, results):
    n = len(batch)
    if n == len(results):
        for i in range(n):
            answer = batch[i].answer
            if answer.done():
                continue
            answer.set_result(results[i])
    else:
        self.fail(batch, ValueError("unknown whose result is missing"))
""",
    ),
    right(
        "batcher.deliver",
        "asks whether it was cancelled",
        """
def deliver(self, batch, results):
    if (n := len(list(results))) - len(batch):
        return self.fail(batch, LookupError(f"{n} results"))
    for ticket, result in zip(list(batch), list(results), strict=True):
        ticket.answer.cancelled() or ticket.answer.set_result(result)
""",
    ),
    wrong(
        "batcher.run",
        "on the loop",
        edited(
            RUN, ("await loop.run_in_executor(self._worker, self.call, items)", "self.call(items)")
        ),
        true=("blocks",),
    ),
    wrong(
        "batcher.run",
        "the pool of the process",
        edited(RUN, ("self._worker", "None")),
        true=("shared-pool",),
    ),
    wrong(
        "batcher.run",
        "catches a cancellation, too",
        edited(RUN, ("except Exception", "except BaseException")),
        true=("deaf-to-the-stop",),
    ),
    wrong(
        "batcher.run",
        "rescue is not awaited",
        edited(RUN, ("await self.rescue", "self.rescue")),
        true=("swallows",),
    ),
    wrong(
        "batcher.run",
        "fails the batch itself",
        edited(RUN, ("await self.rescue", "self.fail")),
        true=("never-rescues",),
    ),
    wrong(
        "batcher.run", "hands over tickets", edited(RUN, ("self.call, items", "self.call, batch"))
    ),
    wrong(
        "batcher.run",
        "no error is caught",
        """
async def run(self, batch):
    loop = asyncio.get_running_loop()
    items = [ticket.item for ticket in batch]
    self.deliver(batch, await loop.run_in_executor(self._worker, self.call, items))
""",
        true=("lets-it-raise",),
    ),
    right(
        "batcher.run",
        "delivers after a failure, when nobody waits any more",
        edited(
            RUN,
            (
                "        await self.rescue(batch, error)\n"
                "    else:\n        self.deliver(batch, results)",
                "        results = []\n        await self.rescue(batch, error)\n"
                "    self.deliver(batch, results)",
            ),
        ),
    ),
    wrong(
        "batcher.run",
        "item by item",
        edited(
            RUN,
            (
                "results = await loop.run_in_executor(self._worker, self.call, items)",
                "results = [(await loop.run_in_executor(self._worker, self.call, [one]))[0]"
                " for one in items]",
            ),
        ),
    ),
    right(
        "batcher.run",
        "returns early",
        """
async def run(self, batch):
    def work():
        return self.call([ticket.item for ticket in batch])
    try:
        results = await asyncio.get_running_loop().run_in_executor(self._worker, work)
    except Exception as error:
        return await self.rescue(batch, error)
    self.deliver(batch, results)
""",
    ),
    right(
        "batcher.run",
        "keeps the error for later",
        """
async def run(self, batch):
    failure, results = None, None
    try:
        results = await asyncio.get_event_loop().run_in_executor(
            self._worker, self.call, list(map(lambda t: t.item, batch)))
    except asyncio.CancelledError:
        raise
    except Exception as error:
        failure = error
    if failure is not None:
        await self.rescue(batch, failure)
    else:
        self.deliver(batch, results)
""",
    ),
    wrong(
        "batcher.until_ready",
        "looks once",
        edited(READY, ("    while len", "    if len")),
        true=("goes-at-the-first-news",),
    ),
    wrong(
        "batcher.until_ready",
        "waits for the first due time even when full",
        edited(READY, ("while len(self.waiting) < self.max_batch", "while True")),
        true=("always-waits",),
    ),
    wrong(
        "batcher.until_ready",
        "leaves only when full",
        edited(
            READY,
            ("        if due_s is not None and due_s <= self.now():\n            return\n", ""),
            ("until_s=due_s", "until_s=None"),
        ),
        true=("waits-for-full",),
    ),
    wrong(
        "batcher.until_ready",
        "the window begins with the pass",
        """
async def until_ready(self):
    while not self.waiting:
        await self.news(until_s=None)
    end_s = self.now() + self.window_s
    while len(self.waiting) < self.max_batch and self.now() < end_s:
        await self.news(until_s=end_s)
""",
        true=("window-from-the-look",),
    ),
    wrong(
        "batcher.until_ready",
        "the last in the queue decides",
        edited(READY, ("self.waiting[0].due_s", "self.waiting[-1].due_s")),
        true=("window-from-the-newest",),
    ),
    wrong(
        "batcher.until_ready",
        "an empty queue is ready",
        edited(
            READY,
            (
                "        due_s = self.waiting[0].due_s if self.waiting else None\n",
                "        if not self.waiting:\n            return\n"
                "        due_s = self.waiting[0].due_s\n",
            ),
        ),
    ),
    wrong(
        "batcher.until_ready",
        "the due time of the first is fixed once",
        """
async def until_ready(self):
    while not self.waiting:
        await self.news(until_s=None)
    due_s = self.waiting[0].due_s
    while len(self.waiting) < self.max_batch and self.now() < due_s:
        await self.news(until_s=due_s)
""",
        true=("due-read-once",),
    ),
    wrong(
        "batcher.until_ready",
        "more than a full batch",
        edited(READY, ("< self.max_batch", "<= self.max_batch")),
        true=("always-waits",),
    ),
    right(
        "batcher.until_ready",
        "a loop that breaks",
        """
async def until_ready(self):
    while True:
        if self.waiting:
            first = self.waiting[0]
            if len(self.waiting) >= self.max_batch or self.now() >= first.due_s:
                break
            await self.news(until_s=first.due_s)
        else:
            await self.news(until_s=None)
""",
    ),
    right(
        "batcher.until_ready",
        "a condition of its own",
        """
async def until_ready(self):
    def left_s():
        if len(self.waiting) >= self.max_batch:
            return 0.0
        return min((t.due_s for t in self.waiting), default=math.inf) - self.now()
    while (rest := left_s()) > 0:
        await self.news(until_s=None if rest == math.inf else self.waiting[0].due_s)
""",
    ),
    wrong(
        "batcher.submit",
        "no bound",
        edited(
            SUBMIT,
            (
                FULL,
                "",
            ),
        ),
        true=("takes-everybody",),
    ),
    wrong(
        "batcher.submit",
        "one more than there is room for",
        edited(SUBMIT, (">= self.max_waiting", "> self.max_waiting")),
        true=("one-too-many",),
    ),
    wrong(
        "batcher.submit",
        "swallows the cancellation",
        edited(SUBMIT, ("        raise\n", "")),
        true=("swallows-the-cancel",),
    ),
    wrong(
        "batcher.submit",
        "a cancelled one stays in the queue",
        edited(
            SUBMIT, ("        if ticket in self.waiting:\n            self.forget(ticket)\n", "")
        ),
        true=("stays-in-the-queue",),
    ),
    wrong(
        "batcher.submit",
        "a patience of 0 counts as none",
        edited(
            SUBMIT,
            ("self.window_s if patience_s is None else patience_s", "patience_s or self.window_s"),
        ),
        true=("no-patience-is-none",),
    ),
    wrong(
        "batcher.submit",
        "the running ones take room",
        edited(SUBMIT, ("len(self.waiting) >=", "len(self.waiting) + len(self.running or ()) >=")),
        true=("counts-the-running",),
    ),
    wrong(
        "batcher.submit",
        "the window for everybody",
        edited(SUBMIT, ("self.window_s if patience_s is None else patience_s", "self.window_s")),
        true=("one-window-for-all",),
    ),
    wrong("batcher.submit", "due at once", edited(SUBMIT, ("now_s + patience_s", "now_s"))),
    wrong(
        "batcher.submit",
        "waits for room instead of refusing",
        edited(
            SUBMIT,
            (
                FULL,
                "    while len(self.waiting) >= self.max_waiting:\n"
                "        await asyncio.sleep(0.001)\n",
            ),
        ),
        true=("waits-for-room",),
    ),
    right(
        "batcher.submit",
        "finally",
        """
async def submit(self, item, *, patience_s=None):
    if not len(self.waiting) < self.max_waiting:
        raise Overloaded()
    if patience_s is None:
        patience_s = self.window_s
    t = self.now()
    ticket = Ticket(item=item, arrival_s=t, due_s=t + patience_s,
                    answer=asyncio.get_running_loop().create_future())
    self.line_up(ticket)
    try:
        result = await ticket.answer
    finally:
        if any(one is ticket for one in self.waiting):
            self.forget(ticket)
    return result
""",
    ),
    right("batcher.submit", "the future of the loop, asked for late", SUBMIT),
    wrong("batcher.field_bug", "the except does not catch it", "d", true=("d",)),
    wrong("batcher.field_bug", "the thread dies", "a", true=("a",)),
    wrong("batcher.field_bug", "next blocks", "b", true=("b",)),
    wrong("batcher.field_bug", "two of them", "c, d", true=("d",)),
    wrong("batcher.field_bug", "a shared generator", "e", true=("e",)),
    right("batcher.field_bug", "a capital", "C"),
    right("batcher.field_bug", "in brackets", "(c)"),
    wrong(
        "batcher.room",
        "the running batch forgotten",
        408,
        true=("running-batch-forgotten",),
    ),
    wrong("batcher.room", "batches, not requests", 16, true=("batches",)),
    wrong(
        "batcher.room", "batches in fractions", int(24 * (500 / 29 - 1)), true=("parts-of-batches",)
    ),
    wrong(
        "batcher.room",
        "the running batch and fractions",
        int(24 * 500 / 29),
        true=("whole-deadline",),
    ),
    wrong("batcher.room", "c1 alone", 471, true=("fixed-cost-forgotten",)),
    wrong("batcher.room", "one by one", 83, true=("one-by-one",)),
    wrong("batcher.room", "rounded up", 432, true=("one-batch-too-many",)),
    wrong("batcher.room", "one batch", 24),
    right("batcher.room", "a float", 384.0),
    right("batcher.room", "computed", 24 * (500 // 29 - 1)),
    wrong(
        "batcher.bisect",
        "the halves are not awaited",
        edited(RESCUE, ("await self.run", "self.run")),
    ),
    wrong(
        "batcher.bisect",
        "the larger half first",
        edited(RESCUE, ("len(batch) // 2", "(len(batch) + 1) // 2")),
        true=("larger-half-first",),
    ),
    wrong(
        "batcher.bisect",
        "halves a batch of one for ever",
        edited(RESCUE, (" or len(batch) < 2", " or not batch")),
    ),
    wrong(
        "batcher.bisect",
        "does not ask for bisect",
        edited(RESCUE, ("not self.bisect or ", "")),
        true=("without-the-option",),
    ),
    wrong(
        "batcher.bisect",
        "one by one",
        edited(
            RESCUE,
            (
                "    middle = len(batch) // 2\n    await self.run(batch[:middle])\n"
                "    await self.run(batch[middle:])\n",
                "    for ticket in batch:\n        await self.run([ticket])\n",
            ),
        ),
        true=("one-by-one",),
    ),
    wrong("batcher.bisect", "fails pairs as a whole", edited(RESCUE, ("< 2", "<= 2"))),
    wrong(
        "batcher.bisect",
        "the back half first",
        edited(
            RESCUE,
            (
                "    await self.run(batch[:middle])\n    await self.run(batch[middle:])\n",
                "    await self.run(batch[middle:])\n    await self.run(batch[:middle])\n",
            ),
        ),
        true=("second-half-first",),
    ),
    right(
        "batcher.bisect",
        "a loop over halves",
        """
async def rescue(self, batch, error):
    if self.bisect and len(batch) > 1:
        cut = len(batch) >> 1
        for half in (batch[:cut], batch[cut:]):
            await self.run(half)
    else:
        self.fail(batch, error)
""",
    ),
    right(
        "batcher.bisect",
        "split by numpy's rule, turned round",
        """
async def rescue(self, batch, error):
    n = len(batch)
    if n == 1 or not self.bisect:
        return self.fail(batch, error)
    front, back = list(batch)[: math.floor(n / 2)], list(batch)[math.floor(n / 2) :]
    await self.run(front)
    await self.run(back)
""",
    ),
]
