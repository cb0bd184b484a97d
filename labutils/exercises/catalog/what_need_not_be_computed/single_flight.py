"""Single flight: one computation for all who ask for the same thing meanwhile."""

from labutils.exercises.checkers import Rehearsals
from labutils.exercises.definition.exercise import Exercise, Misconception

from . import flight_stories as stories
from . import wrong_flights as wrong
from . import wrong_leavers as leavers
from .own_flight import run

FLIGHT = Exercise(
    id="reuse.flight",
    title="Single flight",
    minutes=7,
    checker=Rehearsals(
        stories=stories.ALL,
        reference=run,
        misconceptions=(
            Misconception(
                "shares-nothing",
                wrong.shares_nothing,
                "Everybody who asks begins a computation. How does the second one find out that "
                "one is under way?",
            ),
            Misconception(
                "begins-for-nothing",
                wrong.begins_for_nothing,
                "They all get the first one's result, and still each begins a computation. Which "
                "of your lines begins it, and when does that line run?",
            ),
            Misconception(
                "awaits-before-it-stores",
                wrong.awaits_before_it_stores,
                "You look, await something, and then put in a flight of your own. Who else may "
                "have looked, or put one in, meanwhile?",
            ),
            Misconception(
                "computes-in-turn",
                wrong.computes_in_turn,
                "You let them wait for their turn, and then each computes anew. What have they "
                "waited for?",
            ),
            Misconception(
                "one-for-all-keys",
                wrong.one_for_all_keys,
                "Whoever asks while anything is under way gets the result of that. What did they "
                "ask for?",
            ),
            Misconception(
                "never-tidies",
                wrong.never_tidies,
                "Everybody gets what they should, and `under_way` grows for ever. What is still in "
                "it after a million keys?",
            ),
            Misconception(
                "ended-ones-stay",
                wrong.ended_ones_stay,
                "Everybody gets what they should, and what has ended stays in `under_way`. What is "
                "in it after a million keys?",
            ),
            Misconception(
                "keeps-errors",
                wrong.keeps_errors,
                "After an error the next one to ask gets the same error again. Which of your lines "
                "run when the wait ends with an error?",
            ),
            Misconception(
                "keeps-results",
                wrong.keeps_results,
                "You keep a result after its computation has ended. Who decides for how long it "
                "stays true?",
            ),
            Misconception(
                "keeps-everything",
                wrong.keeps_everything,
                "You keep what came of a computation after it has ended, errors too. What should "
                "somebody get who asks an hour later?",
            ),
            Misconception(
                "last-one-tidies",
                wrong.last_one_tidies,
                "An ended computation stays in `under_way` until the last of its askers has woken. "
                "What does one get who has woken earlier, and asks again at once?",
            ),
            Misconception(
                "whoever-leaves-tidies",
                leavers.whoever_leaves_tidies,
                "Whoever leaves takes the flight out of `under_way`, although it still flies. What "
                "does the next one to ask find?",
            ),
            Misconception(
                "takes-out-anyones",
                wrong.takes_out_anyones,
                "You take out whatever stands under the key. Is it still the flight that you "
                "waited for?",
            ),
            Misconception(
                "last-takes-out-anyones",
                wrong.last_takes_out_anyones,
                "You pass by a flight that has ended and put in a new one. Then the last asker of "
                "the old one takes out what stands under the key: whose is it?",
            ),
            # before the next one, which ends "just then" alike: it fails "a closed tab" as well
            Misconception(
                "waits-before-it-tidies",
                leavers.waits_before_it_tidies,
                "Whoever hangs up last waits until the computation has stopped, and takes it out "
                "only then. What does one get who asks meanwhile?",
            ),
            Misconception(
                "one-cancels-all",
                leavers.one_cancels_all,
                "One who hangs up cancels the computation for all. When somebody is cancelled who "
                "awaits a task, what becomes of the task?",
            ),
            Misconception(
                "first-takes-all-along",
                leavers.first_takes_all_along,
                "The computation is stopped when the first asker hangs up, and those who joined "
                "are cancelled. What ties it to the first one?",
            ),
            Misconception(
                "first-leaves-all-alone",
                leavers.first_leaves_all_alone,
                "The first asker hangs up, the computation is stopped, and those who joined wait "
                "for ever. What ties it to the first one?",
            ),
            Misconception(
                "begins-anew",
                leavers.begins_anew,
                "When the first asker hangs up, its computation is stopped, and another one begins "
                "from the start. What ties a computation to whoever began it?",
            ),
            Misconception(
                "none-for-an-error",
                leavers.none_for_an_error,
                "Where the computation ends without a result, those who joined get None. How do "
                "they learn what happened?",
            ),
            Misconception(
                "returns-the-error",
                wrong.returns_the_error,
                "You return the error, and whoever asked takes it for a result. How does an error "
                "reach somebody who awaits?",
            ),
            Misconception(
                "error-to-the-first-alone",
                wrong.error_to_the_first_alone,
                "One asker hears the error, and those who joined wait for ever. Who tells them?",
            ),
            Misconception(
                "stuck-after-an-error",
                wrong.stuck_after_an_error,
                "After an error the entry stays, and whoever joins it waits for ever. Which of "
                "your lines run when compute() raises?",
            ),
            Misconception(
                "catches-too-much",
                wrong.catches_too_much,
                "An error of the computation that is a KeyError too makes you compute again. Which "
                "line is your `except KeyError` for, and which ones does it guard?",
            ),
            Misconception(
                "runs-for-nobody",
                leavers.runs_for_nobody,
                "All have hung up, and the computation goes on. For whom?",
            ),
            Misconception(
                "stays-for-nobody",
                leavers.stays_for_nobody,
                "All have hung up, the computation goes on, and its entry stays. What has the last "
                "one to do who leaves?",
            ),
            Misconception(
                "stops-too-early",
                leavers.stops_too_early,
                "The computation is stopped although somebody still waits for it. Whom do you "
                "count, and when?",
            ),
            Misconception(
                "first-is-not-counted",
                leavers.first_is_not_counted,
                "You do not count the first asker. When all who joined have left, and it still "
                "waits: what does your count say?",
            ),
            Misconception(
                "first-is-counted-out-alone",
                leavers.first_is_counted_out_alone,
                "The first asker is counted out, and never in. Of three who ask, how many have "
                "left when your count is at 0?",
            ),
            Misconception(
                "cancelled-one-stays",
                leavers.cancelled_one_stays,
                "A computation that you have cancelled stays in `under_way`. What does the next "
                "one to ask join?",
            ),
            Misconception(
                "stops-in-the-way",
                leavers.stops_in_the_way,
                "You cancel a computation, and until it has stopped it can still be joined. What "
                "can somebody get who joins it then?",
            ),
            Misconception(
                "stopped-one-takes-out",
                leavers.stopped_one_takes_out,
                "When a stopped computation has ended at last, it takes out whatever stands under "
                "its key. Is that still its own entry?",
            ),
            Misconception(
                "waits-for-the-stop",
                leavers.waits_for_the_stop,
                "Whoever hangs up last is kept until the computation has stopped. What do they "
                "still wait for?",
            ),
            Misconception(
                "swallows-the-cancel",
                leavers.swallows_the_cancel,
                "You catch the cancellation and return. How does the one who cancelled learn that "
                "it worked?",
            ),
            Misconception(
                "polls",
                wrong.polls,
                "You look again and again whether the result is there, and everybody hears late. "
                "What can you await that wakes you?",
            ),
            Misconception(
                "falsy-is-nothing",
                wrong.falsy_is_nothing,
                "You take some results for none and compute again. Is 0 no result, or an empty "
                "text?",
            ),
            Misconception(
                "none-is-nothing",
                wrong.none_is_nothing,
                "You take the result None for no result yet. How can you tell that a computation "
                "has ended, whatever came of it?",
            ),
        ),
    ),
    hints=(
        "Who computes and who waits are two things. Let the computation run in a task of its own; "
        "then every asker, the first one too, does the same: join, wait, leave.",
        "Awaiting a task hands your cancellation on to it; `asyncio.shield` does not. And "
        "`finally` runs however the wait ends: there an asker is counted out, and sees whether the "
        "flight has ended or nobody waits any more.",
        "Look the flight up; if there is none, put Flight(asyncio.create_task(compute())) under "
        "the key. askers += 1; try: return await asyncio.shield(flight.task); finally: askers -= "
        "1; if the task is done, or no asker is left, cancel it (which does nothing to a task that "
        "is done) and take the flight out, if it is still the one under its key.",
    ),
    explanation=(
        "The computation belongs to none of its askers. It runs in a task of its own, so whoever "
        "leaves, even the first one, takes nothing along; `shield` keeps the cancellation of one "
        "wait from reaching it. The count of askers decides when it has lost its purpose. Three "
        "moments are easily missed. Between the end of the task and the turn of the last asker "
        "others run: an entry that waits for the last one hands out an old error. Whoever tidies "
        "then must look whose entry it is, since a new flight may stand there. And a task that "
        "was cancelled has not ended yet: it has to leave `under_way` first. Nothing is kept, so "
        "single flight is no cache and can serve nothing stale; it makes a miss cost one "
        "computation, however many miss at once. `labutils.caching.SingleFlight` also notices a "
        "computation that waits for its own key."
    ),
)
