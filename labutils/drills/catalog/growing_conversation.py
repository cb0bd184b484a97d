"""A conversation that sends its whole past every time: what a prefix cache leaves to compute."""

from labutils.drills.catalog._serving import telling
from labutils.drills.definition.draw import Draw
from labutils.drills.definition.drill import Drill, Mistake, Step
from labutils.drills.definition.template import Decision, template
from labutils.units import format_quantity as say

_READ, _WRITE = 0.1, 1.25  # of the list price, for tokens read from a cache and written to it


@template(
    "growing_conversation",
    "A conversation's prompts grow with its square; a prefix cache makes them linear",
    level=2,
    decision=Decision.estimate,
    topics=("F05", "H03", "F09", "N01"),
    minutes=3,
)
def growing_conversation(draw: Draw) -> Drill:
    turns, system = draw.whole(6, 30), 100 * draw.whole(8, 60)
    user, answer = 10 * draw.whole(6, 60), 10 * draw.whole(15, 70)
    total = turns * system + user * turns * (turns + 1) // 2 + answer * turns * (turns - 1) // 2
    last = system + turns * user + (turns - 1) * answer
    mistakes = telling(
        total,
        (
            Mistake(
                "last-prompt-each-time",
                turns * last,
                "You send the longest prompt at every turn. How long is the first?",
            ),
            Mistake(
                "last-answer-too",
                total + turns * answer,
                "You send the answer of a turn with its prompt. When is it written?",
            ),
            Mistake(
                "each-token-once",
                last,
                "That is the last prompt. What did the turns before it send?",
            ),
            Mistake(
                "answers-forgotten",
                turns * system + user * turns * (turns + 1) / 2,
                "You send the user's messages alone. What else belongs to the past of a "
                "conversation?",
            ),
            Mistake(
                "instructions-once",
                total - (turns - 1) * system,
                "You send the instructions with the first prompt alone. Does the model remember "
                "them?",
            ),
        ),
        tolerance=0.005,
    )
    draw.require(len(mistakes) >= 3)
    return Drill(
        story=(
            f"An assistant has {system:,} tokens of instructions and tools. A conversation has "
            f"{turns} turns; in each the user writes {user} tokens and the model answers with "
            f"{answer}. Every prompt holds the instructions, all messages and all answers so far, "
            "and the new message."
        ),
        question="How many prompt tokens does the whole conversation send?",
        answer=total,
        unit="tok",
        tolerance=0.005,
        mistakes=mistakes,
        hints=(
            "Write down the first prompt, the second, the last.",
            "n·s + u·n(n + 1)/2 + a·n(n − 1)/2.",
            f"{turns} × {system:,} + {user} × {turns * (turns + 1) // 2} + {answer} × "
            f"{turns * (turns - 1) // 2}.",
        ),
        steps=(
            Step(f"The first: {system + user:,}; the last: {last:,}", "last", last, "tok"),
            Step(f"Together: {say(total, 'tok')}", "total", total, "tok"),
        ),
        sanity=f"Between {say(turns * (system + user), 'tok')} and {say(turns * last, 'tok')}: the "
        "first and the last prompt, each as often as there are turns.",
        moral=(
            "The prompts of a conversation add up with the square of its turns. What grows is the "
            "past, and it is the same tokens again."
        ),
        follow_up=_computed(
            draw, turns=turns, system=system, user=user, answer=answer, total=total
        ),
    )


def _computed(draw: Draw, *, turns: int, system: int, user: int, answer: int, total: int) -> Drill:
    computed = system + turns * user
    seen = computed + (turns - 1) * answer
    mistakes = telling(
        computed,
        (
            Mistake(
                "answers-again",
                seen,
                "You run the answers through the prefill again. What was left in the cache when "
                "they were written?",
            ),
            Mistake(
                "instructions-each-time",
                turns * (system + user),
                "You compute the instructions at every turn. Are they not the start of every "
                "prompt?",
            ),
            Mistake(
                "messages-alone",
                turns * user,
                "You leave out what the first prompt computes. What did it find in the cache?",
            ),
        ),
        tolerance=0.005,
    )
    draw.require(len(mistakes) >= 2)
    return Drill(
        story=(
            "You serve it yourself, and the engine keeps the keys and values of every token of the "
            "conversation, those of its answers too, from the first turn to the last. At first "
            "nothing is cached."
        ),
        question="How many prompt tokens are computed by prefill in the whole conversation?",
        answer=computed,
        unit="tok",
        tolerance=0.005,
        mistakes=mistakes,
        hints=(
            "Which tokens are new at a turn?",
            "Instructions once, and each message once.",
            f"{system:,} + {turns} × {user}.",
        ),
        steps=(
            Step(f"{system:,} + {turns} × {user} = {say(computed, 'tok')}", "new", computed, "tok"),
            Step(f"Of {say(total, 'tok')} that were sent: {total / computed:.3g} times fewer."),
        ),
        sanity=f"Far below {say(total, 'tok')}, and at least {say(system, 'tok')}.",
        moral=(
            "With its past in the cache a conversation is linear in its turns, and the TTFT of a "
            "turn stays flat. One turn after the cache has been evicted pays for all of it: the "
            "tail of TTFT is the idle user who comes back."
        ),
        follow_up=_billed(draw, total=total, seen=seen),
    )


def _billed(draw: Draw, *, total: int, seen: int) -> Drill:
    price, number = draw.one_of((0.8, 1, 2, 2.5, 3)), 1000 * draw.whole(10, 200)
    read = total - seen

    def bill(writing: float, reading: float) -> float:
        return number * (writing * seen + reading * read) * price / 1e6

    answer = bill(_WRITE, _READ)
    mistakes = telling(
        answer,
        (
            Mistake(
                "no-cache",
                bill(1, 1),
                "That is the list price for all tokens. Which of them are read from the cache?",
            ),
            Mistake(
                "reads-free",
                bill(_WRITE, 0),
                "You read from the cache for nothing. What does the provider charge for it?",
            ),
            Mistake(
                "writes-at-list-price",
                bill(1, _READ),
                "You write into the cache at the list price. What does a token cost that is "
                "written?",
            ),
        ),
        tolerance=0.01,
    )
    draw.require(len(mistakes) == 3)
    return Drill(
        story=(
            f"You buy it from a provider instead, at ${price:g} for a million prompt tokens. A "
            f"token that is found in its cache costs {100 * _READ:.0f} % of that, a token that is "
            f"not is written there and costs {100 * _WRITE:.0f} %. Here a turn finds what the "
            "prompt before it held, and the last answer is new to the cache, like the new "
            f"message: of a conversation's {total:,} prompt tokens {seen:,} are written. There are "
            f"{number:,} conversations a month, none of which pauses for long."
        ),
        question="What do their prompts cost a month?",
        answer=answer,
        unit="$",
        tolerance=0.01,
        mistakes=mistakes,
        hints=(
            "How many tokens are written, how many are read, and what does each cost?",
            "Conversations × (1.25 × written + 0.1 × read) × price.",
            f"{number:,} × (1.25 × {seen:,} + 0.1 × {read:,}) × ${price:g} ÷ 1,000,000.",
        ),
        steps=(
            Step(f"Read: {total:,} − {seen:,} = {read:,}", "read", read, "tok"),
            Step(f"Together: {say(answer, '$')}", "bill", answer, "$"),
        ),
        sanity=f"Below {say(bill(1, 1), '$')}, the list price of all.",
        moral=(
            "Keep prompts append-only: a time stamp near the top makes every turn a write, and "
            "dearer than without a cache. Multipliers are the provider's; read its price list."
        ),
    )
