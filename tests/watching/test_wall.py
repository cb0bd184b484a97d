"""The recorded run and its panels: read as Prometheus would, and counted by hand."""

import json
import lzma

import numpy as np
import pytest

from labutils import datafile
from labutils.telemetry.watching import Scrape, Series, counter_increase
from labutils.telemetry.watching.wall import NEW, OLD, RecordedReplica, Recording, Search
from labutils.telemetry.watching.wall.panels import FIRST_TOKEN, PROMISED_S, late_or_refused
from labutils.telemetry.watching.wall.recording import User, unbroken


@pytest.fixture(scope="module")
def recording():
    return Recording.load()


def replica(name, columns, times_s=(1.0, 2.0, 4.0, 5.0)):
    """A replica whose series are the given columns."""
    rows = zip(*columns.values())
    scrapes = [Scrape(at, dict(zip(columns, row))) for at, row in zip(times_s, rows)]
    return RecordedReplica(name, tuple(scrapes), ())


def ladder(edges, rows):
    """Columns of a histogram of first tokens."""
    series = [Series(f"{FIRST_TOKEN}_bucket", (("le", edge),)) for edge in edges]
    return dict(zip(series, zip(*rows)))


def test_each_scrape_is_what_the_reader_of_expositions_makes_of_its_text(recording):
    lines = lzma.decompress(datafile("watching.jsonl.xz").read_bytes()).decode().splitlines()
    for line in lines[1:]:
        row = json.loads(line)
        for at in (0, 41, 89):
            raw = row["scrapes"][at]
            read = recording.replicas[row["replica"]].scrapes[at]
            assert read == Scrape.read(raw["time_s"], raw["text"])


def test_the_file_says_what_was_done_and_is_small(recording):
    assert recording.about["slow"]["replica"] == "c"
    assert recording.about["restart"]["replica"] == "d"
    assert datafile("watching.jsonl.xz").stat().st_size < 300_000


@pytest.mark.parametrize("seed", [1, 5, 23])
def test_unbroken_ends_where_the_increase_does(seed):
    rng = np.random.default_rng(seed)
    steps = rng.integers(0, 9, (17, 3))
    rows = np.cumsum(steps, axis=0)
    rows[7:] -= rows[6]
    rows[12:] -= rows[11]
    assert unbroken(rows)[-1] == pytest.approx(counter_increase(rows))
    assert unbroken(rows[:, 1])[0] == 0
    assert (np.diff(unbroken(rows), axis=0) >= 0).all()


def test_unbroken_restarts_all_columns_where_one_falls():
    assert unbroken([[5, 9], [2, 9], [4, 11]]).tolist() == [[0, 0], [2, 9], [4, 11]]


def test_unbroken_wants_rows():
    with pytest.raises(ValueError, match="values = shape"):
        unbroken(np.zeros((0, 2)))


def test_within_takes_the_last_scrape_up_to_each_moment():
    one = replica("a", {Series("n"): (3, 10, 4, 9)})
    grown = one.counter("n")
    assert grown.tolist() == [0, 7, 11, 16]
    assert one.within(grown, 1.5, 4.9) == 11
    assert one.within(grown, -9, 99) == 16


def test_a_histogram_that_was_not_scraped_is_refused(recording):
    with pytest.raises(ValueError, match="name = 'nothing'"):
        recording.replicas["a"].buckets("nothing")


def test_late_or_refused_counts_both_of_all_that_asked():
    refused = {Series("vllm:request_refused_total"): (0, 1, 3, 3)}
    buckets = ladder(("0.5", "1.0", "+Inf"), [(0, 0, 0), (2, 3, 3), (4, 6, 7), (5, 8, 10)])
    counts = {Series(f"{FIRST_TOKEN}_count"): (0, 3, 7, 10)}
    one = replica("a", refused | buckets | counts)
    moments = np.array([2.0, 5.0])
    assert PROMISED_S == 1.0
    found = late_or_refused([one], moments, 3.0)["all"]
    assert found == pytest.approx([100 * 1 / 4, 100 * (2 + 2) / (7 + 2)])


def test_every_panel_draws_what_it_was_asked_for(recording):
    moments = np.arange(5.0, 90.0, 7.0)
    for panel in (*OLD, *NEW):
        for fleet in (recording.service(), recording.service()[2:3]):
            lines = panel.lines(fleet, moments, 10.0)
            assert 1 <= len(lines) <= 4
            assert all(len(values) == len(moments) for values in lines.values())


def test_all_old_panels_are_green_and_the_users_are_not(recording):
    moments = np.arange(30.0, 90.0)
    for panel in OLD[:3]:
        for values in panel.lines(recording.service(), moments, 30.0).values():
            assert np.nanmax(values) < panel.limit
    bad = [user.ttft_s > PROMISED_S for user in recording.users(40, 60)]
    assert np.mean(bad) > 0.1


def test_several_replicas_are_one_for_a_scraper(recording):
    every, name = recording.scrapes(), "vllm:generation_tokens_total"
    since_s = 6.0  # each has answered somebody by then: before that its series is not there
    alone = [one.counter(name)[one.times_s >= since_s] for one in recording.service()]
    grown = sum(rows[-1] - rows[0] for rows in alone)
    assert every.increase(name, since_s, 99) == pytest.approx(grown) and grown > 15_000


def test_a_search_ends_with_the_right_replica_and_second():
    now = iter([10.0, 17.5, 99.0])
    search = Search("c", 40, 60, clock=lambda: next(now))
    assert "Not replica a" in search.says("a", 50)
    assert "not at second 61" in search.says("c", 61)
    assert search.seconds is None
    search.says("c", 60)
    search.says("c", 40)
    assert (search.seconds, search.tries) == (7.5, 4)


def test_users_are_those_of_the_service(recording):
    assert all(isinstance(user, User) for user in recording.users())
    assert len(recording.users(0, 45)) + len(recording.users(45)) == len(recording.users())
    assert len(recording.users()) == sum(len(one.users) for one in recording.service())
