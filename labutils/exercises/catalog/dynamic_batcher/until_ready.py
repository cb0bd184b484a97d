"""Step 3: when a batch leaves."""

from labutils.exercises.checkers import Rehearsals
from labutils.exercises.definition.exercise import Exercise, Misconception
from labutils.serving.batcher.dynamic_batcher import DynamicBatcher

from . import queue_stories as stories
from . import wrong_queues as wrong

_LOOK_AGAIN = (
    "Something woke your code, and the batch left. Somebody came: is it full now, or is anybody "
    "due?"
)

UNTIL_READY = Exercise(
    id="batcher.until_ready",
    title="When a batch leaves",
    minutes=9,
    checker=Rehearsals(
        stories=(
            stories.QUIET_NIGHT,
            stories.AFTER_A_LONG_BATCH,
            stories.RUSH,
            stories.IMPATIENT,
            stories.HURRIED_ALONE,
        ),
        reference=DynamicBatcher,
        method="until_ready",
        misconceptions=(
            Misconception(
                "window-from-the-look",
                wrong.window_from_the_look,
                "Your window begins when your code looks at the line. When did the oldest request "
                "begin to wait?",
            ),
            Misconception(
                "window-from-the-newest",
                wrong.window_from_the_newest,
                "Every newcomer makes the others wait longer. Whose patience ends first?",
            ),
            Misconception(
                "sleeps-a-window",
                wrong.sleeps_a_window,
                "You sleep for a window from the moment at which you look, and hear nothing "
                "meanwhile. The oldest may be due sooner, and the batch may be full: what wakes "
                "you then?",
            ),
            Misconception(
                "never-waits",
                wrong.never_waits,
                "You leave as soon as anybody is there. What is the window for?",
            ),
            Misconception("goes-at-any-news", wrong.goes_at_any_news, _LOOK_AGAIN),
            Misconception("goes-at-the-first-news", wrong.goes_at_the_first_news, _LOOK_AGAIN),
            Misconception(
                "waits-for-full",
                wrong.waits_for_full,
                "You wait until the batch is full. In a quiet night that takes until morning.",
            ),
            Misconception(
                "always-waits",
                wrong.always_waits,
                "You wait for the window although the batch is full. What could still get better?",
            ),
            Misconception(
                "due-read-once",
                wrong.due_read_once,
                "You ask once when the first ticket is due. A more urgent one may come while you "
                "wait: which ticket stands first *now*?",
            ),
            Misconception(
                "window-for-all",
                wrong.window_for_all,
                "You count one window for everybody. A ticket may say itself when it is due.",
            ),
            Misconception(
                "polls",
                wrong.polls,
                "You look every millisecond, so you are late by up to one, and busy when nobody is "
                "there. What can you wait *for*?",
            ),
        ),
    ),
    hints=(
        "Two reasons to leave: the line holds max_batch tickets, or the first ticket in it is due. "
        "Otherwise wait, and look again: whatever woke you, things may have changed.",
        "`self.waiting` is sorted by `due_s`. `await self.news(until_s=moment)` wakes you when "
        "somebody comes, or at that moment; `until_s=None` waits for somebody to come.",
        "while len(self.waiting) < self.max_batch: due_s = self.waiting[0].due_s if self.waiting "
        "else None; if it is not None and due_s <= self.now(): return; await "
        "self.news(until_s=due_s).",
    ),
    explanation=(
        "A deadline is a moment, fixed on arrival: `arrival + patience`, on a clock that cannot "
        "jump. It needs no timer of its own and cannot begin anew. A window that starts when the "
        "loop looks adds the length of the batch before it to everybody's wait. And there is "
        "nothing to poll for: things change when somebody comes or when the first is due, and one "
        "wait covers both. Since something else may have happened by the time you wake (a "
        "hang-up!), the condition is asked again: hence `while`, not `if`."
    ),
)
