"""Repair a dynamic batcher that six stories make look foolish."""

from labutils.exercises.checkers import Stories
from labutils.exercises.definition.exercise import Exercise, Misconception

from . import batchers
from .sweep_stories import STORIES

REPAIR = Exercise(
    id="batch.repair",
    title="A batcher that loses nobody",
    minutes=10,
    checker=Stories(
        stories=STORIES,
        reference=batchers.OneMachine,
        start=batchers.HandedOut,
        misconceptions=(
            Misconception(
                "window-from-the-look",
                batchers.WindowFromTheLook,
                "The window begins when somebody looks at the line. When did the oldest request "
                "begin to wait, and where is that written down?",
            ),
            Misconception(
                "window-from-the-newest",
                batchers.WindowFromTheNewest,
                "Every newcomer prolongs the window. Whose patience is it?",
            ),
            Misconception(
                "the-rest-waits-again",
                batchers.TheRestWaitsAgain,
                "Whoever a full batch leaves behind waits a whole window once more. When did it "
                "begin to wait, and where is that written down?",
            ),
            Misconception(
                "never-waits",
                batchers.NeverWaits,
                "Your batch goes although the window has not passed and there is room. (A good "
                "rule, as it happens. Here the window is a promise to the machine's owner.)",
            ),
            Misconception(
                "waits-for-full",
                batchers.WaitsForFull,
                "Your batcher waits for a full batch, however long that takes.",
            ),
            Misconception(
                "waits-although-full",
                batchers.AlwaysWaits,
                "Your full batch waits for its window. For whom?",
            ),
            Misconception(
                "late-by-a-moment",
                batchers.LateByAMoment,
                "At the very millisecond at which the window has passed, your batcher still waits.",
            ),
            Misconception(
                "leaves-the-last",
                batchers.LeavesTheLast,
                "Where the number of results is not that of the batch, `zip` pairs as many as it "
                "can: with one missing somebody is never answered, with one too many nobody "
                "knows whose they are. What do you compare first?",
            ),
            Misconception(
                "guesses-whose",
                batchers.GuessesWhose,
                "The number of results is not that of the batch, and you hand them out all the "
                "same. How do you know which of them is whose?",
            ),
            Misconception(
                "stumbles-over-the-gone",
                batchers.StumblesOverTheGone,
                "One caller has hung up, and your delivery ends there. What becomes of the rest "
                "of the batch?",
            ),
            Misconception(
                "stops-at-the-gone",
                batchers.StopsAtTheGone,
                "Your delivery stops at the caller who has hung up. Who in the batch comes after?",
            ),
            Misconception(
                "closes-the-gap",
                batchers.ClosesTheGap,
                "Results come by place in the batch. You leave out who has hung up, and the "
                "places behind move up: whose answer do they get?",
            ),
            Misconception(
                "all-for-one",
                batchers.AllForOne,
                "One has hung up, and now the whole batch fails.",
            ),
            Misconception(
                "takes-everybody",
                batchers.TakesEverybody,
                "The line grows without end. How many may wait?",
            ),
            Misconception(
                "says-nothing",
                batchers.SaysNothing,
                "You leave out those for whom there is no room, and do not tell them. What does "
                "the caller wait for?",
            ),
            Misconception(
                "drops-the-oldest",
                batchers.DropsTheOldest,
                "You turn away those who have waited longest. The text says who is refused.",
            ),
            Misconception(
                "one-too-many",
                batchers.OneTooMany,
                "One more waits than there is room for.",
            ),
            Misconception(
                "counts-the-running",
                batchers.CountsTheRunning,
                "You count the batch in work. Does it take room in the line?",
            ),
        ),
    ),
    hints=(
        "Take the stories one at a time. The line holds (name, arrival in ms): the arrival of the "
        "oldest is all that the window needs, and `since_ms` can go.",
        "`next_batch`: full, or the oldest has waited window_ms. `deliver`: compare the two "
        "lengths first; skip who is in `self.gone`. `submit`: compare the line with max_waiting "
        "first.",
        "`late = self.waiting and now_ms >= self.waiting[0][1] + self.window_ms`; with another "
        'number of results, everybody in `self.running` gets "failed"; `if name not in self.gone` '
        'before `resolve`; and `self.resolve(name, "refused")` when the line is full.',
    ),
    explanation=(
        "Four faults, all of them found in a batcher that is in circulation. *The window* belongs "
        "to the request, not to the loop: a deadline counted from arrival, on a monotonic clock "
        "that is handed in, cannot begin anew, and can be tested without waiting. *A model* that "
        "returns another number of results has broken its contract: `zip` hides that, and only "
        "failing everybody is honest. *A caller* who hangs up is an everyday event; an exception "
        "for one of a batch must not end the delivery to the others. *A line* without an end turns "
        "a flood into an outage for everyone. The same faults in `asyncio` are worth a test each."
    ),
)
