"""Faults in a dynamic batcher: clients without an answer, waits that nobody sees."""

from labutils.drills.definition.writing import Draw, Drill, line_of, listing, numbered, template

FAULTS = {
    "too_few_results": ("X70",),
    "cancelled_in_the_middle": ("X71",),
    "model_on_the_loop": ("X72",),
    "window_of_the_pass": ("X73",),
}


@template("T11 E03", level=1, decision="limit", form="flaw", minutes=1.5, rough=False)
def too_few_results(draw: Draw) -> Drill:
    """zip truncates: a missing result is a client who waits for ever."""
    batch, twins = draw.whole(8, 40), draw.whole(2, 7)
    draw.require(batch >= 2 * twins + 2)
    what = draw.one_of(("text", "prompt", "document", "image"))
    code = f"""
        async def run(batch):
            inputs = [request.{what} for request in batch]
            results = await asyncio.to_thread(model, inputs)
            for request, result in zip(batch, results):
                request.future.set_result(result)
        """
    line = line_of(code)
    return draw.drill(f"""
    After an update the model returns one result for each different {what}, in the order in which
    they first came. In a batch of {batch}, {twins} {what}s repeat one that stands before them.

    {listing(numbered(code))}

    No error is logged, and a few clients run into their timeout.
    ? How many clients of this batch never get an answer?
    = {twins} tolerance=0 absolute=0 scale=off
    - all-of-them {batch}: Those at the beginning of the batch are answered. At which one does the
      loop end?
    - those-answered {batch - twins}: That is how many results come back. What becomes of the other
      requests?
    ? Which line leaves them out without an error?
    | {line(2)}
    ! It hands over one input for each request, in order. Nothing is lost here.
    | {line(3)}
    ! It waits for the model and hands back what it returned. No request is left out yet.
    | {line(4)}
    | {line(5)}
    ! It answers every request that reaches it.
    > Compare the lengths of the two lists that the loop walks through.
    > Unanswered = requests in the batch - results that came back.
    > {batch} requests, and {twins} fewer results.
    * results {batch - twins}: Results: {batch} - {twins} = {batch - twins}
    * unanswered {twins}: The loop ends there: the last {twins} requests of the batch are never set.
      And those behind the first repetition get somebody else's result.
    . Mended: compare the two lengths before anything is set; if they differ, call set_exception on
      every future. (zip with strict=True raises only at the end, when wrong results have been
      handed out already.)
    ~ As many answers are missing as results are.

    A future that nobody sets is a client who waits for ever. zip stops at the shorter list in
    silence: compare the lengths first, and let a mismatch fail the whole batch. The property to
    test: every request that went in is answered, or refused.
    """)


@template("T11 O06", level=2, decision="limit", form="flaw", minutes=2, rough=False)
def cancelled_in_the_middle(draw: Draw) -> Drill:
    """One cancelled client must not take the rest of the batch along."""
    batch = draw.whole(6, 32)
    place = draw.random.randint(2, batch - 2)
    behind = batch - place
    draw.require(place > 2 and place - 1 != behind and behind != place)
    code = """
        async def loop(self):
            while True:
                batch = await self.collect()
                try:
                    results = await asyncio.to_thread(self.model, batch)
                    for request, result in zip(batch, results, strict=True):
                        request.future.set_result(result)
                except Exception as error:
                    for request in batch:
                        request.future.set_exception(error)
        """
    line = line_of(code)
    return draw.drill(f"""
    A batch of {batch} is running when the client of request number {place} hangs up: its future is
    cancelled. (On a future that is done or cancelled, `set_result` and `set_exception` raise
    InvalidStateError.)

    {listing(numbered(code))}
    ? How many clients of this batch go on waiting and never get an answer?
    = {behind} tolerance=0 absolute=0 scale=off
    - everybody-still-there {batch - 1}: Some had their answer before the loop came to the cancelled
      one. How many?
    - those-before {place - 1}: Those had their answers already. Who stands behind the cancelled
      one?
    - the-one-who-left {batch - place + 1}: You count the client who hung up. Does that one still
      wait?
    ? Which line raises first?
    | {line(5)}
    ! The model computes one result too many, and nothing raises here.
    | {line(6)}
    ! There are as many results as requests: strict has nothing to object to.
    | {line(7)}
    | {line(10)}
    ! It raises too, but something must raise before it is reached.
    > Walk through the batch, one request after the other, up to the first error.
    > Whoever stands before the error has an answer. The handler begins at the front again.
    > Numbers 1 to {place - 1} are answered; number {place} raises; {batch} in all.
    * answered {place - 1}: Answered: numbers 1 to {place - 1}
    . Number {place} raises; the handler calls set_exception on number 1, which is done, and raises
      again: the loop's task ends.
    * waiting {behind}: Numbers {place + 1} to {batch} wait for ever
    . Mended: `if not request.future.done():` before either call.
    ~ At most all those who came after the client that hung up.

    Cancellation is ordinary: guard every set_result and set_exception with done(). Later batches
    fare even worse than this one: the loop's task has ended, so everybody who comes from now on
    waits for ever. Cancel one client in a test; all others must be answered.
    """)


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
