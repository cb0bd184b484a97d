"""Exercises and predictions of chapter 12b, a sealed envelope."""

from labutils.exercises.definition.sheet import predictions

ORDER = 10.85
TITLE = "A sealed envelope with a real H100 inside"
MINUTES = 74

PREDICTIONS = predictions("""
# sealed.token_ms · ms, at least 0
? Llama-2-7B in 16 bits on one H100, 20 requests a second, prompts of 575 tokens and answers of 248.
  How many milliseconds pass from one token of a user to the next?
= A token took {}.
! At the peaks of the data sheet it would be 8.8 ms, and 4.0 of them for the weights. No kernel
  reaches the whole bandwidth, and each layer has kernels that neither read nor multiply. Both make
  a step longer, so users stay longer, so there are more of them in a step.

# sealed.uncached_s · s, at least 0
? The same load on the simulator, with a roofline at the peaks, and every prompt new: each has to be
  computed. In the report the mean TTFT is 0.05 s. What will the simulator say?
= With new prompts the mean TTFT would be {}.
! Twenty prompts of 575 tokens a second keep the card busy for a third of each second, and meanwhile
  nobody gets a token. So users stay, and at times all 128 places are taken.

# sealed.even_percent · %, at least 0
? The same load with even gaps between arrivals. How many percent does the p90 of the end-to-end
  time lie above its median?
= With even gaps the p90 lies {} above the median.
! All requests meet nearly the same engine, since always the same number of others is there. What
  is left is where in a step a request arrives.

# sealed.first_steps · 1, at least 0
? How many decode steps long is the median time to a first token, prompts in the cache, in what was
  measured?
= A first token took {} steps.
! Half a step runs when somebody comes. The next one was planned already. Then comes the step of
  one's own, and the way through HTTP and the tokenizer.

# sealed.tail_times · ×, at least 0
? 70B on four cards, 20 requests a second, about 110 of 128 places taken. Each step takes a tenth
  longer. How many times as long is the p90 of TTFT?
= The p90 of TTFT is {} as long.
! Users stay an eighth longer, so an eighth more of them are there: about 119 of 128 on average, and
  by chance often all. Then a newcomer waits until somebody leaves.
""")
