"""Mixes keep the quantiles and the means of their tables, and the burstiness asked for."""

import json

import numpy as np
import pytest

from labutils import datafile
from labutils.workload import QuantileTable, mix, mix_names, read_azure, read_mooncake
from tests.conftest import ROOT, traces_folder

TABLES = json.loads(datafile("workloads.json").read_text())
COLUMNS = ("prompt_tokens", "output_tokens")
BOTH = [(name, column) for name in TABLES["mixes"] for column in COLUMNS]


@pytest.mark.parametrize(("name", "column"), BOTH)
def test_quantiles_stand_where_the_table_has_them(name, column):
    values = getattr(mix(name), column).at(TABLES["levels"])
    assert values == pytest.approx(TABLES["mixes"][name][column]["quantiles"])


@pytest.mark.parametrize(("name", "column"), BOTH)
def test_the_mean_is_the_tables(name, column):
    """Integrated on a fine grid, not by the closed form that the bend comes from."""
    shares = (np.arange(400_000) + 0.5) / 400_000
    mean = getattr(mix(name), column).at(shares).mean()
    assert mean == pytest.approx(TABLES["mixes"][name][column]["mean"], rel=1e-3)


@pytest.mark.parametrize(("seed", "name"), list(enumerate(TABLES["mixes"], start=11)))
def test_draws_follow_the_table(seed, name):
    n = 30_000
    drawn = mix(name).draw(n, np.random.default_rng(seed))
    for column, tokens in zip(COLUMNS, drawn, strict=True):
        told = TABLES["mixes"][name][column]
        assert tokens.dtype == np.int64 and tokens.min() >= 1
        assert abs(tokens.mean() - told["mean"]) < 5 * tokens.std() / np.sqrt(n) + 0.5
        for level, value in zip(TABLES["levels"], told["quantiles"], strict=True):
            slack = 5 * np.sqrt(level * (1 - level) / n)
            assert (tokens < value).mean() - slack <= level <= (tokens <= value).mean() + slack


@pytest.mark.parametrize("burstiness", [0.25, 1.0, 4.0])
def test_gaps_have_the_rate_and_the_burstiness_asked_for(burstiness):
    n, rate = 40_000, 3.7
    trace = mix("azure-code").trace(n, rate, seed=5, burstiness=burstiness)
    gaps = np.diff(trace.arrival_s, prepend=0.0)
    cv = burstiness**-0.5
    assert gaps.mean() == pytest.approx(1 / rate, abs=5 * cv / rate / np.sqrt(n))
    # A gamma's scv estimated from n gaps has a relative deviation below about 2 (1 + cv) / sqrt(n).
    assert (gaps.std() / gaps.mean()) ** 2 == pytest.approx(cv**2, rel=10 * (1 + cv) / np.sqrt(n))


def test_burstiness_is_the_mixs_own_unless_given():
    conversation = mix("azure-conversation")
    assert conversation.burstiness == pytest.approx(1 / 1.09**2)
    own = conversation.trace(50, 2.0, seed=3)
    same = conversation.trace(50, 2.0, seed=3, burstiness=1 / 1.09**2)
    assert own.arrival_s == pytest.approx(same.arrival_s)
    assert own.arrival_s[9] != conversation.trace(50, 2.0, seed=3, burstiness=1.0).arrival_s[9]


def test_one_seed_gives_the_same_requests_at_every_rate():
    slow, fast = (mix("long-context").trace(70, rate, seed=9) for rate in (1.5, 6.0))
    assert slow.arrival_s == pytest.approx(4 * fast.arrival_s)
    assert (slow.prompt_tokens == fast.prompt_tokens).all()
    assert (slow.output_tokens == fast.output_tokens).all()
    other = mix("long-context").trace(70, 1.5, seed=10)
    assert (slow.prompt_tokens != other.prompt_tokens).any()


def test_every_mix_names_its_source_and_licence():
    assert mix_names() == tuple(TABLES["mixes"])
    for name in mix_names():
        assert mix(name).licence in ("CC BY 4.0", "Apache-2.0")
        assert "/" in mix(name).source and mix(name).note


@pytest.mark.traces
@pytest.mark.parametrize(
    ("name", "read", "file"),
    [
        ("azure-conversation", read_azure, "azure_llm_2023_conv.csv.gz"),
        (
            "mooncake-conversation",
            lambda path: read_mooncake(path, seed=2),
            "mooncake_conversation.jsonl.gz",
        ),
    ],
)
def test_tables_agree_with_the_files(name, read, file):
    trace, told = read(traces_folder() / file), TABLES["mixes"][name]
    assert trace.rate_per_s == pytest.approx(told["rate_per_s"], abs=0.006)
    assert trace.gap_cv == pytest.approx(told["gap_cv"], rel=0.03)
    for column in COLUMNS:
        tokens = getattr(trace, column)
        assert tokens.mean() == pytest.approx(told[column]["mean"], abs=0.51)
        found = np.quantile(tokens, TABLES["levels"])
        assert found == pytest.approx(told[column]["quantiles"], rel=0.003, abs=1)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: mix("azure-conv"), "name = 'azure-conv': expected one of azure-conversation, "),
        (lambda: mix("azure-code").trace(10, -3.0, seed=1), r"rate_per_s = -3\.0: expected"),
        (lambda: mix("azure-code").trace(0, 3.0, seed=1), "num_requests = 0: expected"),
        (lambda: mix("azure-code").trace(5, 3.0, seed=1, burstiness=0), "burstiness = 0"),
        (lambda: mix("azure-code").draw(5, 17), "rng = 17: expected a numpy"),
        (lambda: QuantileTable([0.5, 1.0], [7, 3], 5), "expected both to ascend"),
        (
            lambda: QuantileTable([0.5, 1.0], [3, 7], 8),
            r"mean = 8\.0: expected one between 3 and 5",
        ),
        (lambda: QuantileTable([0.5, 0.9], [3, 7], 4), "up to 1"),
        (lambda: QuantileTable([0.5, 1.0], [3, 7], 4).at(1.2), "expected numbers from 0 to 1"),
    ],
)
def test_bad_input_names_the_argument(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_a_table_of_one_value_is_that_value():
    assert QuantileTable([0.5, 1.0], [7, 7], 7).at([0.0, 0.3, 1.0]).tolist() == [7, 7, 7]


@pytest.mark.parametrize("name", TABLES["mixes"])
def test_the_notice_names_where_a_table_comes_from_and_its_licence(name):
    notice = (ROOT / "NOTICE").read_text(encoding="utf-8").replace("\n  ", " ")
    told = TABLES["mixes"][name]
    (entry,) = (part for part in notice.split("\n- ") if told["source"].split(",")[0] in part)
    links = {"CC BY 4.0": "creativecommons.org/licenses/by/4.0", "Apache-2.0": "LICENSE-2.0"}
    assert links[told["licence"]] in entry and "worked out from" in entry
