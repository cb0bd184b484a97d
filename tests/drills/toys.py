"""Toy templates: a number with steps and a follow-up, a choice, both at once."""

from labutils.drills.definition.drill import Drill, Mistake, Step
from labutils.drills.definition.template import Decision, Form, template

HINTS = ("How much is asked.", "Weight = pieces × each.", "Multiply the two.")


@template("toy_bill", "Pieces and price", level=1, decision=Decision.estimate, topics=("B01",))
def bill(draw):
    pieces, each = draw.whole(30, 90), draw.number(2, 9)
    total = pieces * each + 10
    return Drill(
        story=f"A shop sells {pieces} pieces.\n    panel  {each} s each\nPacking adds 10 s.",
        question="How long does it take?",
        answer=total,
        unit="s",
        tolerance=0.02,
        mistakes=(Mistake("no-packing", pieces * each - 20, "What happens after the last piece?"),),
        hints=HINTS,
        steps=(
            Step("pieces × each", name="making", value=pieces * each, unit="s"),
            Step("and packing", name="total", value=total, unit="s"),
        ),
        sanity="Each piece takes a second at least.",
        moral="Fixed costs add.",
        follow_up=Drill(
            story="Packing doubles.",
            question="How long now?",
            answer=total + 10,
            unit="s",
            hints=HINTS,
            steps=(Step("ten more", value=total + 10, unit="s"),),
            moral="They still add.",
        ),
    )


@template("toy_pick", "Which door", level=2, decision=Decision.limit, topics=("B02",), minutes=1,
          form=Form.flaw, rough=False)  # fmt: skip
def pick(draw):
    wrong = {"the left door": "It is walled up: look again.", "the roof": "No ladder is at hand."}
    return Drill(
        story=f"A house has {draw.whole(3, 9)} rooms.",
        question="Where do you go in?",
        options=draw.options("the right door", wrong),
        answer=None,
        hints=HINTS,
        steps=(Step("The right door is open."),),
        moral="Try the door.",
    )


@template("toy_both", "Bandwidth binds", level=4, decision=Decision.model, topics=("B03",),
          form=Form.verdict)  # fmt: skip
def both(draw):
    rate = draw.number(20, 80)
    wrong = {"arithmetic": "Its units are idle here.", "the network": "Nothing crosses it."}
    return Drill(
        story=f"A link carries {rate} MB/s.",
        question="How long do 800 MB take?",
        options=draw.options("bandwidth", wrong, question="What binds?"),
        answer=800 / rate,
        unit="s",
        tolerance=0.05,
        mistakes=(Mistake("bits", 6400 / rate, "Bits or bytes?"),),
        scale=False,
        hints=HINTS,
        steps=(Step("size over rate", name="took", value=800 / rate, unit="s"),),
        moral="Bytes over bandwidth.",
    )


TOYS = (bill, pick, both)
