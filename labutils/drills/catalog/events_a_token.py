"""A client that takes every event of a stream for a token, and a floor that may convict it."""

from labutils import llm
from labutils.drills.catalog._serving import as_printed, billions, speed_of, whole_card
from labutils.drills.definition.writing import Draw, Drill, choice, quantity, template

# Events for each token -> the option, and what speaks against it.
_COUNTED = {
    2: (
        "Two events for each token.",
        "Then it would see about twice as many gaps as the answer has. How many does it see?",
    ),
    3: (
        "Three events for each token.",
        "Then the true time would be three times the reported one. Divide one by the other.",
    ),
    0.5: (
        "One event for every two tokens.",
        "Then it would report a longer time than the true one. Which of the two is longer?",
    ),
    1: (
        "One event for each token.",
        "Then its figure would agree with the times from the first to the last token.",
    ),
}


@template("A06 L12 A07", level=1, decision="model")
def events_a_token(draw: Draw) -> Drill:
    """A client that counts events: TPOT from the end-to-end time and the length instead."""
    spec, card = whole_card(draw)
    floor = as_printed(spec.parameters) * 2 / card.bandwidth_bytes_per_s
    each, tokens = draw.one_of((2, 2, 3, 0.5)), 2 * draw.random.randint(41, 331)
    decode = (tokens - 1) * floor * draw.number(1.15, 4)
    first = float(f"{decode * draw.number(0.03, 0.15):.2g}")
    whole = as_printed(first + decode)
    answer = llm.tpot_for_duration_s(whole, first, tokens)
    gaps = each * tokens - 1
    shown = float(f"{(whole - first) / gaps:.3g}")
    right, _ = _COUNTED[each]
    return draw.drill(f"""
    A load test asks for answers of exactly {tokens} tokens; the end of the text is ignored, and the
    engine's own counter confirms the length. The report of the client, means over all answers:
    first token after {quantity(first, "s")}, last token after {quantity(whole, "s")},
    {quantity(shown, "s")} per output token after the first. The client takes every event of the
    stream for a token.
    ? How long does a token after the first take in truth, on average?
    = {answer} s tolerance=0.01 telling=2
    - as-reported {shown}: That is the report's figure. By how many gaps was it divided, and how
      many has the answer?
    - first-token-inside {whole / tokens}: You share out the whole time. How much of it had passed
      when the first token came?
    - corrected-the-wrong-way {shown * shown / answer}: You go away from the report in the wrong
      direction. Are there more events than tokens, or fewer?
    - always-halved {2 * shown}: You suppose two events for a token. What do the times say?
    - the-first-token {first}: That is the time of the first one. And those after it?
    ? What does the client count?
    {choice(right, {text: why for text, why in _COUNTED.values() if text != right})}
    > Two times and a length that was confirmed give the true one; then set the report's beside it.
    > (last token − first token) ÷ (tokens − 1).
    > ({quantity(whole, "s")} − {quantity(first, "s")}) ÷ {tokens - 1}.
    * decode {whole - first} s: After the first token: {quantity(whole - first, "s")}
    * per_token {answer} s: ÷ {tokens - 1} gaps = {quantity(answer, "s")}
    . The report divided by {(whole - first) / shown:,.0f} gaps: {each:g} events for a token
    ~ {"More" if each > 1 else "Less"} than the report says: it sees
      {"too many" if each > 1 else "too few"} gaps.

    TPOT = (end to end − TTFT) ÷ (tokens − 1), with a length that the engine counted. A client that
    counts events reports the time of an event: an empty last chunk, a usage record or a draft of
    several tokens changes it. Three figures of one report check each other.
    """).then(_floor(draw, spec, card, shown, answer))


_IMPOSSIBLE = "The reported time per token is impossible: no step is that short."
_POSSIBLE = "The reported time per token is possible; this floor alone does not find the fault."


def _floor(
    draw: Draw, spec: llm.ModelSpec, card: llm.Accelerator, shown: float, true: float
) -> Drill:
    weights = as_printed(spec.parameters)
    answer = 2 * weights / card.bandwidth_bytes_per_s
    draw.apart(shown, answer, by=0.05)
    right = _IMPOSSIBLE if shown < answer else _POSSIBLE
    wrong = {
        _IMPOSSIBLE: "Set the reported time beside the floor. Is it shorter?",
        _POSSIBLE: "Set the reported time beside the floor. Is it longer?",
        "The reported time per token is confirmed by this floor.": "A floor says what cannot be. "
        "Does it say that whatever lies elsewhere is true?",
        "The true time per token is impossible as well.": f"{quantity(true, 's')} is more than "
        "reading the weights takes. What forbids it?",
    }
    return draw.drill(f"""
    The engine runs {spec.name} ({billions(spec)}, 16 bits each) on {speed_of(card)}. A step gives
    each stream one token, and reads all the weights once.
    ? How long does reading the weights take at least?
    = {answer} s tolerance=0.01 telling=3
    - a-byte-a-weight {answer / 2}: You read one byte for a weight. How many are 16 bits?
    - bits-for-bytes {8 * answer}: Those are bits. In what is the bandwidth given?
    - the-true-time {true}: That is what a token takes in truth. What part of it are the weights?
    - four-bytes-a-weight {2 * answer}: You read four bytes for a weight. How many are 16 bits?
    ? What does that say about the report of before?
    {choice(right, {text: why for text, why in wrong.items() if text != right})}
    > How many bytes does a step read, whatever else it does?
    > parameters × 2 bytes ÷ bandwidth.
    > {weights / 1e9:.4g} × 10⁹ × 2 B ÷ {card.bandwidth_bytes_per_s / 1e12:g} TB/s.
    * weights {2 * weights} B: Weights: {quantity(2 * weights, "B")}
    * floor {answer} s: ÷ {card.bandwidth_bytes_per_s / 1e12:g} TB/s = {quantity(answer, "s")}; the
      report says {quantity(shown, "s")}
    ~ Below the true {quantity(true, "s")}: a step reads the weights, and does more.

    Weights over bandwidth is a floor for a token of a stream, without drafts. What lies below it is
    a fault of the ruler. What lies above it may still be wrong, so check it against the other
    figures of the report as well.
    """)
