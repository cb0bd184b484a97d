"""Step 4: the front door."""

from labutils.exercises.checkers import Rehearsals
from labutils.exercises.definition.exercise import Exercise, Misconception
from labutils.serving.batcher.dynamic_batcher import DynamicBatcher

from . import queue_stories as stories
from . import wrong_queues as wrong

SUBMIT = Exercise(
    id="batcher.submit",
    title="The front door",
    minutes=10,
    checker=Rehearsals(
        stories=(
            stories.FLOOD,
            stories.GIVES_UP,
            stories.IN_A_HURRY,
            stories.IMPATIENT,
            stories.AT_ONCE,
        ),
        reference=DynamicBatcher,
        method="submit",
        misconceptions=(
            Misconception(
                "takes-everybody",
                wrong.takes_everybody,
                "You let everybody in. How long does the last one in an endless queue wait?",
            ),
            Misconception(
                "counts-the-running",
                wrong.counts_the_running,
                "You count the requests whose batch is running. Do they still take room in the "
                "queue?",
            ),
            Misconception(
                "one-too-many",
                wrong.one_too_many,
                "One more gets in than there is room for.",
            ),
            Misconception(
                "waits-for-room",
                wrong.waits_for_room,
                "You let requests wait for room. That is a second queue, without an end and "
                "without order.",
            ),
            Misconception(
                "drops-the-oldest",
                wrong.drops_the_oldest,
                "You throw out the request that has waited longest. Which one can still go "
                "elsewhere without loss?",
            ),
            Misconception(
                "stays-in-the-queue",
                wrong.stays_in_the_queue,
                "A request whose client has hung up stays in the queue: it takes room, and is "
                "computed for nobody.",
            ),
            Misconception(
                "swallows-the-cancel",
                wrong.swallows_the_cancel,
                "You catch the cancellation and go on. Whoever cancelled is told that it worked; "
                "raise it again.",
            ),
            Misconception(
                "one-window-for-all",
                wrong.one_window_for_all,
                "You give everybody the batcher's window. Some bring a patience of their own.",
            ),
            Misconception(
                "no-patience-is-none",
                wrong.no_patience_is_none,
                "You take a patience of 0 for none given. What does `or` make of a zero?",
            ),
            Misconception(
                "at-the-end-of-the-queue",
                wrong.at_the_end_of_the_queue,
                "You put every ticket at the end. The queue is sorted by urgency, and others rely "
                "on it: which method keeps it so?",
            ),
            Misconception(
                "returns-the-refusal",
                wrong.returns_the_refusal,
                "You return the refusal, and the client takes it for its answer. How does an error "
                "reach somebody who awaits?",
            ),
            Misconception(
                "refuses-by-another-name",
                wrong.refuses_by_another_name,
                "You refuse with an error of another class. A client comes back later for one of "
                "them alone: which?",
            ),
            Misconception(
                "gives-up-itself",
                wrong.gives_up_itself,
                "Your code gives the request up when its patience is over. Patience is for company "
                "in the batch: what happens at that moment instead?",
            ),
        ),
    ),
    hints=(
        "In order: is there room? When is this one due? Into the queue; wait for the answer; and "
        "if the wait is cancelled, out of the queue again.",
        "Room: compare `len(self.waiting)` with `self.max_waiting`, and raise `Overloaded(...)`. "
        "Due: `self.now()` plus the patience, which is `self.window_s` unless one was given.",
        "ticket = Ticket(item, arrival_s, due_s, asyncio.Future()); self.line_up(ticket); try: "
        "return await ticket.answer; except asyncio.CancelledError: self.forget(ticket); raise.",
    ),
    explanation=(
        "The front door keeps three promises. *Time*: the arrival is stamped here, before "
        "anything can delay it. *Room*: a queue of bounded length bounds the wait of those in "
        "it, and an immediate refusal is an answer with which a client can do something (go "
        "elsewhere, come back later, show a shorter page); that is back-pressure. The bound "
        "follows from Little's law: patience times throughput. *Leaving*: asyncio cancels the "
        "future that somebody awaits; the ticket in the queue is yours to remove."
    ),
)
