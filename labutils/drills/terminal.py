"""Drills at the keyboard: ``python -m labutils drill``.

A dialogue line by line: what is no command is an answer. Ctrl-D, Ctrl-C and ``quit`` end it; all
that was done is in the journal by then.
"""

from collections.abc import Callable, Mapping

from labutils.drills.asking.asking import Asking
from labutils.drills.asking.wording import spaced
from labutils.drills.interview.interview import mock
from labutils.drills.interview.sitting import Mock
from labutils.drills.phrases import bound_in, range_in, steps_in
from labutils.drills.repetition.schedule import due
from labutils.drills.session import begin, new_seed
from labutils.drills.skills.skills import skill
from labutils.exercises.definition.verdict import Status

HELP = """\
Type the answer: 40 ms, 2k, 12 %, a letter, or a letter and a number (b 40 ms).
  hint                a nudge; the first reacts to your last wrong answer, there are three
  bound < 5 s         a bound found in your head, before the answer (also > 3, at least 3)
  predict 10 20       a range that holds the answer with 80 %
  steps name=3 GB     intermediate results: the first wrong one is named
  reveal              the worked solution
  follow up           the next question of the same story
  again               the same kind of question, new numbers
  next, skip          another drill; one left unanswered counts as missed and comes back
  Enter               the next drill, once the answer is known
  due, skill          what is due; how you do so far
  show                the question once more
  quit                stop (Ctrl-D too); nothing is lost"""
MOCK_HELP = """\
Type the answer, as in any drill. `predict 10 20` commits to a range first, `skip` goes on,
`back` takes your last answer back and asks that question again, `finish` ends the mock before the
time. There is no help until the report."""
BYE = "Until next time. What you did is kept."


class Quit(Exception):
    """The learner wants to stop."""


class Dialogue:
    """One sitting: asks, reads a line, answers, until the learner stops.

    ``wishes`` narrow what is asked (level, form, decision, topics, rough), as for ``drills.drill``.
    """

    def __init__(
        self, wishes: Mapping, *, until: str | None = None, read: Callable[[str], str] = input,
        say=print,
    ):  # fmt: skip
        self.wishes, self.until, self.read, self.say = dict(wishes), until, read, say
        self.asking: Asking | None = None
        self.steps: dict[str, str] = {}
        self.commands: dict[str, Callable[[str], None]] = {
            "hint": lambda rest: self.say(self.asking.hint()),
            "reveal": lambda rest: self.say(spaced(self.asking.reveal())),
            "show": lambda rest: self.say(spaced(self.asking.prompt(so_far=True))),
            "bound": self.bound,
            "predict": self.predict,
            "steps": self.hand_in_steps,
            "skip": self.skip,
            "next": self.skip,
            "again": lambda rest: self.again(),
            "follow": self.follow_up,
            "due": lambda rest: self.say(due(until=self.until)),
            "skill": lambda rest: self.say(skill()),
            "help": lambda rest: self.say(HELP),
            "?": lambda rest: self.say(HELP),
            "quit": self.quit,
            "q": self.quit,
            "exit": self.quit,
        }

    def run(self, first: str | None = None, seed: int | None = None) -> None:
        """Ask the drill named ``first``, or the one whose turn it is, and go on from there."""
        self.say("`?` lists what you can type, `quit` stops.\n")
        self.next(first, seed)
        while True:
            line = " ".join(self.read("\n> ").split())
            self.say("")
            self.take(line)

    def take(self, line: str) -> None:
        """Do what one line says; a line that is no command is an answer."""
        word, _, rest = line.partition(" ")
        command = self.commands.get(word.lower())
        if command:
            command(rest)
        elif line:
            self.say(self.asking.check(line, **self.steps))
        elif self.asking.is_done:
            self.next()
        else:
            self.say("Type an answer, or `?` for what else you can do.")

    def ask(self, asking: Asking) -> None:
        self.asking, self.steps = asking, {}
        self.say(spaced(asking.prompt()))

    def next(self, first: str | None = None, seed: int | None = None) -> None:
        wishes, until = self.wishes, self.until
        self.ask(begin(first, seed=seed, wishes=wishes, terminal=True, until=until))

    def again(self) -> None:
        fresh = new_seed(self.asking.template, self.asking.seed)
        self.ask(self.asking.again(fresh))

    def skip(self, rest: str) -> None:
        if not self.asking.is_done:
            self.asking.skip()
        self.next()

    def follow_up(self, rest: str) -> None:
        following = self.asking.follow_up()
        if following is None:
            self.say("The story ends with this question. `next` asks another.")
        elif not following.is_open:
            self.say(following.prompt())
        else:
            self.ask(following)

    def predict(self, rest: str) -> None:
        ends = range_in(rest)
        if ends is None:
            self.say("A range has two ends: `predict 10 20`, or `predict 10 to 20 ms`.")
            return
        self.say(self.asking.predict(*ends))

    def bound(self, rest: str) -> None:
        given = bound_in(rest)
        if not given:
            self.say("A bound has a side: `bound < 5 s`, or `bound at least 3`.")
            return
        self.say(self.asking.bound(**given))

    def hand_in_steps(self, rest: str) -> None:
        found = steps_in(rest)
        names = list(self.asking.drill.named_steps)
        if not found:
            known = f" This question's: {', '.join(names)}." if names else ""
            self.say(f"A step has a name and a value: `steps name=3 GB`.{known}")
            return
        verdict = self.asking.check(..., **{**self.steps, **found})
        if verdict.status is Status.not_attempted:  # right so far: they go with the answer
            self.steps |= found
        self.say(verdict)

    def quit(self, rest: str) -> None:
        raise Quit


def sit_mock(sitting: Mock, *, read: Callable[[str], str] = input, say=print) -> None:
    """Hold a mock at the keyboard; the time left stands before every line.

    The report comes at the end, also where the learner stops early with an answer given.
    """
    for asking in sitting.asked:
        asking.terminal = True
    sitting.scrolls = True
    say(f"{MOCK_HELP}\n")
    try:
        say(spaced(sitting.card()))
        while not sitting.is_over:
            _take_in_mock(sitting, " ".join(read(f"\n[{sitting.clock()}] > ").split()), say)
    finally:
        sitting.is_finished = True
        say("")
        say(spaced(sitting.quiet_report().card()))
    if read("\nPart two is a design of 45 minutes. `design` begins it, Enter ends. > ").strip():
        _sit_design(sitting, read, say)


def _sit_design(sitting: Mock, read: Callable[[str], str], say) -> None:
    try:
        from labutils.drills.whiteboard import prompt, run
    except ImportError:
        say(sitting.quiet_design())
        return
    run(prompt(sitting.design_id), ask=read, say=say)


def _take_in_mock(sitting: Mock, line: str, say) -> None:
    word, _, rest = line.partition(" ")
    word = word.lower()
    say("")
    if word in ("quit", "exit", "finish"):
        sitting.is_finished = True
    elif word == "predict" and (ends := range_in(rest)):
        say(sitting.quiet_predict(*ends))
    elif word == "skip":
        say(spaced(sitting.quiet_skip()))
    elif word == "back":
        say(spaced(sitting.quiet_back()))
    elif word in ("?", "help", "predict", ""):
        say(MOCK_HELP)
    elif word in ("hint", "reveal", "bound", "steps"):
        say("Not during a mock: the report explains.")
    else:
        say(spaced(sitting.quiet_check(line)))


def main(options) -> int:
    """Run ``python -m labutils drill`` with parsed ``options``; returns the exit status."""
    named = ("level", "form", "decision", "topics", "rough")
    wishes = {name: getattr(options, name) for name in named}
    try:
        with_line_editing()
        if options.due:
            print(due(until=options.until))
        elif options.mock:
            if options.id or options.until:
                raise ValueError("--mock chooses by itself: leave out the drill's name and --until")
            sit_mock(mock(seed=options.seed, **wishes))
        else:
            Dialogue(wishes, until=options.until).run(options.id, options.seed)
    except (Quit, EOFError, KeyboardInterrupt):
        print(f"\n{BYE}")
    except ValueError as error:  # an id, a form or a level that does not exist
        print(error)
        return 2
    return 0


def with_line_editing() -> None:
    """Let arrow keys edit the line, where the system has it."""
    try:
        import readline  # noqa: F401  its import does it
    except ImportError:  # Windows: its console edits lines by itself
        return
