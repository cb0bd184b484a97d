"""What happens to the scheduler of the code drill, in the order in which an interviewer asks.

Prices are whole and weights powers of two, so counters are exact in whatever order they are added.
"""

from labutils.exercises.checkers import Call, New, Read, Story
from labutils.exercises.stories.story import stories_in

PICK = Read("pick")


def _submit(name, tenant, tokens):
    return Call("submit", (name, tenant, tokens))


def _counter(tenant):
    return Read("counter", (tenant,))


def _new(draw, weights=()):
    return New((draw.whole(1, 3), draw.whole(4, 6), dict(weights)))


def _served(draw, tenant, name, low, high):
    """A request that is submitted and starts; its tenant stays active."""
    return [_submit(name, tenant, draw.whole(low, high)), Call("pick")]


def _two_that_are_served(draw):
    """Two tenants, both with a request at work and one that waits, the first served far more."""
    low, high = draw.shuffled("abc")[:2]
    yield _new(draw)
    yield from _served(draw, low, "p1", 100, 150)
    yield from _served(draw, high, "q1", 100, 150)
    yield _submit("p2", low, draw.whole(20, 90))
    yield _submit("q2", high, draw.whole(20, 90))
    yield Call("made", ("p1", draw.whole(20, 40)))
    yield Call("made", ("q1", draw.whole(200, 400)))


def _share_and_lunch(draw):
    """Who has bought a larger share was away, and comes back."""
    one, other, _ = draw.shuffled("abc")
    yield _new(draw, {one: draw.pick([2, 4])})
    yield from _served(draw, one, "p1", 20, 90)
    yield from _served(draw, other, "q1", 300, 400)
    yield Call("done", ("p1",))
    yield _submit("p2", one, draw.whole(20, 90))
    yield _counter(one)


class Told:
    def one_tenant(draw):
        """Somebody's second question was answered before the first."""
        # Three requests of one tenant, and nobody else.
        yield _new(draw)
        yield PICK
        yield _counter("a")
        for name in draw.shuffled(["p", "q", "r"]):
            yield _submit(name, "a", draw.whole(20, 90))
        for _ in range(4):
            yield PICK

    def ties(draw):
        """Nobody had been served yet, and somebody came first."""
        # Three tenants with equal counters; then two of them, whose requests came the other way.
        names, tokens = draw.shuffled("abcd")[:3], draw.whole(20, 90)
        if names == sorted(names):
            names.reverse()
        yield _new(draw)
        for name in names:
            yield _submit(f"{name}1", name, tokens)
        for _ in names:
            yield PICK
        yield _submit(f"{names[1]}2", names[1], tokens)
        yield _submit(f"{names[0]}2", names[0], tokens)
        yield PICK

    def looked_up(draw):
        """Somebody looked at a counter, and equals came in another order."""
        # A stranger's counter is read; then two tenants with equal counters submit.
        one, other = draw.shuffled("abc")[:2]
        tokens = draw.whole(20, 90)
        yield _new(draw)
        yield _counter(other)
        yield _submit("p1", one, tokens)
        yield _submit("q1", other, tokens)
        yield PICK

    def long_and_short(draw):
        """Chats waited behind documents, or came one for one with them."""
        # One tenant sends documents, another one chats.
        one, other = draw.shuffled("abc")[:2]
        yield _new(draw)
        for number in (1, 2):
            yield _submit(f"long{number}", one, draw.whole(700, 900))
        for number in (1, 2, 3, 4):
            yield _submit(f"short{number}", other, draw.whole(20, 90))
        for _ in range(6):
            yield PICK

    def in_the_line(draw):
        """Somebody was charged for what had not run."""
        # One tenant has submitted much, and nothing of it has run.
        one, other = draw.shuffled("abc")[:2]
        yield _new(draw)
        yield _submit("p", one, draw.whole(300, 400))
        yield _submit("q", one, draw.whole(300, 400))
        yield _submit("r", other, draw.whole(20, 90))
        yield _counter(one)
        yield PICK
        yield _counter(one)

    def answers(draw):
        """Somebody asked for essays, and paid for questions."""
        # Equal prompts, and one tenant's answers are long.
        one, other = draw.shuffled("abc")[:2]
        tokens = draw.whole(50, 90)
        yield _new(draw)
        for number in (1, 2):
            yield _submit(f"p{number}", one, tokens)
            yield _submit(f"q{number}", other, tokens + 1)
        yield PICK
        yield PICK
        yield Call("made", ("p1", draw.whole(40, 90)))
        yield _counter(one)
        yield Call("made", ("p1", draw.whole(40, 90)))
        yield _counter(one)
        yield Call("made", ("q1", draw.whole(3, 9)))
        yield PICK
        yield _counter(other)

    def a_stranger(draw):
        """A new customer came, and the others waited for a quarter of an hour, or it did."""
        # Somebody new comes when others have been served for a while, and one of them has left.
        steps = [*_two_that_are_served(draw)]
        yield from steps[:3]
        yield from _served(draw, "gone", "g1", 1, 3)
        yield Call("done", ("g1",))
        yield from steps[3:]
        yield _submit("n1", "new", draw.whole(100, 190))
        yield _counter("new")
        for _ in range(3):
            yield PICK

    def back_again(draw):
        """A customer was away over lunch, and had the machine then."""
        # A tenant was served a little, went, and comes back.
        one, other, _ = draw.shuffled("abc")
        yield _new(draw)
        yield from _served(draw, one, "p1", 20, 90)
        yield from _served(draw, other, "q1", 100, 150)
        yield Call("done", ("p1",))
        yield Call("made", ("q1", draw.whole(200, 400)))
        yield _submit("p2", one, draw.whole(20, 90))
        yield _counter(one)

    def in_debt(draw):
        """A customer went and came back, and what it had used was forgotten."""
        # The tenant that was served most went, and comes back.
        one, other, _ = draw.shuffled("abc")
        yield _new(draw)
        yield from _served(draw, one, "p1", 20, 90)
        yield from _served(draw, other, "q1", 100, 150)
        yield Call("made", ("q1", draw.whole(200, 400)))
        yield Call("done", ("q1",))
        yield _counter(other)
        yield _submit("q2", other, draw.whole(20, 90))
        yield _counter(other)

    def sends_more(draw):
        """Who sent more requests waited longer for the first."""
        # A tenant that waits and was served least sends another request.
        steps = [*_two_that_are_served(draw)]
        low = steps[1].args[1]
        yield from steps
        yield _submit("p3", low, draw.whole(20, 90))
        yield _counter(low)
        yield PICK

    def at_work(draw):
        """A customer whose request was at work was taken for gone."""
        # The tenant that was served least has a request at work and none that waits.
        low, high, third = draw.shuffled("abc")
        yield _new(draw)
        yield from _served(draw, low, "p1", 20, 90)
        yield from _served(draw, high, "q1", 300, 400)
        yield _submit("q2", high, draw.whole(20, 90))
        yield _submit("n1", third, draw.whole(20, 90))
        yield _counter(third)
        yield _submit("p2", low, draw.whole(20, 90))
        yield _counter(low)

    def in_the_line_only(draw):
        """A customer that waited for its turn was taken for gone."""
        # The tenant that was served least only waits when a stranger comes.
        low, high, third = draw.shuffled("abc")
        yield _new(draw)
        yield from _served(draw, low, "p1", 20, 90)
        yield from _served(draw, high, "q1", 300, 400)
        yield _submit("p2", low, draw.whole(20, 90))
        yield Call("done", ("p1",))
        yield _submit("n1", third, draw.whole(20, 90))
        yield _counter(third)

    def the_night(draw):
        """In the morning somebody paid for last night."""
        # Nobody is there; in the morning a stranger comes first, then one who was there.
        one, other, third = draw.shuffled("abc")
        yield _new(draw)
        yield _submit("p1", one, draw.whole(500, 600))
        yield _submit("q1", other, draw.whole(100, 150))
        yield _submit("r1", third, draw.whole(200, 250))
        for _ in range(3):
            yield PICK
        yield Call("done", ("p1",))
        yield Call("done", ("r1",))
        yield Call("made", ("q1", draw.whole(5, 9)))
        yield Call("done", ("q1",))
        yield _counter(other)
        yield _submit("n1", "new", draw.whole(20, 90))
        yield _counter("new")
        yield _submit("p2", one, draw.whole(20, 90))
        yield _counter(one)
        yield PICK

    def double_share(draw):
        """A customer had bought a larger share, and got another."""
        # One tenant has bought twice or four times the share of another.
        one, other, third = draw.shuffled("abc")
        yield _new(draw, {one: draw.pick([2, 4]), other: 1})
        tokens = draw.whole(10, 30)
        for number in range(1, 7):
            yield _submit(f"p{number}", one, 8 * tokens)
        for number in (1, 2):
            yield _submit(f"q{number}", other, 8 * tokens + 4)
        yield _submit("r1", third, 8 * tokens + 8)
        for _ in range(3):
            yield PICK
        yield _counter(one)
        for _ in range(5):  # its share counts once: then it is the other one's turn
            yield PICK

    def share_of_answers(draw):
        """A larger share was paid for, and answers cost."""
        # The share that was bought counts for answers, too; no charge is a multiple of it.
        one, other, _ = draw.shuffled("abc")
        yield New((draw.pick([1, 3]), 5, {one: draw.pick([2, 4])}))
        yield _submit("p1", one, 2 * draw.whole(50, 70) + 1)
        yield PICK
        yield _counter(one)
        yield from _served(draw, other, "q1", 100, 150)
        yield Call("made", ("p1", 2 * draw.whole(10, 40) + 1))
        yield _counter(one)
        yield Call("made", ("q1", draw.whole(20, 90)))
        yield _counter(other)

    a_share_and_lunch = Story(
        "a share, and lunch",
        _share_and_lunch,
        "A customer with a larger share was away over lunch, and was ahead of all then.",
    )


STORIES = stories_in(Told)
