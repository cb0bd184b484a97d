"""A conversation that sends its whole past every time: what a prefix cache leaves to compute."""

from labutils.drills.definition.writing import Draw, Drill, quantity, template

_READ, _WRITE = 0.1, 1.25  # of the list price, for tokens read from a cache and written to it


@template("F05 H03 F09 N01", level=2, decision="estimate", minutes=3)
def growing_conversation(draw: Draw) -> Drill:
    """A conversation's prompts grow with its square; a prefix cache makes them linear."""
    turns, system = draw.whole(6, 30), 100 * draw.whole(8, 60)
    user, answer = 10 * draw.whole(6, 60), 10 * draw.whole(15, 70)
    total = turns * system + user * turns * (turns + 1) // 2 + answer * turns * (turns - 1) // 2
    last = system + turns * user + (turns - 1) * answer
    asked = draw.drill(f"""
    An assistant has {system:,} tokens of instructions and tools. A conversation has {turns} turns;
    in each the user writes {user} tokens and the model answers with {answer}. Every prompt holds
    the instructions, all messages and all answers so far, and the new message.
    ? How many prompt tokens does the whole conversation send?
    = {total} tok tolerance=0.005 telling=3
    - last-prompt-each-time {turns * last}: You send the longest prompt at every turn. How long is
      the first?
    - last-answer-too {total + turns * answer}: You send the answer of a turn with its prompt. When
      is it written?
    - each-token-once {last}: That is the last prompt. What did the turns before it send?
    - answers-forgotten {turns * system + user * turns * (turns + 1) / 2}: You send the user's
      messages alone. What else belongs to the past of a conversation?
    - instructions-once {total - (turns - 1) * system}: You send the instructions with the first
      prompt alone. Does the model remember them?
    > Write down the first prompt, the second, the last.
    > n·s + u·n(n + 1)/2 + a·n(n − 1)/2.
    > {turns} × {system:,} + {user} × {turns * (turns + 1) // 2} + {answer} ×
      {turns * (turns - 1) // 2}.
    * last {last} tok: The first: {system + user:,}; the last: {last:,}
    * total {total} tok: Together: {quantity(total, "tok")}
    ~ Between {quantity(turns * (system + user), "tok")} and {quantity(turns * last, "tok")}: the
      first and the last prompt, each as often as there are turns.

    The prompts of a conversation add up with the square of its turns. What grows is the past, and
    it is the same tokens again.
    """)
    return asked.then(
        _computed(draw, turns=turns, system=system, user=user, answer=answer, total=total)
    )


def _computed(draw: Draw, *, turns: int, system: int, user: int, answer: int, total: int) -> Drill:
    computed = system + turns * user
    seen = computed + (turns - 1) * answer
    return draw.drill(f"""
    You serve it yourself, and the engine keeps the keys and values of every token of the
    conversation, those of its answers too, from the first turn to the last. At first nothing is
    cached.
    ? How many prompt tokens are computed by prefill in the whole conversation?
    = {computed} tok tolerance=0.005 telling=2
    - answers-again {seen}: You run the answers through the prefill again. What was left in the
      cache when they were written?
    - instructions-each-time {turns * (system + user)}: You compute the instructions at every turn.
      Are they not the start of every prompt?
    - messages-alone {turns * user}: You leave out what the first prompt computes. What did it find
      in the cache?
    > Which tokens are new at a turn?
    > Instructions once, and each message once.
    > {system:,} + {turns} × {user}.
    * new {computed} tok: {system:,} + {turns} × {user} = {quantity(computed, "tok")}
    . Of {quantity(total, "tok")} that were sent: {total / computed:.3g} times fewer.
    ~ Far below {quantity(total, "tok")}, and at least {quantity(system, "tok")}.

    With its past in the cache a conversation is linear in its turns, and the TTFT of a turn stays
    flat. One turn after the cache has been evicted pays for all of it: the tail of TTFT is the idle
    user who comes back.
    """).then(_billed(draw, total=total, seen=seen))


def _billed(draw: Draw, *, total: int, seen: int) -> Drill:
    price, number = draw.one_of((0.8, 1, 2, 2.5, 3)), 1000 * draw.whole(10, 200)
    read = total - seen

    def bill(writing: float, reading: float) -> float:
        return number * (writing * seen + reading * read) * price / 1e6

    answer = bill(_WRITE, _READ)
    return draw.drill(f"""
    You buy it from a provider instead, at ${price:g} for a million prompt tokens. A token that is
    found in its cache costs {100 * _READ:.0f} % of that, a token that is not is written there and
    costs {100 * _WRITE:.0f} %. Here a turn finds what the prompt before it held, and the last
    answer is new to the cache, like the new message: of a conversation's {total:,} prompt tokens
    {seen:,} are written. There are {number:,} conversations a month, none of which pauses for long.
    ? What do their prompts cost a month?
    = {answer} $ tolerance=0.01 telling=3
    - no-cache {bill(1, 1)}: That is the list price for all tokens. Which of them are read from the
      cache?
    - reads-free {bill(_WRITE, 0)}: You read from the cache for nothing. What does the provider
      charge for it?
    - writes-at-list-price {bill(1, _READ)}: You write into the cache at the list price. What does a
      token cost that is written?
    > How many tokens are written, how many are read, and what does each cost?
    > Conversations × (1.25 × written + 0.1 × read) × price.
    > {number:,} × (1.25 × {seen:,} + 0.1 × {read:,}) × ${price:g} ÷ 1,000,000.
    * read {read} tok: Read: {total:,} − {seen:,} = {read:,}
    * bill {answer} $: Together: {quantity(answer, "$")}
    ~ Below {quantity(bill(1, 1), "$")}, the list price of all.

    Keep prompts append-only: a time stamp near the top makes every turn a write, and dearer than
    without a cache. Multipliers are the provider's; read its price list.
    """)
