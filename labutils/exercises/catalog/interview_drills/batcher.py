"""Code drill: the batcher in 35 minutes, in the order in which an interviewer adds to it."""

from labutils.exercises.checkers import Stories
from labutils.exercises.definition.exercise import Exercise, Misconception

from . import wrong_batchers as wrong
from .batcher_stories import STORIES
from .batchers import Batcher

_NEWCOMER = (
    "The window moves with somebody who came later. Whose patience is it, and when did it begin?"
)
_SECOND_TRY = "Whose turn is it after a batch has failed, and how many calls does one culprit cost?"

MISCONCEPTIONS = (
    Misconception(
        "waits-for-full",
        wrong.WaitsForFull,
        "Nobody leaves until the batch is full. In a quiet night that takes until morning.",
    ),
    Misconception(
        "goes-at-once",
        wrong.GoesAtOnce,
        "Whoever is there leaves at once. What is the window for?",
    ),
    Misconception("window-of-the-newest", wrong.WindowOfTheNewest, _NEWCOMER),
    Misconception(
        "late-by-a-moment",
        wrong.LateByAMoment,
        "Somebody has waited for window_ms, to the very moment, and stays. A timer set to that "
        "moment rings once: when would you look again?",
    ),
    Misconception(
        "waits-though-full",
        wrong.WaitsThoughFull,
        "A full batch waits for its window. What could still get better?",
    ),
    Misconception(
        "window-from-the-gpu",
        wrong.WindowFromTheGpu,
        "The window begins when the GPU is back. When did the request begin to wait?",
    ),
    Misconception(
        "two-at-once",
        wrong.TwoAtOnce,
        "A batch leaves while the GPU still works on another one. What becomes of that one?",
    ),
    Misconception(
        "heads-only",
        wrong.CountsHeadsOnly,
        "You count requests and not what they cost. What is a batch of one long and five short "
        "texts padded to?",
    ),
    Misconception(
        "without-padding",
        wrong.AddsTokens,
        "You add up the tokens that were sent. What does the GPU compute for the short ones in a "
        "batch with a long one?",
    ),
    Misconception(
        "waits-for-the-wrong-one",
        wrong.WaitsForTheWrongOne,
        "The next in line does not fit, and the batch waits for its window. For whom?",
    ),
    Misconception(
        "the-short-overtake",
        wrong.LetsTheShortOvertake,
        "You pass over the one that does not fit. If short ones keep coming, when is its turn?",
    ),
    Misconception(
        "takes-the-essay",
        wrong.TakesTheEssay,
        "A text that fits into no batch is let in. Either it stands at the head of the line for "
        "ever, or the GPU runs out of memory. When can you know, and who should hear of it?",
    ),
    Misconception(
        "fails-as-one",
        wrong.FailsAsOne,
        "Everybody in the batch gets the error. How many of them are to blame?",
    ),
    Misconception("one-by-one", wrong.OneByOne, _SECOND_TRY),
    Misconception("halves-at-the-end", wrong.HalvesAtTheEnd, _SECOND_TRY),
    Misconception(
        "the-same-again",
        wrong.TriesTheSameAgain,
        "The batch that has just failed leaves again, as it was. What will the model say?",
    ),
    Misconception(
        "back-half-first",
        wrong.BackHalfFirst,
        "The halves go in the wrong order. Who in that batch came first?",
    ),
    Misconception(
        "level-by-level",
        wrong.LevelByLevel,
        "A half has failed, and what goes next is not a half of it. Is your pile of halves a queue "
        "or a stack, and which of them keeps the order in which people came?",
    ),
    Misconception(
        "stays-in-the-line",
        wrong.StaysInTheLine,
        "Whoever hung up in the line still counts. Who is the oldest now, and who goes to the GPU?",
    ),
    Misconception(
        "answers-the-gone",
        wrong.ForgetsTheBatch,
        "Somebody who hung up while the GPU worked is answered. In production that call raises.",
    ),
    Misconception(
        "closes-the-gap",
        wrong.ClosesTheGap,
        "You strike names off a batch before you pair it with results. In which order did the "
        "model return them?",
    ),
    Misconception(
        "blames-the-rest",
        wrong.BlamesTheRest,
        "Only one is left, so you blame that one. Was it alone when the model raised?",
    ),
    Misconception(
        "retries-the-gone",
        wrong.RetriesTheGone,
        "The second try computes for somebody who has hung up.",
    ),
    Misconception(
        "takes-everybody",
        wrong.TakesEverybody,
        "Nobody is ever refused. What is the wait of the last in a line without an end?",
    ),
    Misconception(
        "counts-the-running",
        wrong.CountsTheRunning,
        "Those whom the GPU works on take up room in the line. Do they wait?",
    ),
    Misconception(
        "one-too-many",
        wrong.OneTooMany,
        "One more than `max_waiting` stands in the line. What do you compare, before or after?",
    ),
    Misconception(
        "one-clock",
        wrong.BlamesTheWindow,
        "You count the time in which the GPU was busy as waiting for company. Which clock stands "
        "still meanwhile?",
    ),
    Misconception(
        "those-who-left",
        wrong.CountsThoseWhoLeft,
        "You measure those whom a batch has taken. Who has waited longer than they, and is in no "
        "batch?",
    ),
    Misconception(
        "those-who-gave-up",
        wrong.ForgetsWhoGaveUp,
        "Somebody waited, hung up, and is in no figure of yours. Who hangs up: the patient?",
    ),
    Misconception(
        "forgets-the-line",
        wrong.ForgetsWhoWaits,
        "You measure everybody who has gone. What does your gauge say while the line stands still?",
    ),
)

BATCHER = Exercise(
    id="interview.batcher",
    title="A batcher for one GPU",
    minutes=35,
    optional=True,
    checker=Stories(stories=STORIES, reference=Batcher, misconceptions=MISCONCEPTIONS),
    hints=(
        "Before you write: which piles are there? One of those who wait, one of those whom the GPU "
        "works on, one of halves to try again, one of names that have hung up. Each method moves "
        "names between piles.",
        "`poll`: nobody while busy; else the next half; else the front of the line that fits, if "
        "it is full or the first is due. Full means: `max_batch` of them, or the next one does not "
        "fit. `done`: a batch of more than one that failed becomes two halves; everything else "
        "pairs names with results first and leaves out those who hung up last.",
        "Fitting: for size, ticket in enumerate(line[:max_batch]): longest = max(longest, tokens); "
        "if (size + 1) * longest > max_tokens, it is size. Proof: keep busy_ms, the sum of all "
        "times from a batch leaving to its return; now_ms - busy_ms (less the batch in work) is a "
        "clock that stands still while the GPU works. Note both clocks at `submit`, and compare "
        "when somebody leaves, hangs up, or is still there.",
    ),
    explanation=(
        "Nothing here knows asyncio, and that is the first point an interviewer hears: *decisions "
        "apart from doing*. A class that is told the time can be tested in a minute; the loop, the "
        "timer and the futures around it are twenty lines (lab 3 has them).\n\n"
        "The demands look unlike, and each costs one line if the piles are right. A deadline is a "
        "moment fixed on arrival. A batch costs its size times its longest member, so *full* "
        "means: the next one does not fit. Halving costs about 2 log₂ n calls for one culprit; the "
        "model must be free of side effects, and an error that has nothing to do with the items "
        "(out of memory, a lost device) is passed on instead. Whoever hangs up is left out at the "
        "last moment, never from a list that something else is paired with. The line is bounded, "
        "because a refusal now is worth more than an answer too late.\n\n"
        "And the window is *proved* by two clocks: waiting while the GPU is idle is your doing and "
        "never exceeds the window by more than your timer is late; the rest of the wait is "
        "capacity, and no window cures it. Count those who gave up and those who still wait: "
        "leave them out, and a line that has stopped looks perfect.\n\n"
        "*Then they ask:* two GPUs? (the same line, a pile for each.) Sorting by length? (less "
        "padding, and somebody starves: bound how often one may be overtaken.) Retries of clients? "
        "(a key per request, so that the second one joins the first.) What do you page on? "
        "(`proof`, refusals, and the share of padding.)"
    ),
)
