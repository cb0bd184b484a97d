"""check, hint, reveal, piece and progress, as a learner meets them, and what they record."""

import builtins
import subprocess
import sys

import pytest

from labutils.exercises import actions, check, hint, outcome, piece, progress, reveal
from labutils.exercises.definition.verdict import Status
from labutils.exercises.journal.journal import events, record

pytestmark = pytest.mark.usefixtures("toys")
BILL = 37 * 4.691


def sums(values, start):
    return [start + sum(values[: n + 1]) for n in range(len(values))]


def stub(values, start):
    raise NotImplementedError


class Meter:
    def __init__(self, window_s):
        self.window_s, self.times_s = window_s, []

    def arrive(self, time_s):
        self.times_s.append(time_s)

    def rate(self, now_s):
        return sum(now_s - t < self.window_s for t in self.times_s) / self.window_s


def recorded(*fields):
    return [tuple(event.get(field) for field in fields) for event in events()]


# ---- check --------------------------------------------------------------------------------------


def test_each_kind_of_exercise_can_be_checked():
    assert check("toy.bill", BILL).passed
    assert check("toy.bill", "2.8928 min").passed
    assert check("toy.sums", sums).passed
    assert check("toy.flaw", "B").passed
    assert check("toy.meter", Meter).passed
    for name in ("toy.bill", "toy.sums", "toy.flaw", "toy.run", "toy.meter"):
        assert check(name, ...).status is Status.not_attempted


class Endless(str):
    """A text of which nobody gets to the end."""

    def __getattribute__(self, name):
        while True:
            pass


class Broken(int):
    def __float__(self):
        raise RuntimeError("no number")


def test_an_answer_that_breaks_or_never_ends_when_looked_at_is_unreadable(monkeypatch):
    monkeypatch.setattr(actions, "MOST_SECONDS", 0.3)
    endless = check("toy.flaw", Endless("a"))
    assert endless.status is Status.unreadable and "does not come to an end" in endless.message
    broken = check("toy.bill", Broken(7))
    assert broken.status is Status.unreadable and "no number" in broken.message


@pytest.mark.parametrize("name", ["len", "max", "abs", "print", "sorted"])
def test_a_builtin_that_was_replaced_before_a_check_is_back(name):
    before = getattr(builtins, name)
    try:
        setattr(builtins, name, lambda *_: 7)
        verdict = check("toy.sums", sums)
        after = getattr(builtins, name)
    finally:
        setattr(builtins, name, before)
    assert verdict.passed and after is before


def test_a_check_is_recorded_without_what_the_learner_wrote():
    check("toy.bill", "about 37000 parsecs")
    check("toy.bill", 37 + 4.691)
    check("toy.flaw", "a")
    check("toy.sums", sums)
    assert recorded("event", "id", "status", "diagnosis", "value") == [
        ("check", "toy.bill", "unreadable", None, None),
        ("check", "toy.bill", "misconception", "adds", pytest.approx(41.691)),
        ("check", "toy.flaw", "misconception", "a", None),
        ("check", "toy.sums", "right", None, None),
    ]
    assert "parsecs" not in str(events())
    assert all(event["seconds"] >= 0 for event in events())


def test_a_wrong_answer_says_where_help_is_and_a_right_one_does_not():
    assert "hint('toy.bill')" in repr(check("toy.bill", 5))
    assert "hint" not in repr(check("toy.bill", BILL))
    assert "hint" not in repr(check("toy.bill", ...))
    assert check("toy.bill", 37.5 * 4.691).note == "You count the half one too: some do."


@pytest.mark.parametrize("call", [check, piece])
def test_an_unknown_id_names_close_ones(call):
    with pytest.raises(ValueError, match=r"exercise_id = 'toy.bil': did you mean 'toy.bill'"):
        call("toy.bil", 1)
    for unknown in ("zzz", None, 7):
        with pytest.raises(ValueError, match="no id resembles it"):
            call(unknown, 1)


@pytest.mark.parametrize("call", [hint, reveal, lambda name: check(name, 3)])
def test_the_id_of_a_prediction_is_told_as_one(call):
    with pytest.raises(ValueError, match=r"exercise_id = 'toy.recovery': this is a prediction"):
        call("toy.recovery")


def test_workings_localise_the_first_wrong_step():
    wrong = check("toy.bill", 5, price=4.6, count=36)
    assert wrong.diagnosis == "price:close" and wrong.status is Status.close
    wrong = check("toy.bill", 5, count=36, price="4691 ms")
    assert wrong.diagnosis == "count:wrong"
    assert "`count`" in wrong.message and "`price`" not in wrong.message
    after = check("toy.bill", 5, price=4.691, count=37)
    assert after.status is Status.wrong and "`price`, `count`" in after.note
    assert check("toy.bill", BILL, price=9).passed
    assert check("toy.bill", ..., price=9).diagnosis == "price:wrong"
    assert check("toy.bill", ..., price=...).status is Status.not_attempted
    strange = check("toy.bill", 5, weight=3)
    assert strange.status is Status.unreadable and "`price`, `count`" in strange.message
    assert check("toy.flaw", "a", weight=3).status is Status.unreadable


# ---- hint and reveal ----------------------------------------------------------------------------


def test_hints_come_one_by_one_and_end():
    shown = [repr(hint("toy.bill")) for _ in range(4)]
    assert shown[0] == "Hint 1 of 3. Look at the two numbers."
    assert shown[1] == f"{shown[0]}\nHint 2 of 3. Multiply them."
    assert shown[2] == f"{shown[1]}\nHint 3 of 3. 37 times the price."
    assert shown[3].startswith(shown[2]) and "reveal('toy.bill')" in shown[3]
    assert repr(hint("toy.flaw")) == shown[0]
    levels = [("toy.bill", n) for n in (1, 2, 3, 3)] + [("toy.flaw", 1)]
    assert recorded("id", "level") == levels


@pytest.mark.parametrize(
    "answer, words",
    [
        (37 + 4.691, "About your last answer: You add."),
        (BILL * 1000, "off by a factor"),
        ("3 GB", "begin with the unit"),
        (BILL * 1.04, "was close"),
    ],
)
def test_the_first_hint_reacts_to_the_last_answer(answer, words):
    check("toy.bill", BILL / 3)
    check("toy.bill", answer)
    check("toy.flaw", "a")
    first = repr(hint("toy.bill")).replace("\n", " ")
    assert words in first and first.endswith("Look at the two numbers.")
    assert check("toy.bill", BILL).passed
    assert words not in repr(hint("toy.bill"))


def test_hints_go_on_in_another_kernel(toys):
    hint("toy.bill")
    script = (
        "from labutils.exercises import catalog, hint; import sys\n"
        "catalog.__path__.append(sys.argv[1]); print(hint('toy.bill'))"
    )
    folder = __file__.replace("test_actions.py", "toys")
    run = [sys.executable, "-c", script, folder]
    assert "Hint 2 of 3" in subprocess.run(run, capture_output=True, text=True, check=True).stdout


def test_reveal_explains_and_is_recorded():
    shown = reveal("toy.bill")
    assert "$$b = n p$$" in repr(shown) and "$$b = n p$$" in shown._repr_markdown_()
    assert "The bill" in repr(shown)
    assert recorded("event", "id") == [("reveal", "toy.bill")]


# ---- piece --------------------------------------------------------------------------------------


def test_a_piece_is_the_learners_once_it_passes(capsys):
    assert piece("toy.sums", sums) is sums
    assert capsys.readouterr().out == "Running sums: using yours.\n"


@pytest.mark.parametrize(
    "mine, why",
    [(stub, "is not there yet"), (..., "is not there yet"), (lambda v, s: v, "does not pass")],
)
def test_otherwise_it_is_the_workbooks_and_says_so(capsys, mine, why):
    function = piece("toy.sums", mine)
    assert function([2, 3], 10) == [12, 15]
    told = capsys.readouterr().out
    assert why in told and "using the workbook's" in told and told.count("\n") == 1
    assert events() == []  # taking a piece is no attempt


def test_a_piece_may_be_a_class(capsys):
    assert piece("toy.meter", Meter) is Meter
    forgetless = type("Meter", (Meter,), {"rate": lambda self, now_s: len(self.times_s)})
    assert piece("toy.meter", forgetless)(30).rate(0) == 0  # the handed-out class does that
    told = capsys.readouterr().out.splitlines()
    assert told[1] == "A meter: yours is not there yet; using the workbook's."


def test_a_piece_may_be_a_number():
    assert piece("toy.bill", 3) == pytest.approx(BILL)
    assert piece("toy.bill", "173.567 s") == "173.567 s"


# ---- progress -----------------------------------------------------------------------------------


def toy_row():
    return next(line for line in repr(progress()).splitlines() if line.startswith("Toy shop"))


def test_progress_counts_by_chapter_and_keeps_what_was_solved():
    assert toy_row().split() == ["Toy", "shop", "0", "of", "5", "0", "0", "0", "of", "20"]
    check("toy.bill", BILL)
    check("toy.bill", 3)  # a later wrong try takes nothing away
    check("toy.sums", stub)
    hint("toy.flaw")
    hint("toy.flaw")
    reveal("toy.run")
    assert toy_row().split() == ["Toy", "shop", "1", "of", "5", "1", "1", "3", "of", "20"]
    assert "<table" in progress()._repr_html_() and "Toy shop" in progress()._repr_html_()


def test_help_counts_while_an_exercise_is_open():
    check("toy.bill", BILL)
    hint("toy.bill")  # solved: the hint was read out of interest
    reveal("toy.bill")
    hint("toy.flaw")
    check("toy.flaw", "B")
    check("toy.flaw", "B")
    assert toy_row().split()[2:7] == ["2", "of", "5", "1", "0"]


def test_progress_names_the_minutes_for_what_they_are():
    assert repr(progress()).splitlines()[1].split()[-2:] == ["exercise", "minutes"]


def test_lines_of_other_versions_do_no_harm():
    for event in ({"id": "toy.bill"}, {"event": "check"}, {"event": "hint", "id": ["x"]}, {}):
        record(event)
    for event in ({"event": "outcome", "held": True}, {"event": "predict", "id": "toy.recovery"}):
        record(event)
    assert "no prediction" in repr(outcome("toy.recovery", 60))
    hint("toy.bill")
    check("toy.bill", 3)
    assert toy_row().split()[2] == "0"


def test_checking_goes_on_where_nothing_can_be_written(toys, capsys):
    toys.write_text("a file where the folder should be")
    assert check("toy.bill", 37 + 4.691).diagnosis == "adds"
    assert "You add" in repr(hint("toy.bill"))
    assert check("toy.bill", BILL).passed
    assert toy_row().split()[2] == "1"
    assert capsys.readouterr().out.count("cannot be saved") == 1


def test_progress_says_which_chapter_has_an_update_and_how_to_take_it(monkeypatch):
    monkeypatch.setattr("labutils.workspace.waiting", lambda: ["03_mm1_explosion"])
    assert "03_mm1_explosion has an update: `!labutils carry 03`" in progress().plain()

    def nowhere():
        raise FileNotFoundError("labutils is installed without the course's notebooks")

    monkeypatch.setattr("labutils.workspace.waiting", nowhere)
    assert "update" not in progress().plain()
