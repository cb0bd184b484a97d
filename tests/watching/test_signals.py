"""The list of signals: few page, and their metrics have names that a scrape can hold."""

from labutils.telemetry.watching import SIGNALS, read_sample


def test_twelve_signals_of_which_few_page():
    assert len({signal.name for signal in SIGNALS}) == len(SIGNALS) == 12
    pages = [signal for signal in SIGNALS if signal.page]
    assert 1 <= len(pages) <= 3
    assert all("users" in signal.reason for signal in pages)  # a page names what they feel


def test_their_metrics_can_be_read():
    named = [signal.vllm for signal in SIGNALS if signal.vllm]
    assert len(set(named)) == len(named)
    for name in named:
        assert name.startswith("vllm:") and read_sample(f"{name} 3").series.name == name
