"""Flaws in claims about mixtures of experts: what a batch wakes, what an expert is."""

from labutils import llm
from labutils.drills.definition.writing import Draw, Drill, template

FAULTS = {"experts_left_asleep": ("X88",), "experts_by_topic": ("X88",)}


@template("K08 B21", level=3, decision="estimate", form="flaw", rough=False)
def experts_left_asleep(draw: Draw) -> Drill:
    """A batch wakes nearly all experts."""
    model = llm.model(
        draw.one_of(("Qwen3-30B-A3B", "Qwen3-235B-A22B", "gpt-oss-120b", "gpt-oss-20b"))
    )
    total, chosen = model.experts.num, model.experts.per_token
    users = draw.whole(6, 64)
    awake = llm.expert_coverage(total, chosen, users)
    draw.require(awake < 0.97 * total)
    many = users * chosen >= total  # picks to reach all experts
    return draw.drill(f"""
    {model.name} has {total} experts in each layer, of which a router picks {chosen} for every
    token. {users} users write at the same time, so a decode step holds {users} tokens. Assume that
    picks are uniform and independent. A slide recommends the model with the lines below.

    ? How many experts of a layer does such a step read on average?
    = {awake} tolerance=0.02 absolute=0.5 scale=off
    - one-token {chosen}: Those are the experts of one token. Does the next user's token pick the
      same?
    - no-overlap {None if many else users * chosen}: You let no two tokens pick the same expert.
      What if picks are independent?
    - all-awake {total if many else None}: There are enough picks to reach all of them. Is none left
      out by chance?
    - no-overlap {users * chosen if many else None}: You let no two tokens pick the same expert. How
      many experts are there?
    | A token passes through {chosen} of {total} experts: little arithmetic.
    ! The router picks so many, and the others do nothing for this token.
    | So a decode step reads {100 * chosen / total:.3g} % of the experts' weights.
    | The time of a decode step is set by what it reads.
    ! At such batches it is: the arithmetic of a few tokens is done sooner.
    | The memory must hold all experts anyway.
    ! Nobody knows beforehand which of them the next token asks for.
    > Ask for one expert: how likely is it that none of the tokens picks it?
    > Awake = E · (1 - (1 - k/E)^tokens).
    > {total} × (1 - (1 - {chosen}/{total})^{users}).
    * left_out {(1 - chosen / total) ** users}: An expert is left out with (1 -
      {chosen}/{total})^{users} = {(1 - chosen / total) ** users:.3g}
    * awake {awake}: Awake: {awake:.4g} of {total}, {100 * awake / total:.0f} %
    ~ At least {chosen}, at most {total} and at most {users} × {chosen}.

    A mixture of experts saves arithmetic at every batch size, and bytes only in small batches: each
    further user wakes experts that the step did not read before. Uneven routing and the exchange
    between devices create tails, since a step waits for its fullest expert.
    """)


@template("K08 Q09", level=2, decision="model", form="flaw", minutes=1.5, rough=False, trivia=True)
def experts_by_topic(draw: Draw) -> Drill:
    """Experts of a mixture are not departments."""
    topic = draw.one_of(("law", "medicine", "history", "cooking", "sports"))
    share = draw.one_of((10, 20, 30, 40))
    return draw.drill(f"""
    A plan for Mixtral-8x7B: '{share} % of our questions are about {topic}. We find the {topic}
    expert, give it a GPU of its own, and keep its slow requests away from the others.' The Mixtral
    paper (Jiang and others, 2024, section on routing) looked at which experts are chosen for texts
    from arXiv, PubMed, GitHub and other subsets, and reports no obvious patterns by topic;
    consecutive tokens often meet the same expert, and syntax such as indentation shows. Routing is
    decided for every token in every layer.

    ? Which statement does the paper support?
    + Tokens of a question about {topic} will visit many experts.
    x One of the eight experts answers questions about {topic}.
    ! That is what the plan supposes. What did the authors see when they compared texts by topic?
    x A request is sent to two experts and stays with them.
    ! Two of eight is right. For how long does a choice hold?
    x Slow requests can be isolated by giving experts their own GPU.
    ! A step waits for every expert that one of its tokens needs. What does a slow one do to the
      rest of the batch?
    > How often is the choice made: for a request, a token, a layer?
    > Two of eight experts for each token, in each of 32 layers, anew.
    > A question of 100 tokens makes 100 × 32 choices.
    . The choice is made per token and per layer, not per request.
    . The paper saw no obvious pattern by topic; it saw syntax and neighbouring tokens.
    . An expert on a slow device delays every step that asks for it: a shared tail.
    ~ 100 tokens choose in every layer: that they all choose alike would be a surprise.

    'Expert' is a name for a feed-forward block that a router picks. Splitting experts over devices
    adds an exchange between them, and each step waits for the device with the most tokens: it
    creates tails where the plan hoped to isolate them.
    """)
