"""How an answer at the whiteboard is judged: eight axes, 0 to 3, with an example for each score.

The examples all answer ``QUESTION``, so that they can be compared. The cut-offs are the course's
own proposal.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from labutils.ground.sheets import parts

MOST = 3
QUESTION = "Serve 2,000 chat users at once with an 8B model. How many GPUs?"
SCORES = (
    "nothing, or words that would fit any question",
    "true, but without a figure or a consequence",
    "right for this case, with what it rests on",
    "the same, and what follows from it or would change it",
)
_SHEET = """
# clarify Clarify workload and objective: Which numbers are missing, and which of them decide?
0 “So we need GPUs with a lot of memory.”
1 “Is that 2,000 at peak?”
2 “What lengths, and which latency is promised at which percentile?”
3 “How many of the 2,000 wait for tokens at once? Prompt and answer lengths at the p95? Is the
  promise on TTFT, TPOT or both? Those three fix the memory.”

# estimate Estimate with numbers: Are there figures, with units, that follow from each other?
0 “A GPU serves many users.”
1 “An H100 makes thousands of tokens a second, so a few GPUs.”
2 “128 KiB a token, 2,000 tokens each: 0.26 GB a user; beside the weights 213 fit.”
3 The same, and: “at 213 a step reads 16 GB of weights and 56 GB of cache, 21 ms at peak; that is 47
  tokens a second each, so TPOT still holds when memory is full. 2,000/213: ten GPUs, and one
  spare.”

# limit Name the binding resource: Bandwidth, arithmetic, memory, a queue or a stage: which, and how
  do you know?
0 “The GPU is the bottleneck.”
1 “Decode is memory-bound.”
2 “Here the KV memory binds: it is full before TPOT is spent.”
3 The same, and: “a full memory is read in 21 ms, so a TPOT of 40 ms never binds. At 200 tokens each
  2,133 would fit, far beyond the critical batch of 295: there arithmetic binds. With prompts of
  8,000 and short answers it is prefill.”

# schedule Scheduling policy: Who runs next, in which batch, and what is that good for?
0 “We put requests into a queue.”
1 “We use continuous batching.”
2 “Continuous batching, prefill in chunks so that decodes keep their gaps.”
3 The same, and: “chunks sized by the ITL promise; admission by free pages, with a reserve for what
  runs; the newest is preempted first. It costs the long prompt some TTFT.”

# failure Tails, overload, failure: What happens at the p99, at twice the load, when a machine dies?
0 “We autoscale.”
1 “There is a timeout.”
2 “The queue is bounded by the deadline; what would be late is refused.”
3 The same, and: “retries have a budget, so they cannot keep an overload alive. One machine of
  eleven may die: its streams start again elsewhere from the prompt and the tokens already sent.”

# measure Measurement plan: What would show that the answer is wrong?
0 “We monitor latency.”
1 “We look at the p99 on a dashboard.”
2 “Open loop, TTFT and TPOT at the p99, after warm-up, with the length mix.”
3 The same, and: “at 50, 80 and 110 % of the capacity I predicted; 20,000 requests, so that 200 lie
  beyond the p99. If pages in use stay below 70 % when the wait begins, memory was not the limit and
  I am wrong.”

# cost Cost: What does it cost per unit of work, and which lever moves that?
0 “GPUs are expensive.”
1 “Ten GPUs at $3 are $30 an hour.”
2 “$30 an hour at 80,000 tokens a second (reached, not peak): $0.10 a million, when busy.”
3 The same, and: “busy 40 % of the day, so $0.26. A prefix cache would save prefill only; shorter
  contexts raise the batch and make decode cheaper too.”

# commit Commit to a trade-off: Is there a decision, its price, and what would change it?
0 “It depends.”
1 “Probably ten GPUs.”
2 “Ten H100 and one spare, pages, chunks of 512; we pay with TTFT at the peak.”
3 The same, and: “before I buy more I would halve the cache with fp8, if quality holds; prefill gets
  machines of its own only when prompts pass 4,000 tokens on average.”
"""


@dataclass(frozen=True)
class Axis:
    """One axis: what it asks, and what each score from 0 to 3 sounds like."""

    name: str
    asks: str
    examples: tuple[str, ...]

    def better_than(self, score: int) -> str:
        """What one point more than ``score`` sounds like."""
        text = self.examples[score + 1]
        return text.replace("The same", self.examples[score], 1)


def _axes(sheet: str) -> Iterator[tuple[str, Axis]]:
    """The axes by name: ``# name heading: question``, and below an example for each score."""
    found = parts(sheet, "#0123")
    for place in range(0, len(found), MOST + 2):
        axis, *examples = found[place : place + MOST + 2]
        if [part.mark for part in (axis, *examples)] != list("#0123"):
            raise axis.error("expected an axis, and below it an example for each score")
        words, asks = axis.head()
        yield words[0], Axis(" ".join(words[1:]), asks, tuple(part.text for part in examples))


AXES: Mapping[str, Axis] = MappingProxyType(dict(_axes(_SHEET)))


def level(scores: Mapping[str, int], *, moves_the_limit: bool = False) -> str:
    """The level that eight scores show.

    Mid from 10 of 24; senior from 15 with ``estimate`` at 2 or more; staff from 19 if the answer
    also predicted how the limit moves (with batch, context, precision or hardware).

    Raises ``ValueError`` for an unknown axis, a missing one, or a score outside 0 to 3.
    """
    if set(scores) != set(AXES):
        raise ValueError(f"scores = {sorted(scores)}: expected one for each of {', '.join(AXES)}")
    for axis, score in scores.items():
        if score not in range(MOST + 1):
            raise ValueError(f"{axis} = {score!r}: expected 0, 1, 2 or 3")
    total = sum(scores.values())
    if total >= 19 and moves_the_limit and scores["estimate"] >= 2:
        return "staff"
    if total >= 15 and scores["estimate"] >= 2:
        return "senior"
    return "mid" if total >= 10 else "not yet mid"
