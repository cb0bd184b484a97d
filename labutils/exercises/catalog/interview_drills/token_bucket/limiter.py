"""Code drill: a limiter in 20 minutes, in the order in which an interviewer adds to it."""

from labutils.capacity.limiter import Limiter
from labutils.exercises.checkers import Stories
from labutils.exercises.definition.exercise import Exercise, Misconception

from . import wrong_limiters as wrong
from .limiter_stories import STORIES

MISCONCEPTIONS = (
    Misconception(
        "starts-empty",
        wrong.StartsEmpty,
        "A new tenant finds an empty bucket. What did the interviewer say of the first burst?",
    ),
    Misconception(
        "counts-requests",
        wrong.CountsRequests,
        "A long request costs as much as a short one. What does the bucket hold?",
    ),
    Misconception(
        "never-the-last",
        wrong.NeverTheLast,
        "Who asks for exactly what is there is refused. Would anything be owed?",
    ),
    Misconception(
        "one-for-all",
        wrong.OneForAll,
        "Tenants draw from the same bucket. Whose limit is it?",
    ),
    Misconception(
        "one-clock",
        wrong.OneClock,
        "One tenant's call stops the inflow of another. Whose time did you note?",
    ),
    Misconception(
        "takes-what-there-is",
        wrong.TakesWhatThereIs,
        "A refused request empties the bucket. What must have changed after False?",
    ),
    Misconception(
        "goes-into-debt",
        wrong.GoesIntoDebt,
        "A refused request is charged. What did that client receive?",
    ),
    Misconception(
        "never-refills",
        wrong.NeverRefills,
        "Nothing flows in. How many tokens have come since the last call?",
    ),
    Misconception(
        "whole-seconds",
        wrong.WholeSeconds,
        "Parts of a second bring nothing, and are lost. How many are there at eight calls in one?",
    ),
    Misconception(
        "whole-tokens",
        wrong.WholeTokens,
        "Parts of a token are lost at each call. How many calls come while one flows in?",
    ),
    Misconception(
        "sliding-log",
        wrong.SlidingLog,
        "What was taken comes back all at once when it is old enough. How does a bucket fill?",
    ),
    Misconception(
        "forgets-the-refused",
        wrong.ForgetsTheRefused,
        "A refusal moves the clock, and what had flowed in until then is gone. Which two numbers "
        "change together?",
    ),
    Misconception(
        "never-full",
        wrong.NeverFull,
        "An idle tenant saves up more than a burst. What is the most that a bucket holds?",
    ),
    Misconception(
        "fixed-windows",
        wrong.FixedWindows,
        "You count in windows that all begin anew. What may somebody send just before the turn, "
        "and just after?",
    ),
    Misconception(
        "waits-for-all",
        wrong.WaitsForAll,
        "You wait for all tokens of the request. How many are there already?",
    ),
    Misconception(
        "waits-below-zero",
        wrong.WaitsBelowZero,
        "A wait is negative. What shall the header say to somebody who may come now?",
    ),
    Misconception(
        "asking-takes",
        wrong.AskingTakes,
        "`wait` takes the tokens. Who has received anything?",
    ),
    Misconception(
        "promises-the-impossible",
        wrong.PromisesTheImpossible,
        "You name a time for a request that is larger than the bucket. Will it be True then?",
    ),
    Misconception(
        "strangers-never-wait",
        wrong.StrangersNeverWait,
        "A tenant that was not seen yet may come now, however much it asks for. What does its "
        "bucket hold?",
    ),
    Misconception(
        "large-goes-through",
        wrong.LetsTheLargeThrough,
        "A request larger than the bucket goes through, and leaves a debt. What is the burst for?",
    ),
    Misconception(
        "large-empties",
        wrong.LargeEmptiesIt,
        "A request larger than the bucket goes through at the price of a full one. Who pays the "
        "rest?",
    ),
    Misconception(
        "always-a-tick",
        wrong.AlwaysATick,
        "Tokens flow in while the clock stands still. How much time is 0 seconds?",
    ),
    Misconception(
        "runs-backwards",
        wrong.RunsBackwards,
        "A clock that is behind takes tokens out of the bucket. How long was the time since the "
        "last call, at least?",
    ),
    Misconception(
        "pays-twice",
        wrong.PaysTwice,
        "After a clock that was behind, the same seconds are paid again. Which time do you keep?",
    ),
    Misconception(
        "waits-by-another-clock",
        wrong.WaitsByAnotherClock,
        "A server whose clock is behind is told to wait for longer. Which time counts for `wait`?",
    ),
    Misconception(
        "keeps-the-rest",
        wrong.KeepsTheRest,
        "What was given back is not in the bucket.",
    ),
    Misconception(
        "refunds-without-end",
        wrong.RefundsWithoutEnd,
        "After a refund the bucket holds more than a burst. Has anything else filled it meanwhile?",
    ),
    Misconception(
        "refund-stops-the-flow",
        wrong.RefundStopsTheFlow,
        "A refund notes its time, and what had flowed in until then is lost.",
    ),
    Misconception(
        "refund-sets-the-clock-back",
        wrong.RefundSetsTheClockBack,
        "A refund comes from a server whose clock is behind, and the same seconds are paid again. "
        "Which time do you keep?",
    ),
    Misconception(
        "refund-fills-up",
        wrong.RefundFillsUp,
        "A refund fills the bucket. How much came back?",
    ),
)

LIMITER = Exercise(
    id="interview.limiter",
    title="A limiter that counts tokens",
    minutes=20,
    optional=True,
    checker=Stories(stories=STORIES, reference=Limiter, misconceptions=MISCONCEPTIONS),
    hints=(
        "Two numbers a tenant: a level, and the time for which it is true. Nothing flows between "
        "calls; every call first brings both up to date, and only then does what it is asked.",
        "Bring up to date: the time becomes the later of what it was and what you are told; the "
        "level grows by rate × the difference, up to burst. A stranger's bucket is full. A refusal "
        "changes nothing else.",
        "allow: False if tokens > level, else level -= tokens. wait: None if tokens > burst, else "
        "max(0, tokens - level) / rate. refund: level = min(burst, level + tokens).",
    ),
    explanation=(
        "A bucket needs no timer: *a level, and the time for which it is true*. Each call first "
        "moves both, by the same difference; whoever moves one of them alone loses or invents "
        "tokens. The burst says how much may come at once, the rate how much in the long run: "
        "within t seconds at most burst + rate × t, from whatever moment you count. A window that "
        "begins anew admits twice its limit around the turn.\n\n"
        "A request that is larger than the bucket never fits, so it hears *never* (400), and not "
        "429 with a time at which it is refused again. What an answer will cost is not known at "
        "the door: take the prompt and the longest answer, give back what was not used. Time comes "
        "from outside, since clocks of several servers differ; a clock that is behind must neither "
        "drain a bucket nor pay twice.\n\n"
        "*Then they ask:* and on five servers? (each its share, or one store with a script that "
        "reads and writes at once, or leases of tokens: what can be overspent in each?) A hundred "
        "thousand tenants? (drop full buckets: a stranger's is full, too.) Reserve 4,096 tokens "
        "for answers of 300? (most of the bucket is then held by what is never made: reserve the "
        "tenant's own p95, and settle.) Two limits, per minute and per day? (two buckets, and take "
        "from both or from none.)"
    ),
)
