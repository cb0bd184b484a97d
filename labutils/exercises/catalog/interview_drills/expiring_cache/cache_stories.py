"""What happens to the cache of the code drill, in the order in which an interviewer asks."""

from labutils.exercises.checkers import Call, New, Read
from labutils.exercises.stories.story import stories_in

LONG_S = 10_000
COUNTS = Read("counts")


def _keys(now):
    return Read("keys", (now,))


def _get(key, now):
    return Read("get", (key, -1, now))


class _Filled:
    """Some keys, put one after the other a second apart, with lives that last to the end."""

    def __init__(self, draw, count, *, spare=0, lives=None):
        self.names, self.start = draw.shuffled("abcdefgh"), draw.whole(10, 90)
        self.keys, self.others = self.names[:count], self.names[count:]
        lives = lives or [LONG_S] * count
        self.now = self.start + count
        self.steps = [New((count + spare,))]
        self.steps += [
            Call("put", (key, draw.whole(1, 9), life, self.start + place))
            for place, (key, life) in enumerate(zip(self.keys, lives))
        ]


class Told:
    def room_for_all(draw):
        """Nothing was full, and something was not found."""
        # Everything fits; somebody asks for what was never put.
        made = _Filled(draw, draw.whole(2, 4), spare=1)
        yield from made.steps
        yield _keys(made.now)
        yield _get(made.keys[-1], made.now)
        yield _get(made.others[0], made.now)
        yield _get(made.keys[0], made.now + 1)

    def one_too_many(draw):
        """The cache grew, or threw away what it should keep."""
        # One more than there is room for.
        made = _Filled(draw, draw.whole(2, 4))
        yield from made.steps
        yield _keys(made.now)
        yield Call("put", (made.others[0], draw.whole(1, 9), LONG_S, made.now))
        yield _keys(made.now)

    def read_again(draw):
        """What everybody reads was thrown away."""
        # The oldest is read, and then a place is needed.
        made = _Filled(draw, draw.whole(3, 4))
        yield from made.steps
        yield _get(made.keys[0], made.now)
        yield Call("put", (made.others[0], draw.whole(1, 9), LONG_S, made.now + 1))
        yield _get(made.keys[0], made.now + 2)
        yield _keys(made.now + 2)

    def in_one_moment(draw):
        """Much happened while the clock showed the same time."""
        # The same, all within one tick of the clock.
        now, (first, second, third) = draw.whole(10, 90), draw.shuffled("abcdefgh")[:3]
        yield New((2,))
        for key in (first, second):
            yield Call("put", (key, draw.whole(1, 9), LONG_S, now))
        yield Call("get", (first, -1, now))
        yield Call("put", (third, draw.whole(1, 9), LONG_S, now))
        yield _keys(now)

    def written_again(draw):
        """A value was written again, and another one was gone."""
        # The cache is full, and a key that is there gets another value.
        made = _Filled(draw, draw.whole(3, 4))
        again = made.keys[1]
        yield from made.steps
        yield Call("put", (again, draw.whole(11, 19), LONG_S, made.now))
        yield _keys(made.now)
        yield _get(again, made.now)
        yield Call("put", made.steps[1].args)  # the same value
        yield _keys(made.now)

    def empty_answers(draw):
        """An answer was empty, and was computed again."""
        # Some answers are zero, empty, or nothing.
        made = _Filled(draw, 3)
        yield made.steps[0]
        for key, value in zip(made.keys, draw.shuffled([0, "", None])):
            yield Call("put", (key, value, LONG_S, made.now))
        for key in draw.shuffled(made.keys):
            yield _get(key, made.now)

    def not_there(draw):
        """Somebody asked for what was never put, and others were gone."""
        # Somebody asks again and again for what is not there.
        made = _Filled(draw, 3)
        yield from made.steps
        yield _get(made.others[0], made.now)
        yield _get(made.others[1], made.now)
        yield _keys(made.now)

    def looked_at(draw):
        """An operator listed the keys, and the order changed."""
        # Somebody lists the keys, and then a place is needed.
        made = _Filled(draw, 3)
        if made.keys[0] < made.keys[1]:  # another order than the alphabet's
            made.steps[1:3] = [
                Call("put", (key, *step.args[1:]))
                for key, step in zip((made.keys[1], made.keys[0]), made.steps[1:3])
            ]
        yield from made.steps
        yield _keys(made.now)
        yield Call("put", (made.others[0], draw.whole(1, 9), LONG_S, made.now))
        yield _keys(made.now)

    def too_old(draw):
        """An answer was served that was not true any more, or was not."""
        # One entry is asked for before its time, at it, and after.
        life, start = draw.whole(5, 30), draw.whole(10, 90)
        yield New((3,))
        yield Call("put", ("a", draw.whole(1, 9), life, start))
        yield _get("a", start + life - 1)
        yield _get("a", start + life)
        yield _get("a", start + life + draw.whole(1, 9))

    def asked_often(draw):
        """The more people asked, the older the answer became."""
        # A popular answer is read all the time, until it is too old.
        life, start = draw.whole(12, 30), draw.whole(10, 90)
        yield New((3,))
        yield Call("put", ("a", draw.whole(1, 9), life, start))
        yield _get("a", start + life // 2)
        yield _get("a", start + life - 2)
        yield _get("a", start + life + 1)

    def a_second_life(draw):
        """A value was written again, with another life."""
        # A value is written again, for longer; another one, for shorter.
        life, start = draw.whole(12, 30), draw.whole(10, 90)
        yield New((3,))
        yield Call("put", ("a", draw.whole(1, 9), life, start))
        yield Call("put", ("b", draw.whole(1, 9), 3 * life, start))
        yield Call("put", ("a", draw.whole(11, 19), life, start + 5))
        yield Call("put", ("b", draw.whole(11, 19), 5, start + 5))
        yield _get("a", start + life + 2)
        yield _get("b", start + life + 3)

    def the_living(draw):
        """The list of keys held what nobody could get."""
        # Some are too old when the keys are listed.
        made = _Filled(draw, 4, lives=[LONG_S, 20, 18, draw.whole(5, 9)])
        yield from made.steps
        yield _keys(made.now + 12)
        yield _keys(made.now + 30)

    def room_of_the_dead(draw):
        """Something good was thrown away, although a place was as good as free."""
        # All places are taken, one by an entry that is too old and not the oldest.
        made = _Filled(draw, 4, lives=[LONG_S, LONG_S, draw.whole(5, 9), LONG_S])
        yield from made.steps
        later = made.now + 20
        yield Call("put", (made.others[0], draw.whole(1, 9), LONG_S, later))
        yield _keys(later)
        yield _get(made.keys[0], later)

    def the_first_is_dead(draw):
        """One died of age, and two came."""
        # All places are taken, one by the oldest, which is too old; two newcomers.
        made = _Filled(draw, 3, lives=[draw.whole(6, 9), LONG_S, LONG_S])
        yield from made.steps
        later = made.now + 20
        yield _get(made.keys[1], later)
        yield Call("put", (made.others[0], draw.whole(1, 9), LONG_S, later))
        yield _keys(later)
        yield Call("put", (made.others[1], draw.whole(1, 9), LONG_S, later + 1))
        yield _keys(later + 1)

    def back_from_the_dead(draw):
        """A key that was over came back, and the cache held one too many."""
        # One is over, another takes its place, and then the first is put again.
        count = draw.whole(2, 4)
        made = _Filled(draw, count, lives=[9] + [LONG_S] * (count - 1))
        yield from made.steps
        yield Call("put", (made.others[0], draw.whole(1, 9), LONG_S, made.now + 9))
        yield Call("put", (made.keys[0], draw.whole(1, 9), LONG_S, made.now + 10))
        yield _keys(made.now + 10)
        yield COUNTS

    def short_lives(draw):
        """What had just been used was thrown away."""
        # All live; the one used last has the least time left, and a place is needed.
        made = _Filled(draw, 3, lives=[LONG_S, LONG_S - 900, draw.whole(40, 60)])
        yield from made.steps
        yield Call("put", (made.others[0], draw.whole(1, 9), LONG_S, made.now))
        yield _keys(made.now)

    def hit_rate(draw):
        """The hit rate on the page did not fit the load behind the cache."""
        # Hits and misses; one finds an entry that is too old.
        made = _Filled(draw, 3, lives=[draw.whole(5, 9), LONG_S, LONG_S])
        yield from made.steps
        for _ in range(draw.whole(1, 4)):
            yield Call("get", (made.keys[1], -1, made.now))
        yield Call("get", (made.others[0], -1, made.now))
        yield _keys(made.now)
        yield COUNTS
        held = made.steps[3].args[1]
        yield Call("get", (made.keys[2], held, made.now))
        yield COUNTS
        for _ in range(draw.whole(1, 3)):
            yield Call("get", (made.keys[0], -1, made.now + 20))
        yield COUNTS

    def why_they_went(draw):
        """The page showed evictions, somebody bought memory, and nothing changed."""
        # One goes since it is too old, one is overwritten, one makes room.
        made = _Filled(draw, 3, lives=[draw.whole(5, 9), LONG_S, LONG_S])
        later = made.now + 20
        yield from made.steps
        yield Call("put", (made.others[0], draw.whole(1, 9), LONG_S, later))
        yield COUNTS
        yield Call("put", (made.keys[1], draw.whole(11, 19), LONG_S, later))
        yield COUNTS
        for name in made.others[1 : draw.whole(2, 3)]:
            yield Call("put", (name, draw.whole(1, 9), LONG_S, later + 1))
        yield COUNTS


STORIES = stories_in(Told)
