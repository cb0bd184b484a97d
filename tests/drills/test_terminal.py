"""Drills at the keyboard: the dialogue line by line, and once through a real pseudo-terminal."""

import os
import re
import select
import sys
import time

import pytest

from labutils.__main__ import main
from labutils.drills.asking.asking import Asking
from labutils.drills.catalog import templates
from labutils.drills.interview.sitting import Mock
from labutils.drills.phrases import bound_in, range_in, steps_in
from labutils.drills.terminal import Dialogue, sit_mock
from labutils.exercises.journal.journal import events
from tests.drills.toys import bill, both, pick

pytestmark = pytest.mark.usefixtures("my")


@pytest.mark.parametrize(
    "text, ends",
    [
        ("10 20", ("10", "20")),
        ("10 to 20 ms", ("10 ms", "20 ms")),
        ("10 ms 2 s", ("10 ms", "2 s")),
        ("10..20", ("10", "20")),
        ("1.5-3 GB", ("1.5 GB", "3 GB")),
        ("1,200 – 2,500 tok/s", ("1,200 tok/s", "2,500 tok/s")),
        ("$3 $5", ("$3", "$5")),
        ("1e3 2e3", ("1e3", "2e3")),
        ("60 % to 80 %", ("60 %", "80 %")),
        ("10", None),
        ("", None),
        ("soon", None),
    ],
)
def test_ranges_as_people_type_them(text, ends):
    assert range_in(text) == ends


def test_bounds_and_steps_as_people_type_them():
    assert bound_in("< 5 s") == bound_in("at most 5 s") == bound_in("≤5 s") == {"at_most": "5 s"}
    assert bound_in(">3") == bound_in("at least 3") == {"at_least": "3"}
    assert bound_in("5 s") == bound_in("") == {}
    assert steps_in("making = 3 s, total=40 ms") == {"making": "3 s", "total": "40 ms"}
    assert steps_in("making=3 GB total=4") == {"making": "3 GB", "total": "4"}
    assert steps_in("3") == steps_in("making=") == {}


def talk(template, *lines) -> list[str]:
    """What the dialogue says to each line, the question first."""
    said: list[list[str]] = [[]]
    typed = iter(lines)

    def read(prompt: str) -> str:
        said.append([])
        return next(typed)

    dialogue = Dialogue({}, read=read, say=lambda text: said[-1].append(str(text)))
    dialogue.next = lambda *_: dialogue.ask(Asking(template, 5, terminal=True))
    with pytest.raises(StopIteration):
        dialogue.run()
    return ["\n".join(texts) for texts in said[: len(lines) + 1]]


def test_a_dialogue_from_the_first_guess_to_the_follow_up():
    drill = bill.drill(5)
    trap, answer = drill.mistakes[0].value, f"{drill.answer} s"
    making = drill.named_steps["making"].value
    said = talk(
        bill, f"bound > {drill.answer / 9}", f"predict {drill.answer / 2} to {drill.answer * 2} s",
        str(trap), "hint", f"steps making={making}", "", "follow up", answer, "follow up", "reveal",
        "steps nothing", "bound 3", "predict 3", "?", "show", "again", "skip",
    )  # fmt: skip
    expected = (
        "A shop sells", "Your bound holds", "80 % sure", "What happens after the last piece?",
        "About your last answer: What happens", "Right as far as `making`", "Type an answer",
        "Not open yet", "It was about: Pieces and price", "Packing doubles", "ten more",
        "A step has a name", "A bound has a side", "two ends", "hint  ", "Packing doubles",
        "A shop sells", "A shop sells",
    )  # fmt: skip
    for text, words in zip(said, expected, strict=True):
        assert words in text, (words, text)
    assert "`.hint()`" not in "".join(said) and "`hint`" in said[3]


def test_a_letter_and_a_number_in_one_line():
    drill = both.drill(5)
    said = talk(both, f"{drill.options.right} {drill.answer} s")
    assert "For example: `b 70 s`" in said[0] and "Both are right" in said[1]


def test_wrong_steps_are_not_kept():
    drill = bill.drill(5)
    said = talk(bill, "steps making=3", str(drill.answer * 3), str(drill.answer))
    assert "`making`" in said[1] and "`making`" not in said[2] and "It was about" in said[3]


def test_a_mock_at_the_keyboard():
    typed = ["?", "hint", "predict 3 9", "1 s", "back", "2 s", "skip"]
    lines = iter([*typed, pick.drill(5).options.right, ""])
    said = []
    sitting = Mock([Asking(item, 5, mock="m", terminal=True) for item in (bill, both, pick)])
    prompts = []
    sit_mock(sitting, read=lambda prompt: (prompts.append(prompt), next(lines))[1], say=said.append)
    assert re.search(r"\[Question 1 of 3, 2\d:\d\d min left\] > ", prompts[0])
    told = "\n".join(map(str, said))
    assert "Back. Question 1 of 3" in told and sitting.results[0].typed == "2 s"
    assert "Not during a mock" in told and "1 of 3 right" in told


def test_a_mock_that_is_broken_off_still_reports():
    def read(prompt):
        if said.count("x"):
            raise KeyboardInterrupt
        said.append("x")
        return "1 s"

    said = []
    with pytest.raises(KeyboardInterrupt):
        sit_mock(
            Mock([Asking(bill, 5, mock="m"), Asking(both, 5, mock="m")]), read=read, say=said.append
        )
    assert "0 of 1 asked right in" in str(said[-1]) and "; 1 not reached." in str(said[-1])


def test_an_unknown_name_or_wish_ends_with_a_sentence(capsys):
    assert main(["drill", "in_flihgt"]) == 2
    assert "in_flight" in capsys.readouterr().out
    assert main(["drill", "--form", "song"]) == 2
    assert "form = 'song'" in capsys.readouterr().out
    for ignored in (["in_flight"], ["--until", "2999-12-04"]):
        assert main(["drill", "--mock", *ignored]) == 2
        assert "--mock chooses by itself" in capsys.readouterr().out
    assert main(["drill", "--mock", "--form", "chain", "--topics", "U"]) == 2
    assert "leave one of the wishes out" in capsys.readouterr().out
    assert main(["drill", "--due"]) == 0
    assert capsys.readouterr().out.startswith("Due.")


def test_the_terminal_through_a_pseudo_terminal(my):
    """Wrong, hint, right, and Ctrl-C in the middle of the next one: nothing is lost."""
    template = next(item for item in templates() if item.drill(7).options is None)
    drill = template.drill(7)
    screen = Screen(["drill", template.id, "--seed", "7"])
    screen.waits_for("> ")
    screen.types(repr(drill.answer * 3.3))
    assert template.title not in screen.waits_for("> ")
    screen.types("hint")
    assert "Hint 1 of 3" in screen.waits_for("> ")
    screen.types(repr(drill.answer))
    assert "Right." in screen.waits_for("> ")
    screen.types("")
    assert "Answer:" in screen.waits_for("> ")
    screen.presses(b"half an ans")
    screen.waits_for("ans")
    screen.waits_for("What you did is kept.", pressing=b"\x03")
    assert screen.status() == 0
    done = [event["status"] for event in events() if event["event"] == "drill"]
    assert len(done) == 2 and done[0] != "right" == done[1]


class Screen:
    """A terminal with ``python -m labutils`` in it."""

    def __init__(self, arguments: list[str]):
        import pty

        self.pid, self.end = pty.fork()
        if self.pid == 0:
            os.execv(sys.executable, [sys.executable, "-m", "labutils", *arguments])

    def types(self, line: str) -> None:
        self.presses(f"{line}\n".encode())
        self.waits_for("\n")  # the terminal's own echo of the line

    def presses(self, keys: bytes) -> None:
        os.write(self.end, keys)

    def waits_for(self, words: str, *, pressing: bytes = b"", seconds: float = 60) -> str:
        """What appears until ``words`` do; fails after ``seconds`` of real time.

        ``pressing`` is pressed until then, once a second: Python can miss a Ctrl-C that comes just
        before it begins to wait for a key.
        """
        shown, until = b"", time.monotonic() + seconds
        while words.encode() not in shown:
            assert time.monotonic() < until, shown.decode()
            if pressing:
                self.presses(pressing)
            while words.encode() not in shown and select.select([self.end], [], [], 1)[0]:
                shown += os.read(self.end, 1 if words == "\n" else 65536)
        return shown.decode()

    def status(self) -> int:
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
