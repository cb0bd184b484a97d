"""A second writer's answers to chapter 10's single flight."""

from tests.answers.answer import right, wrong

ID = "reuse.flight"

ANSWERS = [
    wrong(
        ID,
        "shield and a counter, tidying only where the task is done: nobody stops it",
        """
async def run(flights, key, compute):
    f = flights.under_way.get(key)
    if f is None:
        f = Flight(asyncio.create_task(compute()))
        flights.under_way[key] = f
    f.askers += 1
    try:
        return await asyncio.shield(f.task)
    finally:
        f.askers -= 1
        if f.task.done():
            flights.under_way.pop(key, None)
""",
        true=("stays-for-nobody",),
    ),
    wrong(
        ID,
        "cancels the task whenever somebody is cancelled",
        """
async def run(flights, key, compute):
    if key not in flights.under_way:
        flights.under_way[key] = Flight(asyncio.create_task(compute()))
    f = flights.under_way[key]
    f.askers += 1
    try:
        return await asyncio.shield(f.task)
    except asyncio.CancelledError:
        f.task.cancel()
        raise
    finally:
        if flights.under_way.get(key) is f:
            del flights.under_way[key]
""",
        true=("one-cancels-all",),
    ),
    wrong(
        ID,
        "pops without a look whose entry it is, else right",
        """
async def run(flights, key, compute):
    if key not in flights.under_way:
        flights.under_way[key] = Flight(asyncio.create_task(compute()))
    f = flights.under_way[key]
    f.askers += 1
    try:
        return await asyncio.shield(f.task)
    finally:
        f.askers -= 1
        if f.task.done():
            flights.under_way.pop(key, None)
        elif f.askers == 0:
            flights.under_way.pop(key, None)
            f.task.cancel()
""",
        true=("takes-out-anyones",),
    ),
    wrong(
        ID,
        "counts the one who starts it twice",
        """
async def run(flights, key, compute):
    f = flights.under_way.get(key)
    if f is None:
        f = flights.under_way[key] = Flight(asyncio.create_task(compute()), askers=1)
    f.askers += 1
    try:
        return await asyncio.shield(f.task)
    finally:
        f.askers -= 1
        if f.task.done() or f.askers == 0:
            f.task.cancel()
            if flights.under_way.get(key) is f:
                del flights.under_way[key]
""",
        true=("stays-for-nobody",),
    ),
    wrong(
        ID,
        "counts only those who join: the last joiner's leaving stops the first one's computation",
        """
async def run(flights, key, compute):
    f = flights.under_way.get(key)
    if f is None:
        f = flights.under_way[key] = Flight(asyncio.create_task(compute()))
    else:
        f.askers += 1
    try:
        return await asyncio.shield(f.task)
    finally:
        f.askers -= 1
        if f.task.done() or f.askers <= 0:
            f.task.cancel()
            if flights.under_way.get(key) is f:
                del flights.under_way[key]
""",
        true=("stops-too-early",),
        false=("one-cancels-all", "first-takes-all-along", "first-leaves-all-alone"),
    ),
    wrong(
        ID,
        "keeps the result in the flight for those who come later",
        """
async def run(flights, key, compute):
    if key in flights.under_way and not isinstance(flights.under_way[key], Flight):
        return flights.under_way[key][0]
    if key not in flights.under_way:
        flights.under_way[key] = Flight(asyncio.create_task(compute()))
    f = flights.under_way[key]
    f.askers += 1
    try:
        result = await asyncio.shield(f.task)
        flights.under_way[key] = (result,)
        return result
    except BaseException:
        f.askers -= 1
        if f.task.done() or f.askers == 0:
            f.task.cancel()
            if flights.under_way.get(key) is f:
                del flights.under_way[key]
        raise
""",
        true=("keeps-results",),
    ),
    wrong(
        ID,
        "a condition variable: all are woken, and look",
        """
async def run(flights, key, compute):
    if key in flights.under_way:
        f = flights.under_way[key]
        async with f.changed:
            await f.changed.wait()
        return f.result
    f = flights.under_way[key] = Flight(None)
    f.changed = asyncio.Condition()
    f.result = await compute()
    del flights.under_way[key]
    async with f.changed:
        f.changed.notify_all()
    return f.result
""",
        true=("error-to-the-first-alone", "keeps-errors", "stuck-after-an-error"),
        false=("keeps-everything", "keeps-results"),
    ),
    wrong(
        ID,
        "a thread's lock held over an await",
        """
import threading
lock = threading.Lock()
async def run(flights, key, compute):
    with lock:
        return await compute()
""",
    ),
    wrong(
        ID,
        "tries once more itself after an error",
        """
async def run(flights, key, compute):
    f = flights.under_way.get(key)
    if f is None:
        async def work():
            try:
                return await compute()
            except Exception:
                return await compute()
        f = flights.under_way[key] = Flight(asyncio.create_task(work()))
    f.askers += 1
    try:
        return await asyncio.shield(f.task)
    finally:
        f.askers -= 1
        if f.task.done() or not f.askers:
            f.task.cancel()
            if flights.under_way.get(key) is f:
                del flights.under_way[key]
""",
    ),
    wrong(
        ID,
        "the first one passes its place on: who waits computes if the first one has left",
        """
async def run(flights, key, compute):
    while key in flights.under_way:
        f = flights.under_way[key]
        await f.over.wait()
        if f.error:
            raise f.error
        if f.result:
            return f.result[0]
    f = flights.under_way[key] = Flight(None)
    f.over, f.error, f.result = asyncio.Event(), None, []
    try:
        f.result.append(await compute())
        return f.result[0]
    except Exception as error:
        f.error = error
        raise
    finally:
        del flights.under_way[key]
        f.over.set()
""",
        true=("begins-anew",),
        false=("first-takes-all-along", "first-leaves-all-alone"),
    ),
    wrong(
        ID,
        "a watcher polls for the end and tidies up",
        """
async def run(flights, key, compute):
    f = flights.under_way.get(key)
    if f is None or f.task.done():
        f = flights.under_way[key] = Flight(asyncio.create_task(compute()))
    f.askers += 1
    async def watch():
        while True:
            await asyncio.sleep(0.05)
            if f.task.done() and flights.under_way.get(key) is f:
                del flights.under_way[key]
    asyncio.create_task(watch())
    try:
        return await asyncio.shield(f.task)
    finally:
        f.askers -= 1
        if not f.askers and not f.task.done():
            f.task.cancel()
            del flights.under_way[key]
""",
        false=("never-tidies", "keeps-everything", "keeps-results"),
    ),
    wrong(
        ID,
        "shortens the keys",
        """
async def run(flights, key, compute):
    key = str(key)[:5]
    f = flights.under_way.get(key)
    if f is None:
        f = flights.under_way[key] = Flight(asyncio.create_task(compute()))
    f.askers += 1
    try:
        return await asyncio.shield(f.task)
    finally:
        f.askers -= 1
        if f.task.done() or not f.askers:
            f.task.cancel()
            if flights.under_way.get(key) is f:
                del flights.under_way[key]
""",
    ),
    wrong(
        ID,
        "cancels, and asks at once whether the task is done",
        """
async def run(flights, key, compute):
    f = flights.under_way.get(key)
    if f is None:
        f = flights.under_way[key] = Flight(asyncio.create_task(compute()))
    f.askers += 1
    try:
        return await asyncio.shield(f.task)
    finally:
        f.askers -= 1
        if not f.askers:
            f.task.cancel()
        if f.task.done() and flights.under_way.get(key) is f:
            del flights.under_way[key]
""",
        true=("cancelled-one-stays",),
    ),
    wrong(
        ID,
        "setdefault with a flight begun for nothing",
        """
async def run(flights, key, compute):
    f = flights.under_way.setdefault(key, Flight(asyncio.create_task(compute())))
    f.askers += 1
    try:
        return await asyncio.shield(f.task)
    finally:
        f.askers -= 1
        if f.task.done() or not f.askers:
            f.task.cancel()
            if flights.under_way.get(key) is f:
                del flights.under_way[key]
""",
        true=("begins-for-nothing",),
    ),
    wrong(
        ID,
        "calls compute before it looks",
        """
async def run(flights, key, compute):
    coro = compute()
    f = flights.under_way.get(key)
    if f is None:
        f = flights.under_way[key] = Flight(asyncio.create_task(coro))
    f.askers += 1
    try:
        return await asyncio.shield(f.task)
    finally:
        f.askers -= 1
        if f.task.done() or not f.askers:
            f.task.cancel()
            if flights.under_way.get(key) is f:
                del flights.under_way[key]
""",
        false=("shares-nothing", "begins-for-nothing"),
    ),
    wrong(
        ID,
        "the starter awaits the task itself, joiners shield it",
        """
async def run(flights, key, compute):
    f = flights.under_way.get(key)
    if f is None:
        f = flights.under_way[key] = Flight(asyncio.create_task(compute()))
        try: return await f.task
        finally: del flights.under_way[key]
    return await asyncio.shield(f.task)
""",
        true=("first-takes-all-along",),
    ),
    wrong(
        ID,
        "keeps each task for a second",
        """
async def run(flights, key, compute):
    f = flights.under_way.get(key)
    if f is None:
        f = flights.under_way[key] = Flight(asyncio.create_task(compute()))
        asyncio.get_running_loop().call_later(1, flights.under_way.pop, key, None)
    return await asyncio.shield(f.task)
""",
        true=("keeps-results", "keeps-everything"),
    ),
    wrong(
        ID,
        "a queue for each who joins",
        """
async def run(flights, key, compute):
    if key in flights.under_way:
        q = asyncio.Queue(); flights.under_way[key].append(q)
        return await q.get()
    flights.under_way[key] = []
    result = await asyncio.shield(asyncio.create_task(compute()))
    for q in flights.under_way.pop(key): q.put_nowait(result)
    return result
""",
        true=("error-to-the-first-alone", "stuck-after-an-error"),
        false=("keeps-errors",),
    ),
    wrong(
        ID,
        "one lock around a cache",
        """
async def run(flights, key, compute):
    lock = flights.under_way.setdefault("lock", asyncio.Lock())
    async with lock:
        if key not in flights.under_way:
            flights.under_way[key] = await compute()
        return flights.under_way[key]
""",
        true=("keeps-results",),
    ),
    right(
        ID,
        "the joiners' futures chained to the task by hand",
        """
async def run(flights, key, compute):
    f = flights.under_way.get(key)
    if f is None:
        f = Flight(asyncio.get_running_loop().create_task(compute()))
        flights.under_way[key] = f
    mine = asyncio.get_running_loop().create_future()
    def tell(task):
        if mine.done():
            return
        if task.cancelled():
            mine.cancel()
        elif task.exception():
            mine.set_exception(task.exception())
        else:
            mine.set_result(task.result())
    f.task.add_done_callback(tell)
    f.askers += 1
    try:
        return await mine
    finally:
        f.askers -= 1
        if flights.under_way.get(key) is f and (f.task.done() or f.askers == 0):
            flights.under_way.pop(key)
            f.task.cancel()
""",
    ),
    right(
        ID,
        "a list of outcomes and an event, worked off by a task",
        """
async def run(flights, key, compute):
    if key not in flights.under_way:
        entry = {"over": asyncio.Event(), "n": 0}
        async def work():
            try:
                entry["result"] = await compute()
            except Exception as error:
                entry["error"] = error
            if flights.under_way.get(key) is entry:
                del flights.under_way[key]
            entry["over"].set()
        entry["task"] = asyncio.create_task(work())
        flights.under_way[key] = entry
    entry = flights.under_way[key]
    entry["n"] += 1
    try:
        await entry["over"].wait()
    finally:
        entry["n"] -= 1
        if entry["n"] == 0 and not entry["over"].is_set():
            del flights.under_way[key]
            entry["task"].cancel()
    if "error" in entry:
        raise entry["error"]
    return entry["result"]
""",
    ),
    right(
        ID,
        "recursion: looks again if what it found is over",
        """
async def run(flights, key, compute):
    try:
        f = flights.under_way[key]
    except KeyError:
        flights.under_way[key] = Flight(asyncio.ensure_future(compute()))
        return await run(flights, key, compute)
    if f.task.done():
        del flights.under_way[key]
        return await run(flights, key, compute)
    f.askers += 1
    try:
        done, _ = await asyncio.wait([f.task])
    finally:
        f.askers -= 1
        if f.askers == 0 or f.task.done():
            if flights.under_way.get(key) is f:
                del flights.under_way[key]
            f.task.cancel()
    return done.pop().result()
""",
    ),
    right(
        ID,
        "a helper for the way out, and else instead of finally",
        """
def out(flights, key, f):
    if flights.under_way.get(key) is f:
        flights.under_way.pop(key)

async def run(flights, key, compute):
    f = flights.under_way.setdefault(key, Flight(None))
    if f.task is None:
        f.task = asyncio.create_task(compute())
    f.askers += 1
    try:
        result = await asyncio.shield(f.task)
    except BaseException:
        f.askers -= 1
        if f.task.done():
            out(flights, key, f)
        elif not f.askers:
            out(flights, key, f)
            f.task.cancel()
        raise
    else:
        f.askers -= 1
        out(flights, key, f)
        return result
""",
    ),
    right(
        ID,
        "shields a coroutine that waits for the task",
        """
async def run(flights, key, compute):
    f = flights.under_way.get(key)
    if f is None:
        f = Flight(asyncio.create_task(compute()))
        f.task.add_done_callback(
            lambda _: flights.under_way.get(key) is f and flights.under_way.pop(key)
        )
        flights.under_way[key] = f
    f.askers += 1
    waiter = asyncio.ensure_future(asyncio.wait([f.task]))
    try:
        await asyncio.shield(waiter)
    except asyncio.CancelledError:
        waiter.cancel()
        f.askers -= 1
        if f.askers < 1:
            flights.under_way.pop(key)
            f.task.cancel()
        raise
    return f.task.result()
""",
    ),
    right(
        ID,
        "a task group of two: own wait and nothing else",
        """
async def run(flights, key, compute):
    f = flights.under_way.get(key) or Flight(asyncio.create_task(compute()))
    flights.under_way[key] = f
    f.askers = f.askers + 1
    try:
        while not f.task.done():
            await asyncio.wait([f.task], return_when=asyncio.FIRST_COMPLETED)
        return await f.task
    finally:
        f.askers = f.askers - 1
        if f.task.done() or f.askers == 0:
            f.task.cancel()
            if flights.under_way.get(key) is f:
                del flights.under_way[key]
""",
    ),
]
