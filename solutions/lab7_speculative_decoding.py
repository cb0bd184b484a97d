# ---
# jupyter:
#   course:
#     order: 17
#     slug: speculative_decoding
#     title: Speculative decoding
#     question: A step reads all weights for one token. Can a small model make it two, without changing a word?
#     minutes: 102
#     needs: [prefill_and_decode, continuous_batching]
#     folder: labs
#     gpu: optional
#     small: {prompts: 8, requests: 4, answer: 10, rounds: 1, continuations: 5000, answers: 500, batches: [1, 2]}
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown] tags=["topic:H14"]
# A decode step reads every weight of the model and yields one token of a request. While the weights are
# read, most of the arithmetic waits. In the ideal, a step over five tokens takes hardly longer than one over one.
#
# There is one obstacle: the next five tokens are not known. **Speculative decoding** guesses them with
# something cheap, a *draft*, and lets the large model, the *target*, check all guesses in one step. What it
# would have said itself stays; the rest is thrown away.
#
# You write the parts that decide whether this is right: the step that verifies, the rule that accepts, the
# way back of the memory. You prove that no answer changes, in tokens where they are greedy and in distribution
# where they are sampled. Then you measure whether it pays, with the course's own trained pair.
#
# What you write stands *around* an engine, and no line of the engine changes. The engine is yours as far as
# labs 2, 4, 5 and 6 are done, and the course's for the rest. (New words stand in the glossary at the end of
# `docs/cards.html`.)

# %%
import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # before torch: waiting threads sleep
import torch

from labutils import llm
from labutils.engine import Generation, PagePool, Request
from labutils.engine.packing import PackedStep, pack
from labutils.exercises import assembled, check, hint, outcome, piece, predict, reveal
from labutils.exercises.catalog.speculative_decoding import (
    continuations as words,
    lab7_runs as kit,
    whole_engine as small,
)

# %%
from labutils.exercises.catalog.speculative_decoding.draft_texts import KINDS, pieces_of
from labutils.exercises.catalog.speculative_decoding.look_back import on_text
from labutils.llm.levers.speculation import speculation_speedup
from labutils.serving.checkpoints import course_model
from labutils.serving.simulator import StepCost
from labutils.serving.speculation import LookupDraft, ModelDraft
from labutils.serving.speculation.shares import drawn
from labutils.serving.speculation.stretch import Stretch, Wanted
from labutils.viz import show
from labutils.viz.figures import drafted_words, speculation as figures
from labutils.workspace.my_engine import my_engine

# %% tags=["parameters"]
seed = 7  # every random draw follows from it
device = "cpu"  # or "cuda"
prompts = 100  # of the proof, token for token
requests = 24  # whose drafts are counted
answer = 32  # tokens of their answers
rounds = 3  # of each timing, in turn
continuations = 20_000  # of the test of the rule
answers = 2_000  # of the test of the whole engine
batches = (1, 2, 4, 8)  # of the gain

# %% [markdown]
# The **target** is the course's model of lab 6: five layers, two million weights, trained on the course's
# prose. The **draft** has two layers and an eighth of the weights, was trained on the same text and uses the same
# tokens. The outputs in the solution edition come from one thread of a laptop-sized CPU. No run of this lab on a
# GPU is recorded; what to expect there is computed.

# %%
if device == "cpu":
    torch.set_num_threads(1)  # the matrices are small: two threads would wait for each other
target, draft, tokenizer = kit.pair(device)
mine = my_engine(quiet=True)
for name, model in (("target", target), ("draft", draft)):
    print(f"{name}: {model.spec.parameters / 1e6:.2f} million weights, {model.spec.layers} layers")

# %% [markdown] tags=["topic:H14"]
# ## The flaw: a step over five tokens costs far less than five steps
#
# What a decode step of the target takes, by the number of rows in it, and a step of the draft:

# %% tags=["nbval-ignore-output", "topic:H14"]
rows = (1, 2, 3, 5, 9)
steps = kit.step_seconds(mine, target, rows, answer=answer, rounds=rounds)
draft_step = kit.step_seconds(mine, draft, (1,), answer=answer, rounds=rounds)[1]
show(figures.rows_figure(steps, draft_step), alt=figures.rows_in_words(steps, draft_step))

# %% tags=["solution-only"]
assert steps[9] < 5 * steps[1]

# %% [markdown] tags=["topic:H14"]
# A row more costs a fraction of the first one. With one request running, those rows are empty. Whoever knew four
# tokens in advance could compute five places for far less than the price of five.
#
# ### How much does it bring?
#
# One request at a time, greedy. Four tokens are drafted in each step. **How many times as fast do tokens come?**
# Commit to a number, or a range that you are 80 % sure of. Below 1 it is a loss.

# %%
### BEGIN SOLUTION
predict("speculative.gain", low=0.5, high=1.5)
### STUB predict("speculative.gain", ...)
### END SOLUTION

# %% [markdown] tags=["topic:H14"]
# ## One case by hand
#
# The text is `A queue grows`. The draft says four tokens. The target computes one step over its own last token
# and the four drafts, and gives its likeliest next token at each of the five places:
#
# | place | stands behind | the draft says | the target says |
# | --- | --- | --- | --- |
# | 0 | `grows` | `when` | `when` |
# | 1 | `when` | `the` | `the` |
# | 2 | `the` | `load` | `server` |
# | 3 | `load` | `is` | `of` |
# | 4 | `is` | | `high` |
#
# Which tokens does the request get? Decide before you read on.
#
# `when` and `the` are what the target would have said: they stay. At place 2 it says `server`, and that is its
# own next token, computed behind a text that is right up to there. So the request gets **three** tokens from one
# step: `when the server`. Places 3 and 4 were computed behind `load`, which is not in the answer. They are void.
#
# **The invariant:** *a request gets the tokens that it would get from the target alone; a draft changes only how
# many of them come out of a step.*
#
# ### Build 1: which drafts stay, greedily
#
# `drafted` are k tokens, `likeliest` the target's k + 1. Return the request's next tokens: at least one, at
# most k + 1.


# %% tags=["topic:H14"]
### INCLUDE labutils.serving.speculation.acceptance:accepted_greedily


# %%
check("speculative.greedy", accepted_greedily)

# %% [markdown]
# Stuck? `hint("speculative.greedy")` in a cell of your own, up to three times; `reveal` explains.
#
# *Checkpoint, 14 minutes. You know which drafts stay. Next: the step that finds out.*
#
# ### Build 2: one step that verifies
#
# To the engine a draft is a token like any other. So a decode with k drafts is packed as a chunk of k + 1 tokens:
# the newest known one and the drafts. `pack` (lab 6) does that; it reads `tokens`, `computed`, `known` and `pages`
# of whatever it is given. `Stretch` is a record of just these four. What is new: logits are wanted at **each** of
# the k + 1 places, where an ordinary step wants them at the last place of a row.
#
# `chunks` pairs each request with `new`: how many of its tokens the scheduler planned, without drafts.
#
# A case. A has 6 known tokens, 5 computed, and two drafts; B prefills 3 tokens of a prompt of 5:
#
# | place in the line | 0 | 1 | 2 | 3 | 4 | 5 |
# | --- | --- | --- | --- | --- | --- | --- |
# | token | A's 5 | draft | draft | B's 0 | B's 1 | B's 2 |
# | logits wanted? | yes | yes | yes | no | no | no |
#
# The step's `last` is a tensor of the places whose logits are wanted. `pack` fills it for a step without drafts;
# `replace(step, last=...)` puts yours in, here the tensor of [0, 1, 2]. The second result is a list of one record:
# request A, first row 0, three rows. Requests without drafts that catch up want one row, as ever. `request.tokens`
# must stay as it is: drafts may yet be refused.

# %%
print(inspect.getsource(Stretch))
print(inspect.getsource(Wanted).split("@property")[0].rstrip())


# %% tags=["topic:H14"]
### INCLUDE labutils.serving.speculation.stretch:verification


# %%
check("speculative.one_step", kit.line_of(verification))

# %% [markdown] tags=["topic:H14"]
# `kit.line_of(...)` gives your function requests, and shows plain lists to the check.
#
# *Checkpoint, 26 minutes. One step verifies all drafts. Next: the memory that refused drafts leave behind.*
#
# ### Build 3: give the memory back, beside `pages.py`
#
# Before the step, each request was given pages for its drafts, but free pages alone: nobody is preempted for a
# guess. After it some drafts are refused, and `request.computed` counts what stays. Pages on which none of the
# computed tokens stands go back.
#
# The pool's verbs are those of lab 5. Its `release` takes all pages of a request back, the last one first; here you
# stop half-way. `room` and `owners` are books, too: `room` says how many tokens the request's pages hold, and
# `owners` how many requests hold a page. A page may have two owners.
#
# A case: pages of 4 tokens, 6 computed, and a third page that was taken for drafts. Two pages hold the 6
# tokens, so the third goes back. What refused drafts left on the second page stays there as rubbish. Why does it
# do no harm?

# %%
print(inspect.getsource(PagePool.pages_for))
print(inspect.getsource(PagePool.release))
print(inspect.getsource(PagePool.drop))


# %% tags=["topic:H14"]
### INCLUDE labutils.serving.speculation.spare_pages:give_back


# %%
check("speculative.give_back", kit.books_after(give_back))

# %% [markdown]
# The rubbish lies behind `computed`. No mask lets anybody see it, and the next tokens overwrite it.
#
# ## Around the engine
#
# `Speculative(engine, draft, tokens=4)` puts the three together, with everything around an engine that runs as it
# did: the scheduler plans a step; each request that decodes gets drafts; one step verifies all of them; the
# scheduler is told how many tokens were really computed; pages come back. This is its heart:

# %%
Drafting = kit.speculative_with(*map(kit.usable, (accepted_greedily, verification, give_back)))
print(inspect.getsource(Drafting._commit))

# %% [markdown] tags=["topic:H14"]
# The draft keeps keys and values of its own. `ModelDraft` lays them out as the engine does: a token has the same
# slot in both memories, so the page table of a request serves both models.
#
# ### Token for token
#
# The proof first. Prompts from the course's prose, in float64 (in float32 a near tie may turn), in a pool that
# is much too small, so that requests are preempted with drafts in flight.

# %% tags=["nbval-ignore-output", "topic:H14"]
exact = {
    name: course_model(name, dtype="float64", device=device)[0] for name in ("target", "draft")
}
asked = pieces_of("course text", prompts)
alone = kit.engine_for(mine, exact["target"], 10, answer=16)
right = [one.answer for one in alone.generate(asked, max_output_tokens=16)]
short = kit.engine_for(mine, exact["target"], 10, answer=16, spare=0.5)
drafting = Drafting(short, ModelDraft(exact["draft"]), tokens=4)
done = drafting.generate(asked, max_output_tokens=16)
drafting.check()
same = sum(one.answer == other for one, other in zip(done, right))
print(f"{same} of {prompts} answers are the target's, token for token")
print(f"preempted: {sum(one.preemptions for one in done)} times; free pages at the end: "
      f"{short.pool.num_free} of {short.pool.num_pages}")  # fmt: skip

# %% tags=["solution-only"]
assert same == prompts and short.pool.num_free == short.pool.num_pages
assert sum(one.preemptions for one in done) > 0

# %% [markdown] tags=["topic:H14"]
# ### Your own run, step by step
#
# One request of it, in float64, a row for each step: its drafts, those that stayed filled, and the target's own
# token, which stands in the place of the first refused draft or behind the last. (A token that is part of a sign,
# or none, is a ·.) Find a step that kept all drafts, and read its tokens on into the next one.

# %% tags=["topic:H14"]
watched = Drafting(kit.engine_for(mine, exact["target"], 1, answer=40), ModelDraft(exact["draft"]))
opening = tokenizer.encode("A queue grows when")
taken = kit.steps_of(watched, opening, answer=40)
spelt = [
    [[tokenizer.decode([token]) or "·" for token in tokens] for tokens in step] for step in taken
]
show(
    drafted_words.run_figure(spelt),
    alt=f"The drafts of each of {len(taken)} steps, and the target's own token. The steps yield, in turn, "
    f"{', '.join(str(len(got)) for _, got in taken)} tokens. Together they say: "
    f"{tokenizer.decode([token for _, got in taken for token in got])}",
)

# %% [markdown] tags=["topic:H14"]
# ### And how fast?
#
# Now the time, one request at a time, in turn with the engine alone.


# %% tags=["nbval-ignore-output", "topic:H14", "topic:O19"]
def plain(batch):
    """Makes the engine alone."""
    return lambda: kit.engine_for(mine, target, batch, answer=answer)


def drafted_by(guess, batch, drafts):
    """Makes the engine with drafts around it."""
    return lambda: Drafting(plain(batch)(), guess(), tokens=drafts)


gain = kit.gain_of(
    plain(1), drafted_by(lambda: ModelDraft(draft), 1, 4), 1, answer=answer, rounds=rounds
)
print(f"with four drafts a step: {gain:.2f} × the tokens per second")
outcome("speculative.gain", round(gain, 2))

# %% tags=["solution-only"]
assert 0.1 < gain < 5

# %% [markdown] tags=["topic:H14", "topic:O19"]
# ### Right, and slower
#
# In the proof every answer was right, token for token. In the race tokens come more slowly. The times for that are
# in the first picture. What does a step with four drafts cost, in steps of the engine alone?

# %% tags=["nbval-ignore-output", "topic:H14", "topic:O19"]
drafting, verifying = 4 * draft_step / steps[1], steps[5] / steps[1]
price = drafting + verifying
show(
    figures.price_figure(steps[1], steps[5], draft_step, drafts=4),
    alt=f"Two rows over time. The target alone yields a token with each step. Below, four drafts take "
    f"{drafting:.2f} steps and verifying them {verifying:.2f}, {price:.2f} in all, and yield 1 to 5 "
    f"tokens.",
)

# %% [markdown] tags=["topic:H14", "topic:O19"]
# A draft has an eighth of the weights, and its step takes much more than an eighth of the time: two layers of small
# operations are two fifths of the launches of five layers. Whether a step yields enough tokens to pay for that
# depends on how many drafts stay. This is counted further below, and then held against the race. First the other
# half of the promise: requests that are *sampled*.
#
# *Checkpoint, 39 minutes. Greedy answers are exact.*

# %% [markdown] tags=["topic:H14"]
# ## Sampled answers keep their distribution
#
# A request at temperature 1 draws its next token from the target's shares p. The draft draws from its own shares
# q. Comparing tokens makes no sense any more: two draws from the *same* shares differ most of the time.
#
# ### One case by hand
#
# Three words, one place. The draft draws from q, and the answer has to be distributed as p:
#
# | | a | b | c |
# | --- | --- | --- | --- |
# | target p | 0.5 | 0.3 | 0.2 |
# | draft q | 0.2 | 0.2 | 0.6 |
# | in common, min(p, q) | 0.2 | 0.2 | 0.2 |
# | owed, the positive part of p − q | 0.3 | 0.1 | 0 |
#
# Word c is drafted six times in ten, and may come only twice: it stays with probability p/q = 1/3. Words a and b
# always stay. So a draft stays with probability 0.2 + 0.2 + 0.2 = 0.6. In the other 0.4 a word is drawn from what
# is owed: a with 0.3/0.4, b with 0.1/0.4. Together a comes with 0.2 + 0.4 · 0.75 = 0.5. That is p.
#
# In general, with $\alpha = \sum \min(p, q)$, the chance that a draft stays:
#
# $$\min(p, q) + (1 - \alpha)\, \frac{(p - q)^+}{\sum (p - q)^+} = \min(p, q) + (p - q)^+ = p ,$$
#
# since the sum below the line is $1 - \alpha$ (Leviathan, Kalman and Matias 2023; Chen and others 2023). No
# assumption about the draft enters. A bad one is refused more often, and that is all.
#
# ### Build 4: what is owed
#
# `target` and `draft` are rows of shares. Return the positive part of their difference; it need not sum to 1.
# If rounding leaves nothing of it, the two agree, and the target is as good.


# %% tags=["topic:H14"]
### INCLUDE labutils.serving.speculation.acceptance:missing


# %%
check("speculative.missing", kit.on_lists(missing))

# %% [markdown] tags=["topic:H14"]
# ### Build 5: the rule
#
# Row i of `draft_shares` is q at place i, row i of `target_shares` is p there; the target has one row more.
# `chance()` gives a number from 0 to below 1. Each draft that is looked at takes one, and the word drawn at the
# end takes one. `drawn(shares, uniform)` draws, and does not need shares that sum to 1.

# %%
missing = kit.usable(missing)


# %% tags=["topic:H14"]
### INCLUDE labutils.serving.speculation.acceptance:accepted


# %%
check("speculative.rule", kit.by_numbers(accepted))

# %% [markdown] tags=["topic:H14"]
# *Checkpoint, 57 minutes. Next: is the rule right?*
#
# ### The proof: 20,000 continuations
#
# A rule that is a little wrong writes fine text. So count. Two tables stand in for the models: shares of the next
# of four words by the newest one. Then the probability of each of the 64 continuations of three words is known.
# Draw 20,000 with your rule, two drafts a step, and compare the counts with the target's probabilities by Pearson's
# chi-square test. The **p-value** says how often the true distribution would be as far from itself.
#
# Beside it stand the target alone, and three rules that people have written, with a fifth of the continuations.

# %% tags=["topic:H14"]
accepted = kit.usable(accepted)
tested = {"the target alone": None, "the rule": accepted, **words.WRONG_RULES}
counted, found, told = {}, {}, {}
for name, rule in tested.items():
    count = continuations if rule in (None, accepted) else continuations // 5
    counted[name] = words.continuations(rule, count, seed=seed + 1)
    found[name] = p = words.chi_square(counted[name], words.chances(), count)
    told[name] = f"p = {p:.2g}" if p > 1e-6 else "p < 1e-6"

# %% tags=["topic:H14"]
shown = counted, words.chances(), told
show(drafted_words.counts_figure(*shown), alt=drafted_words.counts_in_words(*shown))

# %% tags=["solution-only"]
assert min(found["the target alone"], found["the rule"]) > 1e-3
assert max(found[name] for name in words.WRONG_RULES) < 1e-6

# %% [markdown] tags=["topic:H14"]
# Each mark is a continuation, and the shade is what chance does to 19 of 20. If a rule is right, its p-value is any
# number from 0 to 1, each as likely as another: 0.02 comes one time in fifty, and says nothing yet. Below 0.001 draw
# again with another seed; if it is low again, the rule is wrong.
#
# ### Bug hunt: the answers became duller
#
# A report: *"Speculation is on since Monday. Greedy tests are exact. Users say that sampled answers became duller,
# and more like those of the small model."* These are the shares of the first word, over 20,000 answers:

# %% tags=["topic:H14"]
theirs = words.first_words(words.resample_from_the_target, continuations, seed=seed)
shares = {"target": words.TARGET[0], "draft": words.DRAFT[0], "their answers": theirs}
show(
    drafted_words.first_words_figure(*shares.values()),
    alt="Shares of the words 0 to 3 among the first ones, in %. "
    + "; ".join(
        f"{name} {', '.join(f'{100 * float(share):.1f}' for share in row)}"
        for name, row in shares.items()
    ),
)

# %% [markdown]
# What is wrong? (a) Every draft is kept. (b) A refused draft is replaced by a draw from all of the target. (c) A
# draft is kept if it is the target's likeliest word. (d) Nothing: 20,000 answers are too few.

# %%
### BEGIN SOLUTION
culprit = "b"
### STUB culprit = ...  # "a", "b", "c" or "d"
### END SOLUTION
check("speculative.field", culprit)

# %% [markdown] tags=["topic:H14"]
# ### The same test, of the whole engine
#
# A rule can be right, and the engine around it wrong. So count the engine's answers, too. Two models of three words
# stand in: the probability of each of the 81 answers of four words is known. Beside your engine stands one with
# a colleague's draft, and the remark: *"It no longer guesses wildly. The rule's test passes, greedy answers are
# exact."*

# %%
print(inspect.getsource(small.SurerDraft))

# %% tags=["nbval-ignore-output", "topic:H14"]
Drafting = kit.speculative_with(
    *map(kit.usable, (accepted_greedily, verification, give_back, accepted))
)
little, its_draft = small.small_pair()
for name, guess in (("your engine", ModelDraft), ("with their draft", small.SurerDraft)):
    engine = Drafting(mine.Engine(little, max_sequences=50), guess(its_draft), tokens=2)
    found[name] = p = small.p_value(engine, answers, seed=seed)
    engine.check()  # the pages are recounted
    print(f"{name:16} p = {p:.2g}, α = {engine.tally.acceptance:.2f}")

# %% tags=["solution-only"]
assert found["your engine"] > 1e-3 > 1e-6 > found["with their draft"]
assert engine.pool.num_free == engine.pool.num_pages

# %% [markdown] tags=["topic:H14"]
# What is wrong with their draft? Decide before you read on.
#
# It draws from sharper shares than those that it hands on as q: a temperature on one side only. The rule divides
# by a q that nobody drew from. Each test so far passes, α says little, and sampled answers are not the target's.
#
# *Checkpoint, 66 minutes. Sampled answers are the target's, and you have a test that sees when they are not.*
#
# ## When does it pay?
#
# Three numbers decide: how many drafts stay, what drafting costs, and what verifying costs.
#
# ### How many drafts stay?
#
# Which share of the drafts that the target looks at does it accept, on the course's own prose, greedily? Both
# models were trained on it. (The pieces are frozen, so that your number can be compared.)

# %%
### BEGIN SOLUTION
predict("speculative.acceptance", low=0.3, high=0.7)
### STUB predict("speculative.acceptance", ...)
### END SOLUTION

# %% tags=["nbval-ignore-output", "topic:H14", "topic:O19"]
tallies = {
    kind: kit.tally_of(drafted_by(lambda: ModelDraft(draft), 8, 4), kind, requests, answer=answer)
    for kind in KINDS
}
alpha = tallies["course text"].acceptance
outcome("speculative.acceptance", round(alpha, 2))

# %% tags=["solution-only"]
assert 0.05 < alpha < 0.95

# %% tags=["nbval-ignore-output", "topic:H14", "figure:speculative_by_place"]
show(figures.acceptance_figure(tallies), alt=figures.acceptance_in_words(tallies))

# %% [markdown] tags=["topic:O19"]
# Place 4 is looked at only if three drafts stayed before it, so its share rests on few, and on the texts where the
# pair agrees. Small models are unsure, and two unsure models seldom agree on the likeliest token. This is what low
# acceptance looks like. What another pair reaches on your traffic is not known from its size; it has to be counted
# like this.
#
# ### Is that why the race was lost?
#
# The tokens of a step over the price of a step: that should be the gain. The race served a single request, so here
# is the sum for that one, too.

# %% tags=["nbval-ignore-output", "topic:H14", "topic:O19"]
raced = kit.tally_of(drafted_by(lambda: ModelDraft(draft), 1, 4), "course text", 1, answer=answer)
for name, tally in (("all of them", tallies["course text"]), ("the race's request", raced)):
    tokens = tally.tokens_per_verification
    print(f"{name:19} {tokens:.2f} tokens / {price:.2f} steps = {tokens / price:.2f}")
print(f"{'the race, measured':19} {gain:.2f}")

# %% [markdown] tags=["topic:H14", "topic:O19"]
# Most drafts are refused, and a step yields fewer tokens than it costs. The sum need not meet the measurement. Its
# times were taken one by one, at another moment than the race, and on a machine with neighbours they move. So read
# from it *that* the drafts lose and *why*, and not the second digit.
#
# ### Build 6: how many drafts?
#
# `by_place[i]` is the share of drafts at place i that stay, if looked at. `verify_s[k]` are the seconds of a step
# of the target that verifies k drafts, from k = 0 on. `draft_s` are those of a step of the draft, and k drafts
# take k of them. Return the number of drafts with the most tokens per second, and how many times as many those
# are as without drafts: `(k, gain)`. Zero is an answer, too.
#
# By hand: with shares 0.5 and 0.4, two drafts yield 1 + 0.5 + 0.5 · 0.4 = 1.7 tokens. If the step takes 1.2 of an
# ordinary one and a draft 0.3, that is 1.7/(1.2 + 0.6) = 0.94.


# %% tags=["topic:H14"]
def best_count(by_place, verify_s, draft_s):
    """The number of drafts with the most tokens per second, and its gain over none."""
    ### BEGIN SOLUTION
    tokens, reach, rates = 1.0, 1.0, [1 / verify_s[0]]
    for drafts, share in enumerate(by_place, 1):
        reach *= share
        tokens += reach
        rates.append(tokens / (verify_s[drafts] + drafts * draft_s))
    best = rates.index(max(rates))
    return best, rates[best] * verify_s[0]
    ### END SOLUTION


# %%
check("speculative.count", best_count)

# %% tags=["nbval-ignore-output", "topic:H14", "topic:O19"]
use_count = piece("speculative.count", best_count)
verify = [steps[1], steps[2], steps[3]]  # so at most two drafts are tried
shares = tallies["course text"].by_place[:2]
print("this pair, batch 1: {} drafts, gain {:.2f}".format(*use_count(shares, verify, draft_step)))
print("a draft for nothing: {} drafts, gain {:.2f}".format(*use_count(shares, verify, 0.0)))
print("four of five stay: {} drafts, gain {:.2f}".format(*use_count([0.8] * 2, verify, draft_step)))
assert use_count(shares, verify, 0.0)[1] >= 1

# %% [markdown] tags=["topic:H14", "topic:O19"]
# The cell tries none, one and two drafts. Your function says what the race said: with this pair the best number
# of drafts is none, or nearly none. It says as well what would help: a draft that costs nothing, or one that is
# right four times in five.
#
# *Checkpoint, 79 minutes. Next: a draft without a model.*
#
# ### Build 7: a draft for nothing
#
# Prompt look-up (Saxena 2023) has no model. Where an answer repeats its prompt, what followed the last time is a
# good guess: edits of code, summaries, answers that quote.
#
# `followed` looks for the last `self.longest` tokens of `text` at an earlier place, then for fewer, down to
# `self.shortest`; the latest place wins. Return up to `count` tokens that stood behind it, or an empty list. A
# case: in 7 1 2 3 9 1 2 the last three tokens stand nowhere else. The last two do, at the second place; 3 9 1
# followed.


# %% tags=["topic:H14"]
### INCLUDE labutils.serving.speculation.lookup_draft:LookupDraft.followed


# %%
check("speculative.look_back", on_text(followed))

# %%
Looking = assembled(LookupDraft, followed=kit.usable(followed))
print(Looking(longest=2).followed([7, 1, 2, 3, 9, 1, 2], 3))

# %% [markdown] tags=["topic:H14"]
# Without a proposal a step costs what it did before, so at a batch of 1 look-up has a chance. **What is its gain
# at a batch of 8, as a share of that at a batch of 1?**

# %%
### BEGIN SOLUTION
predict("speculative.batch", low=0.6, high=1)
### STUB predict("speculative.batch", ...)
### END SOLUTION

# %% [markdown] tags=["topic:H14"]
# ### The gain over the batch
#
# Measured on the engine, beside what single steps predict: a draft's share of tokens over the price of its step,
# where verifying k drafts of each of b requests is taken for a step of b · (k + 1) rows. The prediction is good
# if it lies within 15 % of the measurement.

# %% tags=["nbval-ignore-output", "topic:H14"]
ways = {"1 by the model": (lambda: ModelDraft(draft), 1), "2 by the model": (lambda: ModelDraft(draft), 2),
        "4 by look-up": (Looking, 4)}  # fmt: skip
measured = {
    name: {
        b: kit.gain_of(plain(b), drafted_by(guess, b, k), b, answer=answer, rounds=rounds)
        for b in batches
    }
    for name, (guess, k) in ways.items()
}

# %% tags=["nbval-ignore-output", "topic:H14"]
counts = sorted({b * places for b in batches for places in (1, 2, 3)})
again = kit.step_seconds(mine, target, counts, answer=answer, rounds=rounds)
draft_steps = kit.step_seconds(mine, draft, batches, answer=answer, rounds=rounds)
noisy = abs(again[1] / steps[1] - 1) > 0.1
said = {
    f"{k} by the model": {
        b: kit.predicted_gains(shares, again, draft_steps[b], batch=b)[k] for b in batches
    }
    for k in (1, 2)
}
print(f"a step of one row: {1e3 * steps[1]:.2f} ms at the beginning, {1e3 * again[1]:.2f} ms now"
      f"{': too noisy to judge 15 %' if noisy else ''}")  # fmt: skip

# %% tags=["nbval-ignore-output", "topic:H14"]
first, *_, last = batches
outcome(
    "speculative.batch", round(measured["4 by look-up"][last] / measured["4 by look-up"][first], 2)
)
assert all(0.1 < gain < 10 for gains in measured.values() for gain in gains.values())

# %% tags=["nbval-ignore-output", "topic:H14", "figure:speculative_gain"]
both = {**measured, **{f"{name}, forecast": by_batch for name, by_batch in said.items()}}
show(figures.gain_figure(measured, said), alt=figures.gains_in_words(both))
pairs = [(said[name][b], measured[name][b]) for name in said for b in batches]
signs = sum((guess > 1) == (found > 1) for guess, found in pairs)
close = sum(abs(guess / found - 1) <= 0.15 for guess, found in pairs)
if not noisy:
    print(f"of {len(pairs)} forecasts: gain or loss right {signs}, within 15 % {close}")

# %% [markdown] tags=["topic:H14", "topic:O19"]
# ### Speculation does not raise throughput; it spends idle arithmetic
#
# "Speculation raises throughput" is true of few requests, with a draft that is cheap and often right. With a batch
# the rows are not idle: each draft is paid for, and most are thrown away. Here nothing pays: one draft of the model
# is about even at best, two lose, and look-up, which costs no model at all, is about even for a single request.
#
# Does the formula say so? The line below the picture counts how often it tells gain from loss, and how often it
# comes within 15 %. (Where the machine is *too noisy*, there is no such line, and the differences say nothing.) The
# formula counts rows as if each were a decode of its own. The engine attends to decodes in one padded call (lab 6),
# and to chunks one by one, and a verified request is a chunk. So it costs more than its rows. Expect the formula to
# be too high rather than too low on a quiet machine, and more so with the batch. An engine that is built for drafts
# verifies all of them in one kernel.
#
# *Checkpoint, 93 minutes. Next: other machines.*
#
# ### And on a GPU? Computed, not measured
#
# Llama-3.1-8B on an H100, contexts of 1,000 tokens, four drafts by a model of an eighth of its step. Step costs are
# those of the roofline (chapter 05): the longer of reading the weights and multiplying them with each row, plus the
# context. Launches are free there and kernels perfect, so this is an upper limit. Two pairs: one of which four
# drafts in five stay, and one with the α that you counted.

# %% tags=["nbval-ignore-output", "topic:H14", "topic:O19"]
cost = StepCost.from_roofline(llm.model("Llama-3.1-8B"), llm.accelerator("H100 SXM"))


def step_s(batch, rows):
    """A step of ``batch`` requests with 1,000 tokens of context each, over ``rows`` rows."""
    multiply = max(cost.weights_s, rows * cost.per_linear_token_s)
    return multiply + 1000 * batch * cost.per_context_token_s


gains = {
    share: {
        b: speculation_speedup(share, 4, 1 / 8, verification_cost=step_s(b, 5 * b) / step_s(b, b))
        for b in (1, 2, 4, 8, 16, 32, 64, 128, 256)
    }
    for share in (0.8, alpha)
}
told = {f"α = {share:.2f}, computed": by_batch for share, by_batch in gains.items()}
show(figures.computed_gain_figure(gains), alt=figures.gains_in_words(told))

# %% [markdown] tags=["topic:H14", "topic:O19"]
# The good pair doubles the rate of a single request. As the batch grows its five rows a request pass the ridge of
# the roofline, from where each row is paid for: at 256 nothing is left of the gain. A pair like ours gains nothing
# to speak of, and halves the throughput of a full batch. *On a GPU expect* less than the picture: a draft's step is
# launches, too, unless it is captured as a graph.
#
# From which α on do k drafts pay at all, if verifying is free and a draft takes an eighth of a step?

# %% tags=["nbval-ignore-output", "topic:O19"]
ours = alpha, (1, 2, 4, 8), 1 / 8
show(figures.share_figure(*ours), alt=figures.share_in_words(*ours))
slower = speculation_speedup(0.5, 5, 0.3)
print(f"every second draft stays, five drafts, each 0.3 of a step: {slower:.2f} × as fast")

# %% [markdown] tags=["topic:O19"]
# So watch α in production, by traffic class. It falls when users change their subject, at higher temperatures, and
# when the target is updated and the draft is not. Below the break-even an engine should draft fewer, or none.
#
# ## When draft and target disagree about the words
#
# A draft's token 417 must mean what the target's token 417 means. Nothing in the arithmetic notices if it does not.

# %% tags=["nbval-ignore-output", "topic:H14"]
from labutils.engine.model import LlamaModel, small_spec

other = LlamaModel(small_spec(layers=1, hidden_size=8, num_heads=2, num_kv_heads=1, head_dim=4,
                              ffn_size=8, vocab_size=1000, max_context=512))  # fmt: skip
try:
    Drafting(plain(1)(), ModelDraft(other))
except ValueError as error:
    print("refused:", error)
renumbered = kit.tally_of(
    drafted_by(lambda: kit.Renumbered(draft), 8, 4), "course text", 6, answer=answer
)
print(
    f"the same words under other numbers: {sum(renumbered.stayed)} of {sum(renumbered.tried)} drafts stay"
)

# %% tags=["solution-only"]
assert sum(renumbered.stayed) < 0.1 * sum(renumbered.tried)

# %% [markdown] tags=["topic:H14", "topic:K04"]
# Another *size* is refused. The same size with other numbers is the treacherous case: no error, no wrong
# answer, only an acceptance near zero and a server that became slower. (**Right answers and a lower α** is how any
# fault of a draft shows, a token missing in its own KV memory as well: no test of answers finds it.) So `ModelDraft`
# compares all words if it is given both tokenizers. With different tokenizers one can draft *text* and tokenise it anew; the rule for
# sampled requests then needs more than q token by token. Look-up has no such trouble: it drafts the target's
# own tokens.
#
# ### Far apart
#
# Draft and target on different devices: the drafts travel to the target, the accepted ones back, once a step. For
# sampled requests the shares travel as well: k rows of the vocabulary. Times of a round trip are assumed.

# %% tags=["topic:K04"]
shares_mb = 4 * 128_256 * 4 / 1e6  # four rows of a vocabulary of 128,256, in float32
print(
    f"shares of a request: {shares_mb:.1f} MB a step; a step of the target: {1e3 * step_s(1, 1):.1f} ms"
)
for where, trip_s, bytes_per_s in (
    ("the same GPU", 0, 2e12), ("NVLink", 20e-6, 400e9), ("PCIe 5", 40e-6, 50e9),
    ("25 Gbit/s Ethernet", 200e-6, 3e9),
):  # fmt: skip
    sent = {"greedy": trip_s, "sampled": trip_s + 1e6 * shares_mb / bytes_per_s}
    found = {how: speculation_speedup(0.8, 4, 1 / 8, verification_cost=1 + extra / step_s(1, 1))
             for how, extra in sent.items()}  # fmt: skip
    print(f"{where:20} greedy {found['greedy']:.2f}, sampled {found['sampled']:.2f}")

# %% [markdown] tags=["topic:K04"]
# Token numbers weigh nothing, and a round trip is short beside a step of this length. What travels badly are the
# shares, and they travel for each request of the batch: 64 requests send 131 MB a step. Sending q of the drafted
# tokens alone would do for accepting, but what is owed needs all of q. So keep draft and target on the same GPU, or
# behind the same fast link.
#
# *Checkpoint, 100 minutes. You can say when drafts pay, and what they must agree on.*

# %% [markdown]
# ## What to do on Monday morning
#
# 1. **Ask for α**, by place and by traffic class, and for the number of drafts. A dashboard that shows neither
#    cannot say whether speculation helps.
# 2. **Measure with your batch**, not with one request. Switch it off above the batch at which it loses.
# 3. **Test the rule by counting.** Greedy tests pass with a wrong rule; 20,000 short answers do not.
# 4. **Look at the words** of both tokenizers, all of them, when either model is replaced.
#
# ## Stretch
#
# - **A better draft.** Train one on the target's own answers (distillation). Which number of today does that move?
# - **A tree.** Draft two words at the first place and verify both branches in one step. Which mask do they need?
# - **Adaptive k.** Let each request choose its number of drafts from its own last ten verifications.
#
# ## Sources
#
# - Y. Leviathan, M. Kalman, Y. Matias, *Fast inference from transformers via speculative decoding*, ICML 2023: the
#   rule, its proof, the expected tokens.
# - C. Chen and others, *Accelerating large language model decoding with speculative sampling*, 2023: the same
#   rule, found independently.
# - A. Saxena, *Prompt lookup decoding*, 2023: drafts without a model.
# - *Speculative decoding: performance or illusion?*, arXiv 2601.11580, 2026: on vLLM gains shrink as batches grow,
#   verification takes 42 to 95 % of the time, acceptance varies by position, request and data set.
# - vLLM: `--speculative-config`, with `num_speculative_tokens` and the methods `draft_model`, `ngram` and `eagle3`.
