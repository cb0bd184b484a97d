"""The leaderboard keeps the best of each name, and nobody's score is lost with a damaged file."""

import json
from dataclasses import replace

import pytest

from labutils.serving.arena import Leaderboard, Score, Table


def table(played="aaaa", **kept):
    return Table(
        tuple(
            Score(name, where, share, 2.0, 0.9, share / 2, 3.0, p90_wait_s=1.0)
            for name, share in kept.items()
            for where in ("one", "other")
        ),
        played=played,
    )


@pytest.fixture
def board(tmp_path):
    return Leaderboard(tmp_path / "my" / "arena.json")


def names(board, played=None):
    return [(one.score.policy, one.score.kept) for one in board.entries(played)]


def test_the_best_of_each_name_stays_whatever_comes_later(board):
    assert board.entries() == [] and board.enter(table(mine=0.5, other=0.6))
    assert names(board) == [("other", 0.6), ("mine", 0.5)]
    board.enter(table(mine=0.7), "mine")
    board.enter(table(mine=0.4))
    assert names(board) == [("mine", 0.7), ("other", 0.6)]
    lines = board.table("aaaa").splitlines()
    assert lines[-1].startswith("fairness: Jain's index over the shares that the tenants keep")
    assert lines[1] == "workloads aaaa" and lines[2].split()[:3] == ["1", "mine", "70.0%"]


def test_other_workloads_have_a_board_of_their_own(board):
    board.enter(table("aaaa", mine=0.5))
    board.enter(table("bbbb", mine=0.1))
    assert names(board, "aaaa") == [("mine", 0.5)] and names(board, "bbbb") == [("mine", 0.1)]
    assert str(board).count("workloads ") == 2


def test_only_those_named_are_entered_and_nobody_who_was_sent_off(board):
    scores = table(mine=0.5, other=0.6).scores
    sent = Table((replace(scores[0], sent_off="step 3: KeyError: 1"), *scores[1:]), played="aaaa")
    board.enter(sent, "mine", "other")
    assert names(board) == [("other", 0.6)]
    with pytest.raises(ValueError, match="names has 'nobody': expected some of mine, other"):
        board.enter(sent, "nobody")


def test_of_equals_the_one_whose_worst_tenant_got_more_then_the_shorter_wait(board):
    first = Score("a", "w", 0.5, 1.0, 0.9, 0.2, 9.0)
    second, third = replace(first, policy="b", worst_tenant=0.3), replace(first, policy="c")
    third = replace(third, worst_wait_s=8.0)
    played = Table((first, second, third), played="t")
    board.enter(played)
    assert [one for one, _ in names(board)] == ["b", "c", "a"]
    assert [name for name, _ in played.ranking()] == ["b", "c", "a"]


@pytest.mark.parametrize(
    "damage",
    ["{", "[]", '{"format": 9}', '{"format": 1, "entries": 3}', '{"format": 1, "entries": [1]}',
     '{"format": 1, "entries": [{"kept": "x"}]}', "\xff"],
)  # fmt: skip
def test_a_damaged_file_is_moved_aside_and_named(board, damage, capsys):
    board.path.parent.mkdir()
    board.path.write_bytes(damage.encode("latin-1"))
    assert board.entries() == [] and "cannot be used" in capsys.readouterr().out
    assert board.path.read_bytes() == damage.encode("latin-1")
    board.enter(table(mine=0.5))
    aside = board.path.with_name("arena.unreadable.json")
    assert aside.read_bytes() == damage.encode("latin-1")
    assert str(aside) in capsys.readouterr().out and names(board) == [("mine", 0.5)]


def test_what_has_no_number_is_kept_as_such(board):
    nothing = Score("lazy", "w", 0.0, 0.0, float("nan"), 0.0, 0.0)
    board.enter(Table((nothing,), played="t"))
    (entry,) = board.entries()
    assert entry.score.fairness != entry.score.fairness
    assert "NaN" not in board.path.read_text() and json.loads(board.path.read_text())


def test_where_nothing_can_be_written_a_line_says_so(tmp_path, capsys):
    (tmp_path / "my").write_text("a file, not a folder")
    assert not Leaderboard(tmp_path / "my" / "arena.json").enter(table(mine=0.5))
    assert "nothing was saved" in capsys.readouterr().out


def test_it_stands_in_the_learners_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("LABUTILS_MY", str(tmp_path))
    assert Leaderboard().path == tmp_path / "arena.json"
