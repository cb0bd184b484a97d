"""A small engine's page cache: its sound part, as it was found in the field, and mended."""

from collections import deque


class Shelf:
    """The sound part of a small engine's page cache. What it holds is written out as keys.

    ``free`` are the pages that nobody holds, the one free longest first; they keep their content.
    ``tables`` are the pages of each request, ``cached`` how many of its tokens were found.
    """

    def __init__(self, num_pages, page_tokens):
        self.page_tokens = page_tokens
        self.free = deque(range(num_pages))
        self.tables, self.cached, self.owners = {}, {}, [0] * num_pages
        self.page_of, self.key_of = {}, {}
        self.content = [None] * num_pages  # what really stands in a page

    def known_pages(self, keys):
        """The pages of ``keys``, up to the first that is not there."""
        found = []
        for key in keys:
            if key not in self.page_of:
                break
            found.append(self.page_of[key])
        return found

    def fill(self, request, found, tokens):
        """Give ``request`` the pages that were found, and new ones for the rest."""
        for page in found:
            if not self.owners[page]:
                self.free.remove(page)
            self.owners[page] += 1
        self.tables[request] = list(found)
        while len(self.tables[request]) * self.page_tokens < tokens:
            page = self.new_page()
            self.owners[page] = 1
            self.tables[request].append(page)

    def computed(self, request, keys):
        """The pages of ``keys`` were computed for ``request``: they hold what the keys name."""
        for key, page in zip(keys[: len(self.tables[request])], self.tables[request]):
            if key not in self.page_of:
                self.content[page] = key
                self.page_of[key], self.key_of[page] = page, key

    def leave(self, request):
        """The request has ended, or was preempted: its pages are free, the last one first."""
        for page in reversed(self.tables.pop(request)):
            self.owners[page] -= 1
            if not self.owners[page]:
                self.free.append(page)
        self.cached[request] = 0

    def reads(self, request):
        """What stands in the pages that this request found, and will not compute again."""
        found = self.cached[request] // self.page_tokens
        return [self.content[page] for page in self.tables[request][:found]]


class PageCache(Shelf):
    """Finds what was computed before, and says what is left to compute."""

    def admit(self, request, tokens, keys):
        found = self.known_pages(keys[: (tokens - 1) // self.page_tokens])
        self.cached[request] = len(found) * self.page_tokens
        self.fill(request, found, tokens)
        return self.cached[request], tokens

    def new_page(self):
        page = self.free.popleft()
        self.page_of.pop(self.key_of.pop(page, None), None)
        return page


class HandedOut(Shelf):
    """What the learner begins with; the lab's stub shows the same lines."""

    def admit(self, request, tokens, keys):
        planned = tokens - self.cached.get(request, 0)
        found = self.known_pages(keys)
        self.cached[request] = len(found) * self.page_tokens
        self.fill(request, found, tokens)
        return self.cached[request], self.cached[request] + planned

    def new_page(self):
        return self.free.popleft()
