"""R09: one step of an engine that you have written, with a preemption in it."""

from labutils.drills.whiteboard.prompt_writing import Page, page, prompt
from labutils.engine import PagePool, Request, Scheduler

PAGES, PAGE_TOKENS = 8, 4
PROMPTS = (7, 11, 9)


@prompt("E04 D08", minutes=10)
def r09() -> Page:
    """One step of your engine."""
    old, young, lost, step = _until_preempted()
    again = PROMPTS[2] + step - 1  # the prompt, and the answer that it had by then
    return page(f"""
    You say that you have written a serving engine. Take me through one step of it, from the plan to
    the tokens. Memory runs out in that step, and three requests are running.

    ? What do the three stand at? A, B and C came in this order with prompts of
      {", ".join(map(str, PROMPTS))} tokens, and decode since the first step. (It decides which of
      them needs a page, and which is the newest.)
    ? How large are pages and pool? {PAGES} pages of {PAGE_TOKENS} tokens. (It decides the step in
      which it happens.)

    + The order: plan, pack, compute, count, hand out
    + What a preempted request loses, and what it keeps
    + One line for all rows: positions, slots, block tables, wanted logits
    + Write keys and values before anything is read
    + One request's error or end stays its own; pages go back in one place

    — Plan — Step {step}. All three decode, so each computes one token. A and B stand at the end of
      their last pages (they hold {old} and {young}) and need one more each; the pool of {PAGES}
      pages has none left. The newest gives way: C.
    — Preemption — C leaves `running`, its {lost} pages go back, its computed count goes to 0, and
      it waits at the head of the queue. Its tokens stay: prompt and answer so far are known. It
      comes back as one prefill of {again} tokens. In this step nothing is admitted, or C would take
      its pages back at once.
    — Pack — What is left is one line without padding, a token of A and one of B: token numbers,
      positions (each in its own sequence), slots (page · page size + place), the block table of
      each row, and which places want logits. A chunk of a prompt would be a row with more tokens in
      the same line.
    — Compute — One call of the model reads all weights once. In each layer the new keys and values
      are written to their slots first; then rows that decode read their pages together, in buckets
      of like length, and chunks by themselves.
    — Hand out — Choose a token for each row that has caught up, with the request's own random
      number. Count what ran. Then stop rules and callbacks, each in its own `try`: one request's
      error ends that request. Pages go back in one place, however it ends.

    * failure 3: “After every step of a test I recount the pages, and I cancel at random.”

    > Why the newest, and not the one with the most pages?
    < It has least to compute again, and the oldest always moves on, so none starves. The largest
      would free more at once; then a long request may never end.
    > How do you know that no page is lost?
    < Recount after every step of a test: each page is free, idle or held, and the owners in the
      books are the requests that hold it. Cancel requests in every state while you do.
    > Company changes an answer. Where do you look?
    < In float64 first: in float32 a near tie of two tokens may turn. Then positions, slots and the
      order of rows: logits and requests have to stand in one order.
    """)


def _until_preempted() -> tuple[int, int, int, int]:
    """Pages of A and of B before the step, those that C loses, and the step's number."""
    scheduler = Scheduler(
        len(PROMPTS), PagePool(PAGES, PAGE_TOKENS), token_budget=sum(PROMPTS), chunked=True
    )
    requests = [Request(name, n, 16) for name, n in zip("ABC", PROMPTS)]
    for request in requests:
        scheduler.add(request)
    for step in range(1, 99):
        held = [len(request.pages) for request in requests]
        plan = scheduler.schedule(0.0)
        if plan.preempted:
            return *held, step
        scheduler.commit(plan)
    raise RuntimeError("no step preempts")
