"""The verbs of ``PagePool`` over counts and numbered names: which page is which never matters."""

from labutils.simulation.queues.compiled import inner

from .tables import FREE_LIST_END, UNREGISTERED


@inner
def unlink(pages, state, name):
    """Take a page out of the line of idle ones."""
    before, after = pages.book[name].before, pages.book[name].after
    if before == FREE_LIST_END:
        state.oldest = after
    else:
        pages.book[before].after = after
    if after == FREE_LIST_END:
        state.newest = before
    else:
        pages.book[after].before = before
    state.idle -= 1


@inner
def append(pages, state, name):
    """Put a page behind all idle ones."""
    last = state.newest
    pages.book[name].before, pages.book[name].after = last, FREE_LIST_END
    if last == FREE_LIST_END:
        state.oldest = name
    else:
        pages.book[last].after = name
    state.newest = name
    state.idle += 1


@inner
def take(pages, state, count):
    """Hold ``count`` pages: blank ones first, then those that have been idle longest."""
    while state.blank < count:
        oldest = state.oldest
        unlink(pages, state, oldest)
        pages.book[oldest].owners = UNREGISTERED
        state.blank += 1
    state.blank -= count


@inner
def find(lives, pages, row, page_tokens):
    """How many pages hold the beginning of its prompt, and how many of these are idle."""
    first = lives[row].names_at
    most = min(lives[row].names_end, first + (lives[row].known - 1) // page_tokens)
    at, idle = first, 0
    while at < most and pages.book[pages.names[at]].owners != UNREGISTERED:
        idle += pages.book[pages.names[at]].owners == 0
        at += 1
    return at - first, idle


@inner
def fits(rules, lives, pages, state, row):
    """Whether there are pages for all that a request knows."""
    if not rules.paged:
        return True
    found, idle = find(lives, pages, row, rules.page_tokens)
    needed = -(-lives[row].known // rules.page_tokens)
    return needed - found <= state.blank + state.idle - idle


@inner
def start(rules, lives, pages, state, row):
    """Hold what is found and take the rest; returns the pages that were found."""
    found, _ = find(lives, pages, row, rules.page_tokens)
    first = lives[row].names_at
    for at in range(first, first + found):
        name = pages.names[at]
        if pages.book[name].owners == 0:
            unlink(pages, state, name)
        pages.book[name].owners += 1
        pages.mine[at] = True
    take(pages, state, -(-lives[row].known // rules.page_tokens) - found)
    return found


@inner
def publish(rules, lives, pages, row, computed, new):
    """Name the full pages of the ``new`` tokens behind ``computed``, where the names are free."""
    first, last = lives[row].names_at, lives[row].names_end
    full = min(last, first + (computed + new) // rules.page_tokens)
    for at in range(first + computed // rules.page_tokens, full):
        name = pages.names[at]
        pages.mine[at] = pages.book[name].owners == UNREGISTERED
        if pages.mine[at]:
            pages.book[name].owners = 1


@inner
def release(rules, lives, pages, state, row, computed, room):
    """Take its pages back, the last first: those with a name go idle, the others blank."""
    first, last = lives[row].names_at, lives[row].names_end
    full = min(last, first + computed // rules.page_tokens)
    state.blank += room // rules.page_tokens - (full - first)
    for at in range(full - 1, first - 1, -1):
        name = pages.names[at]
        if not pages.mine[at]:
            state.blank += 1
            continue
        pages.book[name].owners -= 1
        if pages.book[name].owners == 0:
            append(pages, state, name)
