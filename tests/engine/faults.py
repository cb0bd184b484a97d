"""Mistakes planted in the engine: file, the text that is there once, what stands in its place."""

PAGES = (
    ("the page of the last token counts as found", "(request.known - 1) //", "request.known //"),
    ("pages behind a gap are found", "break\n", "continue\n"),
    ("found pages count as free as well", "self.num_free - idle", "self.num_free"),
    (
        "found pages are evicted for the others",
        "        self.hold(found)  # first, so that none of them is evicted for the others\n"
        "        request.pages = found + self.take(self.pages_for(request.known) - len(found))\n",
        "        request.pages = found + self.take(self.pages_for(request.known) - len(found))\n"
        "        self.hold(found)\n",
    ),
    ("hits are computed again", "request.computed = len(found) * self.page_tokens", "pass"),
    ("hits are counted at each start", "if request.cached is None else request.cached", ""),
    ("too little is taken", "self.take(self.pages_for(request.known) - len", "self.take(-len"),
    ("a refused start has changed the books", "if not self.fits(request):", "if False:"),
    ("a new page makes no room", "request.room += self.page_tokens", "request.room += 0"),
    (
        "a page is found twice",
        "request.pages[first:full]):\n            if key not in self.page_of:\n",
        "request.pages[first:full]):\n            if True:\n",
    ),
    (
        "a page is found before it is full",
        "full = request.computed // self.page_tokens",
        "full = self.pages_for(request.computed)",
    ),
    (
        "pages of the step's beginning are not found",
        "first = (request.computed - new_tokens) // self.page_tokens",
        "first = self.pages_for(request.computed - new_tokens)",
    ),
    (
        "a prefix goes head first",
        "for page in reversed(request.pages):",
        "for page in request.pages:",
    ),
    (
        "shared pages go with the first",
        "            if not self.owners[page]:",
        "            if True:",
    ),
    ("what is lost counts as computed", "= [], 0, 0", "= [], 0, request.computed"),
    ("a page too many is taken", "if count > self.num_free:", "if count > self.num_free + 1:"),
    ("the last page is never taken", "if count > self.num_free:", "if count >= self.num_free:"),
    (
        "idle pages go before blank ones",
        "self.blank.pop() if self.blank else self.evict()",
        "self.evict() if self.idle else self.blank.pop()",
    ),
    ("taken pages have no owner", "            self.owners[page] = 1\n", "            pass\n"),
    ("held pages stay idle", "            self.idle.pop(page, None)\n", "            pass\n"),
    ("nothing stays findable", "        if page in self.key_of:\n", "        if False:\n"),
    (
        "first in, first out",
        "            self.idle.pop(page, None)",
        "            self.idle[page] = None",
    ),
    ("the newest goes first", "popitem(last=False)", "popitem(last=True)"),
    (
        "an evicted page is still found",
        "del self.page_of[self.key_of.pop(page)]",
        "self.key_of.pop(page)",
    ),
    ("names forget what came before", "blake2b(name + page,", "blake2b(page,"),
    (
        "the last full page has no name",
        "len(tokens) + 1, page_tokens)",
        "len(tokens), page_tokens)",
    ),
    ("a request needs a page for its last token", "request.most - 1)", "request.most)"),
)

SCHEDULER = (
    ("one place too many", "< self.max_sequences and", "<= self.max_sequences and"),
    ("admission without memory", " and self.pool.fits(request)", ""),
    ("a page too early", "if one.known > one.room]", "if one.known >= one.room]"),
    (
        "no page for a growing request",
        "            self.pool.grow(request)\n",
        "            pass\n",
    ),
    (
        "the oldest is preempted",
        "one for one in reversed(self.running)",
        "one for one in self.running",
    ),
    (
        "who computes no more is preempted",
        "in reversed(self.running) if one.to_compute)",
        "in reversed(self.running))",
    ),
    ("who is preempted waits behind all", "self.wait(newest, first=True)", "self.wait(newest)"),
    ("who is preempted keeps its pages", "        self.pool.release(newest)\n", ""),
    ("who is preempted is lost", "        self.wait(newest, first=True)\n", ""),
    ("nobody hears of a preemption", "        plan.preempted.append(newest)\n", ""),
    (
        "one gives way where two must",
        "while len(growing) > self.pool",
        "if len(growing) > self.pool",
    ),
    (
        "one gives way where none must",
        "while len(growing) > self.pool",
        "while len(growing) >= self.pool",
    ),
    ("decodes cost no budget", "self.token_budget - len(plan.chunks)", "self.token_budget"),
    ("a chunk costs no budget", "                left -= request.to_compute\n", ""),
    ("an admitted prompt costs no budget", "            left -= new\n", ""),
    ("a cut prompt never goes on", "if request.to_compute > 1 and left > 0:", "if False:"),
    ("a whole prompt is cut", " if self.chunked else request.to_compute", ""),
    ("a prompt that fits has to wait", "request.known > left:", "request.known >= left:"),
    (
        "whole prompts exceed the budget",
        "            return False\n        return self.admits",
        "            pass\n        return self.admits",
    ),
    ("a cut prompt gets a token", "if before + new == known:", "if True:"),
    ("nothing is published", "if before < request.prompt_tokens:", "if False:"),
    ("who ends keeps its pages", "            self.pool.release(request)\n", "            pass\n"),
    (
        "who ends keeps its place",
        "            self.running.remove(request)\n",
        "            pass\n",
    ),
    ("what is refused waits all the same", "        self.pool.refuse_too_long(request)\n", ""),
    (
        "decodes wait for prompts",
        "            self._decode(plan)\n            self._prefill(plan)\n",
        "            self._prefill(plan)\n            self._decode(plan)\n",
    ),
    (
        "prompts and decodes in one step",
        "            if not plan.chunks:\n                self._decode",
        "            if True:\n                self._decode",
    ),
)

LOOP = (
    ("who has ended is told more", "            if request.finish_reason is not None:\n",
     "            if False:\n"),
    ("what failed counts as computed", "[c for c in plan.chunks if c[0] not in failed]",
     "plan.chunks"),
    ("a hook that raises loses tokens", "        finally:  # a hook that raises loses no token\n"
     "            told = self._hand_out(tokens)\n",
     "        finally:\n            pass\n        told = self._hand_out(tokens)\n"),
    ("one at fault fails all",
     "return [pair for chunk in chunks for pair in self._compute([chunk], failed)]",
     "failed.update(dict.fromkeys([one for one, _ in chunks], 0)) or []"),
    ("who is at fault fails nobody", "                failed[chunks[0][0]] = error\n", ""),
    ("the scheduler hears of no end", "        self.scheduler.finish(request)\n", ""),
    ("one request too many is open", "        del self.open[request.id]\n", ""),
    ("a cut prompt is drawn for", "if one.computed + new == one.known]", "]"),
    ("a listener that raises stops all", "            except Exception as raised:\n"
     "                reason, error = \"failed\", raised\n",
     "            except ZeroDivisionError:\n                pass\n"),
    ("a request ends twice", "if reason is not None and request.finish_reason is None:",
     "if reason is not None:"),
    ("prompts are named where nothing is shared", "if self.prefix_sharing else ()", ""),
)  # fmt: skip

TENSORS = {
    "packing": (
        ("a chunk starts at its beginning",
         "positions += range(start, end)", "positions += range(end - start)"),
        ("slots of other pages", "divmod(token, page_tokens)", "divmod(token, page_tokens)[::-1]"),
        ("the last page is missing", "[: -(-end // page_tokens)]", "[: end // page_tokens]"),
        ("every chunk wants logits", "        if end == request.known:\n", "        if True:\n"),
        ("logits of the next token",
         "last.append(len(tokens) - 1)", "last.append(len(tokens) % 2)"),
    ),
    "attention": (
        ("a context hides its last token", "slots, device=self.keys.device) >= ends",
         "slots, device=self.keys.device) >= ends - 1"),
        ("a token sees the next one", "slots, device=self.keys.device) >= ends",
         "slots, device=self.keys.device) > ends"),
        ("a chunk sees one too few",
         "range(context - new + 1, context + 1)", "range(context - new, context)"),
        ("scores are not scaled", "alpha=scale", "alpha=1.0"),
        ("keys are added to what was there",
         "self.keys[layer].index_copy_", "self.keys[layer].index_add_"),
        ("values are read as keys",
         "(self.keys[layer], self.values[layer])", "(self.keys[layer],) * 2"),
        ("a bucket as long as its first",
         "longest = max(longest, context)", "longest = longest or context"),
        ("a bucket as long as its shortest", "most = -(-max(contexts)", "most = -(-min(contexts)"),
        ("one row too many in a bucket",
         "        if new != 1:\n            first, longest = row + 1, 0",
         "        if new != 1:\n            first, longest = row, 0"),
    ),
    "sampling": (
        ("one token too many", "ranks < top_k", "ranks <= top_k"),
        ("the token that reaches the share is cut", "(before < top_p) | (ranks == 0)",
         "(before + kept <= top_p) | (ranks == 0)"),
        ("top_p of all, not of the top_k", "    kept = kept / kept.sum(-1, keepdim=True)\n", ""),
        ("a token without a share is drawn", ", right=True)", ")"),
        ("greedy rows are drawn", "torch.where(greedy, likeliest, drawn[:, 0])", "drawn[:, 0]"),
        ("temperature cools twice",
         "logits.double() / temperature", "logits.double() / temperature**2"),
    ),
    "request": (
        ("one token too many",
         ">= self.max_output_tokens else None", "> self.max_output_tokens else None"),
        ("a full answer computes on", "(known if known < most else most - 1)", "known"),
        ("nothing stops", "tokens[-1] in self.stop or any(", "any("),
    ),
}  # fmt: skip

FAULTS = [
    (file, *fault)
    for file, faults in {"pages": PAGES, "scheduler": SCHEDULER, "loop": LOOP, **TENSORS}.items()
    for fault in faults
]
