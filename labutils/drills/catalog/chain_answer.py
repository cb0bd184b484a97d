"""Where the seconds of one request go, and where they go next."""

from dataclasses import dataclass, replace

from labutils.drills.definition.writing import Draw, Drill, choice, piece, quantity, template
from labutils.laws.scaling import amdahl_speedup


@dataclass(frozen=True)
class _Request:
    """One request: retrieval, reading the prompt, the answer after its first token."""

    retrieval_s: float
    prompt_tokens: int
    prompt_rate: float
    answer_tokens: int
    gap_ms: float

    @property
    def prompt_s(self) -> float:
        return self.prompt_tokens / self.prompt_rate

    @property
    def answer_s(self) -> float:
        return (self.answer_tokens - 1) * self.gap_ms / 1000

    @property
    def total_s(self) -> float:
        return self.retrieval_s + self.prompt_s + self.answer_s

    @property
    def parts(self) -> dict[str, float]:
        return {
            "Retrieval": self.retrieval_s,
            "Reading the prompt": self.prompt_s,
            "Writing the answer": self.answer_s,
        }

    @property
    def largest(self) -> str:
        return max(self.parts, key=self.parts.get)

    def leads(self) -> bool:
        """Whether the largest part is so by a clear margin."""
        ordered = sorted(self.parts.values())
        return ordered[-1] > 1.2 * ordered[-2]


@template("A07 B05 Q05 D03", level=2, decision="limit", form="chain", minutes=6)
def chain_answer(draw: Draw) -> Drill:
    """Where a request's seconds go: answer, retrieval, prompt."""
    factor, request = _request(draw)
    faster = replace(request, gap_ms=request.gap_ms / factor)
    cached = replace(faster, retrieval_s=0.1, prompt_tokens=request.prompt_tokens * 3)
    for scene, part in (
        (request, "Writing the answer"),
        (faster, "Retrieval"),
        (cached, "Reading the prompt"),
    ):
        draw.require(scene.largest == part and scene.leads())
    beginning = piece(f"""
    Nobody else is on the system. A question takes {quantity(request.retrieval_s, "s")} to retrieve
    documents; its prompt of {request.prompt_tokens:,} tokens is read at
    {quantity(request.prompt_rate, "tok/s")}, after which the first token is out;
    {request.answer_tokens} tokens are written in all, one every {request.gap_ms:g} ms after the
    first.
    ? How long does the whole question take, to the last token?
    - retrieval-forgotten {request.prompt_s + request.answer_s}: You begin with the prompt. Where
      does it come from?
    - first-token {request.retrieval_s + request.prompt_s}: That is the time to the first token.
      When is the last one out?
    - prompt-forgotten {request.retrieval_s + request.answer_s}: You leave out the prompt. What
      happens before the first token is out?
    """)
    moral = (
        "TTFT + (n − 1) · TPOT, with retrieval inside the TTFT that a user feels. For answers of "
        "hundreds of tokens the second term is the larger one."
    )
    further = _faster(draw, request=request, faster=faster, cached=cached, factor=factor)
    return _link(draw, request, beginning, moral).then(further)


def _request(draw: Draw) -> tuple[float, _Request]:
    """A request whose answer is its largest part, until it is written ``factor`` times as fast."""
    factor, retrieval = draw.one_of((3, 4, 5)), draw.number(0.7, 1.6)
    rate, gap = draw.number(4000, 9000), draw.one_of((18, 20, 24, 28, 32))
    prompt, answer = retrieval * draw.share(0.4, 0.8), retrieval * draw.share(0.5, 0.8)
    return factor, _Request(
        retrieval_s=retrieval,
        prompt_tokens=round(prompt * rate / 100) * 100,
        prompt_rate=rate,
        answer_tokens=round(answer * factor / gap * 100) * 10,
        gap_ms=gap,
    )


def _faster(draw: Draw, *, request, faster, cached, factor: float) -> Drill:
    gained = amdahl_speedup(request.answer_s / request.total_s, factor)
    beginning = piece(f"""
    Another card and a smaller model write {factor:g} times as fast; a prompt is read as before.
    ? How long does the whole question take now?
    - all-faster {request.total_s / factor}: You speed up the whole question. Which part has become
      faster?
    - unchanged {request.total_s}: That is the old time. Which part has changed?
    """)
    moral = (
        f"{factor:g} times as fast in the largest part made the whole {quantity(gained, '1')} "
        "times as fast, and another part the largest (Amdahl's law)."
    )
    further = _longer_prompt(draw, faster=faster, cached=cached)
    return _link(draw, faster, beginning, moral).then(further)


def _longer_prompt(draw: Draw, *, faster, cached) -> Drill:
    old_prompt = cached.total_s - cached.prompt_s + faster.prompt_s
    old_retrieval = cached.total_s - cached.retrieval_s + faster.retrieval_s
    beginning = piece(f"""
    Retrieval gets a cache and takes {quantity(cached.retrieval_s, "s")} from now on. With the time
    won, the product puts three times as many tokens into the prompt, still few enough for the
    reading rate to stay.
    ? How long does the whole question take now?
    - old-prompt {old_prompt}: You read the old prompt. How long is the new one?
    - old-retrieval {old_retrieval}: You retrieve as before. What does the cache do?
    - unchanged {faster.total_s}: That is the time before. Two parts have changed.
    """)
    moral = (
        "A saved second is soon spent. With three times the prompt the first token is what users "
        "wait for: prefix caching of what the prompts share is the next lever."
    )
    return _link(draw, cached, beginning, moral)


def _link(draw: Draw, scene: _Request, beginning: str, moral: str) -> Drill:
    """``beginning`` is the piece with the story, the question and its mistakes."""
    wrong = {
        part: f"{part} is not the largest part. Write down the three times, and compare."
        for part in scene.parts
        if part != scene.largest
    }
    return draw.drill(f"""
    {beginning}
    = {scene.total_s} s tolerance=0.01
    ? Which part is the largest?
    {choice(scene.largest, wrong)}
    > Three parts, one after the other.
    > Retrieval + prompt ÷ reading rate + (n − 1) × gap.
    > {quantity(scene.retrieval_s, "s")} + {scene.prompt_tokens:,} ÷
      {quantity(scene.prompt_rate, "tok/s")} + {scene.answer_tokens - 1} × {scene.gap_ms:.3g} ms.
    . Retrieval: {quantity(scene.retrieval_s, "s")}
    * prompt {scene.prompt_s} s: Prompt: {scene.prompt_tokens:,} ÷
      {quantity(scene.prompt_rate, "tok/s")} = {quantity(scene.prompt_s, "s")}
    * writing {scene.answer_s} s: Answer: {scene.answer_tokens - 1} × {scene.gap_ms:.3g} ms =
      {quantity(scene.answer_s, "s")}
    * total {scene.total_s} s: The sum: {quantity(scene.total_s, "s")}; the largest is
      {scene.largest.lower()}
    ~ More than {quantity(max(scene.parts.values()), "s")}, the largest part, and less than three
      times that.

    {moral}
    """)
