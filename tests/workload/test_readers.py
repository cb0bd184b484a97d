"""Readers of public traces: what they make of good files, and what they say of bad ones."""

import gzip
import json
import tracemalloc

import numpy as np
import pytest

from labutils.workload import MalformedLine, read_azure, read_mooncake, read_servegen
from tests.conftest import traces_folder

AZURE = """TIMESTAMP,ContextTokens,GeneratedTokens
2023-11-16 23:59:59.6805900,374,44
2023-11-16 23:59:59.9951690,396,109
2023-11-17 00:00:01.2224670,879,55
"""
SERVEGEN = """client,window_start_s,rate_rps,cv,family,param1,param2
3,600,0.5,1.5,Gamma,0.75,0.04
3,1200,1.5,2.5,Weibull,0.4,0.009
8,600,3.0,0.9,Gamma,0.7,0.05
"""


def mooncake_line(stamp, prompt=1030, output=7, keys=(0, 4, 9)) -> str:
    row = {"timestamp": stamp, "input_length": prompt, "output_length": output}
    return json.dumps({**row, "hash_ids": list(keys)}) + "\n"


MOONCAKE = "".join(
    [
        mooncake_line(0, 600, 5, (0, 1)),
        mooncake_line(0, 513, 9, (0, 2)),
        mooncake_line(2999, 40, 3, (7,)),
        mooncake_line(3001, 41, 2, (8,)),
        mooncake_line(9000, 42, 1, (9,)),
    ]
)


@pytest.fixture
def write(tmp_path):
    def writing(text: str, name: str = "some.csv"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return writing


def test_azure_rows_and_times_across_midnight(write):
    trace = read_azure(write("\ufeff" + AZURE.replace("\n", "\r\n"), "azure_small.csv"))
    assert trace.arrival_s == pytest.approx([0, 0.314579, 1.541877], abs=1e-9)
    assert trace.prompt_tokens.tolist() == [374, 396, 879]
    assert trace.output_tokens.tolist() == [44, 109, 55]
    assert (trace.name, trace.prefix_keys) == ("azure_small", None)


def test_azure_stamps_of_2024_name_their_zone(write):
    zoned = "\n".join(
        line.replace(",", "+00:00,", 1) if at else line for at, line in enumerate(AZURE.split("\n"))
    )
    assert read_azure(write(zoned)).arrival_s == pytest.approx(read_azure(write(AZURE)).arrival_s)


def test_gzip_is_read_as_it_is(tmp_path):
    path = tmp_path / "azure.csv.gz"
    path.write_bytes(gzip.compress(AZURE.encode()))
    assert len(read_azure(path)) == 3


def test_mooncake_ticks_are_smeared_within_and_said_so(write):
    trace = read_mooncake(write(MOONCAKE), seed=4)
    ticks = [0, 0, 3, 3, 9]  # the ticks jitter by some milliseconds
    assert all(tick <= at < tick + 3 for tick, at in zip(ticks, trace.arrival_s, strict=True))
    assert (np.diff(trace.arrival_s) > 0).all()
    assert trace.prompt_tokens.tolist() == [600, 513, 40, 41, 42]
    assert trace.prefix_keys == ((0, 1), (0, 2), (7,), (8,), (9,))
    assert trace.prefix_page_tokens == 512
    assert "3 s" in trace.note
    again, other = (read_mooncake(write(MOONCAKE), seed=seed).arrival_s for seed in (4, 5))
    assert (again == trace.arrival_s).all() and (other != trace.arrival_s).any()


def test_mooncake_arrivals_that_are_not_ticks_stay_as_they_were_recorded(write):
    stamps = [0, 0, 40, 277, 471, 3000, 6003]
    text = "".join(map(mooncake_line, stamps))
    for seed in (4, 5):
        trace = read_mooncake(write(text), seed=seed)
        assert trace.arrival_s.tolist() == [stamp / 1000 for stamp in stamps]
        assert trace.note == ""
    assert read_mooncake(write(mooncake_line(3000)), seed=4).arrival_s.tolist() == [3.0]


def test_servegen_clients_and_windows(write):
    rates = read_servegen(write(SERVEGEN))
    assert (len(rates), rates.num_clients) == (3, 2)
    assert rates.client_shares() == pytest.approx([3 / 5, 2 / 5])
    starts, total = rates.window_rates()
    assert (starts.tolist(), total.tolist()) == ([600, 1200], [3.5, 1.5])
    assert [rates.gap_cv_at(share) for share in (0.5, 0.65, 0.99)] == [0.9, 1.5, 2.5]
    assert rates.parameters[1].tolist() == [0.4, 0.009]


def test_a_clients_number_may_be_as_large_as_it_likes(write):
    rates = read_servegen(write(SERVEGEN.replace("\n8,", f"\n{10**11},")))
    assert rates.client_shares() == pytest.approx([3 / 5, 2 / 5])
    assert rates.num_clients == 2


def test_a_packed_line_that_would_fill_the_memory_is_refused(tmp_path):
    path = tmp_path / "bomb.csv.gz"
    path.write_bytes(gzip.compress(AZURE.encode() + b"9" * 20_000_000))
    tracemalloc.start()
    try:
        with pytest.raises(
            MalformedLine, match=r"line 5: expected at most 1,000,000 char"
        ) as caught:
            read_azure(path)
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()
    assert len(caught.value.partial) == 3


BAD_AZURE = {
    "2023-11-17 00:00:02.0,12": "expected 3 columns, found 2",
    "2023-11-17 00:00:02.0,12,x": "GeneratedTokens = 'x': expected a whole number",
    "2023-11-17 00:00:02.0,0,9": "ContextTokens = '0': expected a whole number of at least 1",
    "17.11.2023 00:00:02,12,9": "TIMESTAMP = '17.11.2023 00:00:02': expected YYYY",
    "2023-11-17 00:00:02nan,12,9": "expected YYYY",
    "2023-11-17 00:00:02.0+02:00,12,9": "expected YYYY",
    "2023-11-17 00:00:02.5e3,12,9": "expected YYYY",
    "2023-11-17 00:00:02.5e400,12,9": "expected YYYY",
    f"2023-11-17 00:00:02.0,{10**30},9": "ContextTokens = '1000000000",
    "2023-11-17 00:00:02.0,1_0,9": "ContextTokens = '1_0'",
    "2023-11-17 00:00:02.0,٣,9": "ContextTokens = '٣'",
    "2023-11-17 00:00:00.0,12,9": "expected one no earlier than the line before",
}
BAD_MOONCAKE = {
    "{": "expected JSON",
    "[1, 2]": "expected a JSON object",
    '{"timestamp": 9000, "input_length": 4, "output_length": 3}': "expected a field 'hash_ids'",
    mooncake_line(8999): "timestamp = 8999: expected a whole number of at least 9000",
    mooncake_line(9000, prompt=-4): "input_length = -4",
    mooncake_line(10**400): "expected a whole number of at most 2**53",
    mooncake_line(9000, prompt=10**30): "expected a whole number of at most 2**53",
    mooncake_line(9000, prompt=6000, keys=(1, 2)): "hash_ids has 2: expected 12, one for each",
    mooncake_line(9000, prompt=600, keys=(1, 2, 3, 4, 5)): "hash_ids has 5: expected 2",
    "[" * 100_000: "expected JSON",
    mooncake_line(9000, output=1.5): "output_length = 1.5",
    mooncake_line(9000, output=True): "output_length = True",
    mooncake_line(9000, keys="ab"): "hash_ids = ['a', 'b']: expected a list of whole numbers",
}
BAD_SERVEGEN = {
    "8,1200,1.0,0.9,Gamma,0.7": "expected 7 columns, found 6",
    "8,1200,-1.0,0.9,Gamma,0.7,0.05": "rate_rps = '-1.0': expected a finite number above 0",
    "8,1200,1.0,inf,Gamma,0.7,0.05": "cv = 'inf'",
    "8,1200,1.0,0.9,Pareto,0.7,0.05": "family = 'Pareto': expected one of Gamma, Weibull",
    "x,1200,1.0,0.9,Gamma,0.7,0.05": "client = 'x'",
}
BAD = [
    *((read_azure, AZURE, line, problem) for line, problem in BAD_AZURE.items()),
    *(
        (lambda path: read_mooncake(path, seed=1), MOONCAKE, line, problem)
        for line, problem in BAD_MOONCAKE.items()
    ),
    *((read_servegen, SERVEGEN, line, problem) for line, problem in BAD_SERVEGEN.items()),
]


@pytest.mark.parametrize(("read", "good", "line", "problem"), BAD)
def test_a_malformed_line_is_named_and_the_rows_before_it_are_kept(
    write, read, good, line, problem
):
    with pytest.raises(MalformedLine) as caught:
        read(write(good + line.strip() + "\n" + good, "bad.txt"))
    good_lines = good.count("\n")
    assert str(caught.value).startswith(f"bad.txt, line {good_lines + 1}: ")
    assert problem in str(caught.value)
    assert caught.value.line == good_lines + 1
    assert caught.value.rows_read == len(read(write(good))) == len(caught.value.partial)


def test_a_malformed_first_row_leaves_an_empty_trace(write):
    with pytest.raises(MalformedLine, match=r"line 2: ") as caught:
        read_azure(write(AZURE.splitlines()[0] + "\nnonsense\n"))
    assert len(caught.value.partial) == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: expected rows, found none"),
        (AZURE.splitlines()[0], "line 2: expected rows, found none"),
        ("time,prompt,output\n1,2,3\n", "line 1: 'time,prompt,output': expected the header"),
    ],
)
def test_a_file_of_another_kind_is_refused(write, text, message):
    with pytest.raises(MalformedLine, match=message):
        read_azure(write(text))


def test_a_damaged_gzip_file_keeps_what_could_be_read(tmp_path):
    rows = "".join(mooncake_line(3000 * at, 20_000, keys=range(at, at + 40)) for at in range(4_000))
    path = tmp_path / "cut.jsonl.gz"
    packed = gzip.compress(rows.encode())
    path.write_bytes(packed[: len(packed) // 2])
    with pytest.raises(MalformedLine, match="the file is damaged") as caught:
        read_mooncake(path, seed=1)
    assert 0 < caught.value.rows_read == len(caught.value.partial) < 4_000
    assert caught.value.line == caught.value.rows_read + 1
    path.write_bytes(b"no gzip at all")
    with pytest.raises(MalformedLine, match="line 1: the file is damaged"):
        read_mooncake(path, seed=1)


def test_text_that_is_not_utf_8_is_malformed(tmp_path):
    path = tmp_path / "latin.csv"
    path.write_bytes(AZURE.encode() + b"\xff\xfe,1,2\n")
    with pytest.raises(MalformedLine, match=r"latin\.csv, line"):
        read_azure(path)


def test_a_missing_file_is_missing(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_azure(tmp_path / "nothing.csv")


@pytest.mark.traces
def test_azure_conversation_as_published():
    trace = read_azure(traces_folder() / "azure_llm_2023_conv.csv.gz")
    assert (len(trace), trace.prompt_tokens.sum() // len(trace)) == (19_366, 1_154)
    assert trace.gap_cv == pytest.approx(1.09, abs=0.005)
    per_minute = np.bincount((trace.arrival_s // 60).astype(int))
    assert per_minute.var() / per_minute.mean() == pytest.approx(20.6, rel=0.08)


@pytest.mark.traces
def test_mooncake_conversation_as_published():
    trace = read_mooncake(traces_folder() / "mooncake_conversation.jsonl.gz", seed=6)
    assert (len(trace), trace.prompt_tokens.max()) == (12_031, 126_195)
    assert trace.summary().reuse == pytest.approx(0.366, abs=5e-4)
    assert trace.gap_cv < 1.1  # 3.03 in the file: an artefact of its ticks
    assert all(keys[0] == 0 for keys in trace.prefix_keys)


@pytest.mark.traces
def test_servegen_small_model_as_published():
    rates = read_servegen(traces_folder() / "servegen_m-small_arrivals.csv.gz")
    _, total = rates.window_rates()
    shares = rates.client_shares()
    assert (rates.num_clients, len(total)) == (43, 1_979)
    assert (shares[0], shares[:5].sum()) == pytest.approx((0.299, 0.770), abs=5e-4)
    cvs = [rates.gap_cv_at(share) for share in (0.1, 0.5, 0.9)]
    assert cvs == pytest.approx([1.07, 1.22, 6.99], abs=0.005)
    assert total.max() / total.mean() == pytest.approx(3.2, abs=0.05)
