"""Page pools that do not survive the stories of the code drill, each by one mistake."""

from labutils.exercises.definition.patched import patched

from .page_pools import PagePool

_SHEET = """
a-page-too-many: Tokens that fill their pages get one page more than they need.
- return -(-tokens // self.page_tokens)
+ return tokens // self.page_tokens + 1

rounds-down: Some tokens have no page: what becomes of those that fill a page in part?
- return -(-tokens // self.page_tokens)
+ return tokens // self.page_tokens

pages-for-each-call: Each call begins a page. How many places are free in the last one?
- copies = self.copies(table, held, tokens)
- missing = self.pages_for(held + tokens) - len(table) + copies
+ copies, missing = 0, self.pages_for(tokens)

the-highest-first: You take a free page from the other end. Which one did the interviewer ask for?
- self.free_pages.pop(0)
+ self.free_pages.pop()

a-queue-of-pages: A page that came back is taken last. Which free page has the lowest number now?
- self.free_pages = sorted([*self.free_pages, page])
+ self.free_pages.append(page)

takes-what-there-is: A refused sequence keeps the pages that it got on the way. When do you know how
    many are needed?
- if missing > len(self.free_pages):
+ if missing - copies > len(self.free_pages):
+     self.tables[name] = table + self.take(len(self.free_pages))
+     self.tokens.setdefault(name, 0)
+     return False
+ if missing > len(self.free_pages):

leaves-a-name: A sequence that was refused is known afterwards. What must have changed after False?
= if missing > len(self.free_pages):
+     self.tables.setdefault(name, [])
+     self.tokens.setdefault(name, 0)

counts-what-it-refused: A growth that was refused is counted as if it had been granted.
= if missing > len(self.free_pages):
+     if name in self.tokens:
+         self.tokens[name] += tokens

keeps-one-back: Somebody is refused although the free pages are as many as it needs.
- if missing > len(self.free_pages):
+ if missing >= max(len(self.free_pages), 1):

lost-pages: Pages are in no table and not free. Who gives them back when a sequence goes?
- self.drop(self.tables.pop(name))
+ del self.tables[name]

remembers-the-count: A sequence that comes back is taken for as long as it was.
- writes = tokens > 0 and held % self.page_tokens > 0
+ writes = bool(table) and tokens > 0 and held % self.page_tokens > 0
- del self.tokens[name]

frees-twice: A page stands in the free list twice, and two sequences will get it. What does a second
    `free` find?
= self.free_pages = list(range(num_pages))
+ self.old = {}
- if name not in self.tables:
-     return False
+ if name not in self.tables:
+     self.free_pages = sorted(self.free_pages + self.old.get(name, []))
+     return False
+ self.old[name] = self.table(name)

never-says-no: A second `free` reports success. The bug is in the caller: how shall anybody find it?
- if name not in self.tables:
-     return False
+ if name not in self.tables:
+     return True

copies-everything: A fork takes as many pages as its parent. Who would write into them?
- self.tables[new], self.tokens[new] = list(self.tables[name]), self.tokens[name]
- ...
+ return self.grow(new, self.tokens[name])

one-list: Parent and child hold the same list object. What does the other read after an append?
- self.tables[name], self.tokens[name] = table[:kept] + own, held + tokens
- self.drop(table[kept:])
+ gone, table[kept:] = table[kept:], own
+ self.tables[name], self.tokens[name] = table, held + tokens
+ self.drop(gone)
- list(self.tables[name])
+ self.tables[name]

frees-under-the-reader: A page becomes free while another sequence reads it. How many tables is it
    in?
- self.owners[page] -= 1
- ...
+ self.owners[page] = max(self.owners[page] - 1, 0)
+ self.free_pages = sorted({*self.free_pages, page})

never-the-last: A page that was shared never comes back. Who is the last to leave?
= self.owners = [0] * num_pages
+ self.shared = set()
- if self.owners[page] == 0:
+ if self.owners[page] == 0 and page not in self.shared:
= self.owners[page] += 1
+ self.shared.add(page)

forks-the-unknown: A fork of a sequence that does not exist succeeds. Whose pages does the child
    read?
- if name not in self.tables or new in self.tables:
+ if name not in self.tables and new not in self.tables:
+     self.tables[new], self.tokens[new] = [], 0
+     return True
+ if name not in self.tables or new in self.tables:

forks-over-another: A fork to a name that is taken throws a table away, and its pages are in no
    table now.
- if name not in self.tables or new in self.tables:
+ if name not in self.tables or name == new:

writes-into-shared: Two sequences write behind the same last token. Whose words does the other read?
- return int(writes and self.owners[table[-1]] > 1)
+ return 0

copies-the-table: All pages of the table are copied. Into how many of them is anything written?
- return int(writes and self.owners[table[-1]] > 1)
+ return len(table) * int(writes and self.owners[table[-1]] > 1)

copies-full-pages: You copy a page that is full. Will anybody ever write into it?
- held % self.page_tokens > 0
+ held > 0

fears-the-gone: You copy a page that nobody else reads any more. Which number says so?
= self.owners = [0] * num_pages
+ self.forked = set()
- self.owners[table[-1]] > 1
+ table[-1] in self.forked
= self.owners[page] += 1
+ self.forked.add(page)

copies-for-nothing: A growth by 0 tokens takes a page for a copy. What is written into it?
- writes = tokens > 0 and held % self.page_tokens > 0
+ writes = held % self.page_tokens > 0

keeps-the-old-owner: After the copy the old page still counts whoever left it, and never becomes
    free.
- self.drop(table[kept:])

forgets-the-copy: You ask whether the tokens fit, and take a page more for the copy. Which sum has
    to fit?
= missing = self.pages_for(held + tokens) - len(table) + copies
+ if missing - copies <= len(self.free_pages) < missing:
+     self.drop(table[-1:])
+     self.tables[name] = table[:-1] + self.take(missing - copies)
+     self.tokens[name] = held + tokens
+     return True
"""

MISTAKES = patched(PagePool, _SHEET)
