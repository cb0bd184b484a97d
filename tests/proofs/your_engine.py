"""Proofs of lab 6: mistakes that learners make, and right answers of other styles."""

from textwrap import indent

from labutils.exercises.definition.verdict import Status
from tests.proofs.by_patches import by_patches
from tests.proofs.proof import Proof

PACK_BY_TOKEN = '''
def pack(chunks, page_tokens, device):
    """Token by token."""
    starts = [(one, one.computed, new) for one, new in chunks]
    rows = [(one, place) for one, start, new in starts for place in range(start, start + new)]
    place_of = [(one.pages[place // page_tokens], place % page_tokens) for one, place in rows]
    return PackedStep(
        tokens=torch.tensor([one.tokens[place] for one, place in rows], device=device),
        positions=torch.tensor([place for _, place in rows], device=device),
        slots=torch.tensor([page * page_tokens + place for page, place in place_of], device=device),
        last=torch.tensor(
            [at for at, (one, place) in enumerate(rows) if place == one.known - 1],
            dtype=torch.long,
            device=device,
        ),
        lengths=[new for _, new in chunks],
        contexts=[one.computed + new for one, new in chunks],
        tables=[one.pages[: (one.computed + new - 1) // page_tokens + 1] for one, new in chunks],
        page_tokens=page_tokens,
    )
'''

CUT_WITH_ZEROS = '''
def cut(shares, top_k, top_p):
    """Leaves the shares as they are, and sets the others to 0."""
    out = shares.clone()
    out *= torch.arange(out.shape[1])[None, :] < top_k
    limit = top_p * out.sum(dim=1, keepdim=True)
    out *= (torch.cumsum(out, 1) - out) < limit
    return out
'''

CUT_NORMALISED = '''
def cut(shares, top_k, top_p):
    """What is left sums to 1."""
    ranks = torch.arange(shares.shape[1]).expand_as(shares)
    kept = shares.masked_fill(ranks >= top_k, 0.0)
    kept = kept / kept.sum(1, keepdim=True)
    upto = torch.cat([torch.zeros(len(kept), 1), kept.cumsum(1)[:, :-1]], 1)
    kept = kept.masked_fill(upto >= top_p, 0.0)
    return kept / kept.sum(1, keepdim=True)
'''

DRAW_BY_COUNTING = '''
def draw(shares, uniform):
    """Counts the pieces that end before the place."""
    ends = torch.cumsum(shares, 1)
    whole = ends[:, -1:]
    place = torch.minimum(uniform * whole, torch.nextafter(whole, whole - 1))
    return (~(ends > place)).sum(1, keepdim=True).clamp(max=shares.shape[1] - 1)
'''

SAMPLE_BY_KIND = '''
def sample(logits, samplings, uniforms):
    """Row by row, three kinds apart."""
    found = []
    for row, one, uniform in zip(logits, samplings, uniforms):
        if not one.temperature:
            found.append(row.argmax())
            continue
        shares = torch.softmax(row.double() / one.temperature, -1)[None]
        at = torch.tensor([[uniform]], dtype=torch.float64)
        if one.top_k is None and one.top_p is None:
            found.append(draw(shares, at)[0, 0])
            continue
        largest, order = shares.sort(-1, descending=True)
        limits = torch.tensor([[one.top_k or len(row)]]), torch.tensor([[one.top_p or 1.0]])
        found.append(order[0, draw(cut(largest, *limits), at)[0, 0]])
    return torch.stack(found)
'''

TAKE_AND_DECODE_ALL = '''
class Taking:
    def take(self, token, now_s):
        """Asks in two sentences."""
        self.tokens, self.times_s = [*self.tokens, token], [*self.times_s, now_s]
        if self.stops():
            return "stop"
        if len(self.tokens) - self.prompt_tokens == self.max_output_tokens:
            return "length"

    def stops(self):
        """Reads the whole answer each time."""
        if callable(self.stop):
            return self.stop(self.answer)
        words = [one for one in self.stop if isinstance(one, str)]
        text = self.tokenizer.decode(self.answer) if words else ""
        return self.tokens[-1] in self.stop or any(word in text for word in words)
'''

WORDS_BY_INDEX = '''
def words(self):
    """Finds the first string that ends it."""
    tokens = list(self.answer)
    stop = () if callable(self.stop) else self.stop
    if tokens and tokens[-1] in stop:
        tokens.pop()
    text = self.tokenizer.decode(tokens)
    ends = [text.find(one) for one in stop if isinstance(one, str) and one in text]
    return text[: min(ends)] if ends else text
'''

FORWARD_IN_TWO_LISTS = '''
class Forwarding:
    def _forward(self, chunks):
        """Decodes and prompts apart."""
        decodes = sorted((one for one in chunks if one[1] == 1), key=lambda one: one[0].computed)
        chunks = decodes + [one for one in chunks if one[1] > 1]
        rows = [one for one, new in chunks if one.to_compute == new]
        hows = [one.sampling for one in rows]
        with torch.no_grad():
            logits = self._logits(pack(chunks, self.pool.page_tokens, self.device))
            uniforms = [how.temperature and one.random.random() for one, how in zip(rows, hows)]
            chosen = sample(logits, hows, uniforms)
        return [(one, int(token)) for one, token in zip(rows, chosen)]

    def _logits(self, step):
        """By keyword."""
        mixing = paged_attention(self.memory, step)
        line = step.tokens.unsqueeze(0), step.positions.unsqueeze(0)
        return self.model(*line, attend=mixing, rows=step.last).squeeze(0)
'''

STEP_IN_ORDER = '''
class Stepping:
    def step(self):
        """Lists instead of comprehensions."""
        now_s = self.clock()
        plan = self.scheduler.schedule(now_s)
        chunks = getattr(plan, "chunks", None)
        if chunks is None:
            return None
        for request, _ in chunks:
            if request.admitted_s is None:
                request.admitted_s = now_s
        failed = {}
        tokens = self._compute(chunks, failed)
        ran = [(request, new) for request, new in chunks if request not in failed]
        self.scheduler.commit(plan._replace(chunks=ran))
        for request in failed:
            self._end(request, "failed", failed[request])
        hook = self.on_step or (lambda engine, plan: None)
        try:
            hook(self, plan)
        except BaseException:
            self._hand_out(tokens)
            raise
        return self._hand_out(tokens)

    def run(self):
        """A loop with two conditions."""
        while self.open and self.step() is not None:
            continue
        if self.open:
            raise RuntimeError(f"no step for {list(self.open)}")
'''

STEP_COMMITS = "        self.scheduler.commit(plan._replace(chunks=ran))\n"
STEP_ENDS = '            self._end(request, "failed", failed[request])\n'

HAND_OUT_WITH_A_LOOP = '''
class Telling:
    def _hand_out(self, tokens):
        """One request after the other."""
        told = []
        for request, token in tokens:
            if request.id not in self.open:
                continue
            told.append((request.id, token))
            error = None
            try:
                reason = request.take(token, self.clock())
                if request.on_token:
                    request.on_token(request.id, token)
            except Exception as problem:
                reason, error = "failed", problem
            if reason and request.id in self.open:
                self._end(request, reason, error)
        return told

    def _end(self, request, reason, error=None):
        """The text first."""
        text = None
        self.scheduler.finish(request)
        self.open.pop(request.id)
        if self.tokenizer is not None:
            try:
                text = request.words()
            except Exception as problem:
                reason, error = "failed", error if error is not None else problem
        request.finish_reason, request.error = reason, error
        request.finish_s, request.text = self.clock(), text

    def cancel(self, id):
        """Asks twice."""
        if id in self.open:
            self._end(self.open[id], "cancelled")
            return True
        if id in self.requests:
            return False
        raise ValueError(f"id = {id!r}: expected that of a request")
'''

COMPUTE_IN_HALVES = '''
def _compute(self, chunks, failed):
    """Halves find the culprit sooner."""
    if not chunks:
        return []
    try:
        return self._forward(chunks)
    except Exception as error:
        if len(chunks) == 1:
            failed[chunks[0][0]] = error
            return []
    middle = len(chunks) // 2
    return self._compute(chunks[:middle], failed) + self._compute(chunks[middle:], failed)
'''

COMPUTE_ONE_BY_ONE = '''
def _compute(self, chunks, failed):
    """Each by itself."""
    pairs = []
    for chunk in chunks:
        try:
            pairs += self._forward([chunk])
        except Exception as error:
            failed[chunk[0]] = error
    return pairs
'''

COMPUTE_UNTIL_IT_FAILS = '''
def _compute(self, chunks, failed):
    """Ends at the first fault, with nothing."""
    try:
        return self._forward(chunks) if chunks else []
    except Exception:
        pairs = []
        for chunk in chunks:
            try:
                pairs += self._forward([chunk])
            except Exception as error:
                failed[chunk[0]] = error
                return
        return pairs
'''

BUCKETS_AS_A_LIST = '''
def buckets(step):
    """Collects rows, and closes a bucket when it is full."""
    found, held = [], []
    for row, new in enumerate(step.lengths):
        padded = [step.contexts[one] for one in [*held, row]]
        if held and (new > 1 or len(padded) * max(padded) > BUCKET_SLOTS):
            found.append(slice(held[0], held[-1] + 1))
            held = []
        if new == 1:
            held.append(row)
    return found + ([slice(held[0], held[-1] + 1)] if held else [])
'''

PAGED_WITH_CAT = '''
def paged_attention(memory, step):
    """Parts in the order of the line, put together at the end."""
    parts = [Bucket(memory, step, rows) for rows in buckets(step)]
    parts += [Chunk(memory, step, row) for row, new in enumerate(step.lengths) if new > 1]
    parts.sort(key=lambda part: part.new.start)

    def attend(layer, query, key, value):
        memory.write(layer, step.slots, key.squeeze(0), value.squeeze(0))
        size = memory.num_kv_heads, query.shape[1] // memory.num_kv_heads
        rows = query.squeeze(0).unflatten(0, size)
        pieces = [part.attend(layer, rows[:, :, part.new]) for part in parts]
        return torch.cat(pieces, dim=2).flatten(0, 1).unsqueeze(0)

    return attend
'''

LAST = "rows and vocabulary: the last dimension is the second"
FIRST = "nothing comes before the first token, so it stays for every top_p above 0"
GREEDY = "greedy rows take the likeliest token, whatever their column says"
ALONE = "a line has a batch of one"
WORDING = "the wording of an error"
SOURCE = "table = [(one.temperature or 1.0, one.top_k or vocabulary, one.top_p or 1.0, uniform)"
HOT, COLD = (SOURCE.replace("re or 1.0", f"re or {one}") for one in (2.0, 0.0))
WIDE = SOURCE.replace("p or 1.0", "p or 2.0")
TABLE = "for one, uniform in zip(samplings, uniforms, strict="
WHERE = "return torch.where((before < top_p) | (ranks == 0), kept, 0.0)"
UNIFORMS = "uniforms = [one.random.random() if one.sampling.temperature else"
NUMBERS = f"{UNIFORMS} 0.0"
SORT = "chunks = sorted(chunks, key=lambda chunk: (chunk[1] > 1, chunk[0].computed))"
CAUGHT_UP = "rows = [one for one, new in chunks if one.computed + new == one.known]"
MODEL = (
    "return self.model(step.tokens[None], step.positions[None], attend=attend, rows=step.last)[{}]"
)
SORTED = "largest, order = shares[some].sort(dim={}, descending=True, stable={})"
COLUMNS = "columns = torch.tensor(table, dtype=torch.float64).to(logits.device, non_blocking={})"
PLACES = "places = draw(cut(largest, top_k[some], top_p[some]), uniform[some])"
AGAIN = f"{SORTED.format(-1, True)}; {PLACES}; drawn[some] = order.gather(-1, places)"
NO_STEP = "raise RuntimeError(f'schedule planned no step; open: {{list(self.open)[:{}]}}')"
PARTS = "parts: list[{}] = [Bucket(memory, step, rows) for rows in buckets(step)]"
PARTS_BEFORE = """\
    parts = [Bucket(memory, step, rows) for rows in buckets(step)]
    parts += [Chunk(memory, step, row) for row, new in enumerate(step.lengths) if new > 1]
    parts.sort(key=lambda part: part.new.start)
"""
WRITE = "memory.write(layer, step.slots, key[{}], value[{}])"
GROUPED = "grouped = query[{}].unflatten(0, (memory.num_kv_heads, -1))"
ROWS = "for row, (new, context) in enumerate(zip([*step.lengths, {}], [*step.contexts, {}])):"

PROOFS = {
    "packing.pack": Proof(
        mistakes={
            **by_patches("""
one position further: wrong
- positions += range(start, end)
+ positions += range(start + 1, end + 1)
no whole numbers: wrong
- whole = torch.tensor([number for line in lines for number in line], dtype=torch.int64)
+ whole = torch.tensor([number for line in lines for number in line], dtype=torch.float64)
a tuple: wrong-type
- return PackedStep(*tensors, [new for _, new in chunks], contexts, tables, page_tokens)
+ return (*tensors, [new for _, new in chunks], contexts, tables, page_tokens)
counts what it packs: changes-requests
= contexts.append(end)
+ request.computed += new
sorts the plan: wrong
= tokens, positions, slots, last, contexts, tables = [], [], [], [], [], []
+ plan, chunks = chunks, list(chunks)
+ plan.reverse()
lengths on the device: wrong
- [new for _, new in chunks],
+ torch.tensor([new for _, new in chunks]),
"""),
        },
        alternatives={"token by token": PACK_BY_TOKEN},
        equivalent={
            "whole = whole.pin_memory().to(device, non_blocking=True) => "
            "whole = whole.pin_memory().to(device, non_blocking=False)": "for a GPU alone, and for "
            "its speed",
        },
    ),
    "sampling.cut": Proof(
        mistakes={
            **by_patches("""
the sum with the token itself: cuts-before-the-crossing
- before = kept.cumsum(-1) - kept
+ before = kept.cumsum(-1)
up to and with: one-token-too-many
- return torch.where((before < top_p) | (ranks == 0), kept, 0.0)
+ return torch.where((before <= top_p) | (ranks == 0), kept, 0.0)
nothing: wrong
- return torch.where((before < top_p) | (ranks == 0), kept, 0.0)
+ return torch.where((before < 0) | (ranks == 0), kept, 0.0)
"""),
        },
        alternatives={"zeros": CUT_WITH_ZEROS, "normalised": CUT_NORMALISED},
        equivalent={
            f"{WHERE} => return torch.where(before < top_p, kept, 0.0)": FIRST,
            f"{WHERE} => return torch.where((before < top_p) | (ranks == -1), kept, 0.0)": FIRST,
            f"{WHERE} => return torch.where((ranks == 0) | (before < top_p), kept, 0.0)": "or",
            "ranks = torch.arange(shares.shape[-1], device=shares.device) => "
            "ranks = torch.arange(shares.shape[1], device=shares.device)": LAST,
            "kept = kept / kept.sum(-1, keepdim=True) => "
            "kept = kept / kept.sum(1, keepdim=True)": LAST,
            "before = kept.cumsum(-1) - kept => before = kept.cumsum(1) - kept": LAST,
        },
    ),
    "sampling.draw": Proof(
        mistakes={
            **by_patches("""
from the left: draws-a-zero
- places = torch.searchsorted(upto, torch.minimum(uniform * whole, below), right=True)
+ places = torch.searchsorted(upto, torch.minimum(uniform * whole, below), right=False)
of one: not-of-the-whole
- places = torch.searchsorted(upto, torch.minimum(uniform * whole, below), right=True)
+ places = torch.searchsorted(upto, torch.minimum(uniform, below), right=True)
"""),
        },
        alternatives={"counting": DRAW_BY_COUNTING},
        equivalent={
            "upto = shares.cumsum(-1) => upto = shares.cumsum(1)": LAST,
            "return places.clamp_(max=shares.shape[-1] - 1) => "
            "return places.clamp_(max=shares.shape[1] - 1)": LAST,
        },
    ),
    "sampling.sample": Proof(
        mistakes={
            **by_patches("""
never cut: wrong
- some = [row for row, one in enumerate(samplings) if one.top_k or one.top_p]
+ some = [row for row, one in enumerate(samplings) if False]
top_k alone: misconception
- some = [row for row, one in enumerate(samplings) if one.top_k or one.top_p]
+ some = [row for row, one in enumerate(samplings) if one.top_k]
"""),
        },
        alternatives={"row by row": SAMPLE_BY_KIND},
        equivalent={
            f"if some:; {AGAIN} => {AGAIN}": "a sort of no rows",
            "likeliest = logits.argmax(-1) => likeliest = logits.argmax(1)": LAST,
            "vocabulary = logits.shape[-1] => vocabulary = logits.shape[1]": LAST,
            "shares = torch.softmax(logits.double() / temperature, -1) => "
            "shares = torch.softmax(logits.double() / temperature, 1)": LAST,
            "drawn[some] = order.gather(-1, places) => drawn[some] = order.gather(1, places)": LAST,
            f"{SORTED.format(-1, True)} => {SORTED.format(1, True)}": LAST,
            f"{SORTED.format(-1, True)} => {SORTED.format(-1, False)}": "no two logits are equal",
            f"{COLUMNS.format(True)} => {COLUMNS.format(False)}": "for a GPU alone",
            f"{SOURCE} {TABLE}True)] => {HOT} {TABLE}True)]": GREEDY,
            f"{SOURCE} {TABLE}True)] => {COLD} {TABLE}True)]": GREEDY,
            f"{SOURCE} {TABLE}True)] => {WIDE} {TABLE}True)]": "no "
            "tokens come before one whose share is more than the whole",
            f"{SOURCE} {TABLE}True)] => {SOURCE} {TABLE}False)]": "there are as many of both",
            "return torch.where(greedy, likeliest, drawn[:, 0]) => "
            "return torch.where(greedy, likeliest, drawn[:, -1])": "one place is drawn in each row",
        },
    ),
    "request.take": Proof(
        mistakes={
            **by_patches("""
says max_tokens: wrong
- return "length" if len(self.times_s) >= self.max_output_tokens else None
+ return "max_tokens" if len(self.times_s) >= self.max_output_tokens else None
counts the token: changes-the-counts
= self.tokens.append(token)
+ self.known += 1
no times: wrong
- self.times_s.append(now_s)
the prompt's text: text-of-the-prompt
- answer[-len(word.encode()) :]
+ self.tokens[-len(word.encode()) :]
"""),
            "the first string alone": (
                TAKE_AND_DECODE_ALL.replace(
                    "any(word in text for word in words)", "(words and words[0] in text)"
                ),
                Status.wrong,
            ),
            **by_patches("""
one more: one-too-many
- return "length" if len(self.times_s) >= self.max_output_tokens else None
+ return "length" if len(self.times_s) - 1 >= self.max_output_tokens else None
"""),
        },
        alternatives={"the whole answer": TAKE_AND_DECODE_ALL},
    ),
    "request.words": Proof(
        mistakes={
            **by_patches("""
the prompt as well: prompt-too
- answer, stop = self.answer, () if callable(self.stop) else self.stop
+ answer, stop = self.tokens, () if callable(self.stop) else self.stop
"""),
            "never thinks of a rule": (
                WORDS_BY_INDEX.replace("() if callable(self.stop) else self.stop", "self.stop"),
                "rule-for-a-set",
            ),
            **by_patches("""
a rule's last token: wrong
- answer and answer[-1] in stop
+ callable(self.stop) or (answer and answer[-1] in stop)
what follows: wrong
- return text[: min(found, default=None)]
+ return text[min(found, default=0) :]
"""),
        },
        alternatives={
            "by index": WORDS_BY_INDEX,
            "strips stop tokens": WORDS_BY_INDEX.replace("if tokens and", "while tokens and"),
        },
    ),
    "loop.forward": Proof(
        mistakes={
            **by_patches("""
all at the end of the prompt: prompts-alone-answer
- rows = [one for one, new in chunks if one.computed + new == one.known]
+ rows = [one for one, new in chunks if one.prompt_tokens == one.computed + new]
as planned: wrong
- chunks = sorted(chunks, key=lambda chunk: (chunk[1] > 1, chunk[0].computed))
+ chunks = sorted(chunks, key=lambda chunk: (chunk[1] > 1, 0))
tokens as tensors: tensors-for-tokens
- return list(zip(rows, tokens.tolist()))
+ return list(zip(rows, list(tokens)))
sorts the plan itself: wrong-type
- chunks = sorted(chunks, key=lambda chunk: (chunk[1] > 1, chunk[0].computed))
+ chunks.sort(key=lambda chunk: (chunk[1] > 1, chunk[0].computed))
counts what it computed: wrong-type
=     tokens = sample(logits, [one.sampling for one in rows], uniforms)
+ for one, new in chunks:
+     one.computed += new
pairs yet to come: wrong-type
- return list(zip(rows, tokens.tolist()))
+ return (zip(rows, tokens.tolist()))
draws for all: greedy-ones-draw
- uniforms = [one.random.random() if one.sampling.temperature else 0.0 for one in rows]
+ uniforms = [one.random.random() if one.sampling else 0.0 for one in rows]
# Findings: "called twice", as the greedy one's numbers were others each time.
one generator for all: wrong
- [one.random.random() if
+ [rows[0].random.random() if
numbers before the sort: wrong
- chunks = sorted(chunks, key=lambda chunk: (chunk[1] > 1, chunk[0].computed))
+ uniforms = [
+     one.random.random() if one.sampling.temperature else 0.0
+     for one, new in chunks
+     if one.computed + new == one.known
+ ]
+ chunks = sorted(chunks, key=lambda chunk: (chunk[1] > 1, chunk[0].computed))
- uniforms = [one.random.random() if one.sampling.temperature else 0.0 for one in rows]
rows before the sort: tokens-in-the-plans-order
- chunks = sorted(chunks, key=lambda chunk: (chunk[1] > 1, chunk[0].computed))
+ rows = [one for one, new in chunks if one.computed + new == one.known]
+ chunks = sorted(chunks, key=lambda chunk: (chunk[1] > 1, chunk[0].computed))
= chunks = sorted(chunks, key=lambda chunk: (chunk[1] > 1, chunk[0].computed))
- rows = [one for one, new in chunks if one.computed + new == one.known]
"""),
        },
        alternatives={"two lists": FORWARD_IN_TWO_LISTS},
        equivalent={
            f"{MODEL.format(0)} => {MODEL.format(-1)}": ALONE,
            f"{UNIFORMS} 0.0 for one in rows] => {UNIFORMS} 1.0 for one in rows]": GREEDY,
            f"{UNIFORMS} 0.0 for one in rows] => {UNIFORMS} -1.0 for one in rows]": GREEDY,
        },
    ),
    "loop.step": Proof(
        mistakes={
            **by_patches("""
commits before it computes: wrong
= failed: dict[Generation, Exception] = {}
+ self.scheduler.commit(plan._replace(chunks=[c for c in plan.chunks if c[0] not in failed]))
= tokens = self._compute(plan.chunks, failed)
- self.scheduler.commit(plan._replace(chunks=[c for c in plan.chunks if c[0] not in failed]))
keeps what failed: failed-stay-open
- self._end(request, "failed", error)
+ request.error = error
"""),
            "ends what failed, then commits": (
                STEP_IN_ORDER.replace(STEP_COMMITS, "").replace(
                    STEP_ENDS, f"{STEP_ENDS}{STEP_COMMITS}"
                ),
                "ends-before-it-commits",
            ),
            "returns what it computed": (
                STEP_IN_ORDER.replace(
                    "return self._hand_out(tokens)", "self._hand_out(tokens)\n        return tokens"
                ),
                "pairs-with-requests",
            ),
            "False": (STEP_IN_ORDER.replace("return None", "return False"), "false-for-none"),
            "a step without a token is none": (
                STEP_IN_ORDER.replace("self.step() is not None", "self.step()"),
                "no-tokens-for-no-plan",
            ),
            "a plan without chunks is none": (
                STEP_IN_ORDER.replace("if chunks is None:", "if not chunks:"),
                "no-chunks-for-no-plan",
            ),
            **by_patches("""
once: one-step
- while self.open:
+ for _ in [1]:
until no request is left: wrong
- while self.open:
+ while self.requests:
"""),
        },
        alternatives={
            "in order": STEP_IN_ORDER,
            "names the last": STEP_IN_ORDER.replace("{list(self.open)}", "{[*self.open][-1]}"),
        },
        equivalent={
            f"{NO_STEP.format(4)} => {NO_STEP.format(5)}": WORDING,
            f"{NO_STEP.format(4)} => {NO_STEP.format(3)}": WORDING,
        },
    ),
    "loop.hand_out": Proof(
        mistakes={
            **by_patches("""
no pages back: keeps-the-pages
- self.scheduler.finish(request)
+ pass
"""),
            "fails what it cancelled": (
                HAND_OUT_WITH_A_LOOP.replace(
                    'reason, error = "failed", problem\n            if reason and',
                    'self._end(request, "failed", problem)\n                continue\n'
                    "            if reason and",
                ),
                "fails-the-ended",
            ),
            **by_patches("""
tells nobody: wrong
- request.on_token(request.id, token)
+ pass
"""),
            "cancels by forgetting": (
                HAND_OUT_WITH_A_LOOP.replace(
                    'self._end(self.open[id], "cancelled")',
                    'self.open.pop(id).finish_reason = "cancelled"',
                ),
                "leak",
            ),
            **by_patches("""
frees the pages alone: leak
- self.scheduler.finish(request)
+ self.pool.release(request)
frees the place alone: leak
- self.scheduler.finish(request)
+ places = self.scheduler.running, self.scheduler.waiting
+ [place.remove(request) for place in places if request in place]
forgets who waits: leak
- self.scheduler.finish(request)
+ if request.pages:
+     self.scheduler.finish(request)
at another time: wrong
- told, now_s = [], self.clock()
+ told, now_s = [], 0.0
"""),
            "stops at one that has ended": (
                HAND_OUT_WITH_A_LOOP.replace("continue", "break"),
                "stops-at-the-ended",
            ),
            "survives the end of the process": (
                HAND_OUT_WITH_A_LOOP.replace(
                    "except Exception as problem:\n                reason,",
                    "except BaseException as problem:\n                reason,",
                ),
                "swallows-the-end",
            ),
            **by_patches("""
no words without a tokenizer: wrong
- request.text = self.tokenizer and request.words()
+ request.text = request.words() if self.tokenizer else str()
"""),
            "keeps the error to itself": (
                HAND_OUT_WITH_A_LOOP.replace(
                    "reason, error)\n        return", "reason)\n        return"
                ),
                "error-not-told",
            ),
        },
        alternatives={"a loop": HAND_OUT_WITH_A_LOOP},
    ),
    "loop.field": Proof(
        mistakes={
            "overwritten pages": ("a", "a"),
            "lost by preemption": ("c", "c"),
            "another order of draws": ("d", "d"),
        },
        alternatives={"a capital": "B", "in brackets": "(b)"},
    ),
    "loop.compute": Proof(
        mistakes={
            "one by one": (COMPUTE_ONE_BY_ONE, "row-by-row"),
            **by_patches("""
the id for the request: wrong-type
- failed[chunks[0][0]] = error
+ failed[chunks[0][0].id] = error
"""),
            "stops at the first fault": (COMPUTE_UNTIL_IT_FAILS, "wrong-type"),
            **by_patches("""
notes nothing: nobody-fails
- failed[chunks[0][0]] = error
+ pass
one kind of error: raised
- except Exception as error:
+ except ValueError as error:
blames the first: first-fails
- if len(chunks) == 1:
+ if chunks:
"""),
        },
        alternatives={"in halves": COMPUTE_IN_HALVES},
        equivalent={
            "failed[chunks[0][0]] = error => failed[chunks[-1][0]] = error": "there is but one",
        },
    ),
    "attention.buckets": Proof(
        mistakes={
            **by_patches("""
always alone: wrong
- if row > first and (new != 1 or (row + 1 - first) * longest > BUCKET_SLOTS):
+ if row >= first and (new != 1 or (row + 1 - first) * longest > BUCKET_SLOTS):
no bound: one-bucket
- if row > first and (new != 1 or (row + 1 - first) * longest > BUCKET_SLOTS):
+ if row > first and (new != 1 or (row + 1 - first) * longest > 10**9):
pairs for slices: wrong-type
- yield slice(first, row)
+ yield first, row
"""),
        },
        alternatives={"a list": BUCKETS_AS_A_LIST},
        equivalent={
            f"{ROWS.format(0, 0)} => {ROWS.format(-1, 0)}": "it only has to differ from 1",
            f"{ROWS.format(0, 0)} => {ROWS.format(0, 1)}": "the row that closes joins no bucket",
            f"{ROWS.format(0, 0)} => {ROWS.format(0, -1)}": "the row that closes joins no bucket",
            "first, longest = (row + 1, 0) => first, longest = (row + 1, 1)": "no shorter one",
            "first, longest = (row + 1, 0) => first, longest = (row + 1, -1)": "no shorter one",
        },
    ),
    "attention.paged": Proof(
        mistakes={
            **by_patches("""
writes nothing: never-writes
- memory.write(layer, step.slots, key[0], value[0])
+ pass
"""),
            "parts in attend": (
                PAGED_WITH_CAT.replace(PARTS_BEFORE, "").replace(
                    "        memory.write", f"{indent(PARTS_BEFORE, '    ')}        memory.write"
                ),
                "parts-in-each-layer",
            ),
            "chunks for all": (
                PAGED_WITH_CAT.replace(
                    "[Bucket(memory, step, rows) for rows in buckets(step)]", "[]"
                ).replace("if new > 1]", "]"),
                "chunks-alone",
            ),
            "a bucket for each": (
                PAGED_WITH_CAT.replace(
                    "for rows in buckets(step)]",
                    "for rows in (slice(r, r + 1) for r, n in enumerate(step.lengths) if n == 1)]",
                ),
                "other-parts",
            ),
            **by_patches("""
values for keys: values-for-keys
- memory.write(layer, step.slots, key[0], value[0])
+ memory.write(layer, step.slots, value[0], key[0])
"""),
        },
        alternatives={"put together": PAGED_WITH_CAT},
        equivalent={
            **{
                f"{PARTS.format('Bucket | Chunk')} => {PARTS.format(other)}": "a note for readers"
                for other in ("Bucket", "Chunk", "Chunk | Bucket")
            },
            f"{WRITE.format(0, 0)} => {WRITE.format(-1, 0)}": ALONE,
            f"{WRITE.format(0, 0)} => {WRITE.format(0, -1)}": ALONE,
            f"{GROUPED.format(0)} => {GROUPED.format(-1)}": ALONE,
        },
    ),
}
