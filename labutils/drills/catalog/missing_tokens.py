"""One number is missing: the tokens that an engine made, where the text was counted again."""

from labutils import llm
from labutils.drills.catalog._serving import as_printed
from labutils.drills.definition.writing import Draw, Drill, quantity, template

_WORK = ("code completion", "a chat", "role play", "a summariser")


@template("A06 L12 A02", level=2, decision="model", form="missing")
def missing_tokens_made(draw: Draw) -> Drill:
    """Ask for the missing number: tokens made, not tokens of the text."""
    made = draw.random.randint(120, 640)
    counted = round(made * draw.share(0.68, 0.93))
    first, per_token = draw.number(0.03, 0.4), draw.number(0.007, 0.04)
    whole = as_printed(first + (made - 1) * per_token)
    draw.require(first > 0.02 * whole)
    seconds = draw.one_of((420, 600, 900, 1200))
    sent = draw.random.randint(3 * seconds, 16 * seconds)
    answered = sent - round(sent * draw.share(0.06, 0.3))
    report = (sent, answered, seconds, counted)
    return draw.drill(f"""
    The report of a load test of {draw.one_of(_WORK)}: in {seconds} s {sent:,} requests were sent
    and {answered:,} answered. Means of those that were answered: first token after
    {quantity(first, "s")}, last token after {quantity(whole, "s")}, length {counted} tokens. The
    client took that length from the text, which it put through a tokeniser once the answer was
    complete. “How long does a token after the first take?”
    ? You may ask for one number, and one only. Which question do you ask?
    + How many tokens did the engine write for an answer, on average?
    x How many tokens does a prompt have on average?
    ! The prompt is read before the first token. When is what was asked measured?
    x How many requests ran side by side on average?
    ! That explains the times. Are they not in the report already?
    x How many characters does the text of an answer have?
    ! The tokeniser has seen the text. Does all that an engine writes become text?
    x How long did the requests take that were not answered?
    ! The means leave them out. By what are these means to be divided?
    > Which two times are known, and what lies between them?
    > (last token − first token) ÷ (tokens − 1).
    > ({quantity(whole, "s")} − {quantity(first, "s")}) ÷ (? − 1).
    . Both times are known: {quantity(whole - first, "s")} from the first token to the last.
    . The length of the text is no count of steps: end marks and other special tokens leave no text,
      and letters that came as two tokens may be read back as one.
    ~ The tokens of the text would give {quantity((whole - first) / (counted - 1), "s")}; whether
      that is right, the text cannot say.

    An engine spends a step on every token, also on one that leaves no text. Ask for the engine's
    count, in the usage record or its metrics, before you divide by a length.
    """).then(_per_token(draw, report, made, first=first, whole=whole))


def _per_token(draw: Draw, report: tuple, made: int, *, first: float, whole: float) -> Drill:
    counted = report[3]
    answer = llm.tpot_for_duration_s(whole, first, made)
    return draw.drill(f"""
    “Each request asked for {made} tokens, with the end of the text ignored. The engine's counter
    agrees: {made} for every answer.”
    ? How long does a token after the first take, on average?
    = {answer} s tolerance=0.01 telling=2
    - tokens-of-the-text {(whole - first) / (counted - 1)}: You divide by what is left in the text.
      How many steps did the engine make?
    - first-token-inside {whole / made}: You share out the time to the first token as well. How many
      gaps come after it?
    - mean-of-both-lengths {2 * (whole - first) / (made + counted - 2)}: You take the mean of two
      lengths. Is one of them a count of steps?
    - text-and-whole-time {whole / counted}: You share out the whole time among the tokens of the
      text. Which time, and which tokens?
    > The time between the first token and the last, and the gaps in it.
    > (last token − first token) ÷ (tokens − 1).
    > ({quantity(whole, "s")} − {quantity(first, "s")}) ÷ ({made} − 1).
    * decode {whole - first} s: From the first to the last: {quantity(whole - first, "s")}
    * per_token {answer} s: ÷ {made - 1} = {quantity(answer, "s")}
    ~ Less than the tokens of the text would give: there were more of them.

    With a length that is too short the engine looks slower than it is. Published tables hold such
    figures: look for one length for all the answers where the end of the text was ignored.
    """).then(_rate(draw, report, made, answer))


def _rate(draw: Draw, report: tuple, made: int, per_token: float) -> Drill:
    sent, answered, seconds, counted = report
    answer = answered * made / seconds
    shown = answered * counted / seconds
    return draw.drill(f"""
    The report also has output tokens a second: {quantity(shown, "tok/s")}, from the length that it
    counted. Those that were not answered were refused at once, without a token.
    ? How many output tokens a second did the engine make in these {seconds} s?
    = {answer} tok/s tolerance=0.01 telling=3
    - as-reported {shown}: That is the report's figure. Which tokens does it count?
    - sent-for-answered {sent * made / seconds}: You count all that were sent. Who was given tokens?
    - sent-and-text {sent * counted / seconds}: You count all that were sent, and the text of it.
      Who was given tokens, and how many?
    - one-stream {1 / per_token}: That is what one stream gets. How many answers came in that time?
    - corrected-the-wrong-way {shown * counted / made}: You make it smaller still. Are the tokens of
      the text too many, or too few?
    ? The report took one wrong length for both figures. What did it do to them?
    + The time per token became too long, and the tokens a second too few.
    x The time per token became too short, and the tokens a second too few.
    ! A time that is divided by a length which is too small: does it shrink or grow?
    x The time per token became too long, and the tokens a second too many.
    ! The tokens a second are multiplied by the length. Is it too small or too large?
    x The tokens a second became too few; the time per token is measured and stays right.
    ! By what does the client divide to get a time per token?
    > Count the tokens of those that were answered.
    > answered × tokens of each ÷ seconds.
    > {answered:,} × {made} ÷ {seconds} s.
    * tokens {answered * made} tok: {answered:,} × {made} = {answered * made:,} tokens
    * rate {answer} tok/s: ÷ {seconds} s = {quantity(answer, "tok/s")}
    ~ {made} ÷ {counted} times the reported figure: more than it.

    The wrong length divides in one figure and multiplies in the other, and both make the engine
    look worse. Requests a second need no length, so compare those first.
    """)
