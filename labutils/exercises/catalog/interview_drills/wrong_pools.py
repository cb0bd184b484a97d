"""Page pools that do not survive the stories of the code drill, each by one mistake."""

from .page_pools import PagePool


class APageTooMany(PagePool):
    def pages_for(self, tokens):
        return tokens // self.page_tokens + 1


class RoundsDown(PagePool):
    def pages_for(self, tokens):
        return tokens // self.page_tokens


class PagesForEachCall(PagePool):
    """Every growth begins a page of its own."""

    def grow(self, name, tokens):
        table, missing = self.tables.get(name, []), self.pages_for(tokens)
        if missing > len(self.free_pages):
            return False
        self.tables[name] = table + self.take(missing)
        self.tokens[name] = self.tokens.get(name, 0) + tokens
        return True


class TakesWhatThereIs(PagePool):
    """Takes page by page, and finds out on the way that they do not suffice."""

    def grow(self, name, tokens):
        held = self.tokens.get(name, 0) + tokens
        missing = self.pages_for(held) - len(self.tables.get(name, []))
        if missing > len(self.free_pages):
            self.tables[name] = self.tables.get(name, []) + self.take(len(self.free_pages))
            self.tokens.setdefault(name, 0)
            return False
        return super().grow(name, tokens)


class LeavesAName(PagePool):
    """A refused newcomer is known from then on."""

    def grow(self, name, tokens):
        grown = super().grow(name, tokens)
        self.tables.setdefault(name, [])
        self.tokens.setdefault(name, 0)
        return grown


class CountsWhatItRefused(PagePool):
    def grow(self, name, tokens):
        grown = super().grow(name, tokens)
        if not grown and name in self.tokens:
            self.tokens[name] += tokens
        return grown


class KeepsOneBack(PagePool):
    """Never hands out the last free page."""

    def grow(self, name, tokens):
        table, held = self.tables.get(name, []), self.tokens.get(name, 0)
        missing = self.pages_for(held + tokens) - len(table) + self.copies(table, held, tokens)
        return 0 <= missing < max(len(self.free_pages), 1) and super().grow(name, tokens)


class LosesThem(PagePool):
    """Forgets a table without giving its pages back."""

    def free(self, name):
        return self.tokens.pop(name, None) is not None and bool(self.tables.pop(name))


class FreesTwice(PagePool):
    """Remembers the table of a sequence that is gone, and frees its pages once more."""

    def __init__(self, num_pages, page_tokens):
        super().__init__(num_pages, page_tokens)
        self.old = {}

    def free(self, name):
        if name in self.tables:
            self.old[name] = self.table(name)
            return super().free(name)
        self.free_pages = sorted(self.free_pages + self.old.get(name, []))
        return False


class NeverSaysNo(PagePool):
    """A second free does nothing, and says that all went well."""

    def free(self, name):
        super().free(name)
        return True


class RemembersTheCount(PagePool):
    """The pages go, the number of tokens stays."""

    def free(self, name):
        if name not in self.tables:
            return False
        self.drop(self.tables.pop(name))
        return True

    def copies(self, table, held, tokens):
        return super().copies(table, held, tokens) if table else 0


class CopiesEverything(PagePool):
    """A fork takes pages of its own for all tokens."""

    def fork(self, name, new):
        if name not in self.tables or new in self.tables:
            return False
        return self.grow(new, self.tokens[name])


class SharesTheList(PagePool):
    """Parent and child have one table: what one appends, the other reads."""

    def fork(self, name, new):
        forked = super().fork(name, new)
        if forked:
            self.tables[new] = self.tables[name]
        return forked

    def grow(self, name, tokens):
        table, grown = self.tables.get(name), super().grow(name, tokens)
        if grown and table is not None:
            table[:] = self.tables[name]
            self.tables[name] = table
        return grown


class FreesUnderTheReader(PagePool):
    """Whoever leaves first gives the pages back, although another one reads them."""

    def drop(self, pages):
        self.free_pages = sorted({*self.free_pages, *pages})
        for page in pages:
            self.owners[page] = max(self.owners[page] - 1, 0)


class NeverTheLast(PagePool):
    """Pages that were shared are never given back."""

    def drop(self, pages):
        for page in pages:
            self.owners[page] -= 1
        gone = {page for page in pages if self.owners[page] == 0} - self.shared
        self.free_pages = sorted([*self.free_pages, *gone])

    def __init__(self, num_pages, page_tokens):
        super().__init__(num_pages, page_tokens)
        self.shared = set()

    def fork(self, name, new):
        forked = super().fork(name, new)
        self.shared |= {*self.tables[new]} if forked else set()
        return forked


class ForksTheUnknown(PagePool):
    """A fork of somebody who is not there succeeds, and is empty."""

    def fork(self, name, new):
        if name in self.tables or new in self.tables:
            return super().fork(name, new)
        self.tables[new], self.tokens[new] = [], 0
        return True


class ForksOverAnother(PagePool):
    """A fork to a name that is taken throws the old table away."""

    def fork(self, name, new):
        self.tables.pop(new, None) if name in self.tables and name != new else None
        return super().fork(name, new)


class TakesTheHighest(PagePool):
    """The free pages are a stack."""

    def take(self, count):
        self.free_pages.reverse()
        taken = super().take(count)
        self.free_pages.reverse()
        return taken


class QueuesThem(PagePool):
    """What is given back comes last."""

    def drop(self, pages):
        before = self.free_pages
        super().drop(pages)
        back = [page for page in pages if page in {*self.free_pages} - {*before}]
        self.free_pages = [*before, *back]


class CopiesTheTable(PagePool):
    """Whoever writes into a shared page gets a copy of all its pages."""

    def copies(self, table, held, tokens):
        return len(table) * super().copies(table, held, tokens)


class WritesIntoShared(PagePool):
    """Writes behind the last token, whoever reads that page."""

    def copies(self, table, held, tokens):
        return 0


class CopiesFullPages(PagePool):
    """Copies the last page although nothing is written into it: it is full."""

    def copies(self, table, held, tokens):
        return int(tokens > 0 and held > 0 and self.owners[table[-1]] > 1)


class AlwaysCopies(PagePool):
    """Copies the last page of whoever was forked, also when nobody else reads it any more."""

    def __init__(self, num_pages, page_tokens):
        super().__init__(num_pages, page_tokens)
        self.forked = set()

    def fork(self, name, new):
        forked = super().fork(name, new)
        self.forked |= {*self.tables[new]} if forked else set()
        return forked

    def copies(self, table, held, tokens):
        writes = tokens > 0 and held % self.page_tokens > 0
        return int(writes and table[-1] in self.forked)


class CopiesForNothing(PagePool):
    """Copies a shared last page before it asks whether anything is written."""

    def copies(self, table, held, tokens):
        return super().copies(table, held, 1)


class ForgetsTheCopy(PagePool):
    """Asks for the pages of the tokens, and takes one more for the copy."""

    def grow(self, name, tokens):
        table, held = self.tables.get(name, []), self.tokens.get(name, 0)
        missing = self.pages_for(held + tokens) - len(table)
        if missing <= len(self.free_pages) < missing + self.copies(table, held, tokens):
            self.drop(table[-1:])
            self.tables[name] = table[:-1] + self.take(missing)
            self.tokens[name] = held + tokens
            return True
        return super().grow(name, tokens)


class KeepsTheOldOwner(PagePool):
    """Copies a page, and stays an owner of the one that it left."""

    def grow(self, name, tokens):
        table, held = self.table(name), self.tokens.get(name, 0)
        copied = table[-1:] if self.copies(table, held, tokens) else []
        grown = super().grow(name, tokens)
        for page in copied if grown else ():
            self.owners[page] += 1
        return grown
