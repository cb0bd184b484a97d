"""Trial answers to chapter 10's single flight."""

from tests.answers.answer import right, wrong

ID = "reuse.flight"
HEAD = "async def run(flights, key, compute):\n"
JOIN = """\
    if key not in flights.under_way:
        flights.under_way[key] = Flight(asyncio.create_task(compute()))
    flight = flights.under_way[key]
    flight.askers += 1
"""
PLAIN_JOIN = """\
    if key not in flights.under_way:
        flights.under_way[key] = asyncio.create_task(compute())
    task = flights.under_way[key]
"""

ANSWERS = [
    wrong(
        ID,
        "joins a task, and pops it when the wait is over",
        HEAD
        + PLAIN_JOIN
        + """\
    try:
        return await task
    finally:
        flights.under_way.pop(key, None)
""",
        true=("one-cancels-all",),
    ),
    wrong(
        ID,
        "shields, and pops it when any wait is over",
        HEAD
        + PLAIN_JOIN
        + """\
    try:
        return await asyncio.shield(task)
    finally:
        flights.under_way.pop(key, None)
""",
        true=("whoever-leaves-tidies", "runs-for-nobody"),
    ),
    wrong(
        ID,
        "pops after the await, not in finally",
        HEAD
        + JOIN
        + """\
    result = await asyncio.shield(flight.task)
    flights.under_way.pop(key, None)
    return result
""",
        true=("keeps-errors", "stays-for-nobody"),
    ),
    wrong(
        ID,
        "counts, but pops only when the last one has left",
        HEAD
        + JOIN
        + """\
    try:
        return await asyncio.shield(flight.task)
    finally:
        flight.askers -= 1
        if flight.askers == 0:
            flight.task.cancel()
            del flights.under_way[key]
""",
        true=("last-one-tidies",),
    ),
    wrong(
        ID,
        "the task tidies up in a callback alone",
        HEAD
        + """\
    if key not in flights.under_way:
        flights.under_way[key] = Flight(asyncio.create_task(compute()))
        flights.under_way[key].task.add_done_callback(lambda _: flights.under_way.pop(key))
    flight = flights.under_way[key]
    flight.askers += 1
    try:
        return await asyncio.shield(flight.task)
    finally:
        flight.askers -= 1
        if flight.askers == 0:
            flight.task.cancel()
""",
        true=("stops-in-the-way",),
    ),
    wrong(
        ID,
        "never takes anything out, and asks whether the task is done",
        HEAD
        + """\
    flight = flights.under_way.get(key)
    if flight is None or flight.task.done():
        flights.under_way[key] = flight = Flight(asyncio.create_task(compute()))
    flight.askers += 1
    try:
        return await asyncio.shield(flight.task)
    except asyncio.CancelledError:
        flight.askers -= 1
        if not flight.askers:
            flight.task.cancel()
            flights.under_way.pop(key)
        raise
""",
        true=("never-tidies", "ended-ones-stay"),
    ),
    wrong(
        ID,
        "the first one computes, the others wait for its future",
        HEAD
        + """\
    if key in flights.under_way:
        return await asyncio.shield(flights.under_way[key])
    future = flights.under_way[key] = asyncio.get_running_loop().create_future()
    try:
        result = await compute()
        future.set_result(result)
        return result
    except Exception as error:
        future.set_exception(error)
        raise
    finally:
        del flights.under_way[key]
""",
        true=("first-leaves-all-alone",),
    ),
    wrong(
        ID,
        "waits for an event and reads a result that may be None",
        HEAD
        + """\
    flight = flights.under_way.get(key)
    if flight is None:
        flight = flights.under_way[key] = Flight(asyncio.create_task(compute()))
        flight.result = None
    flight.askers += 1
    try:
        flight.result = flight.result or await asyncio.shield(flight.task)
        return flight.result or await compute()
    finally:
        flight.askers -= 1
        if flight.task.done() or not flight.askers:
            flight.task.cancel()
            if flights.under_way.get(key) is flight:
                del flights.under_way[key]
""",
        true=("falsy-is-nothing",),
    ),
    wrong(
        ID,
        "returns an error instead of raising it",
        HEAD
        + JOIN
        + """\
    try:
        return await asyncio.shield(flight.task)
    except Exception as error:
        return error
    finally:
        flight.askers -= 1
        if flight.task.done() or not flight.askers:
            flight.task.cancel()
            if flights.under_way.get(key) is flight:
                del flights.under_way[key]
""",
        true=("returns-the-error",),
    ),
    wrong(
        ID,
        "gather instead of shield",
        HEAD
        + JOIN
        + """\
    try:
        return (await asyncio.gather(flight.task))[0]
    finally:
        flight.askers -= 1
        if flight.task.done() or not flight.askers:
            if flights.under_way.get(key) is flight:
                del flights.under_way[key]
""",
        true=("one-cancels-all",),
    ),
    wrong(
        ID,
        "gives others a turn between the look and the new entry",
        HEAD
        + """\
    flight = flights.under_way.get(key)
    if flight is None:
        await asyncio.sleep(0)
        flight = flights.under_way[key] = Flight(asyncio.create_task(compute()))
    flight.askers += 1
    try:
        return await asyncio.shield(flight.task)
    finally:
        flight.askers -= 1
        if flight.task.done() or not flight.askers:
            flight.task.cancel()
            if flights.under_way.get(key) is flight:
                del flights.under_way[key]
""",
        true=("awaits-before-it-stores",),
        false=("takes-out-anyones", "last-takes-out-anyones"),
    ),
    wrong(
        ID,
        "passes by what is done, and the last one pops by key",
        HEAD
        + """\
    flight = flights.under_way.get(key)
    if flight is None or flight.task.done():
        flight = flights.under_way[key] = Flight(asyncio.create_task(compute()))
    flight.askers += 1
    try:
        return await asyncio.shield(flight.task)
    finally:
        flight.askers -= 1
        if flight.askers == 0:
            flight.task.cancel()
            flights.under_way.pop(key, None)
""",
        true=("last-takes-out-anyones",),
    ),
    wrong(
        ID,
        "the last one cancels, waits and pops",
        HEAD
        + JOIN
        + """\
    try:
        return await asyncio.shield(flight.task)
    finally:
        flight.askers -= 1
        if flight.task.done():
            flights.under_way.pop(key, None)
        elif flight.askers == 0:
            flight.task.cancel()
            await asyncio.wait([flight.task])
            flights.under_way.pop(key, None)
""",
        true=("waits-before-it-tidies", "waits-for-the-stop"),
        false=("one-cancels-all",),
    ),
    wrong(
        ID,
        "counts those who join, in and out, and the first one never",
        HEAD
        + """\
    flight = flights.under_way.get(key)
    joins = flight is not None
    if joins:
        flight.askers += 1
    else:
        flight = flights.under_way[key] = Flight(asyncio.create_task(compute()))
    try:
        return await asyncio.shield(flight.task)
    finally:
        if joins:
            flight.askers -= 1
        if flight.task.done() or not flight.askers:
            flight.task.cancel()
            if flights.under_way.get(key) is flight:
                del flights.under_way[key]
""",
        true=("first-is-not-counted",),
        false=("one-cancels-all", "first-takes-all-along"),
    ),
    wrong(
        ID,
        "counts everybody out, and the first one never in",
        HEAD
        + """\
    flight = flights.under_way.get(key)
    if flight is not None:
        flight.askers += 1
    else:
        flight = flights.under_way[key] = Flight(asyncio.create_task(compute()))
    try:
        return await asyncio.shield(flight.task)
    finally:
        flight.askers -= 1
        if flight.task.done() or not flight.askers:
            flight.task.cancel()
            if flights.under_way.get(key) is flight:
                del flights.under_way[key]
""",
        true=("first-is-counted-out-alone",),
        false=("one-cancels-all", "first-takes-all-along"),
    ),
    right(
        ID,
        "asks whether the task is done before joining, and pops in each branch",
        HEAD
        + """\
    flight = flights.under_way.get(key)
    if not flight or flight.task.done():
        flight = Flight(asyncio.create_task(compute()))
        flights.under_way[key] = flight
    flight.askers += 1

    def forget():
        if flights.under_way.get(key) == flight:
            flights.under_way.pop(key)

    try:
        result = await asyncio.shield(flight.task)
    except asyncio.CancelledError:
        flight.askers -= 1
        if flight.askers == 0:
            forget()
            flight.task.cancel()
        raise
    except Exception:
        forget()
        raise
    forget()
    return result
""",
    ),
    right(
        ID,
        "a wrapper task that tidies up before it ends",
        HEAD
        + """\
    if key not in flights.under_way:
        async def work():
            try:
                return await compute()
            finally:
                if flights.under_way.get(key) is flight:
                    del flights.under_way[key]
        flight = flights.under_way[key] = Flight(None)
        flight.task = asyncio.create_task(work())
    flight = flights.under_way[key]
    flight.askers += 1
    try:
        await asyncio.wait([flight.task])
        return flight.task.result()
    finally:
        flight.askers -= 1
        if flight.askers == 0 and not flight.task.done():
            del flights.under_way[key]
            flight.task.cancel()
""",
    ),
    right(
        ID,
        "a set of waiting tasks in place of the count",
        HEAD
        + """\
    entry = flights.under_way.get(key)
    if entry is None:
        entry = flights.under_way[key] = (asyncio.ensure_future(compute()), set())
    task, waiting = entry
    me = object()
    waiting.add(me)
    try:
        return await asyncio.shield(task)
    finally:
        waiting.discard(me)
        if flights.under_way.get(key) is entry and (task.done() or not waiting):
            flights.under_way.pop(key)
        if not waiting:
            task.cancel()
""",
    ),
]
