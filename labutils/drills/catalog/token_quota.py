"""A quota in tokens: what a request is charged, and what it gets back."""

from labutils.drills.definition.writing import Draw, Drill, quantity, template
from labutils.queueing.formulas.littles_law import rate_through


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
