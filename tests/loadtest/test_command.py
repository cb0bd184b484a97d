"""The command line: what it prints, what it refuses, and that nothing is lost on the way."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from labutils.loadtest import LoadPlan, LoadReport
from labutils.loadtest.__main__ import main
from labutils.loadtest.options import parser
from labutils.loadtest.record_lines import from_line
from labutils.loadtest.target import Target
from tests.loadtest.conftest import chunk

ROOT = Path(__file__).resolve().parents[2]


def test_it_prints_the_table_and_writes_what_it_is_told_to(served, tmp_path, capsys):
    files = {name: tmp_path / name for name in ("plan", "json", "html", "records")}
    code = main(
        f"run --url {served.url} --model plain --rate 40 --arrivals evenly --seconds 0.5 "
        f"--max-tokens 3 --ttft 30s --warm-up 0.2 --save-plan {files['plan']} "
        f"--json {files['json']} --html {files['html']} --records {files['records']}".split()
    )
    assert code == 0 and len(served.behaviour.asked) == 20
    printed = capsys.readouterr().out
    assert "40 per second, at equal gaps" in printed and "TTFT ≤ 30 s: 13" in printed
    plan = LoadPlan.from_json(files["plan"].read_text())
    report = LoadReport.from_json(files["json"].read_text())
    assert len(plan) == report.planned == 20 and report.num_cut == 7
    assert str(report) == printed.rstrip("\n") and "<h1>" in files["html"].read_text()
    assert len([from_line(line) for line in files["records"].read_text().splitlines()]) == 20
    again = f"run --url {served.url} --plan {files['plan']} --json".split()
    assert main(again) == 0
    assert LoadReport.from_json(capsys.readouterr().out).planned == 20


def test_a_mix_of_kinds_comes_from_a_file(served, tmp_path, capsys):
    kinds = tmp_path / "kinds.json"
    kinds.write_text(
        '[{"name": "chat", "weight": 3, "max_tokens": 2, "limits": {"ttft_s": 30}},'
        ' {"name": "batch", "tenant": "red", "max_tokens": 3, "leave_share": 1, "leave_after": 1}]'
    )
    arguments = f"run --url {served.url} --users 3 --seconds 0.4 --kinds {kinds} --json".split()
    assert main(arguments) == 0
    report = LoadReport.from_json(capsys.readouterr().out)
    assert not report.is_open and report.promises[0].kind == "chat"
    assert report.promises[0].kept == report.promises[0].requests > 0
    assert report.left_out["left"] > 0
    assert {asked["user"] for asked in served.behaviour.asked} == {"anybody", "red"}


@pytest.mark.parametrize("processes", [1, pytest.param(2, marks=pytest.mark.full)])
def test_an_interrupted_run_reports_what_it_has(served, processes):
    served.behaviour.gap_s = 0.05
    command = [sys.executable, "-m", "labutils.loadtest", "run", "--url", served.url]
    command += f"--rate 30 --seconds 60 --max-tokens 9 --processes {processes} --json".split()
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    while len(served.behaviour.asked) < 5 and process.poll() is None:
        time.sleep(0.005)
    process.send_signal(signal.SIGINT)
    out, error = process.communicate(timeout=30)
    report = LoadReport.from_json(out)
    assert process.returncode == 130 and "Traceback" not in error
    assert report.remarks[0].startswith("The run was interrupted after")
    assert report.recorded >= 4 and report.left_out["interrupted"] >= 1
    assert sum(report.statuses.values()) == report.recorded < report.planned


def test_nobody_there_is_one_sentence_and_exit_code_2(nobody, capsys):
    assert main(f"run --url {nobody} --rate 5 --seconds 1".split()) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith(f"{nobody} cannot be reached: ") and said.err.count("\n") == 1


@pytest.fixture
def dies_after_one():
    """A server that answers whoever knocks and one request, and is gone before it says so."""
    listener = socket.create_server(("127.0.0.1", 0))

    def answer(reply: bytes, *, last: bool):
        connection, _ = listener.accept()
        if last:
            listener.close()
        with connection:
            while b"\r\n\r\n" not in connection.recv(65536):
                continue
            connection.sendall(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + reply)

    def serve():
        answer(b"", last=False)
        answer(chunk("a") + b"data: [DONE]\n\n", last=True)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    thread.join(5)


def test_a_server_that_goes_away_costs_no_record(dies_after_one, capsys):
    url = dies_after_one
    code = main(f"run --url {url} --rate 8 --arrivals evenly --seconds 0.5 --json".split())
    said = capsys.readouterr()
    report = LoadReport.from_json(said.out)
    assert code == 2 and report.recorded == 4
    assert report.statuses == {"failed": 3, "ok": 1}
    assert f"{url} could not be reached by" in said.err


REFUSED = [
    ("--rate 0", "rate_per_s = 0.0"),
    ("--rate -3", "rate_per_s = -3.0"),
    ("--rate nan", "rate_per_s = nan"),
    ("--rate 5 --seconds 0", "seconds = 0.0"),
    ("--rate 5 --arrivals gamma --cv -1", "gap_cv = -1.0"),
    ("--rate 5 --leave-share 1.5", "leave_share = 1.5"),
    ("--rate 5 --slow-share -0.5", "slow_share = -0.5"),
    ("--rate 5 --prompt-words 0", "prompt_words = 0"),
    ("--rate 5 --ttft soon", "soon"),
    ("--rate 5 --ttft 3GB", "3GB"),
    ("--rate 5 --lengths nobody", "nobody"),
    ("--rate 5 --warm-up 20", "--warm-up 20.0"),
    ("--rate 5 --timeout 0", "timeout_s = 0.0"),
    ("--rate 5 --processes 0", "processes = 0"),
    ("--rate 5 --extra [1]", "--extra"),
    ("--rate 5 --extra {", "--extra"),
    ("--users 0", "users = 0"),
    ("--plan /nowhere/plan.json", "/nowhere/plan.json"),
    ("--kinds /nowhere/kinds.json --rate 5", "/nowhere/kinds.json"),
]


@pytest.mark.parametrize(("options", "message"), REFUSED)
def test_bad_options_are_one_sentence_and_exit_code_2(nobody, capsys, options, message):
    assert main(["run", "--url", nobody, *options.split()]) == 2
    said = capsys.readouterr().err
    assert message in said and said.count("\n") == 1 and "reached" not in said


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[]", r"kinds = \[\]"),
        ("{}", "expected a JSON list"),
        ("[3]", r"--kinds\[0\]"),
        ('[{"color": 1}]', r"--kinds\[0\].*color"),
        ('[{"weight": 1}, {"limits": {"ttft_s": 0}, "name": "b"}]', r"--kinds\[1\]: ttft_s = 0"),
    ],
)
def test_bad_kinds_are_named(nobody, tmp_path, capsys, content, message):
    path = tmp_path / "kinds.json"
    path.write_text(content)
    assert main(["run", "--url", nobody, "--rate", "5", "--kinds", str(path)]) == 2
    import re

    assert re.search(message, capsys.readouterr().err)


def test_a_token_may_come_from_a_variable(monkeypatch):
    words = ["run", "--url", "http://127.0.0.1:1", "--rate", "1"]
    monkeypatch.setenv("LABUTILS_TOKEN", "secret")
    assert parser().parse_args(words).token == "secret"
    assert parser().parse_args([*words, "--token", "mine"]).token == "mine"
    monkeypatch.delenv("LABUTILS_TOKEN")
    assert parser().parse_args(words).token is None


REMOTE = [
    "http://example.org:8000",
    "http://10.0.0.7:8000",
    "http://127.0.0.1@example.org/",
    "http://127.0.0.1.example.org",
    "http://0.0.0.0:80",
    "http://[2001:db8::1]:80",
]


@pytest.mark.parametrize("url", REMOTE)
def test_other_machines_are_refused_with_the_reason(url, capsys):
    assert main(f"run --url {url} --rate 5".split()) == 2
    assert "an attack on it" in capsys.readouterr().err
    assert Target(url, allow_remote=True).url == url


@pytest.mark.parametrize(
    ("url", "endpoint"),
    [
        ("http://127.0.0.1:8000", "http://127.0.0.1:8000/v1/completions"),
        ("http://127.8.9.1:8000/", "http://127.8.9.1:8000/v1/completions"),
        ("http://localhost:1/v1", "http://localhost:1/v1/completions"),
        ("http://[::1]:5/engine/v1/", "http://[::1]:5/engine/v1/completions"),
    ],
)
def test_this_machine_is_accepted_by_its_names(url, endpoint):
    assert Target(url).endpoint == endpoint


@pytest.mark.parametrize(
    "url", ["127.0.0.1:8000", "localhost", "", "ftp://127.0.0.1", "http://", None, "http://[::1",
            "http://127.0.0.1:99999", "http://127.0.0.1:80?x=1", "http://127.0.0.1:80#x"],
)  # fmt: skip
def test_what_is_no_address_is_refused(url):
    with pytest.raises(ValueError, match="expected an address such as http://127"):
        Target(url)


def test_a_target_says_nothing_that_the_plan_says():
    with pytest.raises(ValueError, match=r"extra = \['max_tokens'\]"):
        Target("http://127.0.0.1:1", extra={"max_tokens": 5})
    with pytest.raises(ValueError, match="model = ''"):
        Target("http://127.0.0.1:1", model="")
    assert json.dumps(Target("http://127.0.0.1:1").body(prompt="x", max_tokens=1, tenant="t"))
