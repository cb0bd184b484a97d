"""First tokens that come too soon: what a prompt's arithmetic allows, and what a cache held."""

from labutils import llm
from labutils.drills.catalog._serving import as_printed, billions, gb, whole_card
from labutils.drills.definition.writing import Draw, Drill, choice, positive, quantity, template

_CACHED = "No: a part of the prompts was not computed, but found in a cache."
_NOTHING = "As far as this bound goes, yes; it does not prove that they were computed."
_AGAINST = {
    _CACHED: "Set the measured time beside the bound. Is it the shorter one?",
    _NOTHING: "Set the measured time beside the bound. Is it the longer one?",
    "No: the card computes faster than its peak.": "A peak is what a card cannot pass. What else "
    "makes a prompt short?",
    "Yes: prompts that are read in one step need no longer than a step.": "A step is as long as "
    "what it computes. How many operations are in this one?",
}


@template("F05 D01 B19 H03", level=3, decision="limit", form="verdict", minutes=3)
def prompt_too_fast(draw: Draw) -> Drill:
    """TTFT below the arithmetic of the prompt: a prefix cache, and how many texts it can hold."""
    spec, card = whole_card(draw)
    prompt, weights = draw.random.randint(1_300, 9_700), as_printed(spec.parameters)
    peak = card.peak("bf16")
    answer = 2 * weights * prompt / peak
    shown = float(f"{answer * draw.one_of((draw.number(0.2, 0.85), draw.number(1.2, 2))):.3g}")
    draw.apart(shown, answer, by=0.1)
    right = _CACHED if shown < answer else _NOTHING
    return draw.drill(f"""
    A load test sends {spec.name} ({billions(spec)}) prompts of {prompt:,} tokens. The model runs on
    one {card.name} in bf16, for which the data sheet says {peak / 1e12:g} TFLOP/s dense. Median
    time to the first token, by the report: {quantity(shown, "s")}. Each weight costs two operations
    a token; leave out the attention, which comes on top.
    ? How long does the arithmetic of such a prompt take at least?
    = {answer} s tolerance=0.01 telling=3
    - one-operation-a-weight {answer / 2}: You count one operation a weight. It is multiplied, and
      then?
    - one-token {2 * weights / peak}: That is a single token. How many has the prompt?
    - weights-read {2 * weights / card.bandwidth_bytes_per_s}: That is what reading the weights
      takes, once for the whole prompt. How long does computing them take?
    - as-measured {shown}: That is the report's time. What does the arithmetic say?
    - read-for-each-token {2 * weights * prompt / card.bandwidth_bytes_per_s}: You read the weights
      for each token of the prompt. How often does a step read them?
    ? Can these prompts have been computed from the first token to the last?
    {choice(right, {text: why for text, why in _AGAINST.items() if text != right})}
    > How many operations does the prompt take, and how many can the card do in a second?
    > 2 × parameters × tokens ÷ peak.
    > 2 × {weights / 1e9:.4g} × 10⁹ × {prompt:,} ÷ ({peak / 1e12:g} × 10¹²).
    * operations {2 * weights * prompt} FLOP: {2 * weights * prompt / 1e12:,.4g} × 10¹² operations
    * bound {answer} s: At the peak {quantity(answer, "s")}, and no kernel reaches it; measured:
      {quantity(shown, "s")}
    ~ Attention, queue, network and a share of the peak below 1 only make it longer.

    TTFT ≥ 2 × parameters × tokens ÷ peak for a cold prompt. Below that something was cached. Above
    it nothing is proved: ask the engine for its hit rate, or send prompts that nobody has sent
    before.
    """).then(_computed(draw, spec, card, prompt, shown))


def _computed(
    draw: Draw, spec: llm.ModelSpec, card: llm.Accelerator, prompt: int, shown: float
) -> Drill:
    weights, peak = as_printed(spec.parameters), card.peak("bf16")
    reached, edge = draw.share(0.35, 0.65), float(f"{shown * draw.number(0.06, 0.3):.2g}")
    computed = (shown - edge) * reached * peak / (2 * weights)
    answer = prompt - computed
    draw.require(0.12 * prompt < answer < 0.93 * prompt)
    at_peak = prompt - (shown - edge) * peak / (2 * weights)
    return draw.drill(f"""
    Prompts of the same length that nobody has sent before are tried, one at a time: their
    arithmetic reaches {100 * reached:.0f} % of the peak. Besides, {quantity(edge, "s")} of the
    report's time were spent outside the arithmetic, in the tokeniser and on the way.
    ? How many of the {prompt:,} tokens came from the cache at the median, at least?
    = {answer} tolerance=0.01 telling=3
    - the-computed-ones {computed}: So many could be computed in that time. And the others?
    - at-the-peak {positive(at_peak)}: You compute at the peak. Which part of it was
      reached?
    - outside-forgotten {prompt - shown * reached * peak / (2 * weights)}: You give the whole time
      to the arithmetic. What else is in it?
    - one-operation-a-weight {positive(prompt - 2 * computed)}: You count one operation a weight. It
      is multiplied, and then?
    - all-of-it {prompt}: Then the arithmetic would take no time. How much of the time was it?
    > How many tokens can be computed in what is left of the time?
    > tokens − (time − outside) × reached × peak ÷ (2 × parameters).
    > {prompt:,} − ({quantity(shown, "s")} − {quantity(edge, "s")}) × {reached:g} × {peak / 1e12:g}
      × 10¹² ÷ (2 × {weights / 1e9:.4g} × 10⁹).
    * computed {computed}: In {quantity(shown - edge, "s")} at most {computed:,.0f} tokens are
      computed
    * cached {answer}: {prompt:,} − {computed:,.0f} = {answer:,.0f} from the cache
    ~ Some, for cold the arithmetic alone would take
      {quantity(2 * weights * prompt / (reached * peak), "s")}.

    “At least”, for the request may also have waited. Divide by what the card reaches and not by its
    peak, and a cache shows where the first bound saw none.
    """).then(_circle(draw, spec, card, prompt))


def _circle(draw: Draw, spec: llm.ModelSpec, card: llm.Accelerator, prompt: int) -> Drill:
    per_token = int(spec.kv_bytes_per_token())
    each = prompt * per_token
    room = 0.9 * card.memory_bytes - spec.weight_bytes()
    pool = as_printed(room * draw.share(0.35, 0.85))
    answer = int(pool / each)
    draw.require(answer >= 9 and 0.1 < pool / each % 1 < 0.9)
    return draw.drill(f"""
    The generator has a number of different texts of {prompt:,} tokens each, without a common
    beginning, and sends them in a circle. A token keeps {per_token:,} bytes in the cache, which has
    {gb(pool)} for texts that no request uses at the moment. A text goes as a whole, the one that
    was used longest ago first; leave out the answers.
    ? How many different texts may circle at most, so that each is found when its turn comes again?
    = {answer} tolerance=0 absolute=1 unsafe=above telling=2
    - rounded-up {answer + 1}: That text does not fit whole. Which way do you round?
    - binary {int(pool * 2**30 / 1e9 / each)}: You take a GB for 2³⁰ bytes. How many has it?
    - keys-alone {int(2 * pool / each)}: You keep the keys or the values. What is in the bytes of a
      token?
    - texts-of-one-token {int(pool / per_token)}: So many tokens fit. How many has a text?
    ? Twice as many texts circle. Which share of the prompts is found, after the first round?
    + None: each text makes room shortly before its turn.
    x Half: every other text still fits.
    ! Which text goes when the next one comes, and which is asked for next?
    x Nearly all: the texts are asked for equally often.
    ! Equally often and each as late as possible. What is still there when its turn comes?
    x A third: the least recently used ones stay.
    ! Those that were used longest ago are the ones that go. Which is asked for next?
    > How many bytes does one text keep?
    > ⌊memory ÷ (tokens × bytes of a token)⌋.
    > {gb(pool)} ÷ ({prompt:,} × {per_token:,} B).
    * text {each} B: A text keeps {prompt:,} × {per_token:,} B = {gb(each)}
    * texts {answer}: {gb(pool)} ÷ {gb(each)} = {pool / each:.2f}, rounded down: {answer}
    ~ Fewer than {pool / (1000 * per_token):,.0f}: so many of 1,000 tokens would fit.

    A circle is the best load for a cache that holds it and the worst for one that is a little
    smaller. A hundred texts that go round make a benchmark of the cache: say how many there are,
    or send each text once.
    """)
