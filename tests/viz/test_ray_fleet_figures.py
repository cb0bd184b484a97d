"""The figures of lab 9 show what the rows say."""

from labutils.viz.figures import ray_fleet as figures

ROWS = [
    {"sent_s": 0.0, "finish_s": 2.0, "ttft_s": 0.5, "replica": "0", "ended": "done"},
    {"sent_s": 1.0, "finish_s": 3.0, "ttft_s": 0.25, "replica": "0", "ended": "done"},
    {"sent_s": 2.5, "finish_s": 4.0, "ttft_s": 0.25, "replica": "0", "ended": "an error event"},
    {"sent_s": 4.5, "finish_s": 6.0, "ttft_s": 0.125, "replica": "10", "ended": "done"},
    {"sent_s": 4.0, "finish_s": 4.0, "ttft_s": None, "replica": None, "ended": "refused"},
]
SCRAPES = [{"0": 10, "1": 5}, {"0": 30, "1": 25}, {"0": 40}, {"0": 60, "2": 8}]


def test_answers_lie_on_their_replica_and_never_on_each_other():
    (ax,) = figures.answers(ROWS, {"killed": 4.0}, title="one breaks").axes
    spans = {
        (*line.get_xdata(),): line.get_ydata()[0] for line in ax.lines if len(line.get_xdata()) == 2
    }
    assert [label.get_text() for label in ax.get_yticklabels()] == ["replica 0", "replica 10"]
    assert spans[0.0, 2.0] == spans[2.5, 4.0] != spans[1.0, 3.0]  # a lane that is free again
    assert spans[4.5, 6.0] > 0.5 > spans[1.0, 3.0]
    (cross,) = (line for line in ax.lines if line.get_marker() == "X")
    assert cross.get_xdata() == [4.0]
    assert figures.answers_in_words(ROWS) == (
        "Answers as lines over time, a band for each replica. replica 0: 2 of 3 whole, the last at "
        "4.0 s; replica 10: 1 of 1 whole, the last at 6.0 s."
    )


def test_a_sum_of_counters_falls_where_a_replica_is_gone():
    (ax,) = figures.counters([0, 1, 2, 3], SCRAPES, title="it falls").axes
    assert [*ax.lines[0].get_ydata()] == [15, 55, 40, 68]
    assert [*ax.lines[2].get_xdata()] == [0, 1] and [*ax.lines[3].get_ydata()] == [8]
    said = figures.counters_in_words([0, 1, 2, 3], SCRAPES)
    assert "rises to 55 at 1.0 s, falls to 40, and ends at 68" in said


def test_a_fleet_that_grows_is_drawn_over_the_waits_of_its_users():
    top, below = figures.scaling([0, 1, 2], [1, 1, 3], ROWS, title="it grows").axes
    assert [*top.lines[0].get_ydata()] == [1, 1, 3]
    assert [*below.lines[0].get_ydata()] == [0.5, 0.25, 0.25, 0.125]
