"""What happens to a dynamic batcher: the stories of the repair exercise."""

from labutils.exercises.checkers import Call, New, Read
from labutils.exercises.stories.story import stories_in

from .batchers import DynamicBatcher

ROOM = 99  # in the line, where the story is not about it


def _results(draw, count: int) -> list[str]:
    return [f"result {draw.whole(100, 999)}" for _ in range(count)]


class Told:
    def after_a_long_batch(draw):
        """The machine had been busy for so long that everybody in the line was late already. It
        became free, and did nothing."""
        # The machine was busy; who came meanwhile has waited for longer than the window.
        window_ms = draw.whole(8, 14)
        yield New((8, window_ms, ROOM))
        came_ms = draw.whole(100, 200)
        yield Call("submit", ("ada", came_ms))
        yield Call("submit", ("c2", came_ms + draw.whole(1, 5)))
        looks_ms = came_ms + window_ms + draw.whole(1, 40)
        yield Read("next_batch", (looks_ms,))
        yield Call("deliver", (_results(draw, 2),))
        yield Read("next_batch", (looks_ms + window_ms,))

    def a_quiet_night(draw):
        """Two requests came in an empty night. The answer was promised after the window and a
        batch, and came later."""
        # Two, and no more: not before the window has passed, and at that very millisecond.
        window_ms = draw.whole(9, 15)
        yield New((draw.whole(4, 9), window_ms, ROOM))
        came_ms = draw.whole(100, 200)
        yield Read("next_batch", (came_ms - draw.whole(1, 50),))
        yield Call("submit", ("c5", came_ms))
        joins_ms = came_ms + draw.whole(2, window_ms - 3)
        yield Call("submit", ("c7", joins_ms))
        yield Read("next_batch", (draw.pick([joins_ms, came_ms + window_ms - 1]),))
        yield Read("next_batch", (came_ms + window_ms,))
        yield Call("deliver", (_results(draw, 2),))
        yield Read("next_batch", (came_ms + window_ms + 1,))
        yield Read("next_batch", (joins_ms + window_ms,))

    def a_rush(draw):
        """After the rush somebody was left over, and waited for longer than anyone in it."""
        # Full batches go at once, oldest first; who is left over waits from the moment it came.
        most, window_ms = draw.whole(2, 4), draw.whole(30, 60)
        yield New((most, window_ms, ROOM))
        *rush_ms, left_ms = draw.times(2 * most + 1, 100, 120, digits=0)
        names = [f"r{number}" for number in range(2 * most)]
        for name, moment in zip(names[:most], rush_ms):
            yield Call("submit", (name, moment))
        yield Read("next_batch", (rush_ms[most - 1],))
        for name, moment in zip([*names[most:], "sam"], [*rush_ms[most:], left_ms]):
            yield Call("submit", (name, moment))
        yield Call("deliver", (_results(draw, most),))
        looks_ms = left_ms + draw.whole(1, 4)
        yield Read("next_batch", (looks_ms,))
        yield Call("deliver", (_results(draw, most),))
        yield Read("next_batch", (looks_ms + draw.whole(2, 20),))
        yield Read("answer", ("sam",))
        yield Read("next_batch", (left_ms + window_ms,))
        yield Call("deliver", (_results(draw, 1),))
        yield Read("next_batch", (looks_ms + window_ms,))

    def the_short_answer(draw):
        """The model dropped an empty document, or answered one twice: there was another number of
        results than of callers. Some waited until the connection broke, and the others could not be
        sure whose answer they held."""
        # One result too few or too many: nobody knows whose they are.
        yield New((9, 5, ROOM))
        for short in draw.shuffled([0, -1, draw.pick([1, -2])]):
            names = draw.shuffled(["c1", "c2", "c3", "c4", "c5"])[: draw.whole(3, 5)]
            names = [f"{name}{draw.whole(10, 99)}" for name in names]
            start_ms = draw.whole(100, 900)
            for name in names:
                yield Call("submit", (name, start_ms))
            yield Read("next_batch", (start_ms + 5,))
            yield Call("deliver", (_results(draw, len(names) + short),))
            for name in names:
                yield Read("answer", (name,))

    def nothing_found(draw):
        """The model found nothing in a text, and said so. Its caller was told something else."""
        # Results that are zero, empty, or None are results.
        yield New((9, 5, ROOM))
        names = draw.shuffled(["c1", "c2", "c3", "c4"])
        for name in names:
            yield Call("submit", (name, 40))
        yield Read("next_batch", (45,))
        yield Call("deliver", (draw.shuffled([0, "", None, *_results(draw, 1)]),))
        for name in names:
            yield Read("answer", (name,))

    def a_closed_browser(draw):
        """One of four closed the browser. The other three never heard of their requests again."""
        # One of four closes the browser while the batch runs, another one before it starts.
        yield New((8, 6, ROOM))
        names = draw.shuffled(["jo", "lu", "mo", "pat"])
        for name in [*names, "late"]:
            yield Call("submit", (name, 50))
        yield Call("cancel", ("late",))
        yield Read("next_batch", (56,))
        leaves = draw.whole(0, 2)
        yield Call("cancel", (names[leaves],))
        yield Call("deliver", (_results(draw, len(names)),))
        for name in names:
            yield Read("answer", (name,))
        again = draw.shuffled(["kim", "lee", "max"])  # and their batch fails
        for name in again:
            yield Call("submit", (name, 60))
        yield Read("next_batch", (66,))
        yield Call("cancel", (again[1],))
        yield Call("deliver", (_results(draw, 2),))
        for name in again:
            yield Read("answer", (name,))

    def the_flood(draw):
        """A crawler came. Everybody was accepted, and after a minute nobody was answered before
        giving up."""
        # More come than there is room for in the line; those in work take no room in it.
        room, most = draw.whole(4, 6), draw.whole(2, 3)
        yield New((most, 20, room))
        own = DynamicBatcher(most, 20, room)
        crowd = [f"c{number}" for number in range(room + 2)]
        for name in crowd:
            own.submit(name, 10)
            yield Call("submit", (name, 10))
        yield Read("answer", (crowd[0],))
        for name in crowd[-3:]:
            yield Read("answer", (name,))
        batch = own.next_batch(11)
        yield Read("next_batch", (11,))
        own.submit("late", 12)
        yield Call("submit", ("late", 12))
        yield Read("answer", ("late",))
        for now_ms in (13, 40, 41, 42):
            # nothing where there was no batch: whoever let too many in has one, and goes on
            yield Call("deliver", (_results(draw, len(batch)),))
            batch = own.next_batch(now_ms)
            yield Read("next_batch", (now_ms,))


STORIES = stories_in(Told)
