"""A worked answer with one wrong line: find it, and carry the right figure to the end."""

import math
from dataclasses import dataclass

from labutils import llm
from labutils.drills.definition.writing import Draw, Drill, choice, listing, quantity, template
from labutils.laws.scaling import amdahl_speedup

_PAIRS = (
    ("Llama-3.1-8B", "A10"),
    ("Llama-3.1-8B", "RTX 4090"),
    ("Qwen3-8B", "L4"),
    ("Qwen2.5-7B", "L4"),
    ("Qwen3-8B", "A100 40 SXM"),
    ("Phi-4", "A100 40 SXM"),
    ("Qwen3-32B", "H100 SXM"),
)
# The defect -> the line that holds it, and what is wrong there.
_DEFECTS = {
    "query-heads": (1, "the cache holds keys and values of the key-value heads, not of all heads"),
    "keys-alone": (1, "a token leaves a key and a value, and the factor 2 is missing"),
    "one-byte": (2, "bf16 takes two bytes for each weight"),
    "binary-gigabytes": (2, "that is the figure in GiB, set against a card measured in GB"),
    "weights-forgotten": (3, "the weights lie in the same memory"),
    "one-user": (5, "a step makes a token for each sequence, not one in all"),
    "averaged": (6, "times add up along a step, speeds do not"),
    "whole-step": (6, "only the feed-forward becomes faster, the rest of the step stays"),
}
# What speaks for a line that is sound.
_SOUND = {
    1: "Keys and values, every layer, the key-value heads, two bytes: line 1 has all of them.",
    2: "Two bytes a weight, and gigabytes of 10⁹ bytes as on the card: line 2 is sound.",
    3: "Nine tenths of the card, less the weights as line 2 has them: line 3 is sound.",
    4: "Room over the cache of one request, rounded down: line 4 computes with what it is given.",
    5: "A token for each sequence in each step: line 5 counts all of them.",
    6: "A part becomes faster and the rest stays as it is: line 6 adds up times, as it should.",
}


@dataclass(frozen=True)
class _Note:
    """The sums of the note, with at most one defect."""

    spec: llm.ModelSpec
    device: llm.Accelerator
    context: int
    fixed_ms: int
    item_us: int
    share: float
    factor: float
    defect: str = ""

    @property
    def heads(self) -> int:
        return self.spec.num_heads if self.defect == "query-heads" else self.spec.num_kv_heads

    @property
    def kinds(self) -> int:
        return 1 if self.defect == "keys-alone" else 2

    @property
    def per_token(self) -> float:
        ratio = self.heads / self.spec.num_kv_heads * self.kinds / 2
        return self.spec.kv_bytes_per_token() * ratio

    @property
    def weights(self) -> float:
        if self.defect == "binary-gigabytes":
            return self.spec.weight_bytes() / 2**30 * 1e9
        return self.spec.weight_bytes(1.0 if self.defect == "one-byte" else 2.0)

    @property
    def room(self) -> float:
        held = 0.0 if self.defect == "weights-forgotten" else self.weights
        return 0.9 * self.device.memory_bytes - held

    @property
    def sequences(self) -> int:
        return max(0, math.floor(self.room / (self.context * self.per_token)))

    @property
    def step_s(self) -> float:
        return self.fixed_ms / 1e3 + self.item_us / 1e6 * self.sequences

    @property
    def rate(self) -> float:
        return (1 if self.defect == "one-user" else self.sequences) / self.step_s

    @property
    def speedup(self) -> float:
        if self.defect == "averaged":
            return 1 - self.share + self.share * self.factor
        return self.factor if self.defect == "whole-step" else self._speedup

    @property
    def _speedup(self) -> float:
        return amdahl_speedup(self.share, self.factor)

    @property
    def final(self) -> float:
        return self.rate * self.speedup

    def lines(self) -> list[str]:
        """The note as its author wrote it."""
        spec, kinds = self.spec, "2 · " * (self.kinds == 2)
        byte, held = (1 if self.defect == "one-byte" else 2), f" − {quantity(self.weights, 'B')}"
        held = "" if self.defect == "weights-forgotten" else held
        top = 1 if self.defect == "one-user" else self.sequences
        return [
            f"1. Cache of a token: {kinds}{spec.layers} layers · {self.heads} heads · "
            f"{spec.head_dim} · 2 B = {quantity(self.per_token, 'B')}",
            f"2. Weights: {spec.parameters / 1e9:.4g}·10⁹ · {byte} B = "
            f"{quantity(self.weights, 'B')}",
            f"3. Room for caches: 0.9 · {quantity(self.device.memory_bytes, 'B')}{held} = "
            f"{quantity(self.room, 'B')}",
            f"4. Sequences: {quantity(self.room, 'B')} / ({self.context:,} · "
            f"{quantity(self.per_token, 'B')}) = {self.sequences}",
            f"5. Step: {self.fixed_ms} ms + {self.sequences} · {self.item_us} µs = "
            f"{quantity(self.step_s, 's')}; rate {top} / {quantity(self.step_s, 's')} = "
            f"{quantity(self.rate, 'tok/s')}",
            f"6. New kernel: {self._sum()} = {quantity(self.speedup, '1')} times as fast, so "
            f"{quantity(self.final, 'tok/s')}",
        ]

    def _sum(self) -> str:
        part, rest = f"{self.share:g}", f"{1 - self.share:.2g}"
        if self.defect == "averaged":
            return f"{rest} · 1 + {part} · {self.factor:g}"
        if self.defect == "whole-step":
            return f"{self.factor:g} (feed-forward is {part} of a step)"
        return f"1 / ({rest} + {part} / {self.factor:g})"


def _step(spec, device, context: int, reached: float) -> tuple[int, int]:
    """Milliseconds for the weights and microseconds for a cache, at that share of bandwidth."""
    rate = reached * device.bandwidth_bytes_per_s
    item = math.ceil(spec.kv_bytes(context) / rate * 1e5) * 10
    return math.ceil(spec.weight_bytes() / rate * 1e3), item


@template(
    "B22 R06 B21 B05", level=4, decision="model", form="flaw", number=49, minutes=5, rough=False
)
def worked_answer(draw: Draw) -> Drill:
    """The flaw in a worked answer."""
    name, card = draw.one_of(_PAIRS)
    defect, context = draw.one_of(list(_DEFECTS)), draw.one_of((800, 1000, 1200, 1500, 2000))
    facts = (
        llm.model(name),
        llm.accelerator(card),
        context,
        *_step(llm.model(name), llm.accelerator(card), context, draw.one_of((0.35, 0.4, 0.45))),
        draw.one_of((0.4, 0.5, 0.6)),
        draw.one_of((1.5, 1.8, 2.0)),
    )
    wrong, right = _Note(*facts, defect=defect), _Note(*facts)
    draw.require(4 <= right.sequences <= 90 and 3 <= wrong.sequences <= 160)
    spec, device = right.spec, right.device
    line, fault = _DEFECTS[defect]
    late = right.sequences / wrong.step_s * right.speedup
    one = right.speedup / right.step_s
    table = "\n".join(wrong.lines())
    against = {f"Line {other}": reason for other, reason in _SOUND.items() if other != line}
    return draw.drill(f"""
    A candidate sizes {spec.name} on one {device.name} ({quantity(device.memory_bytes, "B")}, of
    which 0.9 are used). The model has {spec.parameters / 1e9:.4g} billion weights in bf16,
    {spec.layers} layers, {spec.num_heads} query heads and {spec.num_kv_heads} key-value heads of
    {spec.head_dim}; a request holds {right.context:,} tokens. A step takes {right.fixed_ms} ms plus
    {right.item_us} µs per sequence; the feed-forward is {right.share:g} of it, and a new kernel
    does that part {right.factor:g} times as fast. Asked for the tokens a second of the whole card
    with the new kernel, the candidate writes (GB = 10⁹ B): {listing(table)}
    ? With that line put right, what is the final figure?
    = {right.final} tok/s tolerance=0.02
    - as-written {wrong.final}: That is the figure of the note, flaw included. Which line does not
      follow from the story and the lines before it?
    - without-the-kernel {right.rate}: You stop before line 6. Which rate is asked for?
    - step-as-written {late if wrong.sequences != right.sequences else None}: You put the number of
      sequences right and keep the step's time. What does a step with that many take?
    - per-user {one if defect != "one-user" else None}: That is what one user gets. Whose tokens are
      asked for?
    ? Exactly one line brings in a mistake; the others compute with what they are given. Which one?
    {choice(f"Line {line}", against)}
    > Go line by line: is each factor a fact of the story, and is one missing?
    > 2 · layers · KV heads · head size · bytes; weights · bytes; what is left; ÷ context; sequences
      ÷ step; 1 / (rest + part / factor).
    > Begin with the cache: 2 · {spec.layers} · {spec.num_kv_heads} · {spec.head_dim} · 2 B, and
      compare as you go.
    . The flaw is in line {line}: {fault}.
    * room {right.room} B: Cache of a token {quantity(right.per_token, "B")}, weights
      {quantity(right.weights, "B")}, room {quantity(right.room, "B")}
    * sequences {right.sequences}: Sequences: {right.sequences}
    * rate {right.rate} tok/s: {right.sequences} / {quantity(right.step_s, "s")} =
      {quantity(right.rate, "tok/s")}
    * final {right.final} tok/s: × {quantity(right.speedup, "1")} = {quantity(right.final, "tok/s")}
    ~ No step is shorter than {right.fixed_ms} ms ÷ {right.factor:g}, and each brings one token per
      sequence.

    Published answers to this very question go wrong in these places: query heads for KV heads, one
    of K and V, bytes per weight, GB against GiB, weights left out, one user for the card, averaged
    speed-ups. Check the factors, then the arithmetic.
    """)
