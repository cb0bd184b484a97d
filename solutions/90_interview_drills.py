# ---
# jupyter:
#   course:
#     order: 90
#     slug: interview_drills
#     title: Interview drills
#     question: Nobody names the topic, a number is missing, and somebody waits. Do you still know which formula it is?
#     minutes: 150
#     needs: [two_numbers]
#     folder: notebooks
#     gpu: false
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# A chapter names its law in the title, and gives the numbers that the formula wants. An interview does
# the opposite:
#
# | in a chapter | in an interview | here |
# | --- | --- | --- |
# | the title says which law | you have to see it | topics are mixed, and named after the answer |
# | every number is given, and needed | one is missing, two are of no use | *ask for what is missing* |
# | a calculator | one significant figure, aloud | *60 seconds*, *a bound first* |
# | the answer is the end | "and now the context doubles" | *what binds next* |
# | dashboards tell the truth | one panel lies | *one panel lies* |
# | somebody agrees | somebody objects | *commit, then defend* |
#
# So this is no chapter but a gym. Every drill draws fresh numbers, its answer is computed by the functions
# that you met in the chapters, and the mistakes that people make have names. Nothing has to be done in
# order, and nothing at once: the first half is an hour, the mock, the whiteboard and the first two code
# drills have a day of their own each. A plan for seven days stands at the end.
#
# In a terminal the same drills are `labutils drill`; the progress is shared.

# %%
import math
import textwrap

from labutils import llm
from labutils.drills import drill, due, mock, skill
from labutils.drills.whiteboard import prompt, prompts, rubric
from labutils.drills.widget import mock_desk, practice
from labutils.exercises import check, hint, reveal
from labutils.ground.units import format_quantity as say

# %% [markdown]
# ## Which formula is it, when nobody says so?
#
# Take one. Read it twice, decide what is *asked* (per GPU or in all? with the queue or without?), and answer
# with a unit, in any sensible form: `"40 ms"`, `"0.04 s"`, `"1.3 GB"`, `"2k"`, `"12 %"`, or a bare number in
# the unit that is asked for.

# %%
### BEGIN SOLUTION
session = drill("in_flight", seed=7)
### STUB session = drill()
### END SOLUTION

# %%
### BEGIN SOLUTION
session.check(25 * (4.8 - 1.2))
### STUB session.check(...)
### END SOLUTION

# %% [markdown]
# The check names the mistake where it knows it, and asks a question. It never shows the answer. What else
# you can call:
#
# | call | what it does |
# | --- | --- |
# | `session.hint()` | three hints: the quantity, the formula, your numbers in it; the first reacts to your last answer |
# | `session.check(answer, name=…)` | hand in what you found on the way: the first wrong step is named |
# | `session.check("40 ms", choice="b")` | where there is something to choose |
# | `session.reveal()` | the worked solution with these numbers |
# | `session.again()` | the same kind of question, new numbers |
# | `session.follow_up()` | the story goes on, once this one is done |
#
# Unaided at the first or second try counts as *good*, with hints as *hard*, revealed as *again*: from these
# the schedule (the package `fsrs`) decides when that kind of question comes back, with other numbers.
#
# Run a cell with `drill(…)` twice, and it asks two different things. So put the `...` back into the checks
# before you run this page again: an old answer to a new question counts as a wrong one.

# %% [markdown] tags=["solution-only"]
# Here the first answer left the queue out. The connection is open while the request waits, too:

# %% tags=["solution-only"]
session.hint()

# %% tags=["solution-only"]
session.check(25 * 4.8)
assert session.is_done

# %% [markdown]
# ### The desk: one field, one key
#
# The same with a field and buttons, one drill after the other. Enter checks; Enter on the empty field goes
# on; every button can be typed (`hint`, `reveal`, `next`, …), and `?` lists the rest. Where a letter and a
# number are asked, type `b 40 ms`, or one after the other. What is due comes first. Do five in a row before you
# read on. If you find yourself looking for the chapter's title in the question, that is the exercise.

# %%
### BEGIN SOLUTION
practice("two_rates", seed=7)
### STUB practice()
### END SOLUTION

# %% [markdown]
# ## What do you know before you calculate?
#
# ### One significant figure, 60 seconds, no calculator
#
# Aloud, 14.7 GB is 15, and 4.8 TB/s is 5. Round every number to *one* figure, keep the powers of ten apart,
# divide first and multiply then. Nobody minds 20 %; everybody minds a factor of ten. It helps to carry a few
# quotients in the head, so that a new number needs one multiplication:

# %%
spec, card = llm.model("Llama-3.1-8B"), llm.accelerator("H100 SXM")
weights = spec.weight_bytes(2)
anchors = {
    "one request a second, in a day": say(24 * 3600, "req"),
    f"weights of {spec.name}, bf16": say(weights, "B"),
    "its cache of one token, bf16": say(spec.kv_bytes_per_token(2), "B"),
    f"reading the weights once, {card.name}": say(weights / card.bandwidth_bytes_per_s, "s"),
    "FLOP for a byte at that card's ridge": say(card.ridge("bf16"), "FLOP/B"),
    "M/M/1: p99 over the mean": f"{math.log(100):.1f}",
    "fan-out to 100: slow pages at 1 % slow leaves": f"{100 * (1 - 0.99**100):.0f} %",
}
for name, value in anchors.items():
    print(f"{name:46} {value}")

# %% [markdown]
# Now against the clock. A rough drill is right within a factor of 1.5; beyond 60 seconds it says so.

# %%
### BEGIN SOLUTION
quick = drill("kv_per_token", seed=7, rough=True)
### STUB quick = drill(rough=True)
### END SOLUTION

# %%
### BEGIN SOLUTION
quick.check("100 kB")  # keys and values of 4 heads: 1,000 numbers; 2 bytes each; 50 layers
assert quick.is_done
### STUB quick.check(...)
### END SOLUTION

# %% [markdown]
# ### A bound before the answer, and how sure you are
#
# Two habits that an interviewer sees at once. **A bound**: what must the answer exceed, or stay below, by a
# reason that needs no calculator (weights alone, one user alone, all of the bandwidth)? It has to hold, and
# to be within a factor of 20 of the truth. It catches the factor of a thousand before you say it aloud.
# **A range** that you are 80 % sure of: over many drills four in five ranges should hold the answer. Most people's
# hold half of the time; it takes about twenty ranges to see it in your own. On the desk both are typed before
# the answer: `bound < 5 s`, `predict 10 20`.

# %%
### BEGIN SOLUTION
bounded = drill("decode_floor", seed=7)
### STUB bounded = drill(decision="estimate")
### END SOLUTION

# %%
### BEGIN SOLUTION
bounded.bound(at_least="24 ms")
### STUB bounded.bound(at_least=...)
### END SOLUTION

# %%
### BEGIN SOLUTION
bounded.predict("30 ms", "60 ms")
### STUB bounded.predict(low=..., high=...)
### END SOLUTION

# %%
### BEGIN SOLUTION
bounded.check((2 * 3.213e9 + 64 * 600 * 2 * 28 * 8 * 128 * 2) / (0.88 * 300e9))
assert bounded.is_done
### STUB bounded.check(...)
### END SOLUTION

# %% tags=["solution-only"]
bounded.reveal()

# %% [markdown] tags=["solution-only"]
# From here on this edition hands in each drill's own answer, `session.drill.answer`, and shows how it is
# found.

# %% [markdown]
# ## Which number do you ask for?
#
# "How many connections will be open?" is no question yet. The candidate who starts to calculate has assumed
# something; the one who asks *which mean, over what, up to which moment* has scored. Here one number is
# missing, and you may ask for one. Ask for the one on which the answer *depends*, and which nothing else in
# the story gives you. The story then goes on with the reply.

# %%
### BEGIN SOLUTION
unclear = drill("missing_stay", seed=7)
### STUB unclear = drill(form="missing")
### END SOLUTION

# %%
### BEGIN SOLUTION
unclear.check(unclear.drill.options.right)
### STUB unclear.check(...)
### END SOLUTION

# %%
answered = unclear.follow_up()

# %%
### BEGIN SOLUTION
answered.check(answered.drill.answer)
### STUB answered.check(...)
### END SOLUTION

# %% tags=["solution-only"]
answered.reveal()

# %% [markdown]
# ## What binds next?
#
# Something always binds: arithmetic, bandwidth, memory, admission, a queue. Whoever names it gets the question
# that follows: double the context, the batch, the traffic. The answer is rarely "twice", because *another*
# limit takes over. In these chains each question rests on the one before. Before you calculate, say which
# limit binds now, and what would have to grow for another one to take its place. `second.follow_up()` goes on
# where this page stops: a chain has three or four links.

# %%
### BEGIN SOLUTION
chain = drill("chain_decode", seed=7)
### STUB chain = drill(form="chain")
### END SOLUTION

# %%
### BEGIN SOLUTION
chain.check(chain.drill.answer, choice=chain.drill.options.right)
### STUB chain.check(...)
### END SOLUTION

# %%
second = chain.follow_up()

# %%
### BEGIN SOLUTION
second.check(second.drill.answer, choice=second.drill.options.right)
### STUB second.check(...)
### END SOLUTION

# %% tags=["solution-only"]
second.reveal()

# %% [markdown]
# ## Which panel lies?
#
# Dashboards are written by people. One of these panels contradicts the others: find it, and say what it should
# read. Test with what must hold whatever happens: what comes in goes out, in flight = rate × time, parts add up
# to the whole. A panel that looks odd is no proof; two panels that cannot both be true are, and a third tells
# which of them it is. Some of these ask for the number in `panels.follow_up()`.

# %%
### BEGIN SOLUTION
panels = drill("board_flow", seed=7)
### STUB panels = drill(form="dashboard")
### END SOLUTION

# %%
### BEGIN SOLUTION
panels.check(panels.drill.answer, choice=panels.drill.options.right)
### STUB panels.check(...)
### END SOLUTION

# %% tags=["solution-only"]
panels.reveal()

# %% [markdown]
# ## Where is the flaw?
#
# A colleague has written it down, line by line, with numbers. The first line that does not hold is asked for,
# and the figure that it should have been. Read like a reviewer: units, boundaries, what was averaged, and
# which assumption nobody said aloud.

# %%
### BEGIN SOLUTION
claim = drill("averaged_percentiles", seed=3)
### STUB claim = drill(form="flaw")
### END SOLUTION

# %%
### BEGIN SOLUTION
claim.check(claim.drill.answer, choice=claim.drill.options.right)
### STUB claim.check(...)
### END SOLUTION

# %% tags=["solution-only"]
claim.reveal()

# %% [markdown]
# ## Commit, then defend
#
# "It depends" ends no interview well. Pick a design under numbers, give the one figure that decides, and then
# hear the strongest counter-argument. There is no answer without a cost: a good defence *names the cost*, and
# says from which number on you would change your mind.

# %%
### BEGIN SOLUTION
stand = drill("defend_bounded_queue", seed=7)
### STUB stand = drill(form="defend")
### END SOLUTION

# %%
### BEGIN SOLUTION
stand.check(stand.drill.answer, choice=stand.drill.options.right)
### STUB stand.check(...)
### END SOLUTION

# %%
objection = stand.follow_up()

# %%
### BEGIN SOLUTION
objection.check(objection.drill.answer, choice=objection.drill.options.right)
### STUB objection.check(...)
### END SOLUTION

# %% tags=["solution-only"]
objection.reveal()
# %% [markdown]
# ## Ten questions in 25 minutes
#
# The mock mixes levels and decisions, and helps with nothing. One story goes on ("and now the context
# doubles"), whatever you answered; where only the unit or a power of ten is off, it asks once more. Nothing comes
# that your last two mocks asked. Start begins the clock; Enter hands in and goes on; `predict 10 20` commits to a
# range first; `skip` is allowed, and wiser than a number that you do not believe. At the end (or after Finish) a
# report sets what you said beside what is right, says which decisions held, names the mistakes, and writes a page
# with every worked solution to `my/reports`. Speak aloud all the while: the mock in your head is half a mock.

# %%
mock_desk()

# %% [markdown]
# `mock_desk(level=3, topics=["D"], rough=True)` narrows what it asks. As text it is `sitting = mock()`, then `sitting.check(…)`, `sitting.skip()`, `sitting.back()`, `sitting.report()`.

# %% [markdown] tags=["solution-only"]
# What the report says about somebody who answers three of four and skips the last:

# %% tags=["solution-only", "nbval-ignore-output"]
sitting = mock(seed=3, questions=4, minutes=10)
for asking in sitting.asked[:3]:
    right = asking.drill
    number = ... if right.answer is None else right.answer
    sitting.quiet_check(number, right.options and right.options.right)
sitting.quiet_skip()
report = sitting.quiet_report()
print(report.kinds().plain(), *report.advice(), sep="\n")
assert report.score == (3, 4)

# %% [markdown]
# ## At the whiteboard
#
# Twelve designs of 45 minutes, and nine interview questions of ten. No program can judge a design, so you do,
# by a must-hit list and a rubric of eight axes with an example for every score. The order matters: ask
# first, answer aloud or on paper (set a phone to record; you will hear what you left out), and look only then.

# %% tags=["topic:R01", "topic:R02", "topic:R03", "topic:R04", "topic:R05", "topic:R06", "topic:R07", "topic:R08"]
for item in prompts():
    asked = item.title if item.minutes > 10 else item.ask
    print(
        textwrap.fill(f"{item.id:3}  {item.minutes} min  {asked}", 96, subsequent_indent=" " * 13)
    )

# %%
board = prompt("d2")
board

# %% [markdown]
# | call | when |
# | --- | --- |
# | `board.clarify()`, `board.clarify("b")` | first: what you might ask, and the interviewer's reply |
# | `board.must_hits()`, `board.tick("a c")` | after your answer: what had to come, and what you said |
# | `board.model_answer()` | then: an answer whose every number is computed; `d9` to `d12` with a drawing, boxes and calls |
# | `board.follow_up(1)` … `(3)`; `answer=True` | and the problem moves |
# | `board.grade(clarify=2, estimate=3, …)` | last: a score for each of the eight axes below; mid, senior or staff |

# %%
rubric()

# %% [markdown] tags=["solution-only"]
# The interviewer's reply to a question, and what a full answer to the same prompt holds:

# %% tags=["solution-only"]
board.clarify("a")

# %% tags=["solution-only"]
board.model_answer()

# %% [markdown] tags=["topic:T11"]
# ## Code drill 1: the batcher, in 35 minutes
#
# The most reported design prompt of the trade, and it grows while you write. Set a clock, and open each part
# when its minute has come. After each part run the check: it says how many of sixteen hidden stories your
# class survives, and shows the next one in a few lines. When the next one belongs to a part that is still
# closed, yours is done.
#
# **Minute 0.** *"One GPU, one model. It takes a list of texts and answers them in one go. Requests come one
# at a time. Write the class that decides who goes when. No threads, no timers, no clock: I tell you what
# happens, and at which millisecond."*
#
# - `submit(name, tokens, now_ms)`: a request comes; return True.
# - `poll(now_ms)`: the GPU asks for work. Return the names that go now, in the order in which they came, or
#   `[]`. A batch leaves when `max_batch` wait, or when its oldest has waited for `window_ms` since it *came*.
#   While a batch is out, nobody leaves.
# - `done(results, now_ms)`: the batch is back, one result per name, in its order. Return `{name: result}`.
#
# <details><summary><b>Minute 8</b></summary>
#
# *"Texts differ in length. A batch is padded to its longest, so it costs size × longest
# tokens, and above `max_tokens` the GPU runs out of memory. Nobody may overtake. And tell at the door who
# can never be served: return False."* A batch into which the next in line does not fit is full.
#
# </details>
#
# <details><summary><b>Minute 14</b></summary>
#
# *"Some texts make the model raise: then `results` is None. One bad text, and one client
# gets an error, please."* Try a failed batch of n again in halves, the front n // 2 first, both before
# everybody who waits. A request that failed alone hears `None`.
#
# </details>
#
# <details><summary><b>Minute 20</b></summary>
#
# *"Clients hang up: `cancel(name, now_ms)`, at any moment. They hear nothing, the GPU does
# not start for them, and nobody else is harmed."*
#
# </details>
#
# <details><summary><b>Minute 26</b></summary>
#
# *"At most `max_waiting` in the line. Those in work do not stand in it."*
#
# </details>
#
# <details><summary><b>Minute 30</b></summary>
#
# *"Operations say that your window is broken: people wait 60 ms. Prove that it holds."*
# `proof(now_ms)` returns two numbers in ms: the longest wait so far before a first batch (whoever left, hung
# up in the line, or stands in it now), and the longest part of such a wait during which the GPU was *idle*.
#
# </details>

# %% [markdown] tags=["solution-only", "topic:T11"]
# One way to write it, in four pieces. First who waits, and two clocks: the second stands still while the
# GPU works.


# %% tags=["solution-only", "topic:T11"]
class Line:
    def __init__(self, max_batch, window_ms, max_tokens, max_waiting):
        self.max_batch, self.window_ms = max_batch, window_ms
        self.max_tokens, self.max_waiting = max_tokens, max_waiting
        self.line, self.halves, self.batch, self.gone = [], [], [], set()
        self.busy_ms, self.left_ms, self.longest = 0, 0, (0, 0)

    def submit(self, name, tokens, now_ms):
        if len(self.line) == self.max_waiting or tokens > self.max_tokens:
            return False
        self.line.append((name, tokens, now_ms, self.idle_ms(now_ms)))
        return True

    def proof(self, now_ms):
        return self.note(self.line, now_ms)

    def idle_ms(self, now_ms):
        return (self.left_ms if self.batch else now_ms) - self.busy_ms


# %% [markdown] tags=["solution-only", "topic:T11"]
# Who fits, and whether they leave.


# %% tags=["solution-only", "topic:T11"]
class Front(Line):
    def fitting(self):
        for size in range(min(len(self.line), self.max_batch), 0, -1):
            if size * max(tokens for _, tokens, _, _ in self.line[:size]) <= self.max_tokens:
                return size
        return 0

    def front(self, now_ms):
        size = self.fitting()
        full = size == self.max_batch or size < len(self.line)
        if not self.line or not (full or now_ms >= self.line[0][2] + self.window_ms):
            return []
        leaving, self.line = self.line[:size], self.line[size:]
        self.note(leaving, now_ms)
        return [name for name, *_ in leaving]


# %% [markdown] tags=["solution-only", "topic:T11"]
# Who is struck off, and what everybody's wait was on both clocks.


# %% tags=["solution-only", "topic:T11"]
class Noting(Front):
    def next_half(self):
        wanted = ([name for name in half if name not in self.gone] for half in self.halves)
        self.halves = [half for half in wanted if half]
        return self.halves.pop() if self.halves else []

    def cancel(self, name, now_ms):
        self.note([ticket for ticket in self.line if ticket[0] == name], now_ms)
        self.line = [ticket for ticket in self.line if ticket[0] != name]
        self.gone.add(name)

    def note(self, tickets, now_ms):
        for _, _, came_ms, idle_ms in tickets:
            waits = now_ms - came_ms, self.idle_ms(now_ms) - idle_ms
            self.longest = tuple(map(max, self.longest, waits))
        return self.longest


# %% [markdown] tags=["solution-only", "topic:T11"]
# And what the interviewer calls.


# %% tags=["topic:T11"]
### BEGIN SOLUTION
class Batcher(Noting):
    def poll(self, now_ms):
        if self.batch:
            return []
        self.batch, self.left_ms = self.next_half() or self.front(now_ms), now_ms
        return list(self.batch)

    def done(self, results, now_ms):
        batch, self.batch, half = self.batch, [], len(self.batch) // 2
        self.busy_ms += now_ms - self.left_ms
        if results is None and half:
            self.halves += [batch[half:], batch[:half]]
            return {}
        told = zip(batch, results or [None])
        return {name: result for name, result in told if name not in self.gone}


### STUB class Batcher:
### STUB     def __init__(self, max_batch, window_ms, max_tokens, max_waiting):
### STUB         raise NotImplementedError("replace this line by your code")
### STUB     def submit(self, name, tokens, now_ms):
### STUB         raise NotImplementedError("replace this line by your code")
### STUB     def poll(self, now_ms):
### STUB         raise NotImplementedError("replace this line by your code")
### STUB     def done(self, results, now_ms):
### STUB         raise NotImplementedError("replace this line by your code")
### END SOLUTION


# %%
check("interview.batcher", Batcher)

# %% [markdown] tags=["topic:T11"]
# Stuck for five minutes? `hint("interview.batcher")`. An interviewer gives hints, too, and minds less than
# silence. When the clock rings, or all stories are survived, read what they ask *next*:
# `reveal("interview.batcher")`. One way to write it stands in the solution edition of this page.

# %% [markdown] tags=["topic:J01"]
# ## Code drill 2: an allocator, in 25 minutes
#
# Again in parts, with twelve stories.
#
# **Minute 0.** *"GPU memory for token sequences: `num_pages` pages of `page_tokens` tokens. Write the
# books, not the memory. Take the lowest free page first, so that I can predict you."*
#
# - `grow(name, tokens)`: append so many tokens (perhaps 0) to a sequence; a name that is new begins one. As few
#   pages as possible. Return True, or, without room, False: then *nothing* has changed.
# - `table(name)`: its pages in order, `[]` if unknown. `num_free()`: how many pages are free.
#
# <details><summary><b>Minute 8</b></summary>
#
# *"They end. `free(name)`: True, or False if there is no such sequence. Somebody will call it
# twice."*
#
# </details>
#
# <details><summary><b>Minute 12</b></summary>
#
# *"Two answers to one prompt. `fork(name, new)`: a second sequence that reads the same pages
# and takes none; False if `name` is unknown or `new` is taken. A page is free when nobody holds it."*
#
# </details>
#
# <details><summary><b>Minute 18</b></summary>
#
# *"And if both go on in the middle of the same page?"* Whoever writes first into a page that
# others read gets a copy of it, which takes a page. Nobody copies what nobody else reads, or what is full.
#
# </details>

# %% [markdown] tags=["solution-only", "topic:J01"]
# The books, and everything but `grow`:


# %% tags=["solution-only", "topic:J01"]
class Books:
    def __init__(self, num_pages, page_tokens):
        self.page_tokens, self.spare = page_tokens, list(range(num_pages))
        self.tables, self.tokens, self.owners = {}, {}, [0] * num_pages

    def table(self, name):
        return list(self.tables.get(name, []))

    def num_free(self):
        return len(self.spare)

    def leave(self, pages):
        for page in pages:
            self.owners[page] -= 1
        self.spare = sorted(self.spare + [page for page in pages if self.owners[page] == 0])


# %% tags=["solution-only", "topic:J01"]
class Shared(Books):
    def free(self, name):
        if name not in self.tables:
            return False
        self.leave(self.tables.pop(name))
        del self.tokens[name]
        return True

    def fork(self, name, new):
        if name not in self.tables or new in self.tables:
            return False
        self.tables[new], self.tokens[new] = self.table(name), self.tokens[name]
        for page in self.tables[new]:
            self.owners[page] += 1
        return True


# %% tags=["topic:J01"]
### BEGIN SOLUTION
class PagePool(Shared):
    def grow(self, name, tokens):
        table, held = self.table(name), self.tokens.get(name, 0)
        copies = tokens > 0 and held % self.page_tokens > 0 and self.owners[table[-1]] > 1
        missing = -(-(held + tokens) // self.page_tokens) - len(table) + copies
        if missing > len(self.spare):
            return False
        if copies:
            self.leave([table.pop()])
        own, self.spare = self.spare[:missing], self.spare[missing:]
        for page in own:
            self.owners[page] = 1
        self.tables[name], self.tokens[name] = table + own, held + tokens
        return True


### STUB class PagePool:
### STUB     def __init__(self, num_pages, page_tokens):
### STUB         raise NotImplementedError("replace this line by your code")
### STUB     def grow(self, name, tokens):
### STUB         raise NotImplementedError("replace this line by your code")
### STUB     def table(self, name):
### STUB         raise NotImplementedError("replace this line by your code")
### STUB     def num_free(self):
### STUB         raise NotImplementedError("replace this line by your code")
### END SOLUTION


# %%
check("interview.allocator", PagePool)

# %% [markdown] tags=["topic:J01"]
# Here, too, `hint("interview.allocator")` and `reveal("interview.allocator")`.
#
# Both drills come back next week: empty the cell, set the clock, and write it again. The second time takes
# half as long, which is the point.

# %% [markdown] tags=["optional", "topic:I06"]
# ## Code drill 3: a limiter, in 20 minutes
#
# Drills 3 to 6 are stretches of the same kind, with 15 to 20 stories each. Take the one whose subject
# you like least.
#
# **Minute 0.** *"Our customers pay for tokens. Write what says yes or no at the door. No timers, no clock: I
# tell you the time, in seconds."*
#
# - `Limiter(rate, burst)`: each tenant has a bucket into which `rate` tokens a second flow; it holds `burst` at
#   most, and is full when the tenant is first seen.
# - `allow(tenant, tokens, now_s)`: if the bucket holds that many, take them and return True. Else take nothing and
#   return False. Parts of seconds and of tokens count.
#
# <details><summary><b>Minute 7</b></summary>
#
# *"A refusal needs a header."* `wait(tenant, tokens, now_s)`: the seconds until `allow` would say True if nobody
# else asked, 0 if now, None if never. It takes nothing.
#
# </details>
#
# <details><summary><b>Minute 11</b></summary>
#
# *"Five servers tell you the time. It may stand still, and it may go back."* A time that lies
# before the latest one told for this tenant counts as that latest one.
#
# </details>
#
# <details><summary><b>Minute 15</b></summary>
#
# *"We take the prompt and the longest answer at the door. Most answers are short."*
# `refund(tenant, tokens, now_s)`: so many come back, now. A bucket never holds more than `burst`.
#
# </details>

# %% [markdown] tags=["solution-only", "optional", "topic:I06"]
# Level and time move together, in one place:


# %% tags=["solution-only", "optional", "topic:I06"]
class Buckets:
    def __init__(self, rate, burst):
        self.rate, self.burst, self.buckets = rate, burst, {}

    def level(self, tenant, now_s):
        level, told_s = self.buckets.get(tenant, (self.burst, now_s))
        return level + self.rate * max(0, now_s - told_s), max(now_s, told_s)

    def change(self, tenant, tokens, now_s):
        level, told_s = self.level(tenant, now_s)
        self.buckets[tenant] = min(self.burst, min(self.burst, level) + tokens), told_s


# %% tags=["optional", "topic:I06"]
### BEGIN SOLUTION
class Limiter(Buckets):
    def allow(self, tenant, tokens, now_s):
        fits = self.wait(tenant, tokens, now_s) == 0
        self.change(tenant, -tokens if fits else 0, now_s)
        return fits

    def wait(self, tenant, tokens, now_s):
        if tokens > self.burst:
            return None
        return max(0, tokens - self.level(tenant, now_s)[0]) / self.rate

    def refund(self, tenant, tokens, now_s):
        self.change(tenant, tokens, now_s)


### STUB class Limiter:
### STUB     def __init__(self, rate, burst):
### STUB         raise NotImplementedError("replace this line by your code")
### STUB     def allow(self, tenant, tokens, now_s):
### STUB         raise NotImplementedError("replace this line by your code")
### END SOLUTION


# %% tags=["optional"]
check("interview.limiter", Limiter)

# %% [markdown] tags=["optional", "topic:T12"]
# ## Code drill 4: a cache, in 20 minutes
#
# **Minute 0.** *"A cache of `capacity` answers, at least one. When it is full, the least recently used goes. I
# tell you the time, which may stand still and never goes back; `ttl_s` comes later, and is long until then."*
#
# - `Cache(capacity)`; `put(key, value, ttl_s, now_s)`: keep a value. For a key that is there it replaces the old
#   one, and takes no other's place. To write is to use.
# - `get(key, default, now_s)`: the value, or `default` if there is none. To read is to use.
# - `keys(now_s)`: the keys, least recently used first. To look at the list is not to use.
#
# <details><summary><b>Minute 7</b></summary>
#
# *"Answers grow old."* An entry lives for `ttl_s` seconds from its last `put`: at `now_s` = put +
# `ttl_s` it is dead. Reading prolongs nothing. What is dead is not served and not listed.
#
# </details>
#
# <details><summary><b>Minute 11</b></summary>
#
# *"I paid for these places."* What is dead holds none: a living entry goes only if all `capacity`
# places are taken by living ones.
#
# </details>
#
# <details><summary><b>Minute 15</b></summary>
#
# *"Shall I buy more memory?"* `counts()` returns three numbers: reads that were served, reads that
# were not, and living entries that had to go for room. An entry that died or was overwritten had not.
#
# </details>

# %% [markdown] tags=["solution-only", "optional", "topic:T12"]
# What is kept, in the order of use. A dict remembers the order in which its keys came:


# %% tags=["solution-only", "optional", "topic:T12"]
class Kept:
    def __init__(self, capacity):
        self.places, self.kept, self.numbers = capacity, {}, [0, 0, 0]

    def keys(self, now_s):
        self.kept = {key: kept for key, kept in self.kept.items() if now_s < kept[1]}
        return list(self.kept)

    def counts(self):
        return tuple(self.numbers)


# %% tags=["optional", "topic:T12"]
### BEGIN SOLUTION
class Cache(Kept):
    def put(self, key, value, ttl_s, now_s):
        others = [other for other in self.keys(now_s) if other != key]
        self.kept.pop(key, None)
        if len(others) == self.places:
            del self.kept[others[0]]
            self.numbers[2] += 1
        self.kept[key] = value, now_s + ttl_s

    def get(self, key, default, now_s):
        known = key in self.keys(now_s)
        self.numbers[0 if known else 1] += 1
        if known:
            self.kept[key] = self.kept.pop(key)
        return self.kept[key][0] if known else default


### STUB class Cache:
### STUB     def __init__(self, capacity):
### STUB         raise NotImplementedError("replace this line by your code")
### STUB     def put(self, key, value, ttl_s, now_s):
### STUB         raise NotImplementedError("replace this line by your code")
### STUB     def get(self, key, default, now_s):
### STUB         raise NotImplementedError("replace this line by your code")
### STUB     def keys(self, now_s):
### STUB         raise NotImplementedError("replace this line by your code")
### END SOLUTION


# %% tags=["optional"]
check("interview.cache", Cache)

# %% [markdown] tags=["optional", "topic:I07"]
# ## Code drill 5: a router, in 25 minutes
#
# **Minute 0.** *"Conversations have keys, and each shall find the node that holds its cache. The hash is mine: I
# tell you places on a ring of 0 to 999."*
#
# - `Router(factor)`: keep the factor, at least 1, for later.
# - `join(node, points)`: a node comes and stands at these places of the ring, one or several.
# - `route(key, place)`: the node that stands at `place` or, if none does, at the first point after it; after 999
#   comes 0. None where there is no node.
#
# <details><summary><b>Minute 7</b></summary>
#
# *"One document is asked for by everybody."* A key is *open* from its first `route` on. A node
# holds at most factor × open keys ÷ nodes, rounded up, where the key that you place counts as open. If a node is
# full, walk on to the next point. A key that is open stays where it is, and counts once. `loads()`: open keys
# by node, a dict with all nodes.
#
# </details>
#
# <details><summary><b>Minute 14</b></summary>
#
# *"They end."* `done(key)`: the key is not open any more; True, or False if it was not. And when a
# node joins, open keys stay where their caches are.
#
# </details>
#
# <details><summary><b>Minute 18</b></summary>
#
# *"Nodes die."* `leave(node)`: it stands nowhere any more. All its keys are closed, then routed anew
# one after the other, in the order in which they came, each from the place at which it was opened.
# Return them as `{key: node}`. The others stay.
#
# </details>

# %% [markdown] tags=["solution-only", "optional", "topic:I07"]
# The ring, and the books:


# %% tags=["solution-only", "optional", "topic:I07"]
class Ring:
    def __init__(self, factor):
        self.factor, self.ring, self.books = factor, {}, {}

    def join(self, node, points):
        self.ring |= dict.fromkeys(points, node)

    def loads(self):
        at = [node for node, _ in self.books.values()]
        return {node: at.count(node) for node in self.ring.values()}

    def done(self, key):
        return self.books.pop(key, None) is not None


# %% tags=["optional", "topic:I07"]
### BEGIN SOLUTION
class Router(Ring):
    def route(self, key, place):
        loads, keys = self.loads(), len(self.books) + 1
        order = sorted(self.ring, key=lambda point: (point < place, point))
        nodes = [self.ring[point] for point in order]
        free = [node for node in nodes if loads[node] < self.factor * keys / len(loads)]
        if free:
            self.books.setdefault(key, (free[0], place))
        return self.books.get(key, (None,))[0]

    def leave(self, node):
        self.ring = {point: at for point, at in self.ring.items() if at != node}
        gone = {key: place for key, (at, place) in self.books.items() if at == node}
        self.books = {key: kept for key, kept in self.books.items() if key not in gone}
        return {key: self.route(key, place) for key, place in gone.items()}


### STUB class Router:
### STUB     def __init__(self, factor):
### STUB         raise NotImplementedError("replace this line by your code")
### STUB     def join(self, node, points):
### STUB         raise NotImplementedError("replace this line by your code")
### STUB     def route(self, key, place):
### STUB         raise NotImplementedError("replace this line by your code")
### END SOLUTION


# %% tags=["optional"]
check("interview.router", Router)

# %% [markdown] tags=["optional", "topic:I13"]
# ## Code drill 6: a fair scheduler, in 25 minutes
#
# **Minute 0.** *"Tenants share a machine. Whoever was served least is next. Served means tokens, and they have
# prices."*
#
# - `Fair(prompt_price, answer_price, weights)`: the weights come last; `{}` until then.
# - `submit(name, tenant, prompt_tokens)`: a request waits.
# - `pick()`: a place is free. Of the tenants with a request that waits, take the one with the lowest counter (of
#   several the one that was seen first), and of its requests the oldest. It runs from now on and its prompt is
#   charged: price × tokens. Return its name, or None if nobody waits.
# - `counter(tenant)`: what was charged so far, 0 for a stranger.
#
# <details><summary><b>Minute 8</b></summary>
#
# *"Nobody knows how long answers become."* `made(name, tokens)`: a running request has made so many
# more. Charge them at once.
#
# </details>
#
# <details><summary><b>Minute 12</b></summary>
#
# *"A customer was away over lunch, and now everybody waits for it."* `done(name)`: a request has
# ended. A tenant is *active* while a request of its own waits or runs. If one that is not active submits, its
# counter is lifted to the lowest one among the active; a counter that is higher stays.
#
# </details>
#
# <details><summary><b>Minute 18</b></summary>
#
# *"And if nobody is there?"* If no tenant is active, lift to the counter of the tenant whose request
# ended last.
#
# </details>
#
# <details><summary><b>Minute 21</b></summary>
#
# *"One has bought twice the share."* `weights` holds it by tenant, 1 for those who are not in it: who
# has weight 2 is charged half.
#
# </details>

# %% [markdown] tags=["solution-only", "optional", "topic:I13"]
# Who is active, and what one is charged:


# %% tags=["solution-only", "optional", "topic:I13"]
class Counters:
    def __init__(self, prompt_price, answer_price, weights):
        self.prices, self.weights = (prompt_price, answer_price), weights
        self.lines, self.running, self.counters, self.left = {}, {}, {}, None

    def counter(self, tenant):
        return self.counters.get(tenant, 0)

    def active(self):
        return {tenant for tenant in self.lines if self.lines[tenant]} | {*self.running.values()}

    def charge(self, tenant, price):
        self.counters[tenant] += price / self.weights.get(tenant, 1)


# %% [markdown] tags=["solution-only", "optional", "topic:I13"]
# Who comes back:


# %% tags=["solution-only", "optional", "topic:I13"]
class Lifting(Counters):
    def submit(self, name, tenant, prompt_tokens):
        active = self.active()
        if tenant not in active:
            lowest = min(map(self.counter, active or [self.left]))
            self.counters[tenant] = max(self.counter(tenant), lowest)
        self.lines.setdefault(tenant, []).append((name, prompt_tokens))


# %% tags=["optional", "topic:I13"]
### BEGIN SOLUTION
class Fair(Lifting):
    def pick(self):
        waiting = [tenant for tenant in self.counters if self.lines[tenant]]
        if not waiting:
            return None
        tenant = min(waiting, key=self.counter)
        name, tokens = self.lines[tenant].pop(0)
        self.running[name] = tenant
        self.charge(tenant, self.prices[0] * tokens)
        return name

    def made(self, name, tokens):
        self.charge(self.running[name], self.prices[1] * tokens)

    def done(self, name):
        self.left = self.running.pop(name)


### STUB class Fair:
### STUB     def __init__(self, prompt_price, answer_price, weights):
### STUB         raise NotImplementedError("replace this line by your code")
### STUB     def submit(self, name, tenant, prompt_tokens):
### STUB         raise NotImplementedError("replace this line by your code")
### STUB     def pick(self):
### STUB         raise NotImplementedError("replace this line by your code")
### STUB     def counter(self, tenant):
### STUB         raise NotImplementedError("replace this line by your code")
### END SOLUTION


# %% tags=["optional"]
check("interview.fair", Fair)

# %% [markdown]
# ## How you do, by decision
#
# A drill asks you to *pick the model*, to *estimate*, to *name the limit* or to *commit*. The level is the mean of
# your last twelve questions: 1 unaided, ½ with help, 0 missed. Work on the lowest. The second figure, once there
# are ranges, shows whether four in five held.

# %%
skill().plot()

# %% [markdown]
# And what is due. Kinds of questions come back when you are about to forget them; predictions of the chapters
# return as well, judged against what you saw there.

# %% tags=["nbval-ignore-output"]
due()

# %% [markdown]
# ## Seven days
#
# | day | minutes | what | why |
# | --- | --- | --- | --- |
# | 1 | 45 | `practice()`: ten, with `predict` before each; then `skill()` | to know what is weak, and how sure you are |
# | 2 | 45 | `practice()`: what is due; `practice(decision="limit")`, or what is weakest: ten; `practice(rough=True)`: five | the estimate carries everything else |
# | 3 | 45 | `practice(form="missing")`, `"chain"`, `"dashboard"`: two each; `"flaw"`: four | they ask like this |
# | 4 | 90 | what is due; whiteboard `d1` aloud, then code drill 1 | the same system, in words and in code |
# | 5 | 60 | `mock_desk()`; every worked solution of its report; its weakest decision again | to meet the clock while it costs nothing |
# | 6 | 90 | what is due; whiteboard `d2` or `d5` aloud; code drill 2; `practice(form="defend")`: three | a position, and its price |
# | 7 | 60 | a second mock; two of `r01`–`r08` aloud; the evening below | a rested head finds the factor of ten |
#
# Less time? Days 1, 3 and 5. More? `due()` every morning, code drills 3 to 6, and `d9` to `d12` with the drawing
# on paper. Rereading feels like knowing; being asked shows
# whether you do (Roediger and Karpicke 2006), and mixed questions teach the choice that sorted ones spare you
# (Rohrer and Taylor 2007).
#
# ## The evening before, in half an hour
#
# Nothing new. Each of these you can say aloud:
#
# 1. *The anchors* of this chapter, with the right column covered; then the formulas of the reference cards
#    (`docs/cards.html`, made for paper; on a JupyterHub `my/docs/cards.html`).
# 2. *Your own mistakes*: the named ones in the last report in `my/reports`. For each: which question would have
#    caught it?
# 3. *One drill that you can do*, `session = drill("in_flight")`, as if somebody listened: question, assumption,
#    bound, figure, and what would change it.
# 4. *Three stories of your work*, with numbers before and after: a limit that you found, a decision that you
#    would take back, a night when something broke. What did you measure, and what had you expected?
# 5. *Three questions to them*: What binds at your peak: memory, arithmetic, admission? Which percentile do you
#    promise, and where is it measured? What did the last incident change?
#
# In the room: repeat the question with its units; say the assumption before the number; give a bound, then the
# figure, then what would change it. When you are stuck, name the law that must hold anyway, and what you would
# measure.
#
# ## Sources
#
# - H. L. Roediger and J. D. Karpicke, *Test-enhanced learning*, Psychological Science 17(3), 2006.
# - D. Rohrer and K. Taylor, *The shuffling of mathematics problems improves learning*, Instructional
#   Science 35, 2007.
# - S. Lichtenstein, B. Fischhoff and L. D. Phillips, *Calibration of probabilities: the state of the art to
#   1980*, in *Judgment under uncertainty*, 1982: ranges that are too narrow.
# - J. Ye, J. Su and Y. Cao, *A stochastic shortest path algorithm for optimizing spaced repetition
#   scheduling*, KDD 2022: the schedule.
