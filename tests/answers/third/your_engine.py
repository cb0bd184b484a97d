from tests.answers.answer import right, wrong


def but(source, *changes):
    for old, new in changes:
        assert old in source, old
        source = source.replace(old, new)
    return source


PACK = """
def pack(chunks, page_tokens, device):
    toks, poss, slots, last = [], [], [], []
    lengths, contexts, tables = [], [], []
    for req, n in chunks:
        begin = req.computed
        end = begin + n
        toks += list(req.tokens[begin:end])
        poss += range(begin, end)
        slots += slots_of(req.pages, begin, end, page_tokens)
        if end == req.known:
            last.append(len(toks) - 1)
        lengths.append(n)
        contexts.append(end)
        tables.append(list(req.pages[: -(-end // page_tokens)]))

    def t(values):
        return torch.tensor(values, dtype=torch.int64, device=device)

    return PackedStep(tokens=t(toks), positions=t(poss), slots=t(slots), last=t(last),
                      lengths=lengths, contexts=contexts, tables=tables, page_tokens=page_tokens)
"""

PACKING = [
    wrong(
        "packing.pack",
        "logits for every row, also for one that has not caught up",
        but(
            PACK,
            (
                "        if end == req.known:\n            last.append(len(toks) - 1)",
                "        last.append(len(toks) - 1)",
            ),
        ),
        true=("last-of-each-row",),
    ),
    wrong(
        "packing.pack",
        "contexts without the new tokens",
        but(PACK, ("contexts.append(end)", "contexts.append(begin)")),
        true=("context-without-new",),
    ),
    wrong(
        "packing.pack",
        "last points one behind the row's last token",
        but(PACK, ("last.append(len(toks) - 1)", "last.append(len(toks))")),
        true=("one-behind-the-last",),
    ),
    wrong(
        "packing.pack",
        "last is the place within the row, not within the line",
        but(PACK, ("last.append(len(toks) - 1)", "last.append(n - 1)")),
        true=("last-within-the-row",),
    ),
    wrong(
        "packing.pack",
        "positions begin at 0 in each row",
        but(PACK, ("poss += range(begin, end)", "poss += range(n)")),
        true=("positions-from-zero",),
    ),
    wrong(
        "packing.pack",
        "takes the last n known tokens: right for a decode and a last chunk only",
        but(PACK, ("req.tokens[begin:end]", "req.tokens[-n:]")),
        true=("newest-tokens",),
    ),
    wrong(
        "packing.pack",
        "an empty or short list makes float tensors: no dtype given",
        but(PACK, ("dtype=torch.int64, device=device", "device=device")),
    ),
    wrong(
        "packing.pack",
        "only a single new token gets logits: the last chunk of a prompt does not",
        but(PACK, ("if end == req.known:", "if n == 1 and end == req.known:")),
    ),
    right(
        "packing.pack",
        "comprehensions and accumulate",
        """
def pack(chunks, page_tokens, device):
    from itertools import accumulate

    spans = [(r, r.computed, r.computed + n) for r, n in chunks]
    ends = list(accumulate(n for _, n in chunks))
    lines = (
        [token for r, a, b in spans for token in r.tokens[a:b]],
        [i for _, a, b in spans for i in range(a, b)],
        [slot for r, a, b in spans for slot in slots_of(r.pages, a, b, page_tokens)],
        [end - 1 for end, (r, _, b) in zip(ends, spans) if b >= r.known],
    )
    tokens, positions, slots, last = (
        torch.tensor(line, dtype=torch.int64, device=device) for line in lines
    )
    return PackedStep(
        tokens=tokens, positions=positions, slots=slots, last=last,
        lengths=[b - a for _, a, b in spans], contexts=[b for _, _, b in spans],
        tables=[list(r.pages[: -(-b // page_tokens)]) for r, _, b in spans], page_tokens=page_tokens,
    )
""",
    ),
    right(
        "packing.pack",
        "token by token, with a running counter, and the slot by hand",
        """
def pack(chunks, page_tokens, device):
    table = {"token": [], "position": [], "slot": [], "last": []}
    count = 0
    for request, new in chunks:
        for place in range(request.computed, request.computed + new):
            page, offset = divmod(place, page_tokens)
            table["token"].append(request.tokens[place])
            table["position"].append(place)
            table["slot"].append(request.pages[page] * page_tokens + offset)
            if place + 1 == request.known:
                table["last"].append(count)
            count += 1
    made = {key: torch.tensor(row, device=device, dtype=torch.int64) for key, row in table.items()}
    return PackedStep(
        tokens=made["token"], positions=made["position"], slots=made["slot"], last=made["last"],
        lengths=[new for _, new in chunks],
        contexts=[request.computed + new for request, new in chunks],
        tables=[list(one.pages[: -(-(one.computed + new) // page_tokens)]) for one, new in chunks],
        page_tokens=page_tokens,
    )
""",
    ),
]

TAKE = """
class Taking(Generation):
    def take(self, token, now_s):
        self.tokens.append(token)
        self.times_s.append(now_s)
        if self.stops():
            return "stop"
        if len(self.answer) >= self.max_output_tokens:
            return "length"
        return None

    def stops(self):
        if callable(self.stop):
            return bool(self.stop(self.answer))
        answer = self.answer
        for s in self.stop:
            if isinstance(s, str):
                n = len(s.encode())
                if s in self.tokenizer.decode(answer[-n:]):
                    return True
            elif answer[-1] == s:
                return True
        return False
"""

TAKING = [
    wrong(
        "request.take",
        "the text has to end with the string",
        but(
            TAKE,
            (
                "if s in self.tokenizer.decode(answer[-n:]):",
                "if self.tokenizer.decode(answer[-n:]).endswith(s):",
            ),
        ),
        true=("at-the-very-end",),
    ),
    wrong(
        "request.take",
        "counts the characters of the string, not its bytes",
        but(TAKE, ("len(s.encode())", "len(s)")),
        true=("characters-for-tokens",),
    ),
    wrong(
        "request.take",
        "length before stop",
        but(
            TAKE,
            (
                """        if self.stops():
            return "stop"
        if len(self.answer) >= self.max_output_tokens:
            return "length"
""",
                """        if len(self.answer) >= self.max_output_tokens:
            return "length"
        if self.stops():
            return "stop"
""",
            ),
        ),
        true=("length-first",),
    ),
    wrong(
        "request.take",
        "looks at the newest token's text alone",
        but(TAKE, ("answer[-n:]", "answer[-1:]")),
        true=("newest-token-alone",),
    ),
    wrong(
        "request.take",
        "looks into the prompt too",
        but(
            TAKE, ("self.tokenizer.decode(answer[-n:])", "self.tokenizer.decode(self.tokens[-n:])")
        ),
        true=("text-of-the-prompt",),
    ),
    wrong(
        "request.take",
        "one token too many: > for >=",
        but(TAKE, (">= self.max_output_tokens", "> self.max_output_tokens")),
        true=("one-too-many",),
    ),
    wrong(
        "request.take",
        "counts the prompt towards the answer's length",
        but(TAKE, ("len(self.answer) >=", "len(self.tokens) >=")),
        true=("counts-the-prompt",),
    ),
    wrong(
        "request.take",
        "asks before the token is noted",
        but(
            TAKE,
            (
                """        self.tokens.append(token)
        self.times_s.append(now_s)
        if self.stops():
            return "stop"
""",
                """        ended = len(self.answer) > 0 and self.stops()
        self.tokens.append(token)
        self.times_s.append(now_s)
        if ended:
            return "stop"
""",
            ),
        ),
    ),
    right(
        "request.take",
        "any() over texts of the last n tokens; reasons as a conditional",
        """
class Taking(Generation):
    def take(self, token: int, now_s: float) -> str | None:
        self.times_s.append(now_s)
        self.tokens.append(token)
        full = len(self.answer) >= self.max_output_tokens
        return "stop" if self.stops() else "length" if full else None

    def stops(self) -> bool:
        rule = self.stop
        if callable(rule):
            return bool(rule(self.answer))
        so_far = list(self.answer)
        if so_far[-1] in rule:
            return True
        return any(
            text in self.tokenizer.decode(so_far[-len(text.encode("utf-8")):])
            for text in rule if isinstance(text, str)
        )
""",
    ),
    right(
        "request.take",
        "numbers and strings apart; one window for all strings",
        """
class Taking(Generation):
    def stops(self):
        if callable(self.stop):
            return True if self.stop(self.answer) else False
        strings = [one for one in self.stop if isinstance(one, str)]
        numbers = set(self.stop) - set(strings)
        if self.answer[-1] in numbers:
            return True
        if not strings:
            return False
        window = max(len(bytes(one, "utf-8")) for one in strings)
        tail = self.tokenizer.decode(self.answer[-window:])
        return any(tail.find(one) >= 0 for one in strings)

    def take(self, token, now_s):
        self.tokens.append(token)
        self.times_s.append(now_s)
        reason = None
        if len(self.answer) == self.max_output_tokens:
            reason = "length"
        if self.stops():
            reason = "stop"
        return reason
""",
    ),
]

WORDS_BASE = """
def words(self):
    answer = list(self.answer)
    if callable(self.stop):
        return self.tokenizer.decode(answer)
    if answer and answer[-1] in self.stop:
        answer = answer[:-1]
    text = self.tokenizer.decode(answer)
    cut = len(text)
    for s in self.stop:
        if isinstance(s, str) and s in text:
            cut = min(cut, text.index(s))
    return text[:cut]
"""

WORDS = [
    wrong(
        "request.words",
        "cuts at the first string of the set, not the one that begins first",
        but(
            WORDS_BASE,
            (
                "            cut = min(cut, text.index(s))",
                "            return text[:text.index(s)]",
            ),
        ),
        true=("first-of-the-set",),
    ),
    wrong(
        "request.words",
        "leaves the stop string in",
        but(WORDS_BASE, ("text.index(s))", "text.index(s) + len(s))")),
        true=("with-the-stop-string",),
    ),
    wrong(
        "request.words",
        "leaves the stop token in",
        but(WORDS_BASE, ("        answer = answer[:-1]", "        pass")),
        true=("shows-the-stop-token",),
    ),
    wrong(
        "request.words",
        "takes the string off the end only",
        """
def words(self):
    answer = list(self.answer)
    if callable(self.stop):
        return self.tokenizer.decode(answer)
    if answer and answer[-1] in self.stop:
        answer.pop()
    text = self.tokenizer.decode(answer)
    for s in self.stop:
        if isinstance(s, str):
            text = text.removesuffix(s)
    return text
""",
    ),
    wrong(
        "request.words",
        "a stop function breaks it: taken for a set",
        but(
            WORDS_BASE,
            ("    if callable(self.stop):\n        return self.tokenizer.decode(answer)\n", ""),
        ),
        true=("rule-for-a-set",),
    ),
    wrong(
        "request.words",
        "prompt and answer",
        but(WORDS_BASE, ("list(self.answer)", "list(self.tokens)")),
        true=("prompt-too",),
    ),
    wrong(
        "request.words",
        "always drops the last token of an answer that has stopped",
        but(
            WORDS_BASE,
            (
                "if answer and answer[-1] in self.stop:",
                'if answer and self.finish_reason != "length":',
            ),
        ),
    ),
    right(
        "request.words",
        "split at each string in turn",
        """
def words(self):
    stops = () if callable(self.stop) else self.stop
    kept = self.answer[:-1] if self.answer and self.answer[-1] in stops else self.answer
    text = self.tokenizer.decode(kept)
    return min((text.split(s, 1)[0] for s in stops if isinstance(s, str)), key=len, default=text)
""",
    ),
    right(
        "request.words",
        "a regular expression finds the first",
        """
def words(self) -> str:
    import re

    if callable(self.stop):
        return self.tokenizer.decode(self.answer)
    tokens = [token for token in self.answer if token not in self.stop]
    text = self.tokenizer.decode(tokens)
    strings = [re.escape(s) for s in self.stop if isinstance(s, str)]
    found = re.search("|".join(strings), text) if strings else None
    return text[: found.start()] if found else text
""",
    ),
]

FORWARD = """
class Forwarding(Engine):
    @torch.inference_mode()
    def _forward(self, chunks):
        ones = sorted([c for c in chunks if c[1] == 1], key=lambda c: c[0].computed)
        line = ones + [c for c in chunks if c[1] > 1]
        ready = [r for r, n in line if r.computed + n == r.known]
        step = pack(line, self.pool.page_tokens, self.device)
        logits = self._logits(step)
        if not ready:
            return []
        uniforms = [r.random.random() if r.sampling.temperature > 0 else 0.0 for r in ready]
        tokens = sample(logits, [r.sampling for r in ready], uniforms)
        return list(zip(ready, tokens.tolist()))

    @torch.inference_mode()
    def _logits(self, step):
        attend = paged_attention(self.memory, step)
        return self.model(step.tokens[None], step.positions[None], attend=attend, rows=step.last)[0]
"""

FORWARDING = [
    wrong(
        "loop.forward",
        "the line is sorted, the tokens are paired with the plan's order",
        but(FORWARD, ("ready = [r for r, n in line", "ready = [r for r, n in chunks")),
    ),
    wrong(
        "loop.forward",
        "draws for every row, also for one that has not caught up",
        but(
            FORWARD,
            (
                "        uniforms = [r.random.random() if r.sampling.temperature > 0 else 0.0 for r in ready]",
                "        numbers = {r.id: r.random.random() if r.sampling.temperature > 0 else 0.0 for r, n in line}\n"
                "        uniforms = [numbers[r.id] for r in ready]",
            ),
        ),
    ),
    wrong(
        "loop.forward",
        "draws before the model has run",
        but(
            FORWARD,
            ("        logits = self._logits(step)\n", ""),
            (
                "        tokens = sample(logits,",
                "        logits = self._logits(step)\n        tokens = sample(logits,",
            ),
            ("        if not ready:\n            return []\n", ""),
        ),
        true=("draws-before-the-model",),
    ),
    wrong(
        "loop.forward",
        "takes a number for greedy rows too",
        but(
            FORWARD,
            (
                "r.random.random() if r.sampling.temperature > 0 else 0.0 for",
                "r.random.random() for",
            ),
        ),
        true=("greedy-ones-draw",),
    ),
    wrong(
        "loop.forward",
        "does not sort at all",
        but(
            FORWARD,
            (
                "        line = ones + [c for c in chunks if c[1] > 1]",
                "        line = list(chunks)",
            ),
        ),
        true=("in-the-plans-order",),
    ),
    wrong(
        "loop.forward",
        "sorts all rows by computed: a chunk of a new prompt comes first",
        but(
            FORWARD,
            (
                "        line = ones + [c for c in chunks if c[1] > 1]",
                "        line = sorted(chunks, key=lambda c: c[0].computed)",
            ),
        ),
        true=("all-by-computed",),
    ),
    wrong(
        "loop.forward",
        "tokens stay tensors",
        but(FORWARD, ("zip(ready, tokens.tolist())", "zip(ready, tokens)")),
        true=("tensors-for-tokens",),
    ),
    wrong(
        "loop.forward",
        "no model call in a step in which nobody catches up: its keys are never written",
        but(
            FORWARD,
            (
                "        logits = self._logits(step)\n        if not ready:\n            return []\n",
                "        if not ready:\n            return []\n        logits = self._logits(step)\n",
            ),
        ),
        true=("no-model-without-tokens",),
    ),
    wrong(
        "loop.forward",
        "keeps gradients",
        but(FORWARD, ("    @torch.inference_mode()\n", "")),
        true=("keeps-gradients",),
    ),
    right(
        "loop.forward",
        "one sort by a tuple, context manager",
        """
class Forwarding(Engine):
    def _forward(self, chunks):
        order = sorted(chunks, key=lambda pair: (pair[1] != 1, pair[0].computed))
        wanted = [request for request, new in order if request.computed + new >= request.known]
        with torch.inference_mode():
            logits = self._logits(pack(order, self.pool.page_tokens, self.device))
            if len(wanted) == 0:
                return []
            draws = []
            for request in wanted:
                hot = request.sampling.temperature != 0
                draws.append(request.random.random() if hot else 0.0)
            chosen = sample(logits, [request.sampling for request in wanted], draws).tolist()
        return [(request, int(token)) for request, token in zip(wanted, chosen, strict=True)]

    def _logits(self, step):
        with torch.inference_mode():
            out = self.model(
                step.tokens.unsqueeze(0), step.positions.unsqueeze(0),
                attend=paged_attention(self.memory, step), rows=step.last,
            )
            return out.squeeze(0)
""",
    ),
]

STEP = """
class Stepping(Engine):
    def step(self):
        now = self.clock()
        plan = self.scheduler.schedule(now)
        if plan is None or isinstance(plan, float):
            return None
        for request, _ in plan.chunks:
            if request.admitted_s is None:
                request.admitted_s = now
        failed = {}
        tokens = self._compute(plan.chunks, failed)
        good = [(r, n) for r, n in plan.chunks if r not in failed]
        self.scheduler.commit(plan._replace(chunks=good))
        for request, error in failed.items():
            self._end(request, "failed", error)
        try:
            if self.on_step is not None:
                self.on_step(self, plan)
        finally:
            told = self._hand_out(tokens)
        return told

    def run(self):
        while self.open:
            if self.step() is None:
                raise RuntimeError(f"no step is possible, but open are {list(self.open)[:3]}")
"""

HOOK = """        try:
            if self.on_step is not None:
                self.on_step(self, plan)
        finally:
            told = self._hand_out(tokens)
        return told
"""

STEPPING = [
    wrong(
        "loop.step",
        "the hook's error loses the tokens",
        but(
            STEP,
            (
                HOOK,
                "        if self.on_step is not None:\n            self.on_step(self, plan)\n"
                "        return self._hand_out(tokens)\n",
            ),
        ),
        true=("tokens-lost-with-the-hook",),
    ),
    wrong(
        "loop.step",
        "return inside of finally swallows the hook's error",
        but(
            STEP,
            (
                "            told = self._hand_out(tokens)\n        return told",
                "            return self._hand_out(tokens)",
            ),
        ),
        true=("swallows-the-hook",),
    ),
    wrong(
        "loop.step",
        "commits what failed too",
        but(
            STEP,
            ("self.scheduler.commit(plan._replace(chunks=good))", "self.scheduler.commit(plan)"),
        ),
        true=("counts-the-failed",),
    ),
    wrong(
        "loop.step",
        "run takes a step without tokens for no plan",
        but(STEP, ("if self.step() is None:", "if not self.step():")),
        true=("no-tokens-for-no-plan",),
    ),
    wrong(
        "loop.step",
        "admitted_s is set anew at every step",
        but(
            STEP,
            (
                "            if request.admitted_s is None:\n                request.admitted_s = now",
                "            request.admitted_s = now",
            ),
        ),
        true=("admitted-again",),
    ),
    wrong(
        "loop.step",
        "a float is not asked for",
        but(STEP, ("if plan is None or isinstance(plan, float):", "if plan is None:")),
        true=("a-time-is-a-plan",),
    ),
    wrong(
        "loop.step",
        "hands out before the hook",
        but(
            STEP,
            (
                HOOK,
                "        told = self._hand_out(tokens)\n        if self.on_step is not None:\n"
                "            self.on_step(self, plan)\n        return told\n",
            ),
        ),
        true=("hands-out-first",),
    ),
    wrong(
        "loop.step",
        "the hook gets the plan without the failed rows",
        but(
            STEP,
            (
                "self.scheduler.commit(plan._replace(chunks=good))",
                "plan = plan._replace(chunks=good)\n        self.scheduler.commit(plan)",
            ),
        ),
    ),
    wrong(
        "loop.step",
        "run simply returns if there is no plan",
        but(
            STEP,
            (
                'raise RuntimeError(f"no step is possible, but open are {list(self.open)[:3]}")',
                "return",
            ),
        ),
        true=("ends-with-open-requests",),
    ),
    wrong(
        "loop.step",
        "ends the failed before the commit",
        but(
            STEP,
            ("        self.scheduler.commit(plan._replace(chunks=good))\n", ""),
            (
                '            self._end(request, "failed", error)\n',
                '            self._end(request, "failed", error)\n        self.scheduler.commit(plan._replace(chunks=good))\n',
            ),
        ),
        true=("ends-before-it-commits",),
    ),
    right(
        "loop.step",
        "keeps the hook's error and raises it at the end",
        """
class Stepping(Engine):
    def step(self):
        plan = self.scheduler.schedule(self.clock())
        if not hasattr(plan, "chunks"):
            return None
        started = self.clock()
        for request in [pair[0] for pair in plan.chunks]:
            request.admitted_s = started if request.admitted_s is None else request.admitted_s
        errors = dict()
        pairs = self._compute(plan.chunks, errors)
        ran = type(plan.chunks)(pair for pair in plan.chunks if pair[0] not in errors)
        self.scheduler.commit(plan._replace(chunks=ran))
        for request in list(errors):
            self._end(request, "failed", errors[request])
        trouble = None
        if self.on_step:
            try:
                self.on_step(self, plan)
            except BaseException as raised:
                trouble = raised
        given = self._hand_out(pairs)
        if trouble is not None:
            raise trouble
        return given

    def run(self):
        while len(self.open) > 0:
            done = self.step()
            if done is None:
                names = ", ".join(map(str, list(self.open)[:4]))
                raise RuntimeError("requests are open, and none can run: " + names)
""",
    ),
]

TELL = """
class Telling(Engine):
    def _hand_out(self, tokens):
        told = []
        for request, token in tokens:
            if request.finish_reason is not None:
                continue
            told.append((request.id, token))
            try:
                reason = request.take(token, self.clock())
                if request.on_token is not None:
                    request.on_token(request.id, token)
            except Exception as error:
                if request.finish_reason is None:
                    self._end(request, "failed", error)
                continue
            if reason is not None and request.finish_reason is None:
                self._end(request, reason)
        return told

    def _end(self, request, reason, error=None):
        self.scheduler.finish(request)
        del self.open[request.id]
        request.finish_s = self.clock()
        request.finish_reason = reason
        request.error = error
        if request.tokenizer is not None:
            try:
                request.text = request.words()
            except Exception as problem:
                request.finish_reason = "failed"
                if request.error is None:
                    request.error = problem

    def cancel(self, id):
        if id not in self.requests:
            raise ValueError(f"no request has the id {id!r}")
        if id not in self.open:
            return False
        self._end(self.requests[id], "cancelled")
        return True
"""

TELLING = [
    wrong(
        "loop.hand_out",
        "a request that its listener cancelled ends once more with its own reason",
        but(
            TELL,
            ("if reason is not None and request.finish_reason is None:", "if reason is not None:"),
            ("del self.open[request.id]", "self.open.pop(request.id, None)"),
        ),
    ),
    wrong(
        "loop.hand_out",
        "does not ask whether the request has ended before its turn",
        but(
            TELL,
            ("            if request.finish_reason is not None:\n                continue\n", ""),
            ("del self.open[request.id]", "self.open.pop(request.id, None)"),
        ),
        true=("tells-the-ended",),
    ),
    wrong(
        "loop.hand_out",
        "a request that fails yields no pair",
        but(
            TELL,
            ("            told.append((request.id, token))\n", ""),
            (
                "                self._end(request, reason)\n        return",
                "                self._end(request, reason)\n"
                "            told.append((request.id, token))\n        return",
            ),
        ),
        true=("a-failure-has-no-pair",),
    ),
    wrong(
        "loop.hand_out",
        "catches the listener's error, not that of the stop rule",
        but(
            TELL,
            (
                "            try:\n                reason = request.take(token, self.clock())\n",
                "            reason = request.take(token, self.clock())\n            try:\n",
            ),
        ),
        true=("rule-breaks-the-engine",),
    ),
    wrong(
        "loop.hand_out",
        "swallows the listener's error and goes on with the request",
        but(
            TELL,
            (
                '                if request.finish_reason is None:\n                    self._end(request, "failed", error)\n'
                "                continue\n",
                "                reason = None\n",
            ),
        ),
    ),
    wrong(
        "loop.hand_out",
        "an error of words() replaces the one that was there",
        but(
            TELL,
            (
                "                if request.error is None:\n                    request.error = problem",
                "                request.error = problem",
            ),
        ),
        true=("last-error-wins",),
    ),
    wrong(
        "loop.hand_out",
        "words() may not fail: its error leaves the loop",
        but(
            TELL,
            (
                "            try:\n                request.text = request.words()\n            except Exception as problem:\n"
                '                request.finish_reason = "failed"\n                if request.error is None:\n'
                "                    request.error = problem\n",
                "            request.text = request.words()\n",
            ),
        ),
        true=("words-break-the-engine",),
    ),
    wrong(
        "loop.hand_out",
        "cancel returns False for an id that nobody has",
        but(
            TELL,
            (
                '        if id not in self.requests:\n            raise ValueError(f"no request has the id {id!r}")\n',
                "",
            ),
        ),
        true=("unknown-id",),
    ),
    wrong(
        "loop.hand_out",
        "cancel raises for a request that has ended",
        but(TELL, ("if id not in self.requests:", "if id not in self.open:")),
        true=("ended-is-unknown",),
    ),
    wrong(
        "loop.hand_out",
        "tells the listener and asks the rule in the wrong order: it hears a token not yet noted",
        but(
            TELL,
            (
                "                reason = request.take(token, self.clock())\n                if request.on_token is not None:\n"
                "                    request.on_token(request.id, token)\n",
                "                if request.on_token is not None:\n                    request.on_token(request.id, token)\n"
                "                reason = request.take(token, self.clock())\n",
            ),
        ),
        true=("listener-before-the-note",),
    ),
    right(
        "loop.hand_out",
        "small helper inside, one end at the end, EAFP for the id",
        """
class Telling(Engine):
    def _hand_out(self, tokens):
        def tell(request, token):
            why = request.take(token, self.clock())
            listener = request.on_token
            if listener is not None:
                listener(request.id, token)
            return why

        out = []
        for request, token in tokens:
            if request.finish_reason is None:
                out += [(request.id, token)]
                error = None
                try:
                    why = tell(request, token)
                except Exception as caught:
                    why, error = "failed", caught
                if why and request.finish_reason is None:
                    self._end(request, why, error)
        return out

    def _end(self, request, reason, error=None):
        self.scheduler.finish(request)
        self.open.pop(request.id)
        request.finish_s, request.finish_reason, request.error = self.clock(), reason, error
        if request.tokenizer is None:
            return
        try:
            request.text = request.words()
        except Exception as late:
            request.finish_reason = "failed"
            request.error = late if error is None else error

    def cancel(self, id):
        try:
            request = self.requests[id]
        except KeyError:
            raise ValueError(f"unknown request: {id}") from None
        still_open = request.finish_reason is None
        if still_open:
            self._end(request, "cancelled")
        return still_open
""",
    ),
]

COMPUTE = """
def _compute(self, chunks, failed):
    try:
        return self._forward(chunks)
    except Exception:
        pass
    pairs = []
    for request, n in chunks:
        try:
            pairs += self._forward([(request, n)])
        except Exception as error:
            failed[request] = error
    return pairs
"""

COMPUTING = [
    wrong(
        "loop.compute",
        "the first one at fault ends the loop: try around it, not in it",
        """
def _compute(self, chunks, failed):
    try:
        return self._forward(chunks)
    except Exception:
        pairs = []
        try:
            for request, n in chunks:
                pairs.extend(self._forward([(request, n)]))
        except Exception as error:
            failed[request] = error
        return pairs
""",
        true=("one-error-ends-all",),
    ),
    wrong(
        "loop.compute",
        "all fail with the step",
        """
def _compute(self, chunks, failed):
    try:
        return self._forward(chunks)
    except Exception as error:
        for request, _ in chunks:
            failed[request] = error
        return []
""",
        true=("everybody-fails",),
    ),
    wrong(
        "loop.compute",
        "bare except: Ctrl-C is taken for a request's error",
        but(
            COMPUTE,
            ("except Exception as error:", "except BaseException as error:"),
            ("except Exception:", "except:"),
        ),
        true=("swallows-the-end",),
    ),
    wrong(
        "loop.compute",
        "always one by one",
        """
def _compute(self, chunks, failed):
    pairs = []
    for chunk in chunks:
        try:
            pairs += self._forward([chunk])
        except Exception as error:
            failed[chunk[0]] = error
    return pairs
""",
        true=("row-by-row",),
    ),
    wrong(
        "loop.compute",
        "append for extend: a list of lists",
        but(
            COMPUTE,
            (
                "pairs += self._forward([(request, n)])",
                "pairs.append(self._forward([(request, n)]))",
            ),
        ),
        true=("wrong-type",),
    ),
    wrong(
        "loop.compute",
        "the error's text instead of the error",
        but(COMPUTE, ("failed[request] = error", "failed[request] = str(error)")),
    ),
    wrong(
        "loop.compute",
        "catches RuntimeError alone",
        but(
            COMPUTE,
            ("except Exception as error:", "except RuntimeError as error:"),
            ("except Exception:", "except RuntimeError:"),
        ),
        true=("runtime-errors-alone",),
    ),
    wrong(
        "loop.compute",
        "notes the error of the whole step, not the row's own",
        """
def _compute(self, chunks, failed):
    try:
        return self._forward(chunks)
    except Exception as error:
        first = error
    pairs = []
    for request, n in chunks:
        try:
            pairs += self._forward([(request, n)])
        except Exception:
            failed[request] = first
    return pairs
""",
        true=("the-steps-error",),
    ),
    right(
        "loop.compute",
        "recursion: a list of one is the end",
        """
def _compute(self, chunks, failed):
    try:
        return list(self._forward(chunks))
    except Exception as error:
        if len(chunks) == 1:
            failed[chunks[0][0]] = error
            return []
    return [pair for chunk in chunks for pair in self._compute([chunk], failed)]
""",
    ),
    right(
        "loop.compute",
        "a helper that returns pairs and error",
        """
def _compute(self, chunks, failed):
    def attempt(part):
        try:
            return self._forward(part), None
        except Exception as error:
            return [], error

    pairs, error = attempt(chunks)
    if error is None:
        return pairs
    collected = []
    for chunk in chunks:
        pairs, error = attempt([chunk])
        collected.extend(pairs)
        if error is not None:
            failed.update({chunk[0]: error})
    return collected
""",
    ),
]

BUCKETS = """
def buckets(step):
    begin, longest = None, 0
    for row, (new, context) in enumerate(zip(step.lengths, step.contexts)):
        if new > 1:
            if begin is not None:
                yield slice(begin, row)
            begin, longest = None, 0
            continue
        if begin is None:
            begin, longest = row, context
        elif (row - begin + 1) * max(longest, context) > BUCKET_SLOTS:
            yield slice(begin, row)
            begin, longest = row, context
        else:
            longest = max(longest, context)
    if begin is not None:
        yield slice(begin, len(step.lengths))
"""

BUCKETING = [
    wrong(
        "attention.buckets",
        "takes the newest context for the longest: breaks without the rising order",
        but(BUCKETS, ("max(longest, context) > BUCKET", "context > BUCKET")),
        true=("last-for-longest",),
    ),
    wrong(
        "attention.buckets",
        "a bucket that is just full is cut",
        but(BUCKETS, ("> BUCKET_SLOTS", ">= BUCKET_SLOTS")),
        true=("not-quite-full",),
    ),
    wrong(
        "attention.buckets",
        "forgets the last bucket",
        but(
            BUCKETS,
            ("    if begin is not None:\n        yield slice(begin, len(step.lengths))\n", ""),
        ),
        true=("loses-the-last",),
    ),
    wrong(
        "attention.buckets",
        "adds up contexts: forgets the padding",
        """
def buckets(step):
    begin, total = None, 0
    for row, (new, context) in enumerate(zip(step.lengths, step.contexts)):
        if new > 1:
            if begin is not None:
                yield slice(begin, row)
            begin, total = None, 0
        elif begin is None:
            begin, total = row, context
        elif total + context > BUCKET_SLOTS:
            yield slice(begin, row)
            begin, total = row, context
        else:
            total += context
    if begin is not None:
        yield slice(begin, len(step.lengths))
""",
        true=("sum-for-padding",),
    ),
    wrong(
        "attention.buckets",
        "reaches across a chunk: counts among the decodes alone",
        """
def buckets(step):
    rows = [i for i, n in enumerate(step.lengths) if n == 1]
    while rows:
        size = 1
        while size < len(rows) and (size + 1) * max(step.contexts[r] for r in rows[: size + 1]) <= BUCKET_SLOTS:
            size += 1
        yield slice(rows[0], rows[size - 1] + 1)
        rows = rows[size:]
""",
    ),
    wrong(
        "attention.buckets",
        "the row that is too much stays in the bucket",
        but(
            BUCKETS,
            (
                "            yield slice(begin, row)\n            begin, longest = row, context\n        else:",
                "            yield slice(begin, row + 1)\n            begin, longest = None, 0\n        else:",
            ),
        ),
    ),
    wrong(
        "attention.buckets",
        "stops at the first chunk: decodes stand in front",
        but(
            BUCKETS,
            ("            begin, longest = None, 0\n            continue", "            return"),
        ),
    ),
    wrong(
        "attention.buckets",
        "the longest context is kept across a cut",
        but(
            BUCKETS,
            (
                "            yield slice(begin, row)\n            begin, longest = row, context\n",
                "            yield slice(begin, row)\n            begin, longest = row, max(longest, context)\n",
            ),
        ),
    ),
    right(
        "attention.buckets",
        "groupby, then greedy with a while loop",
        """
def buckets(step):
    from itertools import groupby

    for single, group in groupby(range(len(step.lengths)), key=lambda i: step.lengths[i] == 1):
        if not single:
            continue
        run = list(group)
        low, stop = run[0], run[-1] + 1
        while low < stop:
            high = low + 1
            while high < stop and (high + 1 - low) * max(step.contexts[low : high + 1]) <= BUCKET_SLOTS:
                high += 1
            yield slice(low, high)
            low = high
""",
    ),
    right(
        "attention.buckets",
        "collects lists of rows first",
        """
def buckets(step):
    made, previous = [], None
    for row, new in enumerate(step.lengths):
        if new != 1:
            continue
        if made and previous == row - 1:
            trial = [*made[-1], row]
            if len(trial) * max(step.contexts[i] for i in trial) <= BUCKET_SLOTS:
                made[-1] = trial
            else:
                made.append([row])
        else:
            made.append([row])
        previous = row
    yield from (slice(rows[0], rows[-1] + 1) for rows in made)
""",
    ),
]

PAGED = """
def paged_attention(memory, step):
    parts = [Bucket(memory, step, rows) for rows in buckets(step)]
    parts += [Chunk(memory, step, row) for row, n in enumerate(step.lengths) if n > 1]

    def attend(layer, query, key, value):
        memory.write(layer, step.slots, key[0], value[0])
        heads = key.shape[1]
        grouped = query[0].unflatten(0, (heads, -1))
        out = torch.empty_like(grouped)
        for part in parts:
            out[:, :, part.new] = part.attend(layer, grouped[:, :, part.new])
        return out.flatten(0, 1)[None]

    return attend
"""

PAGING = [
    wrong(
        "attention.paged",
        "reads before the new keys are written",
        but(
            PAGED,
            ("        memory.write(layer, step.slots, key[0], value[0])\n", ""),
            (
                "        return out.flatten",
                "        memory.write(layer, step.slots, key[0], value[0])\n        return out.flatten",
            ),
        ),
        true=("reads-before-it-writes",),
    ),
    wrong(
        "attention.paged",
        "group first, KV heads second: query heads meet the wrong KV head",
        but(
            PAGED,
            (
                "query[0].unflatten(0, (heads, -1))",
                "query[0].unflatten(0, (-1, heads)).transpose(0, 1)",
            ),
            ("out.flatten(0, 1)", "out.transpose(0, 1).flatten(0, 1)"),
        ),
        true=("strangers-in-a-group",),
    ),
    wrong(
        "attention.paged",
        "joins the parts in their own order, not at their places in the line",
        but(
            PAGED,
            (
                "        out = torch.empty_like(grouped)\n        for part in parts:\n"
                "            out[:, :, part.new] = part.attend(layer, grouped[:, :, part.new])\n",
                "        out = torch.cat([part.attend(layer, grouped[:, :, part.new]) for part in parts], dim=2)\n",
            ),
        ),
        true=("joined-as-made",),
    ),
    wrong(
        "attention.paged",
        "makes the parts anew in each layer",
        """
def paged_attention(memory, step):
    def attend(layer, query, key, value):
        memory.write(layer, step.slots, key[0], value[0])
        parts = [Bucket(memory, step, rows) for rows in buckets(step)]
        parts += [Chunk(memory, step, row) for row, n in enumerate(step.lengths) if n > 1]
        grouped = query[0].unflatten(0, (key.shape[1], -1))
        out = torch.empty_like(grouped)
        for part in parts:
            out[:, :, part.new] = part.attend(layer, grouped[:, :, part.new])
        return out.flatten(0, 1)[None]

    return attend
""",
        true=("parts-in-each-layer",),
    ),
    wrong(
        "attention.paged",
        "forgets the chunks",
        but(
            PAGED,
            (
                "    parts += [Chunk(memory, step, row) for row, n in enumerate(step.lengths) if n > 1]\n",
                "",
            ),
            ("torch.empty_like(grouped)", "torch.zeros_like(grouped)"),
        ),
        true=("other-parts",),
    ),
    wrong(
        "attention.paged",
        "writes always to layer 0",
        but(PAGED, ("memory.write(layer,", "memory.write(0,")),
    ),
    wrong(
        "attention.paged",
        "no batch axis on the result",
        but(PAGED, ("out.flatten(0, 1)[None]", "out.flatten(0, 1)")),
        true=("no-batch",),
    ),
    wrong(
        "attention.paged",
        "all decodes in one bucket, however long one of them is",
        but(
            PAGED,
            (
                "for rows in buckets(step)]",
                "for rows in [slice(0, step.lengths.count(1))] if rows.stop]",
            ),
        ),
    ),
    right(
        "attention.paged",
        "view and reshape, sorted by place, then cat",
        """
def paged_attention(memory, step):
    made = [Chunk(memory, step, row) for row in range(len(step.lengths)) if step.lengths[row] != 1]
    made.extend(Bucket(memory, step, rows) for rows in buckets(step))
    made.sort(key=lambda part: part.new.start)

    def attend(layer, query, key, value):
        memory.write(layer, step.slots, key.squeeze(0), value.squeeze(0))
        _, heads, count, dim = query.shape
        kv = key.size(1)
        grouped = query.reshape(kv, heads // kv, count, dim)
        pieces = [part.attend(layer, grouped[:, :, part.new, :]) for part in made]
        return torch.cat(pieces, dim=2).reshape(1, heads, count, dim)

    return attend
""",
    ),
]

CUT = """
def cut(shares, top_k, top_p):
    ranks = torch.arange(shares.shape[-1], device=shares.device)
    kept = torch.where(ranks < top_k, shares, torch.zeros_like(shares))
    before = torch.zeros_like(kept)
    before[:, 1:] = kept.cumsum(-1)[:, :-1]
    return torch.where(before < top_p * kept.sum(-1, keepdim=True), kept, torch.zeros_like(kept))
"""

CUTTING = [
    wrong(
        "sampling.cut",
        "top_p of the whole, not of what top_k has left",
        but(CUT, ("top_p * kept.sum(-1, keepdim=True)", "top_p")),
        true=("share-of-the-old-whole",),
    ),
    wrong(
        "sampling.cut",
        "the running sum with the token itself: the one that reaches top_p is lost",
        but(
            CUT,
            (
                "    before = torch.zeros_like(kept)\n    before[:, 1:] = kept.cumsum(-1)[:, :-1]\n",
                "    before = kept.cumsum(-1)\n",
            ),
        ),
        true=("cuts-the-crossing-too",),
    ),
    wrong(
        "sampling.cut",
        "<= for <: one more token where exactly top_p came before it",
        but(CUT, ("before < top_p", "before <= top_p")),
        true=("one-token-too-many",),
    ),
    wrong(
        "sampling.cut",
        "one token too many: rank <= top_k",
        but(CUT, ("ranks < top_k", "ranks <= top_k")),
        true=("one-rank-more",),
    ),
    wrong(
        "sampling.cut",
        "top_p only where top_k leaves the whole vocabulary",
        """
def cut(shares, top_k, top_p):
    vocab = shares.shape[1]
    ranks = torch.arange(vocab, device=shares.device)
    before = shares.cumsum(1) - shares
    limit = torch.where(top_k < vocab, torch.ones_like(top_p), top_p)
    return shares * ((ranks < top_k) & (before < limit))
""",
        true=("k-or-p",),
    ),
    right(
        "sampling.cut",
        "normalizes the result",
        """
def cut(shares, top_k, top_p):
    ranks = torch.arange(shares.shape[-1], device=shares.device)
    kept = shares * (ranks < top_k)
    before = kept.cumsum(-1) - kept
    out = kept * (before < top_p * kept.sum(-1, keepdim=True))
    return out / out.sum(-1, keepdim=True)
""",
    ),
    wrong(
        "sampling.cut",
        "the first row's top_k for all rows",
        but(CUT, ("ranks < top_k", "ranks < top_k[0]")),
        true=("first-k-for-all",),
    ),
    right(
        "sampling.cut",
        "row by row, with plain numbers",
        """
def cut(shares, top_k, top_p):
    out = torch.zeros_like(shares)
    for row in range(shares.shape[0]):
        k = min(int(top_k[row, 0]), shares.shape[1])
        left = shares[row, :k]
        limit = top_p[row, 0] * left.sum()
        before = torch.cat([torch.zeros_like(left[:1]), left.cumsum(0)[:-1]])
        out[row, :k] = left * (before < limit)
    return out
""",
    ),
    right(
        "sampling.cut",
        "masked_fill, two masks",
        """
def cut(shares, top_k, top_p):
    place = torch.arange(shares.size(1), device=shares.device).unsqueeze(0)
    left = shares.masked_fill(place >= top_k, 0)
    came = left.cumsum(dim=1).roll(1, dims=1)
    came = came.masked_fill(place == 0, 0)
    return left.masked_fill(came >= left.sum(dim=1, keepdim=True) * top_p, 0)
""",
    ),
]

DRAW = """
def draw(shares, uniform):
    running = shares.cumsum(-1)
    whole = running[:, -1:]
    passed = (~(running > uniform * whole)).sum(-1, keepdim=True)
    reached = (~(running >= whole)).sum(-1, keepdim=True)
    return torch.minimum(passed, reached).clamp(max=shares.shape[-1] - 1)
"""

DRAWING = [
    wrong(
        "sampling.draw",
        "the uniform number is not scaled by the whole",
        but(DRAW, ("uniform * whole", "uniform")),
        true=("not-of-the-whole",),
    ),
    wrong(
        "sampling.draw",
        "no end: a number that reaches the whole gives a place behind the last",
        """
def draw(shares, uniform):
    running = shares.cumsum(dim=-1)
    return torch.searchsorted(running, uniform * running[:, -1:], right=True)
""",
        true=("beyond-the-last",),
    ),
    wrong(
        "sampling.draw",
        "clamped to the last place, though its share is 0",
        """
def draw(shares, uniform):
    running = shares.cumsum(dim=-1)
    place = (running <= uniform * running[:, -1:]).sum(dim=-1, keepdim=True)
    return place.clamp(max=shares.shape[-1] - 1)
""",
    ),
    wrong(
        "sampling.draw",
        "reaches for passes: uniform 0 draws a first place whose share is 0",
        """
def draw(shares, uniform):
    running = shares.cumsum(dim=-1)
    place = torch.searchsorted(running, uniform * running[:, -1:], right=False)
    return place.clamp(max=shares.shape[-1] - 1)
""",
        true=("draws-a-zero",),
    ),
    wrong(
        "sampling.draw",
        "shares that are not numbers give the first place: argmax of a mask",
        """
def draw(shares, uniform):
    running = shares.cumsum(dim=-1)
    return (running > uniform * running[:, -1:]).int().argmax(dim=-1, keepdim=True)
""",
    ),
    wrong(
        "sampling.draw",
        "one axis lost: [rows]",
        but(
            DRAW,
            (".clamp(max=shares.shape[-1] - 1)", ".clamp(max=shares.shape[-1] - 1).squeeze(-1)"),
        ),
        true=("wrong-shape",),
    ),
    wrong(
        "sampling.draw",
        "torch.multinomial: ignores uniform",
        """
def draw(shares, uniform):
    return torch.multinomial(shares.nan_to_num(), 1)
""",
    ),
    wrong(
        "sampling.draw",
        "compares with the shares, not with their running sum",
        """
def draw(shares, uniform):
    below = (shares <= uniform * shares.sum(-1, keepdim=True)).sum(-1, keepdim=True)
    return below.clamp(max=shares.shape[-1] - 1)
""",
        true=("shares-unsummed",),
    ),
    right(
        "sampling.draw",
        "a loop over rows in plain Python",
        """
def draw(shares, uniform):
    places = []
    for row, u in zip(shares, uniform[:, 0]):
        running = row.cumsum(0)
        mark = u * running[-1]
        place = len(row) - 1
        if not torch.isnan(mark):
            positive = [i for i in range(len(row)) if row[i] > 0]
            place = next((i for i in positive if running[i] > mark), positive[-1] if positive else place)
        places.append([place])
    return torch.tensor(places, dtype=torch.int64, device=shares.device)
""",
    ),
]

SAMPLE = """
def sample(logits, samplings, uniforms):
    best = logits.argmax(-1)
    vocab = logits.shape[-1]
    hot = [s.temperature > 0 for s in samplings]
    if not any(hot):
        return best
    dev = logits.device

    def column(values, dtype=logits.dtype):
        return torch.tensor(values, dtype=dtype, device=dev)[:, None]

    temperature = column([s.temperature if s.temperature > 0 else 1.0 for s in samplings])
    uniform = column(list(uniforms))
    shares = torch.softmax(logits / temperature, -1)
    ks = [s.top_k or vocab for s in samplings]
    ps = [1.0 if s.top_p is None else s.top_p for s in samplings]
    limited = [h and (k < vocab or p < 1) for h, k, p in zip(hot, ks, ps)]
    chosen = draw(shares, uniform)
    if any(limited):
        ranked, order = shares.sort(dim=-1, descending=True, stable=True)
        few = cut(ranked, column(ks, torch.int64), column(ps))
        by_rank = order.gather(-1, draw(few, uniform))
        chosen = torch.where(column(limited, torch.bool), by_rank, chosen)
    return torch.where(torch.tensor(hot, device=dev), chosen[:, 0], best)
"""

SAMPLING = [
    wrong(
        "sampling.sample",
        "gives the rank, not the token: forgets to gather",
        but(
            SAMPLE,
            ("by_rank = order.gather(-1, draw(few, uniform))", "by_rank = draw(few, uniform)"),
        ),
        true=("place-for-token",),
    ),
    wrong(
        "sampling.sample",
        "one cut row has all rows drawn in the order of their ranks",
        but(
            SAMPLE,
            (
                "chosen = torch.where(column(limited, torch.bool), by_rank, chosen)",
                "chosen = by_rank",
            ),
        ),
        true=("sorted-with-the-neighbours",),
    ),
    wrong(
        "sampling.sample",
        "multiplies by the temperature",
        but(SAMPLE, ("logits / temperature", "logits * temperature")),
        true=("times-the-temperature",),
    ),
    wrong(
        "sampling.sample",
        "forgets the temperature",
        but(SAMPLE, ("logits / temperature", "logits")),
        true=("heat-after-the-softmax",),
    ),
    wrong(
        "sampling.sample",
        "the first row's settings for all",
        but(
            SAMPLE,
            (
                "    best = logits",
                "    samplings = [samplings[0]] * len(samplings)\n    best = logits",
            ),
        ),
        true=("first-settings-for-all",),
    ),
    wrong(
        "sampling.sample",
        "greedy only if all are greedy: a greedy row beside others is drawn",
        but(
            SAMPLE,
            (
                "return torch.where(torch.tensor(hot, device=dev), chosen[:, 0], best)",
                "return chosen[:, 0]",
            ),
        ),
        true=("greedy-rows-are-drawn",),
    ),
    wrong(
        "sampling.sample",
        "top_p is ignored without top_k",
        but(SAMPLE, ("(k < vocab or p < 1)", "k < vocab")),
        true=("cuts-for-top-k-alone",),
    ),
    wrong(
        "sampling.sample",
        "[rows, 1] instead of [rows]",
        but(SAMPLE, ("chosen[:, 0], best)", "chosen[:, 0], best)[:, None]")),
        true=("wrong-shape",),
    ),
    right(
        "sampling.sample",
        "each kind of row by itself, put in place by index",
        """
def sample(logits, samplings, uniforms):
    result = torch.argmax(logits, dim=1)
    vocab = logits.shape[1]
    kinds = {"free": [], "cut": []}
    for i, s in enumerate(samplings):
        if s.temperature > 0:
            narrow = (s.top_k and s.top_k < vocab) or (s.top_p is not None and s.top_p < 1)
            kinds["cut" if narrow else "free"].append(i)
    for kind, rows in kinds.items():
        if not rows:
            continue
        options = dict(dtype=logits.dtype, device=logits.device)
        at = torch.tensor(rows, device=logits.device)
        heat = torch.tensor([[samplings[i].temperature] for i in rows], **options)
        number = torch.tensor([[uniforms[i]] for i in rows], **options)
        shares = (logits[at] / heat).softmax(dim=1)
        if kind == "free":
            result[at] = draw(shares, number).flatten()
        else:
            k = torch.tensor([[samplings[i].top_k or vocab] for i in rows], device=logits.device)
            p = torch.tensor([[1.0 if samplings[i].top_p is None else samplings[i].top_p] for i in rows], **options)
            shares, tokens = torch.sort(shares, dim=1, descending=True, stable=True)
            result[at] = tokens.gather(1, draw(cut(shares, k, p), number)).flatten()
    return result
""",
    ),
]

FIELD = [
    wrong("loop.field", "pages overwritten: the text suggests a leak of memory", "a", true=("a",)),
    wrong("loop.field", "random numbers in another order", "d", true=("d",)),
    wrong("loop.field", "preemption loses what was computed", "c", true=("c",)),
    right("loop.field", "the letter", "b"),
]

ANSWERS = [
    *PACKING,
    *TAKING,
    *WORDS,
    *FORWARDING,
    *STEPPING,
    *TELLING,
    *COMPUTING,
    *BUCKETING,
    *PAGING,
    *CUTTING,
    *DRAWING,
    *SAMPLING,
    *FIELD,
]
