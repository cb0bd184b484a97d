"""Caches of agents that wait for a tool: keep them, or drop them and read again."""

from dataclasses import dataclass, replace

from labutils.drills.catalog._serving import percent
from labutils.drills.definition.writing import Draw, Drill, positive, quantity, template


@dataclass(frozen=True)
class _Card:
    """A card whose agents write for a while, then wait for a tool."""

    pool: int  # tokens of cache
    context: int
    writing: float  # s
    tool: float  # s
    prefill: float  # tok/s
    part: float  # of the card's time that may go to prefill

    @property
    def held(self) -> int:
        """Agents whose caches fit."""
        return self.pool // self.context

    @property
    def keeping(self) -> float:
        """Turns a second with all caches kept."""
        return self.held / (self.writing + self.tool)

    @property
    def dropping(self) -> float:
        """Turns a second if each is read again: prefill binds."""
        return self.part * self.prefill / self.context

    @property
    def even(self) -> float:
        """The tool time at which both bring as many."""
        return self.held / self.dropping - self.writing


@template("J02 D09 B01 B04", level=3, decision="commit", form="chain", minutes=7)
def chain_agents(draw: Draw) -> Drill:
    """KV kept during tool calls: turns a second, and the tool time that decides."""
    context = 1000 * draw.one_of((8, 12, 16, 20, 24, 30))
    card = _Card(
        pool=2 * draw.whole(6, 25) * context,  # even: half as many fit when the context doubles
        context=context,
        writing=draw.number(2, 12),
        tool=0.0,
        prefill=draw.whole(5000, 40_000),
        part=draw.one_of((0.2, 0.25, 0.3, 0.4)),
    )
    draw.require(3 < card.even < 80)
    share = draw.one_of((0.2, 0.3, 0.45, 1.7, 2.2, 3))  # below 1 keeping is the better way
    card = replace(card, tool=float(f"{card.even * share:.2g}"))
    draw.require(card.tool < 100 and not 0.8 < card.dropping / card.keeping < 1.25)
    answer = card.keeping
    return draw.drill(f"""
    A card runs coding agents. In a turn an agent writes for {quantity(card.writing, "s")}, then
    waits {quantity(card.tool, "s")} for a tool, then the next turn begins. An agent's context has
    {card.context:,} tokens, and the card has room for the caches of {card.pool:,} tokens. There are
    always more agents than places. Today a cache stays on the card while its agent waits for the
    tool.
    ? How many turns a second does the card finish at most?
    = {answer} tolerance=0.03 telling=0
    - writing-alone {card.held / card.writing}: You free the place when the writing ends. What keeps
      it occupied?
    - tool-alone {card.held / card.tool}: You count the wait. What else does a turn consist of?
    - one-agent {answer / card.held}: That is one agent. How many of them have a place?
    - agents {card.held}: That is how many agents fit. How often does each finish a turn?
    - upside-down {1 / answer}: That is the time between two turns. Which was asked?
    > How many agents have a place, and for how long does a turn occupy it?
    > ⌊room ÷ context⌋ ÷ (writing + tool).
    > ⌊{card.pool:,} ÷ {card.context:,}⌋ ÷ ({quantity(card.writing, "s")} +
      {quantity(card.tool, "s")}).
    * agents {card.held}: {card.pool:,} ÷ {card.context:,}: {card.held} agents
    * turns {answer} 1/s: {card.held} ÷ {quantity(card.writing + card.tool, "s")} =
      {quantity(answer, "1/s")}
    ~ Each agent finishes less than one turn in {quantity(card.tool, "s")}.

    Turns = agents that fit ÷ time of a turn, tool included (Little's law). The tool's
    {percent(card.tool / (card.tool + card.writing))} of a turn fill memory and use nothing else.
    """).then(_dropped(draw, card))


def _dropped(draw: Draw, card: _Card) -> Drill:
    answer, better = card.dropping, card.dropping > card.keeping
    yes, no = "More turns than today", "Fewer turns than today"
    return draw.drill(f"""
    The proposal: drop a cache as soon as its agent calls the tool, and read the whole context again
    when it comes back. The card reads {quantity(card.prefill, "tok/s")}, and at most
    {percent(card.part)} of its time may go to reading, or those who write stutter. There is room
    enough for those who write or are read.
    ? How many turns a second does the card finish at most then?
    = {answer} tolerance=0.03 telling=0
    - all-of-the-time {card.prefill / card.context}: You let the card read all the time. Which part
      of it may go to reading?
    - memory-still-binds {card.held / card.writing}: You divide the places by the writing. Who reads
      all these contexts?
    - as-before {card.keeping}: That was with the caches kept. What does each turn cost now?
    - the-other-part {(1 - card.part) * card.prefill / card.context}: You use the part of the time
      that is left for writing.
    ? What does the proposal bring?
    + {yes if better else no}
    x {no if better else yes}
    ! Compare the two numbers of turns a second.
    x As many as today, since the agents are the same
    ! What limited the turns before, and what limits them now?
    > What must the card do once in every turn that it did not do before?
    > Part of the time × tokens a second ÷ context.
    > {card.part:g} × {quantity(card.prefill, "tok/s")} ÷ {card.context:,} tok.
    * reading {card.context / card.prefill} s: A context takes
      {quantity(card.context / card.prefill, "s")} to read
    * turns {answer} 1/s: {card.part:g} ÷ {quantity(card.context / card.prefill, "s")} =
      {quantity(answer, "1/s")}, against {quantity(card.keeping, "1/s")} today
    ~ At most one in every {quantity(card.context / card.prefill, "s")} of reading.

    Keeping caches costs memory, dropping them costs arithmetic. The limit has moved from the pool
    to the prefill.
    """).then(_break_even(draw, card))


def _break_even(draw: Draw, card: _Card) -> Drill:
    answer, better = card.even, card.dropping > card.keeping
    all_of_the_time = card.held * card.context / card.prefill - card.writing
    return draw.drill(f"""
    The tools differ: a search takes a second, a test run minutes. The engine is to keep caches up
    to some tool time, and to drop them beyond it. All else is as it was: each turn's writing takes
    {quantity(card.writing, "s")}.
    ? At which tool time do both ways finish as many turns a second?
    = {answer} s tolerance=0.02 telling=0
    - writing-forgotten {answer + card.writing}: That is the whole turn. Which part of it is the
      tool?
    - time-of-a-prefill {card.context / card.prefill}: You compare with one reading. How many agents
      could have the place meanwhile?
    - all-of-the-time {all_of_the_time}: You let the card read all the time. Which part of it may go
      to reading?
    - wrong-sign {answer + 2 * card.writing}: You add the writing. Is it part of the turn already?
    > Set the turns a second of both ways equal; one of them depends on the tool.
    > agents ÷ (writing + tool) = turns when dropping.
    > {card.held} ÷ {quantity(card.dropping, "1/s")} − {quantity(card.writing, "s")}.
    * turn {card.held / card.dropping} s: A turn may last {card.held} ÷
      {quantity(card.dropping, "1/s")} = {quantity(card.held / card.dropping, "s")}
    * tool {answer} s: less {quantity(card.writing, "s")} of writing: {quantity(answer, "s")}
    ~ {"Shorter" if better else "Longer"} than {quantity(card.tool, "s")}: there
      {"dropping" if better else "keeping"} brought more.

    Keep for short tools, drop for long ones. The border is the time in which the card could read
    its whole pool once, at the part of its time that reading may have.
    """).then(_doubled(draw, card))


def _doubled(draw: Draw, card: _Card) -> Drill:
    now = replace(card, context=2 * card.context)
    answer, before = now.even, card.even
    return draw.drill(f"""
    And now the context doubles, to {now.context:,} tokens. All else stays, the tokens that the card
    reads a second too.
    ? At which tool time do both ways finish as many turns a second now?
    = {answer} s tolerance=0.02 telling=2
    - doubled {positive(2 * (before + card.writing) - card.writing)}: Reading takes twice as long.
      And how many agents still have a place?
    - halved {positive((before + card.writing) / 2 - card.writing)}: Half as many agents fit. And
      how long does reading one take?
    - quartered {positive((before + card.writing) / 4 - card.writing)}: Fewer places speak for
      dropping, longer reading against it. Which did you turn round?
    > Which two figures change, and in which direction does each push?
    > ⌊room ÷ context⌋ ÷ (part × tokens a second ÷ context) − writing.
    > {now.held} × {now.context:,} ÷ ({card.part:g} × {quantity(card.prefill, "tok/s")}) −
      {quantity(card.writing, "s")}.
    * agents {now.held}: {card.pool:,} ÷ {now.context:,}: {now.held} agents
    * dropping {now.dropping} 1/s: Dropping brings {quantity(now.dropping, "1/s")}
    * tool {answer} s: {now.held} ÷ {quantity(now.dropping, "1/s")} − {quantity(card.writing, "s")}
      = {quantity(answer, "s")}
    ~ Both ways bring about half as many turns as before.

    The border has not moved: tokens in the pool ÷ tokens that may be read a second, less the
    writing. Context cancels. It is a property of the card, so one timeout serves all agents.
    """)
