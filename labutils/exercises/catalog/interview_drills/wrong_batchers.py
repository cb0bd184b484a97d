"""Batchers that do not survive the stories of the code drill, each by one mistake."""

from labutils.exercises.definition.patched import patched

from .batchers import Batcher

_SHEET = """
waits-for-full: Nobody leaves until the batch is full. In a quiet night that takes until morning.
- return full or now_ms >= self.line[0].came_ms + self.window_ms
+ return full

goes-at-once: Whoever is there leaves at once. What is the window for?
- return full or now_ms >= self.line[0].came_ms + self.window_ms
+ return True

window-of-the-newest: The window moves with somebody who came later. Whose patience is it, and when
    did it begin?
- self.line[0].came_ms
+ self.line[-1].came_ms

late-by-a-moment: Somebody has waited for window_ms, to the very moment, and stays. A timer set to
    that moment rings once: when would you look again?
- now_ms >= self.line[0].came_ms
+ now_ms > self.line[0].came_ms

waits-though-full: A full batch waits for its window. What could still get better?
- return full or now_ms >= self.line[0].came_ms + self.window_ms
+ return now_ms >= self.line[0].came_ms + self.window_ms

window-from-the-gpu: The window begins when the GPU is back. When did the request begin to wait?
- self.line[0].came_ms
+ max(self.line[0].came_ms, self.back_ms)

two-at-once: A batch leaves while the GPU still works on another one. What becomes of that one?
- if self.batch:
-     return []
- self.batch = self.next_half() or self.from_the_line(now_ms)
+ self.batch = self.next_half() or self.from_the_line(now_ms) or self.batch

heads-only: You count requests and not what they cost. What is a batch of one long and five short
    texts padded to?
- longest = 0
- ...
+ return min(len(self.line), self.max_batch)

without-padding: You add up the tokens that were sent. What does the GPU compute for the short ones
    in a batch with a long one?
- longest = 0
+ tokens = 0
- longest = max(longest, ticket.tokens)
- if (size + 1) * longest > self.max_tokens:
+ tokens += ticket.tokens
+ if tokens > self.max_tokens:

waits-for-the-wrong-one: The next in line does not fit, and the batch waits for its window. For
    whom?
- full = size == self.max_batch or size < len(self.line)
+ full = size == self.max_batch

the-short-overtake: You pass over the one that does not fit. If short ones keep coming, when is its
    turn?
- size = self.fitting()
- if not self.line or not self.ready(size, now_ms):
-     return []
- leaving, self.line = self.line[:size], self.line[size:]
+ taken, rest, front = [], list(self.line), self.line
+ for ticket in front:
+     longest = max([ticket.tokens, *(one.tokens for one in taken)])
+     if len(taken) < self.max_batch and (len(taken) + 1) * longest <= self.max_tokens:
+         taken.append(ticket)
+         rest.remove(ticket)
+ self.line = [*taken, *rest]
+ if not self.line or not self.ready(len(taken), now_ms):
+     self.line = front
+     return []
+ leaving, self.line = taken, rest

takes-the-essay: A text that fits into no batch is let in. Either it stands at the head of the line
    for ever, or the GPU runs out of memory. When can you know, and who should hear of it?
- if self.is_full() or tokens > self.max_tokens:
+ tokens = min(tokens, self.max_tokens)
+ if self.is_full():

too-strict-at-the-door: A text that just fills a batch is turned away. May it go alone?
- tokens > self.max_tokens
+ tokens >= self.max_tokens

never-quite-full: A batch that costs exactly `max_tokens` is cut. May it be full?
- if (size + 1) * longest > self.max_tokens:
+ if (size + 1) * longest >= self.max_tokens:

next-one-uncounted: You count what is in the batch, and not the one that joins. What does it cost
    with that one?
- if (size + 1) * longest > self.max_tokens:
+ if size * longest > self.max_tokens:

fails-as-one: Everybody in the batch gets the error. How many of them are to blame?
- if results is None and len(batch) > 1:
-     self.try_again(batch)
-     return {}
- told = zip(batch, results or [None])
+ told = zip(batch, results or [None] * len(batch))

one-by-one: Whose turn is it after a batch has failed, and how many calls does one culprit cost?
- half = len(batch) // 2
- self.halves += [batch[half:], batch[:half]]
+ self.halves += [[name] for name in reversed(batch)]

halves-at-the-end: Whose turn is it after a batch has failed, and how many calls does one culprit
    cost?
- self.next_half() or self.from_the_line(now_ms)
+ self.from_the_line(now_ms) or self.next_half()

the-same-again: The batch that has just failed leaves again, as it was. What will the model say?
- half = len(batch) // 2
- self.halves += [batch[half:], batch[:half]]
+ self.halves.append(batch)

back-half-first: The halves go in the wrong order. Who in that batch came first?
- [batch[half:], batch[:half]]
+ [batch[:half], batch[half:]]

front-half-larger: Of an odd number the front half gets one more with you. It has n // 2.
- half = len(batch) // 2
+ half = -(-len(batch) // 2)

level-by-level: A half has failed, and what goes next is not a half of it. Is your pile of halves a
    queue or a stack, and which of them keeps the order in which people came?
- self.halves += [batch[half:], batch[:half]]
+ self.halves = [batch[half:], batch[:half], *self.halves]

stays-in-the-line: Whoever hung up in the line still counts. Who is the oldest now, and who goes to
    the GPU?
- for ticket in [ticket for ticket in self.line if ticket.name == name]:
-     self.note(ticket, now_ms)
-     self.line.remove(ticket)

answers-the-gone: Somebody who hung up while the GPU worked is answered. In production that call
    raises.
- return {name: result for name, result in told if name not in self.gone}
+ return dict(told)

gone-unnoted: Somebody hangs up while the GPU works, and you note it nowhere: it is answered, or
    tried again.
- self.gone.add(name)
+ self.gone.discard(name)

closes-the-gap: You strike names off a batch before you pair it with results. In which order did the
    model return them?
- told = zip(batch, results or [None])
- return {name: result for name, result in told if name not in self.gone}
+ left = [name for name in batch if name not in self.gone]
+ return dict(zip(left, results or [None]))

tells-the-gone: Somebody who was alone has hung up, and hears an error. Whoever hangs up hears
    nothing.
= told = zip(batch, results or [None])
+ if results is None:
+     return {batch[0]: None}

goes-all-the-same: Somebody hangs up whose half waits for its turn, and the GPU starts for it. Where
    do you look for a name that hangs up?
- self.gone.add(name)
+ if name in self.batch:
+     self.gone.add(name)

blames-the-rest: Only one is left, so you blame that one. Was it alone when the model raised?
- if results is None and len(batch) > 1:
+ left = [name for name in batch if name not in self.gone]
+ if results is None and len(batch) > 1 and len(left) == 1:
+     return {left[0]: None}
+ if results is None and len(batch) > 1:

retries-the-gone: The second try computes for somebody who has hung up.
- while self.halves:
- ...
+ return self.halves.pop() if self.halves else []

takes-everybody: Nobody is ever refused. What is the wait of the last in a line without an end?
- return len(self.line) >= self.max_waiting
+ return False

counts-the-running: Those whom the GPU works on take up room in the line. Do they wait?
- return len(self.line) >= self.max_waiting
+ return len(self.line) + len(self.batch) >= self.max_waiting

counts-the-halves: Those whose batch has failed and who go again take up room in the line. They are
    in work: do they wait for their first batch?
- return len(self.line) >= self.max_waiting
+ return len(self.line) + sum(map(len, self.halves)) >= self.max_waiting

one-too-many: One more than `max_waiting` stands in the line. What do you compare, before or after?
- >= self.max_waiting
+ > self.max_waiting

one-clock: You count the time in which the GPU was busy as waiting for company. Which clock stands
    still meanwhile?
- working_ms = now_ms - self.left_ms if self.batch else 0
- return now_ms - self.busy_ms - working_ms
+ return now_ms

last-idle-alone: You count from the moment at which the GPU came back. It may be idle twice in one
    wait, with a batch in between.
- self.company_ms = max(self.company_ms, self.idle_ms(now_ms) - ticket.idle_ms)
+ if not self.batch:
+     since_ms = max(ticket.came_ms, self.back_ms)
+     self.company_ms = max(self.company_ms, now_ms - since_ms)

proof-in-reverse: You tell the wait while the GPU was idle first. Which of the two comes first?
- return self.wait_ms, self.company_ms
+ return self.company_ms, self.wait_ms

those-who-left: You measure those whom a batch has taken. Who has waited longer than they, and is in
    no batch?
- self.note(ticket, now_ms)
- self.line.remove(ticket)
+ self.line.remove(ticket)
- for ticket in self.line:
-     self.note(ticket, now_ms)

those-who-gave-up: Somebody waited, hung up, and is in no figure of yours. Who hangs up: the
    patient?
- self.note(ticket, now_ms)
- self.line.remove(ticket)
+ self.line.remove(ticket)

forgets-the-line: You measure everybody who has gone. What does your gauge say while the line stands
    still?
- for ticket in self.line:
-     self.note(ticket, now_ms)
"""

MISTAKES = patched(Batcher, _SHEET)
