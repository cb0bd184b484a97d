"""Room for drafted tokens on free pages, and the way back of those that nothing needs."""

from labutils.engine import PagePool, Request


def make_room(pool: PagePool, request: Request, tokens: int) -> int:
    """Give ``request`` pages for up to ``tokens`` drafts; returns for how many there is room.

    Only free pages are taken: nobody loses memory for a guess.
    """
    while request.room < request.known + tokens and pool.num_free:
        pool.grow(request)
    return max(0, min(tokens, request.room - request.known))


def give_back(pool: PagePool, request: Request) -> None:
    """Take the pages back on which no token of ``request`` is computed.

    What was written for refused drafts on pages that stay is overwritten by the tokens to come.
    """
    needed = pool.pages_for(request.computed)
    while len(request.pages) > needed:
        page = request.pages.pop()
        request.room -= pool.page_tokens
        pool.owners[page] -= 1
        if not pool.owners[page]:
            pool.drop(page)
