"""Proofs of lab 8: mistakes that learners make, and right answers of other styles."""

from labutils.exercises.definition.verdict import Status
from tests.proofs.proof import Proof

GENERATE = '''
async def generate(self, prompt, *, max_output_tokens=64, on_token=None, **options):
    """Catches what ends the wait early, and raises it again."""
    who = self.asker(on_token)

    def begin():
        self.add(who, prompt, max_output_tokens, options)

    self.put(begin)
    try:
        answer = await who.ended
    except BaseException:
        self.put(lambda: self.leave(who), quiet=True)
        raise
    return answer
'''

SEND_ALL = '''
async def send_all(self, send):
    """With a flag for the end."""
    log, at_end = self.job.log, False
    while not at_end:
        is_new = await log.wait(self.at, self.settings.heartbeat_s)
        body = b": ping\\n\\n"
        if is_new:
            body = log.since(self.at)
            self.at = len(log.events)
        await send(body)
        at_end = log.is_closed and self.at >= len(log.events)
'''

UNTIL_LEFT = '''
async def until_left(self, answer, leaving):
    """With the sets that wait returns."""
    tasks = [asyncio.ensure_future(answer), asyncio.ensure_future(leaving)]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    except asyncio.CancelledError:
        self.left()
        raise
    finally:
        for task in tasks:
            task.cancel()
    if tasks[0] not in done or tasks[0].exception() is not None:
        self.left()
    if tasks[0] in done:
        await tasks[0]
'''

IN_TASKS = '''
async def send_all(self, send):
    """With a task that waits on while a ping goes out."""
    log, news = self.job.log, None
    try:
        while not (log.is_closed and self.at == len(log.events)):
            news = news or asyncio.create_task(log.wait(self.at, 1e9))
            await asyncio.wait({news}, timeout=self.settings.heartbeat_s)
            body = PING
            if news.done():
                body, self.at, news = log.since(self.at), len(log.events), None
            await send(body)
    finally:
        if news:
            news.cancel()
'''

IN_A_GROUP = '''
async def until_left(self, answer, leaving):
    """With a group that cancels whoever is left, and an error for the client who leaves."""
    async def watch():
        await leaving
        raise EOFError

    try:
        async with asyncio.TaskGroup() as group:
            sending = group.create_task(answer)
            watching = group.create_task(watch())
            await sending
            watching.cancel()
    except BaseException as error:
        self.left()
        for one in getattr(error, "exceptions", [error]):
            if not isinstance(one, EOFError):
                raise one
'''

ADMIT = '''
def admit(self, tenant, prompt_tokens, max_tokens, now_s, *, ttft_s=float("inf")):
    """One question after the other."""
    self.is_open_to(tenant)
    too_many = self.waiting_tokens + prompt_tokens > self.limits.waiting_tokens
    if self.waiting_tokens > 0 and too_many:
        raise self.full("prompts wait")
    if not self.open_requests < self.limits.open_requests:
        raise self.full("no place")
    self.keeps(prompt_tokens, ttft_s)
    if tenant in self.buckets:
        bucket, whole = self.buckets[tenant], prompt_tokens + max_tokens
        if not bucket.allow(tenant, whole, now_s):
            raise self.over_budget(whole, bucket.wait(tenant, whole, now_s))
    self.open_requests += 1
    self.waiting_tokens += prompt_tokens
    return Ticket(tenant, prompt_tokens, prompt_tokens + max_tokens)
'''

DRAINED = '''
async def drained(self):
    """Looks at the jobs again where it needs them."""
    front = self.front
    if not front.admission.is_draining:
        front.admission.is_draining = True
        if front.jobs:
            running = {job.task for job in front.jobs.values()}
            await asyncio.wait(running, timeout=self.drain_s)
        late = list(front.jobs.values())
        for job in late:
            error = ProtocolError(503, "we are closing", code="draining")
            job.log.fail(error)
            job.leave()
        if late:
            await asyncio.wait({job.task for job in late}, timeout=5)
        self.exit()
'''


ENDED = "if not asker.ended.done() or asker.ended.cancelled():"
LEAVES = "self.put(lambda: self.leave(asker), quiet=True)"
LATE = "await asyncio.wait(late, timeout={})"


def _changed(source, *changes, end):
    for old, new in zip(changes[::2], changes[1::2], strict=True):
        assert source.count(old) == 1, old
        source = source.replace(old, new)
    return f"{source}\nanswer = {end}\n"


def _bridge(*changes):
    return _changed(GENERATE, *changes, end="bridged(generate)")


def _events(*changes):
    return _changed(SEND_ALL, *changes, end="sent(send_all)")


def _race(*changes):
    return _changed(UNTIL_LEFT, *changes, end="raced(until_left)")


def _door(*changes):
    return _changed(ADMIT, *changes, end="answered(admit)")


def _drain(*changes):
    return _changed(DRAINED, *changes, end="ended(drained)")


PROOFS = {
    "streaming.bridge": Proof(
        mistakes={
            "only for cancellations of others": (
                _bridge("except BaseException:", "except TimeoutError:"), "never-leaves",
            ),
            "at once": (_bridge("self.put(begin)", "begin()"), "calls-the-engine"),
            "cancels itself": (
                _bridge("self.put(lambda: self.leave(who), quiet=True)", "self.leave(who)"),
                "leaves-out-of-turn",
            ),
            "does not raise again": (
                _bridge("except BaseException:", "except asyncio.CancelledError:",
                        "        raise\n", "        answer = None\n"),
                "swallows-the-cancel",
            ),
            "no tokens": (_bridge("self.asker(on_token)", "self.asker()"), "deaf"),
            "never asks": (_bridge("self.put(begin)", "pass"), Status.wrong),
        },
        alternatives={"catches and raises": _bridge()},
        equivalent={
            f"{ENDED}; {LEAVES} => {LEAVES}": "who has ended is not there: leaving does nothing",
            f"{ENDED} => {ENDED.replace('not ', '')}":
                "a wait that is cancelled cancels its future, so that it is done by then",
        },
    ),
    "streaming.events": Proof(
        mistakes={
            "notes it afterwards": (
                _events("            self.at = len(log.events)\n", "",
                        "await send(body)\n", "await send(body)\n        if is_new:\n"
                        "            self.at = len(log.events)\n"),
                "skips-what-came",
            ),
            "closed is the end": (
                _events("log.is_closed and self.at >= len(log.events)", "log.is_closed"),
                "while-open",
            ),
            "waits for good": (
                _events("self.settings.heartbeat_s", "1e9"), "no-heartbeat",
            ),
            "all of it again": (
                _events("log.since(self.at)", "log.since(0)"), "from-the-beginning",
            ),
        },
        alternatives={"a flag": _events(), "a task": f"{IN_TASKS}\nanswer = sent(send_all)\n"},
    ),
    "streaming.leaving": Proof(
        mistakes={
            "gathers": (
                _race("asyncio.FIRST_COMPLETED", "asyncio.ALL_COMPLETED"), "waits-for-both",
            ),
            "cancels the answer alone": (
                _race("for task in tasks:", "for task in tasks[:1]:"), "keeps-watching",
            ),
            "cancels nobody's answer": (
                _race("for task in tasks:", "for task in tasks[1:]:"), "sends-on",
            ),
            "cancels neither": (_race("        for task in tasks:\n            task.cancel()",
                                      "        pass"), "cancels-nobody"),
            "stops quietly": (
                _race("self.left()\n        raise\n", "self.left()\n        return\n"),
                "swallows-the-cancel",
            ),
            "an error is an end": (
                _race(" or tasks[0].exception() is not None", ""), "an-error-is-an-end",
            ),
            "not from above": (
                _race("asyncio.CancelledError:\n        self.left()", "LookupError:\n        pass"),
                Status.wrong,
            ),
        },
        alternatives={
            "the sets": _race(), "a group": f"{IN_A_GROUP}\nanswer = raced(until_left)\n",
        },
    ),
    "streaming.door": Proof(
        mistakes={
            "heads alone": (_door("self.waiting_tokens > 0 and too_many", "False"), "counts-heads"),
            "an empty queue is full": (
                _door("self.waiting_tokens > 0 and too_many", "too_many"), "never-a-long-one",
            ),
            "one more": (
                _door("not self.open_requests < self", "not self.open_requests <= self"),
                "one-place-too-many",
            ),
            "no promise": (_door("    self.keeps(prompt_tokens, ttft_s)\n", ""), "no-deadlines"),
            "forgets the place": (_door("    self.open_requests += 1\n", ""), "forgets-the-place"),
            "forgets the prompt": (
                # waiting tokens go below zero, and "> 0" would be another mistake there
                _door("    self.waiting_tokens += prompt_tokens\n", "",
                      "self.waiting_tokens > 0 and", "self.waiting_tokens and"),
                "forgets-the-prompt",
            ),
            "books before the budget": (
                _door("    self.open_requests += 1\n", "",
                      "    self.waiting_tokens += prompt_tokens\n", "",
                      "ttft_s)\n    if", "ttft_s)\n    self.open_requests += 1\n"
                      "    self.waiting_tokens += prompt_tokens\n    if"),
                "books-the-refused",
            ),
        },
        alternatives={"one after the other": _door()},
    ),
    "streaming.drain": Proof(
        mistakes={
            "an empty server": (_drain("        if front.jobs:\n", "        if True:\n"),
                                Status.raised),
            "for good": (_drain(", timeout=self.drain_s", ""), "waits-for-good"),
            "without a word": (_drain("            job.log.fail(error)\n", ""), "says-nothing"),
            "an open door": (
                _drain("        front.admission.is_draining = True\n", ""), "lets-them-in",
            ),
            "500": (_drain("503", "500"), Status.wrong),
        },
        alternatives={"jobs looked at again": _drain()},
        equivalent={
            f"{LATE.format(5)} => {LATE.format(other)}": "how long is up to whoever writes it"
            for other in (4, 6)
        },
    ),
    "streaming.field": Proof(
        mistakes={"pings": ("a", "a"), "slow readers": ("b", "b"), "the bound": ("d", "d")},
        alternatives={"a capital": "C", "in brackets": "(c)"},
    ),
}  # fmt: skip
