"""Faults in the code of a dynamic batcher: clients who never get an answer."""

from labutils.drills.definition.writing import Draw, Drill, line_of, listing, numbered, template

FAULTS = {"too_few_results": ("X70",), "cancelled_in_the_middle": ("X71",)}


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
