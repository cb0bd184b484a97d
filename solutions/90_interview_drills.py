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
# order, and nothing at once: the first half is an hour, the mock, the whiteboard and the two code drills
# have a day of their own each. A plan for seven days stands at the end.
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
from labutils.units import format_quantity as say

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
# ## Ten drills in 25 minutes
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
# `mock_desk(level=3, topics=["D"], rough=True)` narrows what it asks. As text it is `sitting = mock()`, then `sitting.check(…)`, `sitting.skip()`, `sitting.report()`.

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
# Eight designs of 45 minutes, and eight interview questions of ten. No program can judge a design, so you do,
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
# | `board.model_answer()` | then: an answer whose every number is computed |
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
# Less time? Days 1, 3 and 5. More? `due()` every morning. Rereading feels like knowing; being asked shows
# whether you do (Roediger and Karpicke 2006), and mixed questions teach the choice that sorted ones spare you
# (Rohrer and Taylor 2007).
#
# ## The evening before, in half an hour
#
# Nothing new. Each of these you can say aloud:
#
# 1. *The anchors* of this chapter, with the right column covered; then the formulas of the reference cards
#    (`docs/cards.html`, made for paper).
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
