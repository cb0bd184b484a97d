"""Faults in the clock of a dynamic batcher: waits that nobody sees, waits for nothing."""

from labutils.drills.definition.writing import Draw, Drill, line_of, listing, numbered, template

FAULTS = {"model_on_the_loop": ("X72",), "window_of_the_pass": ("X73",)}


@template("T11 L04", level=2, decision="model", form="flaw")
def model_on_the_loop(draw: Draw) -> Drill:
    """A model on the event loop stops the clock that would show it."""
    run_ms = draw.whole(60, 400)
    into_ms = draw.whole(10, 300)
    draw.require(
        0.15 * run_ms < into_ms < 0.85 * run_ms and abs(2 * into_ms - run_ms) > 0.1 * run_ms
    )
    code = """
        async def serve(self, text):
            request = Request(text, arrived=time.monotonic())
            await self.queue.put(request)
            return await request.future

        async def loop(self):
            while True:
                batch = await self.collect()
                results = self.model([request.text for request in batch])
                self.deliver(batch, results)
                await asyncio.sleep(0)
        """
    true_ms = 2 * run_ms - into_ms
    line = line_of(code)
    return draw.drill(f"""
    One process, one event loop, batches of {run_ms} ms each, one after the other. A request's bytes
    reach the machine {into_ms} ms after a batch has begun; it is served by the next batch, which
    begins at once and runs as long. Whatever else the loop does takes no time.

    {listing(numbered(code))}

    The service's own latency panel looks good.

    ? How long does that request really take, from the arrival of its bytes to its answer?
    = {true_ms / 1000} s tolerance=0.02
    - as-stamped {run_ms / 1000}: That is what the panel says: from the stamp to the answer. Could
      line 2 run while the model was at work?
    - wait-alone {(run_ms - into_ms) / 1000}: That is how long it waits for the batch in front. And
      its own batch?
    - wrong-end {(run_ms + into_ms) / 1000}: You count what had passed of the running batch. How
      much of it was still to come?
    ? Which line makes the panel lie?
    | {line(2)}
    ! It stamps as soon as it may run, from a clock that does not jump. Does it run late by its own
      fault?
    | {line(3)}
    ! A queue takes the request and is waited for without blocking anybody.
    | {line(8)}
    ! Collecting awaits: meanwhile other tasks run.
    | {line(9)}
    | {line(11)}
    ! It lets other tasks run between two batches, and blocks nobody.
    > The request sees the rest of one batch, and one whole batch.
    > Latency = (batch - time into it) + batch.
    > ({run_ms} - {into_ms}) + {run_ms} ms.
    * unseen {(run_ms - into_ms) / 1000} s: Rest of the running batch: {run_ms} - {into_ms} =
      {run_ms - into_ms} ms; the loop stands still, and nobody stamps the request
    * latency {true_ms / 1000} s: Its own batch: {run_ms} ms. In all {true_ms} ms; the panel says
      {run_ms} ms.
    . Mended: results = await asyncio.to_thread(self.model, texts).
    ~ More than the {run_ms} ms of its own batch, less than two batches.

    A blocking call on the event loop stops every task, the one that stamps arrivals included: the
    wait vanishes from the statistics. Run the model in a thread or process, measure how late the
    loop runs, and stamp where the bytes are received.
    """)


@template("T11 E03 E07", level=2, decision="model", form="flaw")
def window_of_the_pass(draw: Draw) -> Drill:
    """A batching window counts from the arrival of the oldest."""
    window_ms, before_ms = draw.whole(5, 60), draw.whole(5, 90)
    draw.require(abs(window_ms - before_ms) > 0.12 * max(window_ms, before_ms))
    answer = max(window_ms, before_ms)
    code = f"""
        async def loop(self):
            while True:
                deadline = time.monotonic() + {window_ms / 1000:g}
                batch = []
                while len(batch) < self.max_batch and time.monotonic() < deadline:
                    batch += await self.next_before(deadline)
                await asyncio.to_thread(self.run, batch)
        """
    line = line_of(code)
    return draw.drill(f"""
    The promise: no request waits longer than {window_ms} ms for company. A request arrives
    {before_ms} ms before the running batch ends, and nobody else comes. (There is one machine.
    `next_before` waits for a request and returns it in a list, or an empty list at the deadline;
    the run of an empty batch takes no time.)

    {listing(numbered(code))}

    ? Suppose that the code is mended: it still waits for others as long as the promise allows, and
      then starts as soon as the machine is free. How long after its arrival does the request's
      batch start?
    = {answer / 1000} s tolerance=0.02
    - window-on-top {(window_ms + before_ms) / 1000}: That is what the code does as it stands: a new
      window after the wait for the machine. From which moment should the window count?
    - the-shorter-one {min(window_ms, before_ms) / 1000}: Two things must be over: the running
      batch, and the window. Which is over last?
    ? Which line breaks the promise?
    | {line(3)}
    | {line(4)}
    ! Each pass begins with an empty batch: the last one has been run.
    | {line(5)}
    ! It stops at the limit of the batch or at the deadline, as it should.
    | {line(6)}
    ! It waits for the next request, and not beyond the deadline.
    | {line(7)}
    ! The model runs in a thread, and the loop waits for its end: one machine.
    > Two clocks run from the moment of arrival, side by side.
    > Start = the later one of: machine free, window of the oldest over.
    > The larger one of {before_ms} and {window_ms}, in ms.
    . As it stands: {before_ms} ms for the machine, then a new window of {window_ms} ms:
      {before_ms + window_ms} ms
    * start {answer / 1000} s: Mended: the later one of {before_ms} ms and {window_ms} ms
    . deadline = oldest.arrived + window, with `oldest` the first of the queue.
    ~ Not before the machine is free, and never later than both times together.

    The window belongs to the oldest request, and it runs while the machine is busy. A deadline that
    is set anew in each pass of the loop adds a window to the wait of those who have waited already.
    Take it from a monotonic clock, and bound the queue.
    """)
