"""Five columns of a load test's report, sorted by what they count and whom they know."""

from labutils.exercises.checkers.sheets import sorting

COLUMNS = sorting("""
sealed.columns · Which columns hold? · 5 minutes

* verdict: holds (hold, true) · events (event) · text (texts) · survivors (survivor, answered)
+ 1 holds: ttft_s of the first stage
! events: It ends with an event. Suppose that the client took the next one, a median gap later: how
  far would that move the number?
! text: A clock was read, and no text was counted. What is left to go wrong?
! survivors: How many of the 12,000 requests of this stage have no first token?
+ 2 events: reported_itl_s
! holds: Half of the gaps are as short as the median, or shorter. Is there a step in each of them,
  which reads all weights?
! text: A gap is read from a clock, when something arrives. Does it ask what the text says?
! survivors: Nobody failed in the first stage, and its median is even less. What stands at the two
  ends of such a gap?
+ 3 text: reported_output_tokens
! holds: Each answer of a stage was forced to the same length. Do these figures agree with it, or
  with one another?
! events: By what you have built, how many events does an answer have? Is a figure near that?
! survivors: Nobody failed in the first stage, and its lengths differ most. From what could the
  client have counted them, once an answer was there?
+ 4 survivors: e2e_s of the overload
! holds: Each of these times is right. How many of the 4,800 requests have one?
! events: From sending to the end of an answer, however many events lie between. Whose answers?
! text: A clock was read, and no text was counted. Whose clock never got to the end?
+ 5 holds: prompt_tokens
! events: Had anything arrived when the client counted these?
! text: A text was counted here, too. But what came first, the text or the tokens? And with an
  answer?
! survivors: Had anybody given up when the client counted these?
> Ask of each column: was a clock read, or was something counted? What, and when? Whose requests are
  in it?
> One has gaps too short for any step. One has lengths that differ where all were the same. One
  belongs to a stage in which most requests failed.
> Two hold: a clock in a stage without failures, and a count that was made before sending. The gaps
  lie between events, the answers were counted from their text, and most of the overload has no end.

Two columns **hold**. TTFT (1) needs a clock and no count. Prompts (5) were counted from text to
tokens, as the engine does it. The gaps (2) are gaps between **events**: half of them leave no time
to read a hundredth of the weights. The lengths of answers (3) come from the **text**, from tokens
to text and back: a tenth of the first stage's have 59 or fewer, where each had 248. And the times
of the overload (4) are right, but those of **survivors** alone: 3,294 of 4,800 gave up after 300 s,
and no quantile of `e2e_s` knows of them.
""")
