"""Code drill: a fair scheduler in 25 minutes, in the order in which an interviewer adds to it."""

from labutils.exercises.checkers import Stories
from labutils.exercises.definition.exercise import Exercise, Misconception

from . import wrong_schedulers as wrong
from .fair_stories import STORIES
from .schedulers import Fair

MISCONCEPTIONS = (
    Misconception(
        "last-in-first-out",
        wrong.LastInFirstOut,
        "A tenant's newest request goes first. In which order did they come?",
    ),
    Misconception(
        "ties-by-name",
        wrong.TiesByName,
        "Equal counters go by the alphabet. What did the interviewer say of ties?",
    ),
    Misconception(
        "ties-to-the-last",
        wrong.TiesToTheLast,
        "Of equal counters the tenant that was seen last comes first.",
    ),
    Misconception(
        "ties-to-the-oldest",
        wrong.TiesToTheOldest,
        "Equal counters go by the age of the request. What did the interviewer say of ties?",
    ),
    Misconception(
        "first-come",
        wrong.FirstComeFirstServed,
        "The requests go in the order in which they came. Who is served by whoever sends most?",
    ),
    Misconception(
        "takes-turns",
        wrong.TakesTurns,
        "Tenants take turns, request by request. Is a document as long as a question?",
    ),
    Misconception(
        "counts-requests",
        wrong.CountsRequests,
        "Each request counts as one. What does the machine spend its time on?",
    ),
    Misconception(
        "highest-first",
        wrong.HighestFirst,
        "Whoever was served most is next.",
    ),
    Misconception(
        "forgets-the-prompt",
        wrong.ForgetsThePrompt,
        "Prompts cost nothing. What does a document of 16,000 tokens take?",
    ),
    Misconception(
        "charges-the-waiting",
        wrong.ChargesTheWaiting,
        "A tenant pays when it submits. What was it served by then?",
    ),
    Misconception(
        "forgets-the-answer",
        wrong.ForgetsTheAnswer,
        "Tokens that were made cost nothing.",
    ),
    Misconception(
        "one-price",
        wrong.OnePrice,
        "A token of the answer costs as much as one of the prompt. What are the two prices for?",
    ),
    Misconception(
        "running-totals",
        wrong.RunningTotals,
        "A request is charged again for tokens of before. So many more, or so many in all?",
    ),
    Misconception(
        "charges-at-the-end",
        wrong.ChargesAtTheEnd,
        "An answer is charged when it is complete. What may a tenant start until then?",
    ),
    Misconception(
        "never-lifts",
        wrong.NeverLifts,
        "Idle time is credit: who comes late has the machine until it has caught up. Where should "
        "its counter begin?",
    ),
    Misconception(
        "lifts-strangers-only",
        wrong.LiftsStrangersOnly,
        "A tenant that was here before keeps the low counter that it went with. For how long may "
        "it be away?",
    ),
    Misconception(
        "lifts-to-the-highest",
        wrong.LiftsToTheHighest,
        "You lift to the highest counter. Who waits until everybody else has caught up?",
    ),
    Misconception(
        "lifts-to-the-mean",
        wrong.LiftsToTheMean,
        "You lift to the mean of the counters. Whom does a newcomer stand beside at once?",
    ),
    Misconception(
        "lowers-too",
        wrong.LowersToo,
        "A tenant goes, comes back, and what it had been served is forgotten. Can a counter fall?",
    ),
    Misconception(
        "forgets-who-left",
        wrong.ForgetsWhoLeft,
        "The counter of a tenant whose last request has ended is gone.",
    ),
    Misconception(
        "lifts-at-the-pick",
        wrong.LiftsAtThePick,
        "Whoever only waits is lifted each time a place is free. At which event does a tenant "
        "become active?",
    ),
    Misconception(
        "lifts-the-active",
        wrong.LiftsTheActive,
        "A tenant that waits is lifted since it sends another request. Has it been idle?",
    ),
    Misconception(
        "waiting-is-active",
        wrong.WaitingIsActive,
        "A tenant whose requests all run counts as gone. When is a tenant active?",
    ),
    Misconception(
        "as-in-the-paper",
        wrong.AsInThePaper,
        "You count those in the queue, as the paper does, and its bound needs that. Here another "
        "rule was given: a tenant is active while a request of its own waits or runs.",
    ),
    Misconception(
        "running-is-active",
        wrong.RunningIsActive,
        "A tenant whose requests all wait counts as gone. When is a tenant active?",
    ),
    Misconception(
        "no-lift-at-night",
        wrong.NoLiftAtNight,
        "After a night without requests a newcomer begins at 0, and others still owe. What did "
        "the interviewer say of a machine that was empty?",
    ),
    Misconception(
        "night-forgives",
        wrong.NightForgives,
        "When the machine is empty for a moment, all counters begin anew. Can a counter fall?",
    ),
    Misconception(
        "night-to-the-highest",
        wrong.NightToTheHighest,
        "After a night everybody begins at the highest counter there ever was. At whose did the "
        "interviewer say?",
    ),
    Misconception(
        "without-weights",
        wrong.WithoutWeights,
        "Who bought a larger share gets the same. Where do weights come in?",
    ),
    Misconception(
        "multiplies-by-weight",
        wrong.MultipliesByWeight,
        "Who bought a larger share gets a smaller one. Which way does the weight count?",
    ),
    Misconception(
        "weighs-prompts",
        wrong.WeighsPrompts,
        "A share counts for prompts, and not for what is made.",
    ),
    Misconception(
        "weighs-answers",
        wrong.WeighsAnswers,
        "A share counts for what is made, and not for prompts.",
    ),
    Misconception(
        "lifts-by-weight",
        wrong.LiftsByWeight,
        "The lift is divided by the weight. Counters are in shares already: to what is it lifted?",
    ),
)

FAIR = Exercise(
    id="interview.fair",
    title="A scheduler that is fair by tokens",
    minutes=25,
    optional=True,
    checker=Stories(stories=STORIES, reference=Fair, misconceptions=MISCONCEPTIONS),
    hints=(
        "A number per tenant says what it was served. Three events move it: a request starts, "
        "tokens are made, a tenant becomes active. Write these three, and `pick` is a minimum.",
        "A tenant becomes active with a request while it has none that waits or runs. Then its "
        "counter is the larger one of its own and the lowest of those who are active; if nobody "
        "is, of the tenant whose request ended last.",
        "submit: if tenant not in active(): counters[tenant] = max(own, floor). pick: min(ready, "
        "key=counters.get) over a dict keeps the order in which tenants were seen; charge "
        "prompt_price × tokens / weight. made: answer_price × tokens / weight. done: remember "
        "whose it was.",
    ),
    explanation=(
        "This is the virtual token counter of Sheng et al. (OSDI 2024), small enough for a "
        "whiteboard. It charges what was *served*, when it is served: answers are as long as they "
        "become, and nobody has to guess. It wastes nothing: whoever waits is served while others "
        "do not ask. And two tenants that both always wait stay within one request's charge of "
        "each other.\n\n"
        "The lift makes it fair over time. Without it an idle hour is credit, and whoever comes "
        "back has the machine until the debt is paid; lifted to the highest instead of the lowest, "
        "it waits for everybody. It only lifts: a counter that falls would reward going away for a "
        "moment. An empty machine needs a rule of its own, or the first who comes in the morning "
        "sets the clock to zero and last night's tenants starve.\n\n"
        "One rule here is simpler than the paper's, and weaker. Here whoever waits *or runs* is "
        "active; there, whoever has a request in the queue. So here a tenant with one long answer "
        "at work is never lifted: it falls behind while others are served, comes back with a burst "
        "and takes the machine until it has caught up. The paper's bound, that two tenants who "
        "both wait are never served very differently, holds for its own rule alone "
        "(`TokenCounters` in the course has that one).\n\n"
        "*Then they ask:* which prices? (what a token takes of the device: 1 to 2 or 1 to 5, and "
        "more behind a long context.) A million tenants? (a heap of those who wait; the lift needs "
        "its minimum.) Who holds the memory meanwhile? (pages need a limit of their own.) Caches? "
        "(the fairest next request may be cold: allow a debt, and serve by prefix within it.) "
        "Several replicas? (counters in one place, or a counter each and a router that spreads "
        "every tenant.) How is it measured? (the largest difference of counters between two "
        "tenants that both wait.)"
    ),
)
