"""The page pool of the code drill, as the workbook writes it.

Pages have numbers, and the lowest free one is taken first: that makes every table predictable.
"""


class PagePool:
    """Pages of ``page_tokens`` tokens for sequences that grow, fork and go.

    Invariant: a page is free, or ``owners`` counts the tables in which it stands.
    """

    def __init__(self, num_pages, page_tokens):
        self.page_tokens = page_tokens
        self.free_pages = list(range(num_pages))
        self.tables, self.tokens = {}, {}
        self.owners = [0] * num_pages

    def grow(self, name, tokens):
        """Append ``tokens`` to a sequence, or begin it; False, and nothing changed, without room.

        The page into which it writes becomes its own: one that others read is copied first.
        """
        table, held = self.tables.get(name, []), self.tokens.get(name, 0)
        copies = self.copies(table, held, tokens)
        missing = self.pages_for(held + tokens) - len(table) + copies
        if missing > len(self.free_pages):
            return False
        kept, own = len(table) - copies, self.take(missing)
        self.tables[name], self.tokens[name] = table[:kept] + own, held + tokens
        self.drop(table[kept:])
        return True

    def pages_for(self, tokens):
        """Pages that so many tokens take."""
        return -(-tokens // self.page_tokens)

    def copies(self, table, held, tokens):
        """Whether the last page is written next, and others read it: 1 or 0."""
        writes = tokens > 0 and held % self.page_tokens > 0
        return int(writes and self.owners[table[-1]] > 1)

    def take(self, count):
        """The lowest free pages, each with one owner."""
        taken = [self.free_pages.pop(0) for _ in range(count)]
        for page in taken:
            self.owners[page] = 1
        return taken

    def drop(self, pages):
        """Take one owner off each page; what nobody holds is free."""
        for page in pages:
            self.owners[page] -= 1
            if self.owners[page] == 0:
                self.free_pages = sorted([*self.free_pages, page])

    def fork(self, name, new):
        """A second sequence that reads the same pages; False where that cannot be."""
        if name not in self.tables or new in self.tables:
            return False
        self.tables[new], self.tokens[new] = list(self.tables[name]), self.tokens[name]
        for page in self.tables[new]:
            self.owners[page] += 1
        return True

    def free(self, name):
        """Let a sequence go; False, and nothing changed, where there is none of that name."""
        if name not in self.tables:
            return False
        self.drop(self.tables.pop(name))
        del self.tokens[name]
        return True

    def table(self, name):
        """The pages of a sequence in order; none where it is unknown."""
        return list(self.tables.get(name, []))

    def num_free(self):
        """How many pages are free."""
        return len(self.free_pages)
