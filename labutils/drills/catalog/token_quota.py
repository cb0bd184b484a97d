"""A quota in tokens: what a request is charged, and what it gets back."""

from labutils.drills.catalog._serving import telling
from labutils.drills.definition.draw import Draw
from labutils.drills.definition.drill import Drill, Mistake, Step
from labutils.drills.definition.template import Decision, template
from labutils.queueing.formulas.littles_law import rate_through
from labutils.units import format_quantity as say


@template(
    "quota_in_tokens",
    "A quota in tokens a minute: charged by what is asked for",
    level=1,
    decision=Decision.estimate,
    topics=("I06", "I05", "B01"),
)
def quota_in_tokens(draw: Draw) -> Drill:
    quota = 10_000 * draw.whole(20, 200)
    prompt, most = 100 * draw.whole(6, 60), draw.one_of((1024, 2048, 4096, 8192))
    used = 10 * draw.whole(12, 60)
    answer = quota / 60 / (prompt + most)
    draw.require(used < most / 3 and answer > 0.3)
    return Drill(
        story=(
            f"Your plan allows {quota:,} tokens a minute. The gateway charges a request when it "
            "comes in: its prompt, and the `max_tokens` that it asks for. It gives nothing back. "
            f"Your client sends prompts of {prompt:,} tokens with `max_tokens` = {most:,}; its "
            f"answers turn out to have {used} tokens."
        ),
        question="How many requests a second can the client keep up for hours?",
        answer=answer,
        unit="req/s",
        mistakes=(
            Mistake(
                "what-is-used",
                quota / 60 / (prompt + used),
                "You charge what the answers turn out to have. When does the gateway charge?",
            ),
            Mistake(
                "prompt-alone",
                quota / 60 / prompt,
                "You charge the prompt alone. What else does the gateway count?",
            ),
            Mistake(
                "output-alone",
                quota / 60 / most,
                "You charge the output alone. What else does the gateway count?",
            ),
            Mistake(
                "per-minute",
                60 * answer,
                "That is the number in a minute. What was asked for?",
            ),
        ),
        hints=(
            "What does one request cost, in the gateway's books?",
            "Quota per second ÷ (prompt + max_tokens).",
            f"{quota:,} ÷ 60 s ÷ ({prompt:,} + {most:,}).",
        ),
        steps=(
            Step(
                f"A request is charged {prompt:,} + {most:,} = {prompt + most:,} tokens",
                name="charge",
                value=prompt + most,
                unit="tok",
            ),
            Step(
                f"{quota:,} ÷ 60 s = {say(quota / 60, 'tok/s')}",
                name="quota",
                value=quota / 60,
                unit="tok/s",
            ),
            Step(f"The quotient: {say(answer, 'req/s')}", name="rate", value=answer, unit="req/s"),
        ),
        sanity=f"Fewer than {say(quota / 60 / most, 'req/s')}, which the output alone allows.",
        moral=(
            "Tokens are the unit in which tenants compete, so quotas count tokens. Nobody knows "
            "the answer's length at admission: a gateway that charges `max_tokens` makes a "
            "generous `max_tokens` expensive. Set it to what you need."
        ),
        follow_up=_returned(draw, quota, prompt + used, most, answer),
    )


def _returned(draw: Draw, quota: int, tokens: int, most: int, before: float) -> Drill:
    pool, stay = draw.one_of((8, 12, 16, 20, 24, 32)), draw.number(4, 20)
    allowed, client = quota / 60 / tokens, rate_through(pool, stay)
    answer = min(allowed, client)
    draw.require(1.15 * before < answer and not 0.85 < client / allowed < 1.18)
    draw.require(pool * most < 0.6 * quota)
    limits = {True: "The client's own limit on open requests", False: "The quota"}
    own = client < allowed
    return Drill(
        story=(
            "From now on, when an answer ends, the gateway gives back what it did not use. (What "
            "is charged in the meantime is small beside the quota.) The client keeps at most "
            f"{pool} requests open at a time; one lasts {say(stay, 's')} on average."
        ),
        question="How many requests a second can the client keep up now?",
        answer=answer,
        unit="req/s",
        mistakes=telling(
            answer,
            (
                Mistake(
                    "the-quota" if own else "the-client",
                    max(allowed, client),
                    "That is what the quota allows now. Does the client come that far?"
                    if own
                    else "So many the client could keep open. Does the quota allow them now?",
                ),
                Mistake(
                    "as-before",
                    before,
                    "That was the old quota. What does a request cost after the return?",
                ),
                Mistake(
                    "one-at-a-time",
                    1 / stay,
                    "That is one request after the other. How many are open at a time?",
                ),
            ),
            tolerance=0.02,
        ),
        options=draw.options(
            limits[own],
            {
                limits[not own]: "Compare what the quota allows with what the client keeps open.",
                "Neither: the client sends as fast as it likes": (
                    "Each open request lasts. How many may be open, and how often does one end?"
                ),
            },
            question="What limits it now?",
        ),
        hints=(
            "Two limits hold. Work out both.",
            "Quota per second ÷ (prompt + answer), and open requests ÷ duration.",
            f"{quota:,} ÷ 60 s ÷ {tokens:,}, and {pool} ÷ {say(stay, 's')}.",
        ),
        steps=(
            Step(
                f"The quota allows {say(allowed, 'req/s')}",
                name="allowed",
                value=allowed,
                unit="req/s",
            ),
            Step(
                f"The client: {pool} ÷ {say(stay, 's')} = {say(client, 'req/s')}",
                name="client",
                value=client,
                unit="req/s",
            ),
            Step(f"The less of the two: {say(answer, 'req/s')}", "rate", answer, "req/s"),
        ),
        sanity=f"More than {say(before, 'req/s')}: nothing that was not used is paid for now.",
        moral=(
            "When one limit is lifted the next one binds, here the client's pool: look at it "
            "before you ask for a larger quota."
            if own
            else "Giving back multiplied what the quota carries, and it still binds: a larger pool "
            "of open requests would only collect refusals."
        ),
    )
