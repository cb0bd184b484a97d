"""Which walks a check draws: any calls at all, and such as make one point.

Each is a Hypothesis strategy of arguments for ``walk_pool``: (pages, tokens of a page, calls).
"""

from collections.abc import Callable, Iterator

NAMES = "abcde"

Story = Callable[..., Iterator[tuple]]
"""``story(whole)`` yields the number of pages, the tokens of a page, and then calls.

``whole(low, high)`` draws a whole number.
"""


def walks(*stories: Story):
    """Any calls in a pool of up to nine pages, or one of ``stories``."""
    from hypothesis import strategies as st

    def inputs():
        told = [_told(story) for story in stories]
        return st.one_of(_any_calls(), *told)

    return inputs


def _told(story: Story):
    from hypothesis import strategies as st

    @st.composite
    def arguments(draw):
        pages, page_tokens, *calls = story(lambda low, high: draw(st.integers(low, high)))
        return pages, page_tokens, calls

    return arguments()


def _any_calls():
    from hypothesis import strategies as st

    names = st.sampled_from(NAMES[:4])
    start = st.tuples(st.just("start"), names, st.integers(1, 17), st.text("xy", max_size=4))
    call = st.one_of(
        start,
        start,
        st.tuples(st.just("compute"), names, st.integers(1, 17)),
        st.tuples(st.just("decode"), names),
        st.tuples(st.just("take"), names, st.integers(0, 5)),
        st.tuples(st.just("preempt"), names),
        st.tuples(st.just("end"), names),
    )
    calls = st.lists(call, min_size=1, max_size=12)
    return st.tuples(st.integers(1, 9), st.integers(1, 4), calls)


# ---- pages for tokens -------------------------------------------------------------------------


def full_pages(whole):
    """Tokens that fill their pages to the last place, and an answer that goes over the edge."""
    size, pages = whole(2, 4), whole(1, 3)
    yield from (pages + 3, size, ("start", "a", size * pages))
    yield from [("decode", "a")] * (size + 1)


def to_the_last_page(whole):
    """A request that takes all that is left, and one that finds nothing."""
    size, first, left = whole(2, 4), whole(1, 3), whole(1, 3)
    yield from (first + left, size, ("start", "a", size * first))
    yield from (("take", "b", left), ("decode", "a"), ("take", "c", 1), ("decode", "a"))


def too_many(whole):
    """More pages are asked for than are left; then those that are left."""
    size, pages, more = whole(1, 3), whole(2, 5), whole(1, 3)
    yield from (pages, size, ("take", "a", 1), ("take", "b", pages - 1 + more))
    yield ("take", "b", pages - 1)


def over_the_idle(whole):
    """Some pages are blank, some idle: who needs more than the blank ones, or than all."""
    size, idle, blank = whole(1, 3), whole(2, 3), whole(1, 3)
    text = "xyx"[:idle]
    yield from (idle + blank, size, ("start", "a", size * idle, text), ("compute", "a", 99))
    yield from (("end", "a"), ("take", "b", idle + blank + whole(1, 2)))
    yield from (("take", "c", blank + whole(-1, 1)), ("start", "a", size * idle + 1, text))


def over_what_was_idle(whole):
    """One idle page is handed out; others become blank, and its text comes back."""
    size, idle = whole(1, 3), whole(2, 3)
    text = "xyx"[:idle]
    yield from (idle + 3, size, ("start", "a", size * idle, text), ("compute", "a", 99))
    yield from (("take", "b", 2), ("end", "a"), ("take", "c", 2), ("end", "b"))
    yield ("start", "a", size * idle + 1, text)


def one_of_two(whole):
    """Two requests hold the same pages: one leaves, a third comes, the other leaves."""
    size, pages = whole(1, 3), whole(1, 3)
    text, tokens = "xyx"[:pages], size * pages + 1
    yield from (3 * pages + 3, size, ("start", "a", tokens, text), ("compute", "a", 99))
    yield from (("start", "b", tokens, text), ("end", "ab"[whole(0, 1)]))
    yield from (("take", "c", whole(1, 2)), ("end", "a"), ("end", "b"))


def back_again(whole):
    """A request is preempted behind its prompt, and comes back with all that it knew."""
    size, pages = whole(2, 4), whole(1, 3)
    text = "xyxx"[:pages]
    yield from (2 * pages + 5, size, ("start", "a", size * pages, text), ("compute", "a", 99))
    yield from [("decode", "a")] * (1 + whole(0, size))
    yield from (("preempt", "a"), ("start", "a", 1), ("decode", "a"), ("end", "a"))


# ---- pages that are shared --------------------------------------------------------------------


def same_beginning(whole):
    """Two prompts with one beginning and two ends."""
    size, same, rest = whole(1, 3), whole(1, 3), whole(1, 2)
    first, other = "xyx"[:same] + "y" * rest, "xyx"[:same] + "z" * rest
    tokens = size * (same + rest) + whole(0, size - 1)
    yield from (12, size, ("start", "a", tokens, first), ("compute", "a", 99))
    yield from (("start", "b", tokens, other), ("compute", "b", 99), ("end", "a"))
    yield ("start", "c", tokens + 1, other)


def the_same_twice(whole):
    """A prompt that fills its pages to the last place, twice."""
    size, pages = whole(1, 3), whole(1, 3)
    text = "yxy"[:pages]
    yield from (10, size, ("take", "e", whole(0, 1)))
    yield from (("start", "a", size * pages, text), ("compute", "a", 99))
    yield from (("start", "b", size * pages, text), ("start", "c", size * pages + 1, text))


def in_chunks(whole):
    """A prompt is computed in two or three steps; after each, another one looks for its pages."""
    size, pages = whole(2, 4), whole(2, 4)
    text, cut = "xyxy"[:pages], whole(1, size * pages - 1)
    yield from (4 * pages + 4, size, ("start", "a", size * pages + 1, text), ("compute", "a", cut))
    yield from (("start", "b", size * pages + 1, text), ("compute", "a", 99))
    yield ("start", "c", size * pages + 1, text)


def side_by_side(whole):
    """Two requests compute the same pages at the same time; then one of them leaves."""
    size, pages = whole(1, 3), whole(1, 3)
    text, tokens = "xxy"[:pages], size * pages + 1
    yield from (4 * pages + 3, size, ("start", "a", tokens, text), ("start", "b", tokens, text))
    yield from (("compute", "a", 99), ("compute", "b", 99), ("end", "ab"[whole(0, 1)]))
    yield from (("start", "c", tokens, text), ("end", "a"), ("end", "b"), ("take", "d", 2))


def after_the_gap(whole):
    """The first page of a prompt has gone, and its second one is still held by another request."""
    size, rest = whole(1, 3), whole(0, 2)
    yield from (5 + rest, size, ("start", "a", size + 1, "x"), ("start", "b", 2 * size + 1, "xy"))
    yield from (("compute", "a", 99), ("compute", "b", 99), ("end", "a"), ("take", "c", 2 + rest))
    yield from (("end", "c"), ("start", "d", 2 * size + whole(0, 1), "xy"))


def hardly_any_room(whole):
    """The beginning is there, and nearly all the rest of memory is taken."""
    size, found, rest = whole(1, 3), whole(1, 3), whole(1, 3)
    text, left = "xyx"[:found], whole(0, 3)
    yield from (found + 1 + left, size)
    yield from (("start", "a", size * found + 1, text), ("compute", "a", 99))
    yield ("start", "b", size * (found + rest) + whole(0, size - 1) + (size == 1), text)


def the_same_in_full_memory(whole):
    """A prompt that fills its pages to the last place, once more, where no page is left or one."""
    size, pages = whole(1, 3), whole(1, 3)
    text = "yxy"[:pages]
    yield from (pages + whole(0, 1), size, ("start", "a", size * pages, text))
    yield from (("compute", "a", 99), ("start", "b", size * pages, text))


def asked_and_refused(whole):
    """Two sessions are idle; a request that finds the older one is too long, and gets nothing."""
    size, pages = whole(1, 3), whole(1, 3)
    tokens = size * pages + 1
    yield from (2 * pages + 1, size)
    for name, letter in (("a", "u"), ("b", "v")):
        yield from (("start", name, tokens, letter * pages), ("compute", name, 99), ("end", name))
    yield ("start", "d", size * (2 * pages + 2), "u" * pages)
    yield from (("take", "c", 1 + whole(1, pages)), ("end", "c"))
    yield from (("start", "b", tokens, "v" * pages), ("start", "a", tokens, "u" * pages))


def from_idle_pages(whole):
    """The beginning is idle, and counts as free, but not twice."""
    size, found, rest, others = whole(1, 3), whole(1, 3), whole(0, 2), whole(0, 3)
    text = "xyx"[:found]
    yield from (found + 2 + others, size, ("take", "c", 1))
    yield from (("start", "a", size * found + 1, text), ("compute", "a", 99), ("end", "a"))
    yield from (("take", "b", whole(0, others)), ("start", "a", size * (found + rest) + 1, text))
    yield from (("decode", "a"), ("take", "d", 1))


def idle_and_then_shared(whole):
    """A session whose pages are idle comes back; another request shares them; both leave."""
    size, pages = whole(1, 3), whole(1, 3)
    text, tokens = "xyx"[:pages], size * pages + 1
    yield from (
        3 * pages + 3,
        size,
        ("start", "a", tokens, text),
        ("compute", "a", 99),
        ("end", "a"),
    )
    yield from (("start", "a", tokens, text), ("start", "b", tokens, text))
    yield from (("end", "ab"[whole(0, 1)]), ("end", "a"), ("end", "b"))


def back_to_little_room(whole):
    """A request comes back with its prompt and some answer, to hardly any free pages."""
    size, pages, more = whole(1, 3), whole(1, 3), whole(1, 2)
    yield from (pages + more + 2, size, ("start", "a", size * pages))
    yield from [("decode", "a")] * (size * more)
    yield from (("preempt", "a"), ("take", "b", 2 + whole(0, more)), ("start", "a", 1))
    yield from (("end", "b"), ("start", "a", 1))


def idle_pages_of_others(whole):
    """Memory is full of what another session left, and a stranger needs some of it."""
    size, idle, blank = whole(1, 3), whole(1, 3), whole(0, 2)
    yield from (idle + blank + 1, size, ("start", "a", size * idle + 1, "xxx"[:idle]))
    yield from (("compute", "a", 99), ("end", "a"))
    yield ("start", "b", size * (blank + 1 + whole(0, idle)) + whole(0, 1), "yyyyyy")


def its_own_pages(whole):
    """The session idle longest comes back with a longer prompt, and all memory is idle."""
    size, pages = whole(1, 3), whole(2, 3)
    tokens = size * pages + 1
    yield from (2 * pages + 1, size)
    for name, letter in (("a", "u"), ("b", "v")):
        yield from (("start", name, tokens, letter * pages), ("compute", name, 99), ("end", name))
    yield ("start", "a", size * (pages + whole(1, pages)) + 1, "u" * pages)


# ---- pages that no request holds --------------------------------------------------------------


def _dealt(first: int, then: int) -> list[tuple]:
    """Pages are taken and given back, so that they are no longer handed out by number."""
    return [("take", "c", first), ("take", "d", then), ("end", "c"), ("end", "d")]


def two_sessions(whole):
    """Two sessions go idle one after the other; a stranger needs some pages; they come back."""
    size, pages = whole(1, 3), whole(2, 3)
    tokens, turned = size * pages + 1, whole(0, 1)
    yield from (2 * pages + 1, size, *_dealt(whole(0, 2), pages))
    for name, letter in (("a", "u"), ("b", "v")):
        yield from (("start", name, tokens, letter * pages), ("compute", name, 99), ("end", name))
    yield from (("take", "c", 1 + whole(1, pages)), ("end", "c"))
    for name, letter in [("a", "u"), ("b", "v")][:: 1 - 2 * turned]:
        yield from (("start", name, tokens, letter * pages), ("end", name))


def used_again(whole):
    """Two sessions go idle; the first one comes back and goes idle again; then pages are needed."""
    size, pages, first = whole(1, 3), whole(1, 3), whole(0, 2)
    tokens = size * pages + 1
    yield from (2 * pages + 1, size, *_dealt(first, pages))
    for name, letter in (("a", "u"), ("b", "v"), ("a", "u")):
        yield from (("start", name, tokens, letter * pages), ("compute", name, 99), ("end", name))
    yield from (("take", "c", 1 + whole(1, pages)), ("start", "ab"[whole(0, 1)], 1))
    yield from (("end", "a"), ("end", "b"), ("end", "c"))
    yield ("start", "d", tokens, "uv"[whole(0, 1)] * pages)


def where_it_begins(whole):
    """A stranger takes a page or two of an idle session; what is left has to be its beginning."""
    size, pages = whole(1, 3), whole(3, 4)
    text = "w" * pages
    yield from (pages + 1, size, *_dealt(whole(0, 2), pages - 1))
    yield from (("start", "a", size * pages + 1, text), ("compute", "a", 99))
    yield from (("end", "a"), ("take", "b", 1 + whole(1, 2)), ("end", "b"))
    yield ("start", "a", size * pages + 1, text)


def somebody_elses_words(whole):
    """An idle page gets new content; then its old content is asked for."""
    size, pages = whole(1, 3), whole(1, 3)
    text = "m" * pages
    yield from (pages + 2, size, ("start", "a", size * pages + 1, text), ("compute", "a", 99))
    yield from (("end", "a"), ("take", "b", pages + 2), ("end", "b"))
    yield from (("start", "c", size * pages + 1, text), ("compute", "c", 99), ("end", "c"))
    yield ("start", "a", size * pages + 1, text)
