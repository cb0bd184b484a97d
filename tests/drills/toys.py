"""Toy templates: a number with steps and a follow-up, a choice, both at once."""

from labutils.drills.definition.writing import drill, listing, template


@template("B01", level=1, decision="estimate")
def toy_bill(draw):
    """Pieces and price."""
    pieces, each = draw.whole(30, 90), draw.number(2, 9)
    total = pieces * each + 10
    asked = draw.drill(f"""
        A shop sells {pieces} pieces. {listing(f"    panel  {each} s each")} Packing adds 10 s.
        ? How long does it take?
        = {total} s tolerance=0.02
        - no-packing {pieces * each - 20}: What happens after the last piece?
        > How much is asked.
        > Weight = pieces × each.
        > Multiply the two.
        * making {pieces * each} s: pieces × each
        * total {total} s: and packing
        ~ Each piece takes a second at least.

        Fixed costs add.
        """)
    further = drill(f"""
        Packing doubles.
        ? How long now?
        = {total + 10} s
        > How much is asked.
        > Weight = pieces × each.
        > Multiply the two.
        . ten more

        They still add.
        """)
    return asked.then(further)


@template("B02", level=2, decision="limit", minutes=1, form="flaw", rough=False)
def toy_pick(draw):
    """Which door."""
    return draw.drill(f"""
        A house has {draw.whole(3, 9)} rooms.
        ? Where do you go in?
        + the right door
        x the left door
        ! It is walled up: look again.
        x the roof
        ! No ladder is at hand.
        > How much is asked.
        > Weight = pieces × each.
        > Multiply the two.
        . The right door is open.

        Try the door.
        """)


@template("B03", level=4, decision="model", form="verdict")
def toy_both(draw):
    """Bandwidth binds."""
    rate = draw.number(20, 80)
    return draw.drill(f"""
        A link carries {rate} MB/s.
        ? How long do 800 MB take?
        = {800 / rate} s tolerance=0.05 scale=off
        - bits {6400 / rate}: Bits or bytes?
        ? What binds?
        + bandwidth
        x arithmetic
        ! Its units are idle here.
        x the network
        ! Nothing crosses it.
        > How much is asked.
        > Weight = pieces × each.
        > Multiply the two.
        * took {800 / rate} s: size over rate

        Bytes over bandwidth.
        """)


bill, pick, both = TOYS = (toy_bill, toy_pick, toy_both)
