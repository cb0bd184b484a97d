"""Commit to an order for a burst that cannot all be in time, then defend the refusals."""

from dataclasses import dataclass

from labutils.drills.definition.writing import Draw, Drill, drill, template


@dataclass(frozen=True)
class _Burst:
    """As many chats as documents at once, ``each_ms`` of one server for any of them."""

    kind: int  # how many of each
    each_ms: int
    chat_ms: int
    document_ms: int

    @property
    def chats(self) -> int:
        """How many are done when the promise to chats ends, if nothing else is."""
        return self.chat_ms // self.each_ms

    @property
    def places(self) -> int:
        """How many are done when the promise to documents ends."""
        return self.document_ms // self.each_ms

    @property
    def by_deadline(self) -> int:
        """All chats are served before the first document, those that are late included."""
        return self.chats + self.places - self.kind

    @property
    def in_turn(self) -> int:
        """A chat, a document, a chat, …"""
        return (self.chats + 1) // 2 + self.places // 2


@template("I08 I01 O04", level=3, decision="commit", form="defend", minutes=4)
def defend_refusals(draw: Draw) -> Drill:
    """Earliest deadline first falls like dominoes: refuse what cannot be in time."""
    kind, each = 2 * draw.random.randint(6, 16), draw.one_of((150, 200, 250, 300, 400, 500))
    chat = 100 * round(kind * each * draw.share(0.35, 0.8) / 100)
    document = 100 * round(kind * each * draw.share(1.15, 1.7) / 100)
    burst = _Burst(kind, each, chat, document)
    draw.require(chat % each and document % each)
    draw.require(burst.chats <= kind - 3 and burst.places - kind >= 2)
    draw.require(burst.places - burst.chats <= kind)
    counts = (burst.places, burst.by_deadline, burst.in_turn, burst.chats)
    draw.require(all(abs(a - b) > 1 for n, a in enumerate(counts) for b in counts[:n]))
    answer = burst.places
    return draw.drill(f"""
    A burst brings {kind} chats and {kind} documents in the same moment, a chat and a document in
    turn, to a GPU that reads one prompt at a time. Each of them takes it {each} ms, and then the
    first token is out. A chat was promised its first token within {chat / 1000:g} s, a document
    within {document / 1000:g} s. Nothing that runs is interrupted, and nobody else comes. What
    counts is how many promises are kept.
    ? How many of the requests have their first token in time, in your design?
    = {answer} tolerance=0 scale=off telling=0
    - late-ones-served {burst.by_deadline}: You have chats served that are late already. What could
      the GPU do instead?
    - in-turn {burst.in_turn}: That is a chat and a document in turn. Whose promise ends first?
    - chats-alone {burst.chats}: Those are the chats. And the documents?
    - both-clocks-alone {burst.chats + min(kind, burst.places)}: You give the GPU to chats and to
      documents at the same time.
    - rounded-up {answer + 1}: The last of them is late. Which way do you round?
    ? Which design do you commit to?
    + By deadline, and who cannot be in time is refused at once.
    x By deadline, and everybody is served.
    ! Who is served while documents still could be in time? Count those that are late already.
    x In the order of arrival.
    ! Which documents are served while chats still could be in time?
    x Documents first: there is more time for them.
    ! What becomes of the chats meanwhile?
    > How many requests can the GPU finish by the time the later promise ends?
    > Chats in time + documents in time = ⌊later promise ÷ time of one⌋, if none that is late is
      served.
    > ⌊{chat} ms ÷ {each} ms⌋ chats, then documents until {document} ms.
    * chats {burst.chats}: ⌊{chat} ÷ {each}⌋ = {burst.chats} chats are in time; {kind - burst.chats}
      are refused
    * documents {answer - burst.chats}: Until {document} ms the GPU finishes {answer}:
      {answer - burst.chats} documents are in time
    * kept {answer}: Together {answer}
    ~ No design keeps more than the GPU finishes in {document / 1000:g} s.

    If all promises can be kept, the order of deadlines keeps them (Jackson, 1955). If not, it works
    on what is nearly late, and makes the next one late. Refuse first, then order by deadline.
    """).then(_objection(draw, burst))


def _objection(draw: Draw, burst: _Burst) -> Drill:
    refused, answer = burst.kind - burst.chats, burst.by_deadline
    return draw.drill(f"""
    The strongest objection: 'You turn {2 * burst.kind - burst.places} users away. The order of
    deadlines serves all of them, and it is optimal: there is a proof.' It is to run without
    refusals; a chat that is late is served where its deadline stands.
    ? How many of the requests have their first token in time then?
    = {answer} tolerance=0 scale=off telling=0
    - as-with-refusals {burst.places}: That is with refusals. What does the GPU do now after the
      last chat that is in time?
    - chats-alone {burst.chats}: Those are the chats. Does no document come in time?
    - all-are-served {2 * burst.kind}: All are served. How many in time?
    - documents-alone {burst.places - burst.kind}: Those are the documents. Which chats are in time?
    - in-turn {burst.in_turn}: That is the order of arrival. Who is first here?
    ? Which defence holds?
    + The proof holds where all can be in time; here the late ones make others late.
    x The proof is wrong: deadlines are no good for ordering requests.
    ! With less load the order of deadlines keeps every promise. What is different here?
    x Those refused come back later, so nobody is lost.
    ! Perhaps. How many promises does either design keep before that?
    x A refused request costs nothing, so refusals are free.
    ! They cost those users something. Say what the others get for it.
    > When is the last chat done, and how many documents come after it in time?
    > Chats in time + ⌊later promise ÷ time of one⌋ − all chats.
    > {burst.chats} + {burst.places} − {burst.kind}.
    . {burst.chats} chats are in time, and {refused} are served too late
    * documents {burst.places - burst.kind}: Documents in time: {burst.places} − {burst.kind} =
      {burst.places - burst.kind}
    * kept {answer}: Together {answer}
    ~ Fewer than before: {refused} places went to chats that were late.

    A late answer costs as much as one in time, and makes the next one late. Refusing at once, with
    a time to come back, is worth more to everybody than an answer too late.
    """).then(_first_come(burst))


def _first_come(burst: _Burst) -> Drill:
    chats, documents = (burst.chats + 1) // 2, burst.places // 2
    return drill(f"""
    And now somebody asks what the plain order of arrival would have done, without refusals: a chat,
    a document, a chat, and so on.
    ? How many of the requests have their first token in time?
    = {chats + documents} tolerance=0 scale=off telling=0
    - by-deadline {burst.by_deadline}: That is by deadline. Who is served second here?
    - all-places {burst.places}: You count everybody who is served until the later promise ends.
      Were all of those chats in time?
    - one-too-few {chats + documents - 1}: One is missing. Who is served first?
    > Every second place is a chat's. How many of its places come before its promise ends?
    > ⌈places until the first promise ends ÷ 2⌉ chats, ⌊places until the second ÷ 2⌋ documents.
    > ⌈{burst.chats} ÷ 2⌉ + ⌊{burst.places} ÷ 2⌋.
    * chats {chats}: Of {burst.chats} places {chats} are chats
    * documents {documents}: Of {burst.places} places {documents} are documents
    * kept {chats + documents}: Together {chats + documents}
    ~ At most {burst.places}, and each place goes to one of them alone.

    In overload the order of arrival may keep more promises than the order of deadlines, or fewer:
    both spend time on what is late, and refusing does not. If all promises are equally long the two
    orders are one.
    """)
