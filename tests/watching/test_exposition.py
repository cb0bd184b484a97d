"""The reader against the official client, as writer and as reader, and against broken lines."""

import math

import pytest
from hypothesis import given, settings, strategies as st
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, Summary
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.exposition import generate_latest
from prometheus_client.parser import text_string_to_metric_families

from labutils.telemetry.watching import Sample, Series, read_exposition, read_sample


class Custom:
    """A collector of ready-made families, for values and times that no client would set."""

    def __init__(self, *families):
        self.families = families

    def collect(self):
        return self.families


def written(*families) -> str:
    registry = CollectorRegistry()
    registry.register(Custom(*families))
    return generate_latest(registry).decode()


def samples(text):
    return {one.series: one for family in read_exposition(text).values() for one in family.samples}


def theirs(text):
    found = [one for family in text_string_to_metric_families(text) for one in family.samples]
    return {Series(one.name, tuple(sorted(one.labels.items()))): one for one in found}


def busy_registry() -> CollectorRegistry:
    registry = CollectorRegistry()
    requests = Counter(
        "requests", 'Asked, "or" \\ so\nit seems', ["code", "path"], registry=registry
    )
    requests.labels("200", "/v1/completions").inc(1027)
    requests.labels("503", 'a"b\\n\n{x="y"},# }').inc(3.5)
    Gauge("waiting", "now", registry=registry).set(-math.inf)
    Gauge("unknown", "", registry=registry).set(math.nan)
    ttft = Histogram("ttft_seconds", "t", ["model"], buckets=(0.1, 0.45), registry=registry)
    for value in (0.05, 0.2, 0.3, 7.0):
        ttft.labels("small").observe(value)
    Summary("size_bytes", "s", registry=registry).observe(1e21)
    return registry


def test_what_the_official_client_writes_is_read_as_it_reads_it():
    text = generate_latest(busy_registry()).decode()
    mine, other = samples(text), theirs(text)
    assert mine.keys() == other.keys() and len(mine) > 12
    for series, sample in mine.items():
        assert sample.value == other[series].value or math.isnan(sample.value + other[series].value)


def test_families_hold_their_parts():
    families = read_exposition(generate_latest(busy_registry()).decode())
    assert families["requests_total"].help == 'Asked, "or" \\ so\nit seems'
    assert families["requests_total"].kind == "counter"
    histogram = families["ttft_seconds"]
    assert histogram.kind == "histogram"
    by_le = {one.series.label("le"): one.value for one in histogram.samples}
    assert by_le == {"0.1": 1, "0.45": 3, "+Inf": 4, "": 7.55}  # the sum comes after the count
    assert "ttft_seconds_bucket" not in families and "size_bytes_count" not in families


def test_a_counter_that_only_sounds_like_a_part_stays_alone():
    families = read_exposition("# TYPE a gauge\na 1\na_count 2\nb_bucket 3\n")
    assert [(name, len(one.samples)) for name, one in families.items()] == [
        ("a", 1), ("a_count", 1), ("b_bucket", 1),
    ]  # fmt: skip
    assert families["a_count"].kind is None


label_values = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
names = st.from_regex(r"[a-zA-Z_][a-zA-Z0-9_]{0,8}", fullmatch=True).filter(
    lambda name: not name.startswith("__")
)


@settings(max_examples=75, deadline=None, derandomize=True)
@given(
    st.dictionaries(names, label_values, max_size=4),
    st.floats(),
    st.none() | st.integers(-(10**12), 10**12),
    label_values,
)
def test_any_labels_values_times_and_help_come_through(labels, value, at_ms, help_text):
    family = GaugeMetricFamily("one", help_text, labels=list(labels))
    family.add_metric(
        list(labels.values()), value, timestamp=None if at_ms is None else at_ms / 1e3
    )
    read = read_exposition(written(family))["one"]
    (sample,) = read.samples
    assert sample.series == Series("one", tuple(sorted(labels.items())))
    assert sample.value == value or (math.isnan(value) and math.isnan(sample.value))
    assert (sample.time_s is None) == (at_ms is None)
    if at_ms is not None:  # the client cuts a part of a millisecond off
        assert sample.time_s == pytest.approx(at_ms / 1e3, abs=0.0011)
    assert read.help == help_text.lstrip(" \t")  # blanks part the name from the help, however many


@settings(max_examples=75, deadline=None, derandomize=True)
@given(st.dictionaries(st.tuples(label_values, label_values), st.floats(0, 1e18), max_size=5))
def test_many_series_of_a_counter_stay_apart(values):
    family = CounterMetricFamily("seen", "h", labels=["left", "right"])
    for pair, value in values.items():
        family.add_metric(pair, value)
    found = {
        (one.series.label("left"), one.series.label("right")): one.value
        for one in read_exposition(written(family))["seen_total"].samples
    }
    assert found == values


def test_blanks_and_a_last_comma_are_allowed():
    expected = Sample(Series("a:b", (("x", "1"), ("y", "}"))), 2.0, -0.25)
    assert read_sample('a:b { x = "1" ,\ty="}", }\t+2.e0   -250') == expected
    assert read_sample("a{} .5") == read_sample("a .5") == Sample(Series("a"), 0.5)
    assert read_exposition("\n  # a remark\n#TYPE\tx\tgauge\n\tx 1\n")["x"].kind == "gauge"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("9lives 1", "expected a metric's name"),
        ('"quoted.name" 1', "expected a metric's name"),
        ("a", "expected a number"),
        ("a{} ", "expected a number"),
        ("a 1_000", "expected a number"),
        ("a ١", "expected a number"),
        ("a +infinity", "expected a number"),
        ("a 1 2 3", "expected nothing after the value but whole milliseconds"),
        ("a 1 ٢", "expected nothing after the value but whole milliseconds"),
        ("a 1 2.5", "expected nothing after the value but whole milliseconds"),
        ('a{x="1" 1', "expected labels"),
        ('a{x="1" y="2"} 1', "expected labels"),
        ("a{x=1} 1", "expected labels"),
        (r'a{x="\t"} 1', "expected labels"),
        ('a{x="1",x="1"} 1', "expected the label x once"),
        ("a{,} 1", "expected labels"),
        ('b{z="0"} 3', "expected each series once"),
        ("# TYPE a number", "expected one of counter, gauge"),
        ("# TYPE b counter", "expected one TYPE of b, before its samples"),
        ("# TYPE c counter", "expected one TYPE of c, before its samples"),
        ("# HELP", "expected a metric's name after HELP"),
    ],
)
def test_a_malformed_line_is_named_with_its_number(line, expected):
    before = '# TYPE c untyped\n\nb{z="0"} 1\n'
    with pytest.raises(ValueError, match=f"text, line 4 = .*: {expected}"):
        read_exposition(f"{before}{line}\nd 1\n")


def test_a_scrape_that_was_cut_is_no_number():
    with pytest.raises(ValueError, match=r"text, line 2 = 'b 12': expected a line feed"):
        read_exposition("a 1\nb 12")
