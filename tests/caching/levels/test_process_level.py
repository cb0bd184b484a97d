"""The first level: no entry lives beyond its own end, and a dead one takes nobody's place."""

from labutils.caching.levels.process_level import Kept, ProcessLevel


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def test_the_sooner_of_two_ends_counts():
    clock = Clock()
    level = ProcessLevel(capacity=9, ttl_s=5, clock=clock)
    level.put("by itself", Kept(b"a", 3.0))
    level.put("by the level", Kept(b"b", 100.0))
    seen = []
    for clock.now in (0.0, 2.9, 3.0, 4.9, 5.0):
        seen.append([level.get(text) is not None for text in ("by itself", "by the level")])
    assert seen == [[True, True], [True, True], [False, True], [False, True], [False, False]]
    assert len(level) == 0


def test_what_has_ended_is_not_put_and_evicts_nobody():
    clock = Clock()
    level = ProcessLevel(capacity=1, ttl_s=5, clock=clock)
    level.put("alive", Kept(b"a", 4.0))
    clock.now = 1.0
    level.put("dead", Kept(b"b", 1.0))
    assert (level.get("alive"), level.get("dead")) == (Kept(b"a", 4.0), None)
    level.put("new", Kept(None, 4.0))
    assert (level.get("alive"), level.get("new")) == (None, Kept(None, 4.0))
