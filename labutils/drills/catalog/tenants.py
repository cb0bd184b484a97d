"""Tenants who share an engine: quotas in tokens, and how far one may run ahead."""

from labutils.drills.definition.writing import Draw, Drill, quantity, template
from labutils.laws.queueing.formulas.littles_law import rate_through
from labutils.serving.promises.policies import fairness_bound


@template("I06 I05 B01", level=1, decision="estimate")
def quota_in_tokens(draw: Draw) -> Drill:
    """A quota in tokens a minute: charged by what is asked for."""
    quota = 10_000 * draw.whole(20, 200)
    prompt, most = 100 * draw.whole(6, 60), draw.one_of((1024, 2048, 4096, 8192))
    used = 10 * draw.whole(12, 60)
    answer = quota / 60 / (prompt + most)
    draw.require(used < most / 3 and answer > 0.3)
    return draw.drill(f"""
    Your plan allows {quota:,} tokens a minute. The gateway charges a request when it comes in: its
    prompt, and the `max_tokens` that it asks for. It gives nothing back. Your client sends prompts
    of {prompt:,} tokens with `max_tokens` = {most:,}; its answers turn out to have {used} tokens.
    ? How many requests a second can the client keep up for hours?
    = {answer} req/s
    - what-is-used {quota / 60 / (prompt + used)}: You charge what the answers turn out to have.
      When does the gateway charge?
    - prompt-alone {quota / 60 / prompt}: You charge the prompt alone. What else does the gateway
      count?
    - output-alone {quota / 60 / most}: You charge the output alone. What else does the gateway
      count?
    - per-minute {60 * answer}: That is the number in a minute. What was asked for?
    > What does one request cost, in the gateway's books?
    > Quota per second ÷ (prompt + max_tokens).
    > {quota:,} ÷ 60 s ÷ ({prompt:,} + {most:,}).
    * charge {prompt + most} tok: A request is charged {prompt:,} + {most:,} = {prompt + most:,}
      tokens
    * quota {quota / 60} tok/s: {quota:,} ÷ 60 s = {quantity(quota / 60, "tok/s")}
    * rate {answer} req/s: The quotient: {quantity(answer, "req/s")}
    ~ Fewer than {quantity(quota / 60 / most, "req/s")}, which the output alone allows.

    Tokens are the unit in which tenants compete, so quotas count tokens. Nobody knows the answer's
    length at admission: a gateway that charges `max_tokens` makes a generous `max_tokens`
    expensive. Set it to what you need.
    """).then(_returned(draw, quota, prompt + used, most, answer))


def _returned(draw: Draw, quota: int, tokens: int, most: int, before: float) -> Drill:
    pool, stay = draw.one_of((8, 12, 16, 20, 24, 32)), draw.number(4, 20)
    allowed, client = quota / 60 / tokens, rate_through(pool, stay)
    answer = min(allowed, client)
    draw.require(1.15 * before < answer and not 0.85 < client / allowed < 1.18)
    draw.require(pool * most < 0.6 * quota)
    limits = {True: "The client's own limit on open requests", False: "The quota"}
    own = client < allowed
    message = (
        "That is what the quota allows now. Does the client come that far?"
        if own
        else "So many the client could keep open. Does the quota allow them now?"
    )
    lesson = (
        "When one limit is lifted the next one binds, here the client's pool: look at it "
        "before you ask for a larger quota."
        if own
        else "Giving back multiplied what the quota carries, and it still binds: a larger pool "
        "of open requests would only collect refusals."
    )
    return draw.drill(f"""
    From now on, when an answer ends, the gateway gives back what it did not use. (What is charged
    in the meantime is small beside the quota.) The client keeps at most {pool} requests open at a
    time; one lasts {quantity(stay, "s")} on average.
    ? How many requests a second can the client keep up now?
    = {answer} req/s tolerance=0.02 telling=0
    - {"the-quota" if own else "the-client"} {max(allowed, client)}: {message}
    - as-before {before}: That was the old quota. What does a request cost after the return?
    - one-at-a-time {1 / stay}: That is one request after the other. How many are open at a time?
    ? What limits it now?
    + {limits[own]}
    x {limits[not own]}
    ! Compare what the quota allows with what the client keeps open.
    x Neither: the client sends as fast as it likes
    ! Each open request lasts. How many may be open, and how often does one end?
    > Two limits hold. Work out both.
    > Quota per second ÷ (prompt + answer), and open requests ÷ duration.
    > {quota:,} ÷ 60 s ÷ {tokens:,}, and {pool} ÷ {quantity(stay, "s")}.
    * allowed {allowed} req/s: The quota allows {quantity(allowed, "req/s")}
    * client {client} req/s: The client: {pool} ÷ {quantity(stay, "s")} =
      {quantity(client, "req/s")}
    * rate {answer} req/s: The less of the two: {quantity(answer, "req/s")}
    ~ More than {quantity(before, "req/s")}: nothing that was not used is paid for now.

    {lesson}
    """)


_OPENINGS = (
    "Two teams share one engine, and both send more than it can serve.",
    "Two customers with equal contracts fill one engine's queue for hours.",
    "A batch team and a chat team share an engine; neither ever runs out of requests.",
)


@template("I06 I13 I04", level=3, decision="limit", minutes=4)
def fair_counters(draw: Draw) -> Drill:
    """Virtual token counters: by how much a tenant may run ahead."""
    price, memory = draw.one_of((2, 3, 4)), 1000 * draw.whole(40, 400)
    longest = 1000 * draw.whole(4, 32)
    draw.require(longest < 0.6 * memory)
    apart = fairness_bound(
        prompt_price=1, answer_price=price, longest_prompt=longest, memory_tokens=memory
    )
    answer = 2 * apart
    return draw.drill(f"""
    {draw.one_of(_OPENINGS)} For each of them the engine keeps a count: a token of a prompt counts
    1, when its request starts; a token of an answer counts {price}, when it is written. A place
    that falls free goes to the tenant with the lower count. Prompts have at most {longest:,}
    tokens. All requests that run hold at most {memory:,} tokens together, prompts and answers, and
    a request starts only if there is room for its longest answer. You write the guarantee into both
    contracts.
    ? Take any stretch of time in which both have requests waiting, and count what each is served in
      it. By how much can one be ahead at most, in the units of the count?
    = {answer} tolerance=0.02 telling=5
    - at-one-moment {price * memory}: That is how far the counts may lie apart at one moment. Who
      may have been ahead when the stretch began?
    - prompts-alone {2 * longest}: That is one prompt. What else is counted before the other has its
      turn?
    - tokens-uncounted {2 * memory}: You take tokens for counts. What does a token of an answer
      count?
    - prompt-on-top {2 * (price * memory + longest)}: You add the prompt to the memory. Where does a
      prompt lie while its request runs?
    - prompt-in-memory {2 * (longest + price * (memory - longest))}: You keep room for the longest
      prompt. Do prompts or answers make the memory count more?
    - one-prompt-counted-dearly {2 * price * longest}: You let a single prompt be answered. How many
      tokens run at once?
    > How far apart can the two counts lie at one moment, and who may be ahead when the stretch
      begins?
    > At one moment: tokens in memory × what an answer's token counts. Over a stretch: twice that.
    > 2 × {price} × {memory:,}.
    * apart {apart}: When a request of a tenant starts, its count is the lower one. From then on it
      grows by what its running requests get, and these hold at most {memory:,} tokens: the most if
      all are answers, {price} × {memory:,} = {apart:,.0f}
    * stretch {answer}: One may be behind by that when the stretch begins and ahead by that when it
      ends: 2 × {apart:,.0f} = {answer:,.0f}
    ~ More than what all of the memory counts as prompts, {memory:,}.

    Counters of weighted tokens bound the lead by 2 · max(w_p · longest prompt, w_q · tokens in
    memory) (Sheng et al., OSDI 2024), however long both wait. No tenant has to be limited for that,
    and no token is wasted.
    """).then(_in_seconds(draw, answer, price, memory, longest))


def _in_seconds(draw: Draw, lead: float, price: int, memory: int, longest: int) -> Drill:
    reads, writes = 100 * draw.whole(40, 300), 100 * draw.whole(8, 60)
    counted = reads + price * writes
    answer = lead / counted
    draw.require(answer > 3)
    return draw.drill(f"""
    One of them asks what that means on the clock. While both wait, the engine reads
    {quantity(reads, "tok/s")} of prompts and writes {quantity(writes, "tok/s")} of answers, all
    requests together.
    ? For how long would the engine have to serve one tenant alone for that lead?
    = {answer} s tolerance=0.02 telling=4
    - answers-alone {lead / (price * writes)}: You count the answers alone. What does the engine
      read meanwhile?
    - tokens-uncounted {lead / (reads + writes)}: You divide counts by tokens. What does a token of
      an answer count?
    - answers-as-tokens {lead / writes}: You divide counts by the tokens of answers. In which units
      is the lead?
    - half-an-engine {2 * lead / counted}: You give a tenant half of the engine. How long does all
      of it take?
    - at-one-moment {lead / 2 / counted}: That is the gap of the counts at one moment. Which lead
      did you promise?
    > How much does the engine count in a second?
    > lead ÷ (prompt tokens a second + weight × answer tokens a second).
    > {lead:,.0f} ÷ ({reads:,} + {price} × {writes:,}).
    * counted {counted}: In a second the engine counts {reads:,} + {price} × {writes:,} =
      {counted:,}
    * lead {answer} s: {lead:,.0f} ÷ {counted:,} = {quantity(answer, "s")}
    ~ Less than {quantity(lead / (price * writes), "s")}, for prompts are read meanwhile.

    The bound does not grow with time: after an hour the lead is at most what it is after a minute.
    Less memory, or fewer requests at once, makes it smaller and the engine slower.
    """).then(_dear_prompts(draw, memory, longest))


def _dear_prompts(draw: Draw, memory: int, longest: int) -> Drill:
    price = draw.one_of((3, 4, 5, 6))
    answer = 2 * fairness_bound(
        prompt_price=price, answer_price=1, longest_prompt=longest, memory_tokens=memory
    )
    asked = draw.drill(f"""
    Another engine, as large, serves documents with short answers. There a token of a prompt counts
    {price}, and one of an answer 1. All else is as before.
    ? How large can the lead be there, at most, in the units of the count?
    = {answer} tolerance=0.02 telling=3
    - larger-of-the-two {2 * max(price * longest, memory)}: You take the larger of one prompt and
      all answers. When the longest prompt has started, what can be in the rest of the memory?
    - prompts-everywhere {2 * price * memory}: You fill the memory with prompts. How many can a
      tenant start before the other has the lower count?
    - prompt-on-top {2 * (price * longest + memory)}: You add the prompt to the whole memory. Where
      does it lie while it runs?
    - at-one-moment {answer / 2}: That is how far the counts may lie apart at one moment. What about
      a stretch?
    > Now a prompt's token counts more. How many prompts start at the lower count before the other's
      turn?
    > 2 × (weight × longest prompt + tokens that are left for answers).
    > 2 × ({price} × {longest:,} + {memory:,} − {longest:,}).
    * prompt {price * longest}: The last prompt that starts counts up to {price} × {longest:,} =
      {price * longest:,}
    * rest {memory - longest}: Answers may fill the rest, {memory:,} − {longest:,} =
      {memory - longest:,}
    * lead {answer}: Twice the sum: {answer:,.0f}
    ~ More than the {2 * memory:,} that a memory of answers alone would give.

    Where prompts count more, the larger of the two terms is too small: the longest prompt and the
    answers beside it count together. Read what a theorem assumes about its weights before it stands
    in a contract.
    """)
    draw.require(asked.mistakes[0].name == "larger-of-the-two")
    return asked
