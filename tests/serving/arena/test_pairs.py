"""Pairs are compared by what was measured, and the simulator is right where it says the same."""

import math
from dataclasses import replace

import pytest

from labutils.serving.arena import Pairs, Score, SealedTable, Table


def table(goodput, waits=(1.0, 1.0, 1.0), played="t"):
    rows = zip("abc", goodput, waits)
    return Table(
        tuple(Score(name, "w", good, good, p90_wait_s=wait) for name, good, wait in rows), played
    )


def by(pairs, figure):
    return {"".join(one.policies): one for one in pairs.pairs if one.figure == figure}


def test_only_what_differs_by_more_than_five_percent_is_decisive():
    pairs = Pairs.of(table((1, 2, 3)), table((100, 95.5, 95)))
    told = by(pairs, "goodput_per_s")
    assert not told["ab"].is_decisive and not told["bc"].is_decisive
    assert not told["ac"].is_decisive  # 5 % to the letter
    assert by(Pairs.of(table((1, 2, 3)), table((100, 95, 94.9))), "goodput_per_s")["ac"].is_decisive


def test_more_goodput_is_better_and_less_waiting_too():
    pairs = Pairs.of(table((3, 2, 2), (3, 2, 2)), table((30, 20, 40), (9, 6, 3)))
    goodput, wait = by(pairs, "goodput_per_s"), by(pairs, "p90_wait_s")
    assert goodput["ab"].better == goodput["ab"].named == "a"
    assert goodput["ac"].better == "c" and goodput["ac"].named == "a"
    assert goodput["bc"].named == "neither" and not goodput["bc"].is_right
    assert wait["ab"].better == "b" and wait["ac"].better == "c" and wait["ab"].is_right
    assert pairs.confusion() == {"goodput_per_s": (1, 1, 1), "p90_wait_s": (2, 0, 1)}
    assert pairs.right_share == pytest.approx(3 / 6) and len(pairs.wrong) == 3
    assert "The better policy was named in 3 of 6 pairs." in str(pairs)
    cells = [line.split() for line in pairs.by_policy().splitlines()[1:]]
    assert cells[2][1:] == ["c", "1", ".", "1", "2"]  # c was better in four: a named once, …


def test_who_was_sent_off_is_in_no_pair_and_without_pairs_there_is_no_share():
    sent = table((1, 2, 3))
    sent = Table((replace(sent.scores[0], sent_off="step 1: no"), *sent.scores[1:]), "t")
    assert {one.policies for one in Pairs.of(sent, table((1, 2, 3))).pairs} == {("b", "c")}
    assert math.isnan(Pairs(()).right_share)


def test_what_was_kept_comes_back_as_pairs():
    rows = [
        {"policy": name, "workload": "w", "goodput_per_s": told, "p90_wait_s": [1, 1, 1]}
        for name, told in (("a", [1.0, 4.0, 6.0]), ("b", [2.0, 9.0, 3.0]))
    ]
    (pair,) = [one for one in Pairs.recorded(rows).pairs if one.figure == "goodput_per_s"]
    assert (pair.predicted, pair.measured) == ((1.0, 2.0), (5.0, 6.0)) and pair.is_right
    (again,) = [one for one in Pairs.between_rounds(rows).pairs if one.figure == "goodput_per_s"]
    assert (again.predicted, again.measured) == ((4.0, 9.0), (6.0, 3.0)) and not again.is_right


def test_a_sealed_table_has_a_digest_and_opens_on_its_own_matches_alone():
    sealed = SealedTable(table((3, 2, 1)))
    assert sealed.verdict == "'a' wins" and len(sealed.digest) == 8
    assert sealed.digest == SealedTable(table((3, 2, 1))).digest
    assert sealed.digest != SealedTable(table((3, 2, 1.001))).digest
    opened = sealed.open(table((0.2, 0.3, 0.1)))
    assert opened.winner_named is False and "named wrongly" in str(opened)
    assert sealed.open(table((0.4, 0.3, 0.1))).winner_named
    with pytest.raises(ValueError, match="played on 'x': expected 't', the workloads that"):
        sealed.open(table((1, 2, 3), played="x"))
    two = Table(table((1, 2, 3)).scores[:2], "t")
    with pytest.raises(ValueError, match=r"measured has policies \['a', 'b'\]: expected those"):
        sealed.open(two)


def test_who_wins_says_nothing_about_the_levels():
    said = table((0.65, 0.5, 0.4))
    opened = str(SealedTable(said).open(table((0.875, 0.4, 0.45))))
    assert (
        "The winner was named rightly. What each keeps may be off all the same: here by up to 22 "
        "points." in opened
    )
    off = replace(said.scores[0], sent_off="step 3: no", kept=math.nan)
    opened = str(SealedTable(said).open(replace(said, scores=(off, *said.scores[1:]))))
    assert "here by up to 0 points" in opened


def test_a_tie_is_told_and_names_no_winner():
    sealed, clear = SealedTable(table((0.5, 0.7, 0.7))), SealedTable(table((0.5, 0.7, 0.6)))
    assert sealed.verdict == "a tie of 'b' and 'c'"
    opened = sealed.open(table((0.5, 0.9, 0.5)))
    assert opened.winner_named is None
    assert "Predicted: a tie of 'b' and 'c'. Measured: 'b' wins." in str(opened)
    assert [line.split()[:2] for line in str(opened).splitlines()[1:4]] == [
        ["1", "b"], ["2", "a"], ["2", "c"],
    ]  # fmt: skip
    opened = clear.open(table((0.5, 0.9, 0.9)))
    assert opened.winner_named is None and "Measured: a tie of 'b' and 'c'." in str(opened)


def test_who_was_sent_off_has_a_reason_and_no_share():
    one, *others = table((0.2, 0.3, 0.1)).scores
    sent = Table((Score(one.policy, "w", sent_off="step 3: KeyError: 'x'"), *others), "t")
    assert sent.standings().splitlines()[-1].split(None, 1) == [
        "a", "sent off (w), step 3: KeyError: 'x'",
    ]  # fmt: skip
    opened = str(SealedTable(sent).open(table((0.4, 0.3, 0.1))))
    assert "step 3: KeyError: 'x'" in opened and "nan" not in opened
    nobody = Table((sent.scores[0],), "t")
    assert nobody.leaders() == [] and "all were sent off" in SealedTable(nobody).verdict


def test_what_the_bench_kept_is_there_to_be_shown():
    pairs = Pairs.recorded()
    assert len(pairs.decisive) >= 40 and 0.5 < pairs.right_share <= 1
    assert sum(map(sum, pairs.confusion().values())) == len(pairs.decisive)
    numbers = [
        int(cell)
        for line in pairs.by_policy().splitlines()[1:]
        for cell in line[28:].replace(".", "0").split()
    ]
    assert sum(numbers) == len(pairs.decisive)
