"""Trial answers to the exercises of lab 6."""

from tests.answers.answer import right, wrong

PACK = """
def pack(chunks, page_tokens, device):
    tokens, positions, slots, last, lengths, contexts, tables = [], [], [], [], [], [], []
    for request, new in chunks:
        start, end = request.computed, request.computed + new
        tokens += request.tokens[start:end]
        positions += range(start, end)
        slots += slots_of(request.pages, start, end, page_tokens)
        if end == request.known:
            last.append(len(tokens) - 1)
        lengths.append(new)
        contexts.append(end)
        tables.append(request.pages[: -(-end // page_tokens)])
    four = [
        torch.tensor(numbers, dtype=torch.int64, device=device)
        for numbers in (tokens, positions, slots, last)
    ]
    return PackedStep(*four, lengths, contexts, tables, page_tokens)
"""

TAKING = """
from labutils.engine import Generation

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
            return self.stop(self.answer)
        for stop in self.stop:
            if isinstance(stop, str):
                if stop in self.tokenizer.decode(self.answer[-len(stop.encode()) :]):
                    return True
            elif stop == self.answer[-1]:
                return True
        return False
"""

WORDS = """
def words(self):
    answer, strings = list(self.answer), []
    if not callable(self.stop):
        strings = [stop for stop in self.stop if isinstance(stop, str)]
        if answer and answer[-1] in self.stop:
            answer = answer[:-1]
    text = self.tokenizer.decode(answer)
    ends = [text.index(string) for string in strings if string in text]
    return text[: min(ends, default=len(text))]
"""

FORWARDING = """
from labutils.engine import Engine

class Forwarding(Engine):
    def _forward(self, chunks):
        chunks = sorted(chunks, key=lambda chunk: (chunk[1] > 1, chunk[0].computed))
        rows = [one for one, new in chunks if one.computed + new == one.known]
        with torch.inference_mode():
            logits = self._logits(pack(chunks, self.pool.page_tokens, self.device))
            uniforms = [one.random.random() if one.sampling.temperature else 0.0 for one in rows]
            tokens = sample(logits, [one.sampling for one in rows], uniforms)
        return list(zip(rows, tokens.tolist()))
    def _logits(self, step):
        attend = paged_attention(self.memory, step)
        return self.model(step.tokens[None], step.positions[None], attend=attend, rows=step.last)[0]
"""
SORTS = """        chunks = sorted(chunks, key=lambda chunk: (chunk[1] > 1, chunk[0].computed))
"""
UNIFORMS = """
            uniforms = [one.random.random() if one.sampling.temperature else 0.0 for one in rows]
"""

STEPPING = """
from labutils.engine import Engine

class Stepping(Engine):
    def step(self):
        now_s = self.clock()
        plan = self.scheduler.schedule(now_s)
        if not hasattr(plan, "chunks"):
            return None
        for request, _ in plan.chunks:
            if request.admitted_s is None:
                request.admitted_s = now_s
        failed = {}
        tokens = self._compute(plan.chunks, failed)
        ran = [chunk for chunk in plan.chunks if chunk[0] not in failed]
        self.scheduler.commit(plan._replace(chunks=ran))
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
            if self.step() is None and self.open:
                raise RuntimeError(f"no plan, and these are open: {list(self.open)[:3]}")
"""
HOOKED = """        try:
            if self.on_step is not None:
                self.on_step(self, plan)
        finally:
            told = self._hand_out(tokens)
"""

TELLING = """
from labutils.engine import Engine

class Telling(Engine):
    def _hand_out(self, tokens):
        now_s, told = self.clock(), []
        for request, token in tokens:
            if request.finish_reason is not None:
                continue
            told.append((request.id, token))
            try:
                reason = request.take(token, now_s)
                if request.on_token is not None:
                    request.on_token(request.id, token)
            except Exception as error:
                self._end(request, "failed", error)
            else:
                if reason is not None:
                    self._end(request, reason)
        return told
    def _end(self, request, reason, error=None):
        if request.finish_reason is not None:
            return
        self.scheduler.finish(request)
        del self.open[request.id]
        request.finish_s = self.clock()
        request.finish_reason, request.error = reason, error
        if request.tokenizer is not None:
            try:
                request.text = request.words()
            except Exception as new:
                request.finish_reason = "failed"
                if error is None:
                    request.error = new
    def cancel(self, id):
        if id not in self.requests:
            raise ValueError(f"no request is called {id!r}")
        if id not in self.open:
            return False
        self._end(self.requests[id], "cancelled")
        return True
"""
GUARD = """        if request.finish_reason is not None:
            return
"""

COMPUTE = """
def _compute(self, chunks, failed):
    try:
        return self._forward(chunks)
    except Exception:
        pairs = []
    for chunk in chunks:
        try:
            pairs += self._forward([chunk])
        except Exception as error:
            failed[chunk[0]] = error
    return pairs
"""

BUCKETS = """
def buckets(step):
    first, longest = 0, 0
    for row, (new, context) in enumerate(zip(step.lengths, step.contexts)):
        if new > 1:
            if first < row:
                yield slice(first, row)
            first, longest = row + 1, 0
            continue
        longest = max(longest, context)
        if first < row and (row + 1 - first) * longest > BUCKET_SLOTS:
            yield slice(first, row)
            first, longest = row, context
    if first < len(step.lengths):
        yield slice(first, len(step.lengths))
"""

PAGED = """
def paged_attention(memory, step):
    parts = [Bucket(memory, step, rows) for rows in buckets(step)]
    parts += [Chunk(memory, step, row) for row, new in enumerate(step.lengths) if new > 1]
    def attend(layer, query, key, value):
        memory.write(layer, step.slots, key[0], value[0])
        grouped = query[0].unflatten(0, (key.shape[1], -1))
        mixed = torch.empty_like(grouped)
        for part in parts:
            mixed[:, :, part.new] = part.attend(layer, grouped[:, :, part.new])
        return mixed.flatten(0, 1)[None]
    return attend
"""

CUT = """
def cut(shares, top_k, top_p):
    places = torch.arange(shares.shape[-1], device=shares.device)
    left = torch.where(places < top_k, shares, 0.0)
    before = left.cumsum(-1) - left
    return torch.where(before < top_p * left.sum(-1, keepdim=True), left, 0.0)
"""

DRAW = """
def draw(shares, uniform):
    running = shares.cumsum(-1)
    whole = running[:, -1:]
    place = (~(running > uniform * whole)).sum(-1, keepdim=True)
    last = (~(running >= whole)).sum(-1, keepdim=True)
    return torch.minimum(place, last).clamp(max=shares.shape[-1] - 1)
"""

SAMPLE = """
def sample(logits, samplings, uniforms):
    rows, size = logits.shape
    greedy = logits.argmax(-1)
    if all(one.temperature == 0 for one in samplings):
        return greedy
    column = lambda numbers, kind=logits.dtype: torch.tensor(
        numbers, dtype=kind, device=logits.device
    )[:, None]
    heat = column([one.temperature or 1.0 for one in samplings])
    uniform = column(list(uniforms))
    shares = (logits / heat).softmax(-1)
    drawn = draw(shares, uniform)
    cuts = [one.top_k is not None or one.top_p is not None for one in samplings]
    if any(cuts):
        ordered, tokens = shares.sort(-1, descending=True)
        top_k = column([one.top_k or size for one in samplings], torch.int64)
        top_p = column([1.0 if one.top_p is None else one.top_p for one in samplings])
        place = draw(cut(ordered, top_k, top_p), uniform)
        drawn = torch.where(column(cuts, torch.bool), tokens.gather(1, place), drawn)
    hot = column([one.temperature > 0 for one in samplings], torch.bool)
    return torch.where(hot, drawn, greedy[:, None])[:, 0]
"""


def but(source: str, *pairs: tuple[str, str]) -> str:
    """The source with pieces replaced."""
    for old, new in pairs:
        assert old in source, old
        source = source.replace(old, new)
    return source


ANSWERS = [
    wrong(
        "packing.pack",
        "logits for every row",
        but(PACK, ("        if end == request.known:\n            last", "        last")),
        true=("last-of-each-row",),
    ),
    wrong(
        "packing.pack",
        "the new ones are no context",
        but(PACK, ("append(end)", "append(start)")),
        true=("context-without-new",),
    ),
    wrong(
        "packing.pack",
        "last counts within the row",
        but(PACK, ("len(tokens) - 1", "new - 1")),
        true=("last-within-the-row",),
    ),
    wrong(
        "packing.pack",
        "positions counted from zero in each chunk",
        but(PACK, ("positions += range(start, end)", "positions += range(new)")),
        true=("positions-from-zero",),
    ),
    wrong(
        "packing.pack",
        "one behind the last",
        but(PACK, ("len(tokens) - 1", "len(tokens)")),
        true=("one-behind-the-last",),
    ),
    wrong(
        "packing.pack",
        "the newest tokens, not the next",
        but(PACK, ("request.tokens[start:end]", "request.tokens[-new:]")),
        true=("newest-tokens",),
    ),
    wrong(
        "packing.pack",
        "running sums for lengths",
        but(PACK, ("lengths.append(new)", "lengths.append(len(tokens))")),
        true=("running-lengths",),
    ),
    wrong(
        "packing.pack",
        "slots side by side",
        but(
            PACK,
            (
                "slots_of(request.pages, start, end, page_tokens)",
                "[request.pages[0] * page_tokens + i for i in range(start, end)]",
            ),
        ),
        true=("side-by-side",),
    ),
    right(
        "packing.pack",
        "token by token",
        """
def pack(chunks, page_tokens, device):
    line = [
        (one.tokens[i], i, one.pages[i // page_tokens] * page_tokens + i % page_tokens, one, i + 1)
        for one, new in chunks
        for i in range(one.computed, one.computed + new)
    ]
    number = lambda some: torch.tensor(list(some), dtype=torch.int64).to(device)
    return PackedStep(
        tokens=number(entry[0] for entry in line),
        positions=number(entry[1] for entry in line),
        slots=number(entry[2] for entry in line),
        last=number(n for n, entry in enumerate(line) if entry[4] == entry[3].known),
        lengths=[new for _, new in chunks],
        contexts=[one.computed + new for one, new in chunks],
        tables=[list(one.pages)[: (one.computed + new - 1) // page_tokens + 1]
                for one, new in chunks],
        page_tokens=page_tokens,
    )
""",
    ),
    right(
        "packing.pack",
        "numpy, joined at the end",
        """
def pack(chunks, page_tokens, device):
    import numpy as np
    parts, last, at = [np.zeros((3, 0), dtype=np.int64)], [], 0
    for one, new in chunks:
        place = np.arange(one.computed, one.computed + new)
        slots = np.array(one.pages)[place // page_tokens] * page_tokens + place % page_tokens
        parts.append(np.stack([np.array(one.tokens)[place], place, slots]))
        at += new
        last += [at - 1] * (one.computed + new == one.known)
    line = torch.from_numpy(np.concatenate(parts, axis=1).astype(np.int64)).to(device)
    contexts = [one.computed + new for one, new in chunks]
    tables = [one.pages[: -(-end // page_tokens)] for (one, _), end in zip(chunks, contexts)]
    return PackedStep(
        line[0], line[1], line[2], torch.tensor(last, dtype=torch.int64, device=device),
        [new for _, new in chunks], contexts, tables, page_tokens,
    )
""",
    ),
    wrong(
        "request.take",
        "length before stop",
        but(
            TAKING,
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
        "only the text's end",
        but(
            TAKING,
            (
                "if stop in self.tokenizer.decode(self.answer[-len(stop.encode()) :]):",
                "if self.tokenizer.decode(self.answer[-len(stop.encode()) :]).endswith(stop):",
            ),
        ),
        true=("at-the-very-end",),
    ),
    wrong(
        "request.take",
        "only the newest token's text",
        but(TAKING, ("self.answer[-len(stop.encode()) :]", "self.answer[-1:]")),
        true=("newest-token-alone",),
    ),
    wrong(
        "request.take",
        "characters, not bytes",
        but(TAKING, ("len(stop.encode())", "len(stop)")),
        true=("characters-for-tokens",),
    ),
    wrong(
        "request.take",
        "one token more than allowed",
        but(TAKING, (">= self.max_output_tokens", "> self.max_output_tokens")),
        true=("one-too-many",),
    ),
    wrong(
        "request.take",
        "the prompt counts as answer",
        but(TAKING, ("len(self.answer) >=", "len(self.tokens) >=")),
        true=("counts-the-prompt",),
    ),
    wrong(
        "request.take",
        "a stop string in the prompt",
        but(TAKING, ("decode(self.answer[-", "decode(self.tokens[-")),
        true=("text-of-the-prompt",),
    ),
    wrong(
        "request.take",
        "no time noted",
        but(TAKING, ("        self.times_s.append(now_s)\n", "")),
    ),
    right(
        "request.take",
        "all of the text, each time",
        """
from labutils.engine import Generation

class Taking(Generation):
    def take(self, token, now_s):
        self.tokens.append(token)
        self.times_s.append(now_s)
        full = len(self.times_s) == self.max_output_tokens
        return "stop" if self.stops() else "length" if full else None
    def stops(self):
        if callable(self.stop):
            return bool(self.stop(self.answer))
        strings = [one for one in self.stop if isinstance(one, str)]
        text = self.tokenizer.decode(self.answer) if strings else ""
        return self.tokens[-1] in self.stop or any(one in text for one in strings)
""",
    ),
    right(
        "request.take",
        "the longest string's bytes, once",
        but(
            TAKING,
            (
                TAKING[TAKING.index("        for stop in") :],
                """        if self.answer[-1] in self.stop:
            return True
        strings = {one for one in self.stop if not isinstance(one, int)}
        if not strings:
            return False
        span = max(len(one.encode("utf-8")) for one in strings)
        tail = self.tokenizer.decode(self.answer[-span:])
        return any(tail.find(one) >= 0 for one in strings)
""",
            ),
        ),
    ),
    wrong(
        "request.words",
        "without the newest token, not without the string",
        but(
            WORDS,
            (
                "text[: min(ends, default=len(text))]",
                "self.tokenizer.decode(answer[:-1]) if ends else text",
            ),
        ),
    ),
    wrong(
        "request.words",
        "with the stop token",
        but(WORDS, ("            answer = answer[:-1]\n", "            pass\n")),
        true=("shows-the-stop-token",),
    ),
    wrong(
        "request.words",
        "with the stop string",
        but(WORDS, ("text.index(string)", "text.index(string) + len(string)")),
        true=("with-the-stop-string",),
    ),
    wrong(
        "request.words",
        "a stop rule is walked through",
        but(
            WORDS,
            (
                "    if not callable(self.stop):\n        strings",
                "    if self.stop is not None:\n        strings",
            ),
        ),
        true=("rule-for-a-set",),
    ),
    wrong(
        "request.words",
        "cut off at the end, by its length",
        but(
            WORDS,
            ("text.index(string) for", "len(text) - len(string) for"),
        ),
        true=("cut-at-the-end",),
    ),
    wrong(
        "request.words",
        "the last token always",
        but(WORDS, ("if answer and answer[-1] in self.stop", "if answer")),
    ),
    wrong(
        "request.words",
        "the prompt too",
        but(WORDS, ("list(self.answer)", "list(self.tokens)")),
        true=("prompt-too",),
    ),
    wrong(
        "request.words",
        "the string that begins last",
        but(WORDS, ("min(ends, default=len(text))", "max(ends, default=len(text))")),
        true=("cuts-at-the-last",),
    ),
    right(
        "request.words",
        "split by a pattern",
        """
def words(self):
    import re
    if callable(self.stop):
        return self.tokenizer.decode(self.answer)
    ended = bool(self.answer) and self.answer[-1] in self.stop
    text = self.tokenizer.decode(self.answer[: len(self.answer) - ended])
    strings = [re.escape(one) for one in self.stop if isinstance(one, str)]
    return re.split("|".join(strings), text)[0] if strings else text
""",
    ),
    right(
        "request.words",
        "partitioned again and again",
        """
def words(self):
    answer = self.answer
    stops = () if callable(self.stop) else self.stop
    text = self.tokenizer.decode(answer[:-1] if answer and answer[-1] in stops else answer)
    shortest = text
    for stop in stops:
        if isinstance(stop, str):
            shortest = min(shortest, text.partition(stop)[0], key=len)
    return shortest
""",
    ),
    wrong(
        "loop.forward",
        "rows noted before they were sorted",
        but(
            FORWARDING,
            (
                SORTS,
                "",
            ),
            (
                "        with torch",
                SORTS + "        with torch",
            ),
        ),
        true=("tokens-in-the-plans-order",),
    ),
    wrong(
        "loop.forward",
        "greedy requests draw too",
        but(FORWARDING, (" if one.sampling.temperature else 0.0", "")),
        true=("greedy-ones-draw",),
    ),
    wrong(
        "loop.forward",
        "tensors for tokens",
        but(FORWARDING, ("tokens.tolist()", "tokens")),
        true=("tensors-for-tokens",),
    ),
    wrong("loop.forward", "not sorted", but(FORWARDING, (SORTS, "")), true=("in-the-plans-order",)),
    wrong(
        "loop.forward",
        "every row of the step gets a token",
        but(FORWARDING, (" if one.computed + new == one.known]", "]")),
        true=("cut-prompts-answer",),
    ),
    wrong(
        "loop.forward",
        "draws for chunks that get no token",
        but(
            FORWARDING,
            (
                UNIFORMS.strip(),
                "drawn = {one: one.random.random() if one.sampling.temperature else 0.0\n"
                "                     for one, _ in chunks}\n"
                "            uniforms = [drawn[one] for one in rows]",
            ),
        ),
        true=("another-number-for-each-part",),
    ),
    wrong(
        "loop.forward",
        "one source of chance for all",
        but(FORWARDING, ("one.random.random()", "__import__('random').random()")),
    ),
    wrong(
        "loop.forward",
        "gradients are kept",
        but(FORWARDING, ("with torch.inference_mode():", "if True:")),
        true=("keeps-gradients",),
    ),
    right(
        "loop.forward",
        "two lists, one decorator",
        """
from labutils.engine import Engine

class Forwarding(Engine):
    @torch.inference_mode()
    def _forward(self, chunks):
        decodes = sorted((c for c in chunks if c[1] == 1), key=lambda c: c[0].computed)
        line = decodes + [c for c in chunks if c[1] != 1]
        step = pack(line, self.pool.page_tokens, self.device)
        logits = self._logits(step)
        ready = [request for request, new in line if request.known - request.computed == new]
        settings = [request.sampling for request in ready]
        uniforms = []
        for request in ready:
            uniforms.append(0.0)
            if request.sampling.temperature > 0:
                uniforms[-1] = request.random.random()
        return [(r, int(t)) for r, t in zip(ready, sample(logits, settings, uniforms).tolist())]
    @torch.inference_mode()
    def _logits(self, step):
        (logits,) = self.model(
            step.tokens.unsqueeze(0), step.positions.unsqueeze(0),
            attend=paged_attention(self.memory, step), rows=step.last,
        )
        return logits
""",
    ),
    right(
        "loop.forward",
        "prompts behind, by rising context too, a generator of pairs",
        """
from labutils.engine import Engine

class Forwarding(Engine):
    def _forward(self, chunks):
        line = sorted(sorted(chunks, key=lambda c: c[0].computed), key=lambda c: min(c[1], 2))
        def pairs():
            done = [one for one, new in line if not one.known - one.computed - new]
            with torch.inference_mode():
                step = pack(line, self.pool.page_tokens, self.device)
                chances = (one.random.random() if one.sampling.temperature > 0 else 0.0
                           for one in done)
                chosen = sample(self._logits(step), [one.sampling for one in done], [*chances])
            yield from zip(done, chosen.tolist())
        return list(pairs())
    def _logits(self, step):
        with torch.inference_mode():
            return self.model(
                step.tokens[None], step.positions[None],
                attend=paged_attention(self.memory, step), rows=step.last,
            ).squeeze(0)
""",
    ),
    wrong(
        "loop.step",
        "the hook's error loses the tokens",
        but(
            STEPPING,
            (
                HOOKED,
                """        if self.on_step is not None:
            self.on_step(self, plan)
        told = self._hand_out(tokens)
""",
            ),
        ),
        true=("tokens-lost-with-the-hook",),
    ),
    wrong(
        "loop.step",
        "what failed is committed too",
        but(STEPPING, ("commit(plan._replace(chunks=ran))", "commit(plan)")),
        true=("counts-the-failed",),
    ),
    wrong(
        "loop.step",
        "a step without tokens counts as none",
        but(STEPPING, ("self.step() is None and self.open", "not self.step() and self.open")),
        true=("no-tokens-for-no-plan",),
    ),
    wrong(
        "loop.step",
        "a time to wait for is taken for a plan",
        but(STEPPING, ('if not hasattr(plan, "chunks")', "if plan is None")),
        true=("a-time-is-a-plan",),
    ),
    wrong(
        "loop.step",
        "admitted anew in every step",
        but(STEPPING, ("if request.admitted_s is None", "if True")),
        true=("admitted-again",),
    ),
    wrong(
        "loop.step",
        "stops without a word when there is no plan",
        but(
            STEPPING,
            (
                STEPPING[STEPPING.index("        while self.open") :],
                "        while self.open and self.step() is not None:\n            pass\n",
            ),
        ),
        true=("ends-with-open-requests",),
    ),
    wrong(
        "loop.step",
        "the hook's error is swallowed",
        but(
            STEPPING,
            (
                "        finally:\n            told = self._hand_out(tokens)\n",
                "        except Exception:\n            pass\n"
                "        told = self._hand_out(tokens)\n",
            ),
        ),
        true=("swallows-the-hook",),
    ),
    wrong(
        "loop.step",
        "failed rows do not end",
        but(
            STEPPING,
            (
                "        for request, error in failed.items():\n"
                '            self._end(request, "failed", error)\n',
                "",
            ),
        ),
        true=("failed-go-on",),
    ),
    right(
        "loop.step",
        "the error kept, then raised",
        """
from labutils.engine import Engine

class Stepping(Engine):
    def step(self):
        start = self.clock()
        plan = self.scheduler.schedule(start)
        if getattr(plan, "chunks", None) is None:
            return None
        newcomers = (one for one, _ in plan.chunks if one.admitted_s is None)
        for one in newcomers:
            one.admitted_s = start
        failed, problem = {}, None
        tokens = self._compute(plan.chunks, failed)
        self.scheduler.commit(plan._replace(chunks=[c for c in plan.chunks if c[0] not in failed]))
        for one in list(failed):
            self._end(one, "failed", failed[one])
        if self.on_step:
            try:
                self.on_step(self, plan)
            except BaseException as error:
                problem = error
        pairs = self._hand_out(tokens)
        if problem is not None:
            raise problem
        return pairs
    def run(self):
        while True:
            if not self.open:
                return
            if self.step() is None:
                some = ", ".join(str(id) for id in list(self.open)[:5])
                raise RuntimeError(f"nothing can be planned, though {some} are open")
""",
    ),
    right(
        "loop.step",
        "an exit stack hands out",
        but(
            STEPPING,
            (
                HOOKED,
                """        from contextlib import ExitStack
        told = []
        with ExitStack() as stack:
            stack.callback(lambda: told.extend(self._hand_out(tokens)))
            if callable(self.on_step):
                self.on_step(self, plan)
""",
            ),
            ('not hasattr(plan, "chunks")', 'getattr(plan, "chunks", None) is None'),
        ),
    ),
    wrong(
        "loop.hand_out",
        "a listener's error stops everybody",
        but(
            TELLING,
            (
                TELLING[TELLING.index("            try:\n") : TELLING.index("        return told")],
                """            reason = request.take(token, now_s)
            if request.on_token is not None:
                request.on_token(request.id, token)
            if reason is not None:
                self._end(request, reason)
""",
            ),
        ),
        true=("one-for-all",),
    ),
    wrong(
        "loop.hand_out",
        "ends twice",
        but(TELLING, (GUARD, ""), ("del self.open[request.id]", "self.open.pop(request.id, None)")),
        true=("ends-twice",),
    ),
    wrong(
        "loop.hand_out",
        "a cancelled request hears more",
        but(
            TELLING,
            (
                "            if request.finish_reason is not None:\n                continue\n",
                "",
            ),
        ),
        true=("tells-the-ended",),
    ),
    wrong(
        "loop.hand_out",
        "a token that ends its request is not handed out",
        but(
            TELLING,
            ("            told.append((request.id, token))\n", ""),
            (
                "                    self._end(request, reason)\n",
                "                    self._end(request, reason)\n"
                "                else:\n                    told.append((request.id, token))\n",
            ),
        ),
    ),
    wrong(
        "loop.hand_out",
        "an unknown id is False",
        but(TELLING, ('raise ValueError(f"no request is called {id!r}")', "return False")),
        true=("unknown-id",),
    ),
    wrong(
        "loop.hand_out",
        "the first error is overwritten",
        but(
            TELLING,
            (
                "                if error is None:\n                    request.error = new",
                "                request.error = new",
            ),
        ),
        true=("last-error-wins",),
    ),
    wrong(
        "loop.hand_out",
        "no memory comes back",
        but(TELLING, ("        self.scheduler.finish(request)\n", "")),
        true=("keeps-the-pages",),
    ),
    wrong(
        "loop.hand_out",
        "the tokenizer may not fail",
        but(
            TELLING,
            (
                TELLING[
                    TELLING.index("            try:\n                request.text") : TELLING.index(
                        "    def cancel"
                    )
                ],
                "            request.text = request.words()\n",
            ),
        ),
        true=("words-break-the-engine",),
    ),
    right(
        "loop.hand_out",
        "guarded by what is open",
        """
from labutils.engine import Engine

class Telling(Engine):
    def _hand_out(self, tokens):
        return [pair for request, token in tokens for pair in self._tell(request, token)]
    def _tell(self, request, token):
        if request.finish_reason is not None:
            return []
        reason, error = None, None
        try:
            reason = request.take(token, self.clock())
            if callable(request.on_token):
                request.on_token(request.id, token)
        except Exception as caught:
            reason, error = "failed", caught
        if reason and request.finish_reason is None:
            self._end(request, reason, error)
        return [(request.id, token)]
    def _end(self, request, reason, error=None):
        self.scheduler.finish(request)
        self.open.pop(request.id)
        request.finish_s, request.finish_reason, request.error = self.clock(), reason, error
        if request.tokenizer:
            try:
                request.text = request.words()
            except Exception as caught:
                request.finish_reason, request.error = "failed", error or caught
    def cancel(self, id):
        try:
            request = self.requests[id]
        except KeyError:
            raise ValueError(f"unknown: {id!r}") from None
        is_open = request.finish_reason is None
        if is_open:
            self._end(request, "cancelled")
        return is_open
""",
    ),
    right(
        "loop.hand_out",
        "a list of pairs filled in finally",
        but(
            TELLING,
            ("            told.append((request.id, token))\n", ""),
            (
                "                if reason is not None:\n"
                "                    self._end(request, reason)\n",
                "                if reason is not None and request.id in self.open:\n"
                "                    self._end(request, reason)\n"
                "            finally:\n                told += [(request.id, token)]\n",
            ),
        ),
    ),
    wrong(
        "loop.compute",
        "all fail",
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
        "Ctrl-C too",
        but(
            COMPUTE,
            ("except Exception:", "except:"),
            ("except Exception as", "except BaseException as"),
        ),
        true=("swallows-the-end",),
    ),
    wrong(
        "loop.compute",
        "ids for requests",
        but(COMPUTE, ("failed[chunk[0]]", "failed[chunk[0].id]")),
        true=("wrong-type",),
    ),
    wrong(
        "loop.compute",
        "those behind the fault are left out",
        but(COMPUTE, ("= error\n", "= error\n            break\n")),
    ),
    wrong(
        "loop.compute",
        "the tokens of the others are lost",
        but(COMPUTE, ("pairs += self", "self")),
    ),
    wrong("loop.compute", "a chunk for a list of chunks", but(COMPUTE, ("([chunk])", "(chunk)"))),
    wrong(
        "loop.compute",
        "nobody has failed",
        but(COMPUTE, (" as error:\n            failed[chunk[0]] = error", ":\n            pass")),
        true=("nobody-fails",),
    ),
    wrong("loop.compute", "the text of the error", but(COMPUTE, ("= error\n", "= str(error)\n"))),
    right(
        "loop.compute",
        "by calling itself",
        """
def _compute(self, chunks, failed):
    try:
        return self._forward(chunks)
    except Exception as error:
        if len(chunks) == 1:
            failed[chunks[0][0]] = error
            return []
    return [pair for chunk in chunks for pair in self._compute([chunk], failed)]
""",
    ),
    right(
        "loop.compute",
        "a generator inside",
        """
def _compute(self, chunks, failed):
    def alone():
        for request, new in chunks:
            try:
                pairs = self._forward([(request, new)])
            except Exception as error:
                failed.update({request: error})
            else:
                yield from pairs
    try:
        pairs = self._forward(chunks)
    except Exception:
        return list(alone())
    return pairs
""",
    ),
    wrong(
        "attention.buckets",
        "the sum of the contexts",
        but(
            BUCKETS,
            ("longest = max(longest, context)", "longest += context"),
            ("(row + 1 - first) * longest", "longest"),
        ),
        true=("sum-for-padding",),
    ),
    wrong(
        "attention.buckets",
        "the newest taken for the longest",
        but(BUCKETS, ("longest = max(longest, context)", "longest = context")),
        true=("last-for-longest",),
    ),
    wrong(
        "attention.buckets",
        "without the last bucket",
        BUCKETS[: BUCKETS.index("    if first < len")],
        true=("loses-the-last",),
    ),
    wrong(
        "attention.buckets",
        "just as many slots as allowed are too many",
        but(BUCKETS, ("> BUCKET_SLOTS", ">= BUCKET_SLOTS")),
        true=("not-quite-full",),
    ),
    wrong(
        "attention.buckets",
        "the new row is not counted",
        but(BUCKETS, ("(row + 1 - first)", "(row - first)")),
        true=("row-too-many",),
    ),
    wrong(
        "attention.buckets",
        "across a chunk",
        """
def buckets(step):
    rows = [row for row, new in enumerate(step.lengths) if new == 1]
    first, longest = 0, 0
    for n, row in enumerate(rows):
        longest = max(longest, step.contexts[row])
        if n > first and (n + 1 - first) * longest > BUCKET_SLOTS:
            yield slice(rows[first], rows[n - 1] + 1)
            first, longest = n, step.contexts[row]
    if rows:
        yield slice(rows[first], rows[-1] + 1)
""",
        true=("wrong-shape",),
    ),
    wrong(
        "attention.buckets",
        "chunks too",
        but(BUCKETS, ("if new > 1", "if new < 1")),
        true=("chunks-too",),
    ),
    wrong(
        "attention.buckets",
        "a row too long is in no bucket",
        but(
            BUCKETS,
            (
                "        longest = max(longest, context)\n",
                """        if context > BUCKET_SLOTS:
            if first < row:
                yield slice(first, row)
            first, longest = row + 1, 0
            continue
        longest = max(longest, context)
""",
            ),
        ),
        true=("too-long-for-any",),
    ),
    right(
        "attention.buckets",
        "lists of rows, grouped first",
        """
def buckets(step):
    from itertools import groupby
    for alone, group in groupby(range(len(step.lengths)), key=lambda row: step.lengths[row] == 1):
        if not alone:
            continue
        rows = list(group)
        while rows:
            count = 1
            while count < len(rows):
                longest = max(step.contexts[row] for row in rows[: count + 1])
                if (count + 1) * longest > BUCKET_SLOTS:
                    break
                count += 1
            yield slice(rows[0], rows[0] + count)
            rows = rows[count:]
""",
    ),
    right(
        "attention.buckets",
        "a returned iterator over a list that grows",
        """
def buckets(step):
    found = []
    for row, new in enumerate(step.lengths):
        if new != 1:
            continue
        if found and found[-1].stop == row:
            wider = slice(found[-1].start, row + 1)
            if (row + 1 - wider.start) * max(step.contexts[wider]) <= BUCKET_SLOTS:
                found[-1] = wider
                continue
        found.append(slice(row, row + 1))
    return iter(found)
""",
    ),
    wrong(
        "attention.paged",
        "writes after it has read",
        but(
            PAGED,
            ("        memory.write(layer, step.slots, key[0], value[0])\n", ""),
            (
                "        return mixed",
                "        memory.write(layer, step.slots, key[0], value[0])\n        return mixed",
            ),
        ),
        true=("reads-before-it-writes",),
    ),
    wrong(
        "attention.paged",
        "neighbouring query heads in different groups",
        but(
            PAGED,
            (
                "unflatten(0, (key.shape[1], -1))",
                "unflatten(0, (-1, key.shape[1])).transpose(0, 1)",
            ),
        ),
        true=("heads-in-turn",),
    ),
    wrong(
        "attention.paged",
        "made anew in every layer",
        """
def paged_attention(memory, step):
    def attend(layer, query, key, value):
        memory.write(layer, step.slots, key[0], value[0])
        parts = [Bucket(memory, step, rows) for rows in buckets(step)]
        parts += [Chunk(memory, step, row) for row, new in enumerate(step.lengths) if new > 1]
        grouped = query[0].unflatten(0, (key.shape[1], -1))
        mixed = torch.empty_like(grouped)
        for part in parts:
            mixed[:, :, part.new] = part.attend(layer, grouped[:, :, part.new])
        return mixed.flatten(0, 1)[None]
    return attend
""",
        true=("parts-in-each-layer",),
    ),
    wrong(
        "attention.paged",
        "joined as the parts were made",
        but(
            PAGED,
            (
                PAGED[PAGED.index("        mixed = ") : PAGED.index("        return mixed")],
                "        mixed = torch.cat(\n"
                "            [one.attend(layer, grouped[:, :, one.new]) for one in parts], dim=2\n"
                "        )\n",
            ),
        ),
        true=("joined-as-made",),
    ),
    wrong(
        "attention.paged",
        "one axis too few",
        but(PAGED, (".flatten(0, 1)[None]", ".flatten(0, 1)")),
        true=("no-batch",),
    ),
    wrong(
        "attention.paged",
        "keys and values exchanged",
        but(PAGED, ("key[0], value[0])", "value[0], key[0])")),
        true=("values-for-keys",),
    ),
    wrong(
        "attention.paged",
        "each row alone",
        but(
            PAGED,
            (
                "[Bucket(memory, step, rows) for rows in buckets(step)]",
                "[Chunk(memory, step, row) for row, new in enumerate(step.lengths) if new == 1]",
            ),
        ),
        true=("chunks-alone",),
    ),
    wrong(
        "attention.paged",
        "prompts without attention",
        but(
            PAGED,
            (
                "    parts += [Chunk(memory, step, row)"
                " for row, new in enumerate(step.lengths) if new > 1]\n",
                "",
            ),
            ("empty_like", "zeros_like"),
        ),
        true=("other-parts",),
    ),
    right(
        "attention.paged",
        "joined by the place in the line",
        """
def paged_attention(memory, step):
    chunks = (row for row, new in enumerate(step.lengths) if new != 1)
    parts = [Bucket(memory, step, rows) for rows in list(buckets(step))]
    parts.extend(Chunk(memory, step, row) for row in chunks)
    parts.sort(key=lambda part: part.new.start)
    def attend(layer, query, key, value):
        memory.write(layer, step.slots, key.squeeze(0), value.squeeze(0))
        heads, kv_heads = query.shape[1], key.shape[1]
        grouped = query[0].reshape(kv_heads, heads // kv_heads, *query.shape[2:])
        mixed = [part.attend(layer, grouped[:, :, part.new]) for part in parts]
        return torch.cat(mixed, dim=2).reshape(query.shape)
    return attend
""",
    ),
    right(
        "attention.paged",
        "an object that is called",
        """
def paged_attention(memory, step):
    class Mixer:
        def __init__(self):
            self.parts = [*(Bucket(memory, step, rows) for rows in buckets(step))]
            for row in range(len(step.lengths)):
                if step.lengths[row] > 1:
                    self.parts.append(Chunk(memory, step, row))
        def __call__(self, layer, query, key, value):
            memory.write(layer, step.slots, key[0], value[0])
            mixed = query.clone()
            inside = mixed[0].view(key.shape[1], -1, *mixed.shape[2:])
            asked = query[0].reshape(inside.shape)
            for part in self.parts:
                inside[:, :, part.new] = part.attend(layer, asked[:, :, part.new])
            return mixed
    return Mixer()
""",
    ),
    wrong(
        "sampling.cut",
        "the one that passes top_p is cut",
        but(CUT, ("left.cumsum(-1) - left", "left.cumsum(-1)")),
    ),
    wrong(
        "sampling.cut",
        "top_p of the whole",
        but(CUT, ("top_p * left.sum", "top_p * shares.sum")),
        true=("share-of-the-old-whole",),
    ),
    wrong(
        "sampling.cut",
        "one more than top_k",
        but(CUT, ("places < top_k", "places <= top_k")),
        true=("one-rank-more",),
    ),
    wrong(
        "sampling.cut",
        "just as much before it still stays",
        but(CUT, ("before < top_p", "before <= top_p")),
        true=("one-token-too-many",),
    ),
    wrong(
        "sampling.cut",
        "minus infinity for zero",
        but(CUT, ("keepdim=True), left, 0.0)", "keepdim=True), left, -float('inf'))")),
    ),
    wrong(
        "sampling.cut",
        "top_k is left out",
        but(CUT, ("torch.where(places < top_k, shares, 0.0)", "shares")),
        true=("top-p-alone",),
    ),
    wrong(
        "sampling.cut",
        "the first row's limits for all",
        but(CUT, ("places < top_k", "places < top_k[0]"), ("< top_p *", "< top_p[0] *")),
        true=("one-limit-for-all",),
    ),
    wrong(
        "sampling.cut", "all but what should stay", but(CUT, ("before < top_p", "before > top_p"))
    ),
    right(
        "sampling.cut",
        "row by row, in plain numbers",
        """
def cut(shares, top_k, top_p):
    rows = []
    for row, k, p in zip(shares.tolist(), top_k.flatten().tolist(), top_p.flatten().tolist()):
        whole, before, kept = sum(row[: int(k)]), 0.0, []
        for place, share in enumerate(row):
            kept.append(share if place < k and before < p * whole else 0.0)
            before += share
        rows.append(kept)
    return torch.tensor(rows, dtype=shares.dtype, device=shares.device)
""",
    ),
    right(
        "sampling.cut",
        "shifted sums, masked",
        """
def cut(shares, top_k, top_p):
    left = shares.clone()
    left[torch.arange(shares.shape[1], device=shares.device).expand_as(shares) >= top_k] = 0
    sums = left.cumsum(dim=1)
    before = torch.nn.functional.pad(sums[:, :-1], (1, 0))
    return left.masked_fill(before >= top_p * sums[:, -1:], 0)
""",
    ),
    wrong(
        "sampling.draw",
        "as if the whole were 1",
        but(DRAW, ("uniform * whole", "uniform")),
        true=("not-of-the-whole",),
    ),
    wrong(
        "sampling.draw",
        "behind the last when it reaches the whole",
        but(DRAW, ("torch.minimum(place, last).clamp(max=shares.shape[-1] - 1)", "place")),
        true=("beyond-the-last",),
    ),
    wrong(
        "sampling.draw",
        "reached instead of passed",
        but(DRAW, ("running > uniform", "running >= uniform")),
        true=("draws-a-zero",),
    ),
    wrong(
        "sampling.draw",
        "the last place even if its share is 0",
        but(DRAW, ("torch.minimum(place, last)", "place")),
        true=("behind-the-last",),
    ),
    wrong(
        "sampling.draw",
        "no number leads to place 0",
        but(DRAW, ("(~(running > uniform * whole))", "(running <= uniform * whole)")),
        true=("first-for-no-numbers",),
    ),
    wrong(
        "sampling.draw",
        "without the column",
        but(DRAW, (" - 1)", " - 1)[:, 0]")),
        true=("wrong-shape",),
    ),
    wrong(
        "sampling.draw",
        "one place too early",
        but(DRAW, ("    return torch", "    place = (place - 1).clamp(min=0)\n    return torch")),
    ),
    wrong(
        "sampling.draw",
        "a draw of torch's own",
        """
def draw(shares, uniform):
    return torch.multinomial(torch.nan_to_num(shares, 1.0).clamp(min=0), 1)
""",
        true=("not-repeatable",),
    ),
    right(
        "sampling.draw",
        "row by row with bisect",
        """
def draw(shares, uniform):
    from bisect import bisect_right
    from itertools import accumulate
    from math import isfinite
    places = []
    for row, chance in zip(shares.tolist(), uniform.flatten().tolist()):
        running = list(accumulate(row))
        place = len(row) - 1
        if isfinite(running[-1]):
            filled = [n for n, share in enumerate(row) if share > 0] or [place]
            place = min(bisect_right(running, chance * running[-1]), filled[-1])
        places.append([place])
    return torch.tensor(places, device=shares.device)
""",
    ),
    right(
        "sampling.draw",
        "argmax of what is passed and filled",
        """
def draw(shares, uniform):
    size = shares.shape[-1]
    running = shares.cumsum(-1)
    passed = (running > uniform * running[:, -1:]) & (shares > 0)
    numbers = torch.arange(size, device=shares.device)
    first = torch.where(passed, numbers, size).amin(-1, keepdim=True)
    last = torch.where(shares > 0, numbers, -1).amax(-1, keepdim=True)
    last = torch.where(running[:, -1:].isnan() | (last < 0), size - 1, last)
    return torch.where(first < size, first, last)
""",
    ),
    wrong(
        "sampling.sample",
        "the place in the list for the token",
        but(SAMPLE, ("tokens.gather(1, place)", "place")),
        true=("place-for-token",),
    ),
    wrong(
        "sampling.sample",
        "greedy rows are divided by 0",
        but(
            SAMPLE,
            ("one.temperature or 1.0 for", "one.temperature for"),
            ("torch.where(hot, drawn, greedy[:, None])", "drawn"),
        ),
        true=("greedy-divided-by-zero",),
    ),
    wrong(
        "sampling.sample",
        "heat after the softmax",
        but(SAMPLE, ("(logits / heat).softmax(-1)", "logits.softmax(-1) / heat")),
        true=("heat-after-the-softmax",),
    ),
    wrong(
        "sampling.sample",
        "top_p without a top_k is left out",
        but(SAMPLE, ("one.top_k is not None or one.top_p is not None", "one.top_k is not None")),
        true=("cuts-for-top-k-alone",),
    ),
    wrong(
        "sampling.sample",
        "the first row's settings for all",
        but(
            SAMPLE,
            (
                "    greedy = logits",
                "    samplings = [samplings[0]] * rows\n    greedy = logits",
            ),
        ),
        true=("first-settings-for-all",),
    ),
    wrong(
        "sampling.sample",
        "chances handed out to drawn rows in turn",
        but(
            SAMPLE,
            (
                "column(list(uniforms))",
                "column(\n        (lambda rest: [next(rest) if one.temperature else 0.0"
                " for one in samplings])\n"
                "        (iter(uniforms))\n    )",
            ),
        ),
        true=("numbers-in-turn",),
    ),
    wrong(
        "sampling.sample",
        "times the temperature",
        but(SAMPLE, ("logits / heat", "logits * heat")),
        true=("times-the-temperature",),
    ),
    wrong(
        "sampling.sample",
        "the neighbours' cut decides how a plain row is drawn",
        but(
            SAMPLE,
            (
                "torch.where(column(cuts, torch.bool), tokens.gather(1, place), drawn)",
                "tokens.gather(1, place)",
            ),
        ),
        true=("sorted-with-the-neighbours",),
    ),
    right(
        "sampling.sample",
        "sorts the rows that are cut, no others",
        """
def sample(logits, samplings, uniforms):
    chosen = logits.argmax(dim=-1)
    hot = [row for row, one in enumerate(samplings) if one.temperature > 0]
    cuts = [row for row in hot if (samplings[row].top_k, samplings[row].top_p) != (None, None)]
    plain = [row for row in hot if row not in cuts]
    def tensor(values):
        return torch.tensor(values, device=logits.device).unsqueeze(1)
    for rows in (plain, cuts):
        if not rows:
            continue
        some = [samplings[row] for row in rows]
        chance = tensor([float(uniforms[row]) for row in rows]).to(logits.dtype)
        heat = tensor([float(one.temperature) for one in some]).to(logits.dtype)
        shares = torch.softmax(logits[rows] / heat, dim=-1)
        if rows is plain:
            chosen[rows] = draw(shares, chance)[:, 0]
            continue
        shares, tokens = torch.sort(shares, dim=-1, descending=True)
        k = tensor([logits.shape[1] if one.top_k is None else one.top_k for one in some])
        p = tensor([1.0 if one.top_p is None else float(one.top_p) for one in some])
        chosen[rows] = tokens.gather(1, draw(cut(shares, k, p.to(shares.dtype)), chance))[:, 0]
    return chosen
""",
    ),
    wrong(
        "sampling.sample",
        "always sorted, uncut rows too",
        """
def sample(logits, samplings, uniforms):
    size = logits.shape[-1]
    def column(values):
        return torch.tensor(values, dtype=logits.dtype, device=logits.device).view(-1, 1)
    heat = column([one.temperature if one.temperature > 0 else 1.0 for one in samplings])
    shares, tokens = (logits / heat).softmax(-1).sort(dim=-1, descending=True)
    top_k = column([one.top_k or size for one in samplings])
    top_p = column([one.top_p if one.top_p is not None else 1.0 for one in samplings])
    drawn = tokens.gather(1, draw(cut(shares, top_k, top_p), column(list(uniforms))))
    is_greedy = column([one.temperature for one in samplings]) == 0
    return torch.where(is_greedy, logits.argmax(-1, keepdim=True), drawn).squeeze(1)
""",
        true=("all-rows-sorted",),
    ),
    wrong("loop.field", "the order of the draws", "d", true=("d",)),
    wrong("loop.field", "pages overwritten", "a", true=("a",)),
    wrong("loop.field", "preemption loses what was computed", "c", true=("c",)),
    wrong("loop.field", "two at a time", "b, d", true=("d",)),
    wrong("loop.field", "pages and requests", "ab", true=("unreadable",)),
    wrong("loop.field", "all of them", "a, b, c, d", true=("a",)),
    wrong("loop.field", "the place of b, from zero", 1, true=("unreadable",)),
    right("loop.field", "capital with a full stop", "B."),
    right("loop.field", "in brackets", "(b)"),
]
