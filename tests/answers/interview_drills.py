"""Trial answers to the code drills of chapter 90."""

from tests.answers.answer import right, wrong

BATCHER = """
class Batcher:
    def __init__(self, max_batch, window_ms, max_tokens, max_waiting):
        self.max_batch, self.window_ms = max_batch, window_ms
        self.max_tokens, self.max_waiting = max_tokens, max_waiting
        self.line, self.again, self.out = [], [], None
        self.busy_ms, self.out_since = 0, None
        self.longest = self.longest_idle = 0

    def submit(self, name, tokens, now_ms):
        if tokens > self.max_tokens or len(self.line) >= self.max_waiting:
            return False
        entry = {"name": name, "tokens": tokens, "came": now_ms, "gone": False}
        entry["busy"] = self.busy(now_ms)
        self.line.append(entry)
        return True

    def poll(self, now_ms):
        if self.out is not None:
            return []
        while self.again:
            group = [entry for entry in self.again.pop(0) if not entry["gone"]]
            if group:
                return self.send(group, now_ms)
        count = self.fitting()
        if count == 0:
            return []
        is_full = count == self.max_batch or count < len(self.line)
        if not is_full and now_ms - self.line[0]["came"] < self.window_ms:
            return []
        group, self.line = self.line[:count], self.line[count:]
        for entry in group:
            self.note(entry, now_ms)
        return self.send(group, now_ms)

    def done(self, results, now_ms):
        group, self.out = self.out, None
        self.busy_ms += now_ms - self.out_since
        if results is None and len(group) > 1:
            half = len(group) // 2
            self.again[:0] = [group[:half], group[half:]]
            return {}
        if results is None:
            results = [None]
        return {
            entry["name"]: result
            for entry, result in zip(group, results)
            if not entry["gone"]
        }

    def cancel(self, name, now_ms):
        for entry in self.line:
            if entry["name"] == name:
                self.note(entry, now_ms)
                self.line.remove(entry)
                return
        for group in [self.out or [], *self.again]:
            for entry in group:
                if entry["name"] == name:
                    entry["gone"] = True

    def proof(self, now_ms):
        waits = [self.waited(entry, now_ms) for entry in self.line]
        return (
            max([self.longest, *(wait for wait, _ in waits)]),
            max([self.longest_idle, *(idle for _, idle in waits)]),
        )

    def fitting(self):
        count = longest = 0
        for entry in self.line[: self.max_batch]:
            longest = max(longest, entry["tokens"])
            if (count + 1) * longest > self.max_tokens:
                break
            count += 1
        return count

    def send(self, group, now_ms):
        self.out, self.out_since = group, now_ms
        return [entry["name"] for entry in group]

    def busy(self, now_ms):
        return self.busy_ms + (0 if self.out is None else now_ms - self.out_since)

    def waited(self, entry, now_ms):
        wait = now_ms - entry["came"]
        return wait, wait - (self.busy(now_ms) - entry["busy"])

    def note(self, entry, now_ms):
        wait, idle = self.waited(entry, now_ms)
        self.longest, self.longest_idle = max(self.longest, wait), max(self.longest_idle, idle)
"""

POOL = """
class PagePool:
    def __init__(self, num_pages, page_tokens):
        self.page_tokens = page_tokens
        self.blank = list(range(num_pages))
        self.readers = [0] * num_pages
        self.pages, self.lengths = {}, {}

    def grow(self, name, tokens):
        pages, length = list(self.pages.get(name, [])), self.lengths.get(name, 0)
        begun = length % self.page_tokens > 0
        copies = tokens > 0 and begun and self.readers[pages[-1]] > 1
        more = -(-(length + tokens) // self.page_tokens) - len(pages)
        if more + copies > len(self.blank):
            return False
        if copies:
            self.readers[pages[-1]] -= 1
            pages[-1] = self.take()
        pages += [self.take() for _ in range(more)]
        self.pages[name], self.lengths[name] = pages, length + tokens
        return True

    def take(self):
        page = min(self.blank)
        self.blank.remove(page)
        self.readers[page] = 1
        return page

    def table(self, name):
        return list(self.pages.get(name, []))

    def num_free(self):
        return len(self.blank)

    def free(self, name):
        if name not in self.pages:
            return False
        for page in self.pages.pop(name):
            self.readers[page] -= 1
            if self.readers[page] == 0:
                self.blank.append(page)
        del self.lengths[name]
        return True

    def fork(self, name, new):
        if name not in self.pages or new in self.pages:
            return False
        self.pages[new], self.lengths[new] = list(self.pages[name]), self.lengths[name]
        for page in self.pages[new]:
            self.readers[page] += 1
        return True
"""


def but(source: str, *pairs: tuple[str, str]) -> str:
    """The source with pieces replaced."""
    for old, new in pairs:
        assert old in source, old
        source = source.replace(old, new)
    return source


ANSWERS = [
    wrong(
        "interview.batcher",
        "waits although the next in line does not fit",
        but(BATCHER, (" or count < len(self.line)", "")),
        true=("waits-for-the-wrong-one",),
    ),
    wrong(
        "interview.batcher",
        "the larger half first",
        but(BATCHER, ("half = len(group) // 2", "half = (len(group) + 1) // 2")),
    ),
    wrong(
        "interview.batcher",
        "who hung up is tried again",
        but(
            BATCHER,
            (
                'group = [entry for entry in self.again.pop(0) if not entry["gone"]]',
                "group = self.again.pop(0)",
            ),
        ),
        true=("retries-the-gone",),
    ),
    wrong(
        "interview.batcher",
        "those in work stand in the line",
        but(
            BATCHER,
            (
                "len(self.line) >= self.max_waiting",
                "len(self.line) + len(self.out or []) + sum(map(len, self.again))"
                " >= self.max_waiting",
            ),
        ),
        true=("counts-the-running",),
    ),
    wrong(
        "interview.batcher",
        "the proof knows only those who left",
        but(
            BATCHER,
            ("for entry in self.line]\n        return (", "for entry in []]\n        return ("),
        ),
        true=("forgets-the-line",),
    ),
    wrong(
        "interview.batcher",
        "tokens added up, without padding",
        but(
            BATCHER,
            ('longest = max(longest, entry["tokens"])', 'longest += entry["tokens"]'),
            ("(count + 1) * longest", "longest"),
        ),
        true=("without-padding",),
    ),
    wrong(
        "interview.batcher",
        "halves behind everybody who waits",
        but(
            BATCHER,
            ("        while self.again:\n", "        while self.again and not self.line:\n"),
        ),
        true=("halves-at-the-end",),
    ),
    wrong(
        "interview.batcher",
        "the window counts from the last batch",
        but(
            BATCHER,
            (
                'now_ms - self.line[0]["came"] < self.window_ms',
                'now_ms - max(self.line[0]["came"], self.free_since) < self.window_ms',
            ),
            (
                "group, self.out = self.out, None",
                "group, self.out, self.free_since = self.out, None, now_ms",
            ),
            (
                "self.busy_ms, self.out_since = 0, None",
                "self.busy_ms, self.out_since, self.free_since = 0, None, 0",
            ),
        ),
    ),
    right(
        "interview.batcher",
        "busy stretches kept, waits measured against them",
        """
class Batcher:
    def __init__(self, max_batch, window_ms, max_tokens, max_waiting):
        self.limits = max_batch, window_ms, max_tokens, max_waiting
        self.waiting, self.stack, self.running = {}, [], []
        self.gone, self.stretches, self.ended = set(), [], []
        self.numbers = 0

    def submit(self, name, tokens, now_ms):
        _, _, max_tokens, max_waiting = self.limits
        fine = tokens <= max_tokens and len(self.waiting) < max_waiting
        if fine:
            self.numbers += 1
            self.waiting[self.numbers] = (name, tokens, now_ms)
        return fine

    def poll(self, now_ms):
        if self.running:
            return []
        while self.stack:
            group = [pair for pair in self.stack.pop() if pair[0] not in self.gone]
            if group:
                return self._go(group, now_ms)
        if not self.waiting:
            return []
        max_batch, window_ms, max_tokens, _ = self.limits
        line = list(self.waiting.items())
        sizes = range(1, min(max_batch, len(line)) + 1)
        fits = [n for n in sizes if n * max(one[1] for _, one in line[:n]) <= max_tokens]
        count = fits[-1]
        due = now_ms >= line[0][1][2] + window_ms
        if not (due or count == max_batch or count < len(line)):
            return []
        for number, _ in line[:count]:
            self.ended.append((self.waiting.pop(number)[2], now_ms))
        return self._go([(number, one[0]) for number, one in line[:count]], now_ms)

    def _go(self, group, now_ms):
        self.running = group
        self.stretches.append([now_ms, None])
        return [name for _, name in group]

    def done(self, results, now_ms):
        group, self.running = self.running, []
        self.stretches[-1][1] = now_ms
        if results is None:
            if len(group) > 1:
                middle = len(group) // 2
                self.stack += [group[middle:], group[:middle]]
                return {}
            results = (None,)
        told = {}
        for (number, name), result in zip(group, results):
            if number not in self.gone:
                told[name] = result
        return told

    def cancel(self, name, now_ms):
        for number, one in list(self.waiting.items()):
            if one[0] == name:
                self.ended.append((self.waiting.pop(number)[2], now_ms))
                return
        for number, known in [*self.running, *(pair for group in self.stack for pair in group)]:
            if known == name:
                self.gone.add(number)

    def proof(self, now_ms):
        waits = self.ended + [(one[2], now_ms) for one in self.waiting.values()]
        def idle(start, end):
            busy = 0
            for since, until in self.stretches:
                until = now_ms if until is None else until
                busy += max(0, min(until, end) - max(since, start))
            return end - start - busy
        return (
            max((end - start for start, end in waits), default=0),
            max((idle(*wait) for wait in waits), default=0),
        )
""",
    ),
    right(
        "interview.batcher",
        "records with a clock of idle time, and a deque",
        """
from collections import deque
from types import SimpleNamespace

class Batcher:
    def __init__(self, max_batch, window_ms, max_tokens, max_waiting):
        self.__dict__.update(size=max_batch, window=window_ms, room=max_tokens, places=max_waiting)
        self.line, self.retry, self.batch = deque(), deque(), None
        self.idle, self.seen, self.worst = 0.0, None, [0, 0]

    def _tick(self, now):
        if self.seen is not None and self.batch is None:
            self.idle += now - self.seen
        self.seen = now

    def _leaves(self, one, now):
        self.worst = [max(self.worst[0], now - one.came), max(self.worst[1], self.idle - one.idle)]

    def submit(self, name, tokens, now_ms):
        self._tick(now_ms)
        if tokens > self.room:
            return False
        if len(self.line) == self.places:
            return False
        one = SimpleNamespace(name=name, n=tokens, came=now_ms, idle=self.idle, there=True)
        self.line.append(one)
        return True

    def poll(self, now_ms):
        self._tick(now_ms)
        if self.batch is not None:
            return []
        while self.retry:
            part = [one for one in self.retry.popleft() if one.there]
            if part:
                self.batch = part
                return [one.name for one in part]
        part = []
        full = False
        for one in self.line:
            wider = part + [one]
            if len(part) == self.size or len(wider) * max(x.n for x in wider) > self.room:
                full = True
                break
            part = wider
        full = full or len(part) == self.size
        if not part or not (full or now_ms - part[0].came >= self.window):
            return []
        for one in part:
            self.line.popleft()
            self._leaves(one, now_ms)
        self.batch = part
        return [one.name for one in part]

    def done(self, results, now_ms):
        self._tick(now_ms)
        part, self.batch = self.batch, None
        if results is not None:
            return {one.name: got for one, got in zip(part, results) if one.there}
        if len(part) == 1:
            return {part[0].name: None} if part[0].there else {}
        self.retry.extendleft([part[len(part) // 2 :], part[: len(part) // 2]])
        return {}

    def cancel(self, name, now_ms):
        self._tick(now_ms)
        for one in list(self.line):
            if one.name == name:
                self._leaves(one, now_ms)
                self.line.remove(one)
                return
        for one in sum(self.retry, list(self.batch or [])):
            one.there = one.there and one.name != name

    def proof(self, now_ms):
        self._tick(now_ms)
        for one in self.line:
            self._leaves(one, now_ms)
        return tuple(self.worst)
""",
    ),
    wrong(
        "interview.allocator",
        "writes into a page that others read",
        but(POOL, ("copies = tokens > 0 and begun and self.readers[pages[-1]] > 1", "copies = 0")),
        true=("writes-into-shared",),
    ),
    wrong(
        "interview.allocator",
        "no room is seen for the copy",
        but(
            POOL,
            ("if more + copies > len", "if more > len"),
            ("page = min(self.blank)", "page = min(self.blank, default=0)"),
            ("self.blank.remove(page)", "self.blank = [one for one in self.blank if one != page]"),
        ),
    ),
    wrong(
        "interview.allocator",
        "whole pages for each call",
        but(
            POOL,
            (
                "-(-(length + tokens) // self.page_tokens) - len(pages)",
                "-(-tokens // self.page_tokens)",
            ),
        ),
        true=("pages-for-each-call",),
    ),
    wrong(
        "interview.allocator",
        "copies a page that is full",
        but(POOL, ("begun and self", "length > 0 and self")),
        true=("copies-full-pages",),
    ),
    wrong(
        "interview.allocator",
        "the page freed last goes first",
        but(
            POOL,
            ("list(range(num_pages))", "list(range(num_pages))[::-1]"),
            ("page = min(self.blank)\n        self.blank.remove(page)", "page = self.blank.pop()"),
        ),
    ),
    wrong(
        "interview.allocator",
        "takes what it can before it refuses",
        but(
            POOL,
            (
                "            return False\n        if copies",
                "            self.pages[name] = pages + [self.take() for _ in list(self.blank)]\n"
                "            self.lengths[name] = length\n"
                "            return False\n        if copies",
            ),
        ),
        true=("takes-what-there-is",),
    ),
    wrong(
        "interview.allocator",
        "free while somebody else reads it",
        but(POOL, ("if self.readers[page] == 0", "if page not in self.blank")),
        true=("frees-under-the-reader",),
    ),
    wrong(
        "interview.allocator",
        "copies although nothing is written",
        but(POOL, ("copies = tokens > 0 and begun", "copies = begun")),
        true=("copies-for-nothing",),
    ),
    right(
        "interview.allocator",
        "readers counted from the tables, a set of what is free",
        """
class PagePool:
    def __init__(self, num_pages, page_tokens):
        self.all, self.size, self.seqs = frozenset(range(num_pages)), page_tokens, {}

    def _free(self):
        return sorted(self.all.difference(*(pages for pages, _ in self.seqs.values())))

    def grow(self, name, tokens):
        pages, length = self.seqs.get(name, ((), 0))
        keep = len(pages)
        if tokens and length % self.size:
            last = pages[-1]
            keep -= sum(last in others for others, _ in self.seqs.values()) > 1
        wanted = (length + tokens + self.size - 1) // self.size
        free = self._free()
        if wanted - keep > len(free):
            return False
        self.seqs[name] = (*pages[:keep], *free[: wanted - keep]), length + tokens
        return True

    def table(self, name):
        return list(self.seqs.get(name, ((), 0))[0])

    def num_free(self):
        return len(self._free())

    def free(self, name):
        return self.seqs.pop(name, None) is not None

    def fork(self, name, new):
        if name in self.seqs and new not in self.seqs:
            self.seqs[new] = self.seqs[name]
            return True
        return False
""",
    ),
    right(
        "interview.allocator",
        "a heap, and token by token on trial",
        """
import copy
import heapq

class PagePool:
    def __init__(self, num_pages, page_tokens):
        self.n, self.heap = page_tokens, list(range(num_pages))
        self.held, self.of, self.count = {}, {}, {}

    def grow(self, name, tokens):
        before = copy.deepcopy((self.heap, self.held, self.of, self.count))
        self.of.setdefault(name, [])
        self.count.setdefault(name, 0)
        try:
            for _ in range(tokens):
                self._one(name)
        except IndexError:
            self.heap, self.held, self.of, self.count = before
            return False
        return True

    def _one(self, name):
        pages, inside = self.of[name], self.count[name] % self.n
        if inside == 0:
            pages.append(self._page())
        elif self.held[pages[-1]] > 1:
            fresh = self._page()
            self.held[pages[-1]] -= 1
            pages[-1] = fresh
        self.count[name] += 1

    def _page(self):
        page = heapq.heappop(self.heap)
        self.held[page] = 1
        return page

    def table(self, name):
        return self.of.get(name, [])[:]

    def num_free(self):
        return len(self.heap)

    def free(self, name):
        if name not in self.of:
            return False
        del self.count[name]
        for page in self.of.pop(name):
            self.held[page] -= 1
            if not self.held[page]:
                heapq.heappush(self.heap, page)
        return True

    def fork(self, name, new):
        if new in self.of or name not in self.of:
            return False
        self.of[new], self.count[new] = self.of[name][:], self.count[name]
        for page in self.of[new]:
            self.held[page] += 1
        return True
""",
    ),
]
