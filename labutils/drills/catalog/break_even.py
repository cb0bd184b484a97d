"""From how many tokens a day machines of one's own are cheaper."""

from labutils.capacity import break_even_per_day
from labutils.drills.catalog._rented import RENTED
from labutils.drills.definition.draw import Draw
from labutils.drills.definition.drill import Drill, Mistake, Step
from labutils.drills.definition.template import Decision, template
from labutils.units import format_quantity as say


@template(
    "break_even",
    "Self-hosting: break-even in tokens a day",
    level=2,
    number=47,
    decision=Decision.commit,
    topics=("N01", "N04", "B24"),
    minutes=3,
)
def break_even(draw: Draw) -> Drill:
    what, devices, prices, rates = draw.one_of(RENTED)
    price, rate = draw.number(*prices), draw.number(*rates)
    bought, made = draw.number(0.4, 6), draw.share(0.05, 0.9)
    draw.require(made < 0.6 * bought)
    fixed = devices * price * 24
    tokens = break_even_per_day(fixed, bought / 1e6, made / 1e6)
    share = tokens / (86_400 * rate)
    draw.require(0.04 < share < 4 and not 0.8 < share < 1.25)
    return Drill(
        story=(
            f"The team buys its tokens at {say(bought, '$/Mtok')}. The proposal on the table is to "
            f"run {what}: {devices} GPUs at {say(price, '$/h')} each, rented around the clock. "
            f"Power, storage and traffic would add {say(made, '$/Mtok')} for tokens made "
            "at home. People's time is left out."
        ),
        question="How many tokens must a day bring, at the least, for the proposal to be cheaper?",
        answer=tokens,
        unit="tok",
        tolerance=0.05,
        mistakes=(
            Mistake(
                "own-tokens-are-free",
                fixed / bought * 1e6,
                "You let tokens made at home cost nothing beyond the rent. What does each add?",
            ),
            Mistake(
                "one-hour",
                tokens / 24,
                "You set one hour of rent against a day of tokens. Which period does each cover?",
            ),
            Mistake(
                "one-gpu",
                tokens / devices,
                "You pay for one GPU. How many does the model stand on?",
            ),
            Mistake(
                "added",
                fixed / (bought + made) * 1e6,
                "You add both prices per token. What do you save with each token that you make "
                "instead of buying it?",
            ),
        ),
        hints=(
            "At the point you look for, two daily bills are equal.",
            "Tokens = fixed cost of a day ÷ (price bought − cost made), per token.",
            f"{devices} × {say(price, '$/h')} × 24 h ÷ "
            f"({say(bought, '$/Mtok')} − {say(made, '$/Mtok')}).",
        ),
        steps=(
            Step(
                f"Rent of a day: {devices} × {say(price, '$/h')} × 24 h = {say(fixed, '$')}",
                name="rent",
                value=fixed,
                unit="$",
            ),
            Step(
                f"Saved per million tokens: {say(bought, '$')} − {say(made, '$')} = "
                f"{say(bought - made, '$')}",
                name="saved",
                value=bought - made,
                unit="$/Mtok",
            ),
            Step(
                f"{say(fixed, '$')} ÷ {say(bought - made, '$/Mtok')} = {say(tokens, 'tok')} a day",
                name="tokens",
                value=tokens,
                unit="tok",
            ),
        ),
        sanity=(
            f"{say(fixed, '$')} a day buy {say(fixed / bought * 1e6, 'tok')}; with costs of their "
            "own for each token, it takes more than that."
        ),
        moral=(
            "Break-even = fixed ÷ (bought − made). It assumes that the machines can make so many "
            "tokens, and at hours when somebody wants them: check both before you sign."
        ),
        follow_up=_can_make(draw, tokens=tokens, rate=rate, share=share),
    )


def _can_make(draw: Draw, *, tokens: float, rate: float, share: float) -> Drill:
    yes = "Yes: the machines can make that many, with time to spare"
    no = "No: the machines cannot make that many, however long the queue"
    right, wrong = (yes, no) if share < 1 else (no, yes)
    return Drill(
        story=(
            f"A load test of the same installation sustains {say(rate, 'tok/s')} in all, no more. "
            f"It breaks even at {say(tokens, 'tok')} a day."
        ),
        question=(
            "What share of its full rate would it have to run at, averaged over day and night?"
        ),
        answer=share,
        tolerance=0.05,
        mistakes=(
            Mistake(
                "working-day",
                3 * share,
                "You count eight hours. Over which time is the average taken?",
            ),
            Mistake(
                "upside-down",
                1 / share,
                "You divide what it can make by what it must make. Which is the part, and which "
                "the whole?",
            ),
        ),
        options=draw.options(
            right,
            {wrong: "Compare the tokens that a day at full rate makes with those that you need."},
            question="Can the proposal reach its break-even at all?",
        ),
        hints=(
            "How many tokens does a day at full rate make?",
            "Share = tokens needed ÷ (86,400 s × full rate).",
            f"{say(tokens, 'tok')} ÷ (86,400 s × {say(rate, 'tok/s')}).",
        ),
        steps=(
            Step(
                f"Full rate for a day: 86,400 s × {say(rate, 'tok/s')} = "
                f"{say(86_400 * rate, 'tok')}",
                name="most",
                value=86_400 * rate,
                unit="tok",
            ),
            Step(
                f"{say(tokens, 'tok')} ÷ {say(86_400 * rate, 'tok')} = {say(share, '1')}",
                name="share",
                value=share,
            ),
        ),
        sanity="A share above 1 cannot be run at all; users who sleep at night keep it well below.",
        moral=(
            "A break-even above the capacity is no break-even: the price per token that you can "
            "reach is rent ÷ (rate × busy share), and the busy share follows the users' clock."
        ),
    )
