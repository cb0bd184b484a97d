"""Faults in the code of caches: what is evicted, how old an answer may be, how one grows."""

from collections import OrderedDict
from functools import lru_cache

from labutils import llm
from labutils.drills.definition.writing import (
    Draw,
    Drill,
    line_of,
    listing,
    numbered,
    quantity,
    template,
)

FAULTS = {
    "least_recent_in_name": ("X75",),
    "two_levels_of_expiry": ("X75",),
    "cache_copied_each_step": ("X57",),
}


def _hits_least_recent(keys: str, room: int) -> int:
    """Hits of a cache that evicts what has not been asked for longest."""
    cached = lru_cache(maxsize=room)(str.lower)
    for key in keys:
        cached(key)
    return cached.cache_info().hits


def _hits_oldest_out(keys: str, room: int) -> int:
    """Hits of a cache that evicts what came in first."""
    kept, hits = OrderedDict(), 0
    for key in keys:
        hits += key in kept
        if key not in kept and len(kept) == room:
            kept.popitem(last=False)
        kept.setdefault(key)
    return hits


@template("T12 F01", level=2, decision="limit", form="flaw", rough=False, trivia=True)
def least_recent_in_name(draw: Draw) -> Drill:
    """An LRU cache must touch what it serves."""
    room, rounds = draw.one_of((2, 3)), draw.one_of((5, 6, 7))
    cold = list("BCDEFGHIJ")
    draw.random.shuffle(cold)
    keys = "".join("A" + key for key in cold[:rounds])
    right, shown = _hits_least_recent(keys, room), _hits_oldest_out(keys, room)
    code = """
        def get(self, key):
            if key not in self.items:
                return MISSING
            return self.items[key]

        def put(self, key, value):
            if key not in self.items and len(self.items) >= self.room:
                self.items.popitem(last=False)
            self.items[key] = value
        """
    line = line_of(code)
    return draw.drill(f"""
    A feature cache is advertised as least recently used. `self.items` is an OrderedDict, and `room`
    is {room}. After every miss the caller computes the value and puts it.

    {listing(numbered(code))}

    In production the hottest key is computed again and again. Somebody replays these keys, from an
    empty cache: {" ".join(keys)}.
    ? How many hits would a cache that keeps its promise have on these keys?
    = {right} tolerance=0 absolute=0 scale=off
    - first-in-first-out {shown}: That is what the code as it stands does. When A is asked for
      again, does its place in the order change?
    - first-time-counted {right + 1}: You count a hit too many. What does an empty cache say to the
      first A?
    ? Which line breaks the promise?
    | {line(2)}
    ! It only asks whether the key is there: nothing is used yet.
    | {line(3)}
    ! A miss is reported as a miss; the caller puts the value afterwards.
    | {line(4)}
    | {line(7)}
    ! It makes room only for a key that is new: an update evicts nobody.
    | {line(8)}
    ! It evicts the first in the order, and that is where the least recent should be.
    > Walk through the keys, and write down the order of the cache after each.
    > Least recently used: each use moves a key to the end; the front goes.
    > A comes {rounds} times. Ask each time how many other keys came in since; there is room for
      {room - 1} of them.
    * fifo {shown}: As it stands the oldest entry goes: {shown} hits
    . Mended: `self.items.move_to_end(key)` before the return of a hit.
    * hits {right}: A is used every other time and never reaches the front: {right} hits
    ~ Only A repeats, so there are fewer than {rounds} hits.

    Without a touch on every hit LRU is first in, first out, and the hottest key is evicted like any
    other. Replay a trace with a hot key in a test; count hits and misses; and when many miss the
    same key at once, compute it once for all of them.
    """)


@template("T12 F07", level=2, decision="limit", form="flaw", trivia=True)
def two_levels_of_expiry(draw: Draw) -> Drill:
    """Expiry times of cache levels add up."""
    inner, outer = 5 * draw.random.randint(2, 18), 30 * draw.random.randint(3, 40)
    draw.require(inner < 0.6 * outer)
    code = """
        def get(self, key):
            if key in self.local:
                return self.local[key].value
            value = self.redis.get(key)
            if value is MISSING:
                value = self.compute(key)
                self.redis.setex(key, REDIS_TTL, value)
            self.local[key] = Entry(value, expires=time.monotonic() + LOCAL_TTL)
            return value
        """
    line = line_of(code)
    return draw.drill(f"""
    Features are cached in two levels: in the process (LOCAL_TTL = {inner} s) and in Redis
    (REDIS_TTL = {outer} s, which Redis enforces). A feature changes in the database, and one
    process goes on serving the old value for days.

    {listing(numbered(code))}
    ? Once that is mended, so that an expired entry counts as missing: how long after a change can
      the old value still be served, at most?
    = {inner + outer} s tolerance=0.02
    - outer-alone {outer}: That is how long Redis may keep it. What if a process fetches it in the
      last second?
    - inner-alone {inner}: After that the process asks the next level. Is what lies there fresh?
    ? Which line lets it be served for days?
    | {line(2)}
    | {line(4)}
    ! Redis forgets a key when its time is over: what comes back is not expired.
    | {line(6)}
    ! It computes from the database: nothing is fresher than that.
    | {line(7)}
    ! Every entry is written with its time to live, and Redis keeps to it.
    | {line(8)}
    ! It notes the right time at which the entry expires.
    > Look for the unluckiest order of events.
    > Oldest = time to live in Redis + time to live in the process.
    > It is put into Redis just before the change, and fetched just before Redis forgets it: {outer}
      s, and then {inner} s.
    * redis {outer} s: In Redis until {outer} s after the change
    * oldest {inner + outer} s: Fetched at the last moment, kept for {inner} s more:
      {quantity(inner + outer, "s")}
    . Mended: a local entry counts only if time.monotonic() < entry.expires.
    ~ More than the longer of the two times.

    Each level counts from when it stored a value, so staleness adds up across levels. Hand the time
    of expiry on with the value, or invalidate on a change; and test the expiry of each level by
    itself, with a clock that the test can move.
    """)


@template("T13 D05", level=3, decision="estimate", form="flaw")
def cache_copied_each_step(draw: Draw) -> Drill:
    """Appending by concatenation copies the cache at every step."""
    model = llm.model(draw.one_of(("Llama-3.1-8B", "Qwen3-8B", "Llama-2-7B", "Llama-3.2-3B")))
    prompt, steps = 100 * draw.whole(2, 40), 100 * draw.whole(2, 40)
    draw.require(prompt + steps <= model.max_context)
    per_token = model.kv_bytes_per_token()
    rows = steps * prompt + steps * (steps + 1) / 2
    written = per_token * rows
    code = """
        for step in range(num_tokens):
            key, value = project(hidden)
            self.keys = torch.cat([self.keys, key], dim=1)
            self.values = torch.cat([self.values, value], dim=1)
            hidden = attend(query(hidden), self.keys, self.values)
        """
    line = line_of(code)
    return draw.drill(f"""
    {model.name} keeps {quantity(per_token, "B")} of keys and values a token, over all layers and in
    16 bits. Behind a prompt of {prompt:,} tokens that lies in the cache already, an answer of
    {steps:,} tokens is written, and every layer does this (batch 1):

    {listing(numbered(code))}
    ? How many bytes does line 3, with its twin line 4, write during the answer, over all layers?
    = {written} B tolerance=0.03
    - new-rows-alone {per_token * steps}: You count what is new. Where does `cat` put the old rows?
    - always-full-length {per_token * steps * (prompt + steps)}: You write the final length at every
      step. How long is the cache at the first?
    - prompt-forgotten {per_token * steps * (steps + 1) / 2}: You begin with an empty cache. What
      lies in it before the first answer token?
    ? Which line gets slower with every token, although it adds only one?
    | {line(1)}
    ! It counts: each pass of the loop costs the same here.
    | {line(2)}
    ! One new token passes the projection, however long the text.
    | {line(3)}
    | {line(5)}
    ! Attention reads more with every token, and it must. But it adds nothing to the cache.
    > `cat` takes new memory and copies everything into it, old and new.
    > Rows written = n·p + n(n + 1)/2 for n tokens behind a prompt of p.
    > ({steps:,} × {prompt:,} + {steps:,} × {steps + 1:,} / 2) × {quantity(per_token, "B")}.
    * rows {rows}: Rows written: {rows:,.0f}
    * written {written} B: Times {quantity(per_token, "B")}: {quantity(written, "B")}
    . Into a cache allocated beforehand only {quantity(per_token * steps, "B")} are written.
    ~ At least the prompt at every step: {steps:,} times {quantity(per_token * prompt, "B")}.

    The result is right, but the bytes written grow with the square of the length: every step copies
    the cache, and needs room for it twice. Allocate the cache beforehand and write one row per
    step, or store it in pages.
    """)
