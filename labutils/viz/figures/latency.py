"""The figures of chapter 01: each takes latencies, answers one question in its title."""

import numpy as np

from labutils.ground.arguments import fraction, positive, sample
from labutils.metrics.latency import percentile
from labutils.viz.labels import label_line
from labutils.viz.style import color, dress, line, new_figure, points

MARKED = {"p50": 0.5, "p95": 0.95, "p99": 0.99}


def days(p99_ms, *, limit_ms: float):
    """Draw the p99 of each day in the order of the days, and the limit of a rule."""
    p99 = sample("p99_ms", p99_ms)
    limit = positive("limit_ms", limit_ms)
    healthy = p99 < limit
    fig, ax = new_figure(
        title=f"{p99.size} days of one service: “healthy” on {healthy.sum()}, p99 from "
        f"{p99.min():.0f} to {p99.max():.0f} ms",
        x="day",
        y="p99 of the day (ms)",
        height=3.8,
    )
    day = np.arange(1, p99.size + 1)
    ax.plot(day[healthy], p99[healthy], **points("service", markersize=4.5))
    ax.plot(day[~healthy], p99[~healthy], **points("measurement", markersize=4.5))
    ax.set(ylim=(0, 1.15 * p99.max()), xlim=(0, p99.size + 1))
    (rule,) = ax.plot([0, p99.size + 1], [limit, limit], **line("limit", linewidth=1.6))
    label_line(ax, rule, "three times p50", x=0.55 * p99.size, fontweight="bold")
    return fig


def two_hosts(hosts_ms: dict, *, q: float = 0.99):
    """Draw the share of requests that take longer, for each host and for all together.

    ``hosts_ms`` maps a host's name to its latencies in milliseconds. The cross marks the average
    of the hosts' ``q``-quantiles.
    """
    q = fraction("q", q)
    every = np.concatenate([sample(name, values) for name, values in hosts_ms.items()])
    average = np.mean([percentile(values, q) for values in hosts_ms.values()])
    fleet, name = percentile(every, q), f"p{100 * q:g}"
    fig, ax = new_figure(
        title=f"The fleet's {name} is {fleet:,.0f} ms; the average of its hosts' {name}s is "
        f"{average:,.0f} ms",
        x="latency (ms)",
        y="share that takes longer",
        height=4.4,
    )
    ax.set(yscale="log", ylim=(0.1 * (1 - q), 1.2), xlim=(0, 1.25 * _longest(hosts_ms, q)))
    ax.set_yticks([1, 0.1, 0.01, 0.001], ["100 %", "10 %", "1 %", "0.1 %"])
    ax.plot([0, 1e9], [1 - q] * 2, **line("limit", linewidth=1.4))
    roles = ("service", "waiting", "queue", "backlog")
    for (host, values), role in zip(hosts_ms.items(), roles, strict=False):
        _tail(ax, values, q, role, host)
    _tail(ax, every, q, "measurement", "the fleet", linestyle="-")
    ax.plot(average, 1 - q, **points("prediction", markersize=11))
    ax.annotate(
        f"the average: {average:,.0f} ms", (average, 1 - q), xytext=(0, -20),
        textcoords="offset points", ha="center", color=color("prediction"), fontweight="bold",
    )  # fmt: skip
    return fig


def _longest(hosts_ms: dict, q: float) -> float:
    return max(percentile(values, q) for values in hosts_ms.values())


def _tail(ax, values, q: float, role: str, name: str, **changes) -> None:
    """One curve of the shares that take longer, its quantile marked and named."""
    x = np.linspace(*ax.get_xlim(), 400)
    ordered = np.sort(values)
    longer = 1 - np.searchsorted(ordered, x, side="right") / ordered.size
    (curve,) = ax.plot(x, np.where(longer > 0, longer, np.nan), **line(role, **changes))
    at = percentile(values, q)
    ax.plot(at, 1 - q, **points(role, marker="o"))
    label_line(ax, curve, f"{name}: {at:,.0f} ms", fontweight="bold")


def frozen(open_log, closed_log, *, slow_s: float = 1.0):
    """Set what two load generators recorded around a freeze side by side, over the send times.

    Both logs are ``simulation.closed_loop.ClientLog``; ``slow_s`` is where the counting begins.
    """
    logs = {"on schedule": open_log, "waits": closed_log}
    slow = {name: log.latency_s > slow_s for name, log in logs.items()}
    few, many = (slow[name].sum() for name in reversed(logs))
    fig, axes = new_figure(
        title=f"Over {slow_s:g} s: {many:,} requests if sent on schedule, {few:,} if the generator "
        "waits",
        x="time of the send (s)",
        height=3.8,
        cols=2,
        sharey=True,
    )
    for ax, (name, log) in zip(axes, logs.items(), strict=True):
        for role, which in (("service", ~slow[name]), ("measurement", slow[name])):
            step = -(-which.sum() // 300) or 1  # enough to look like a line
            look = points(role, marker="o", markersize=3 if step > 1 else 8, markeredgewidth=0)
            ax.plot(log.sent_s[which][::step], log.latency_s[which][::step], **look)
        dress(ax, title=f"{name}: {len(log):,} requests, mean {_mean(log)}")
        ax.set_xlim(0, open_log.sent_s[-1])
    axes[0].set_ylabel("latency recorded (s)")
    return fig


def _mean(log) -> str:
    mean = log.latency_s.mean()
    return f"{mean:.0f} s" if mean >= 1 else f"{1000 * mean:.0f} ms"


def right_skew(latency_ms):
    """Draw a histogram of latencies with their mean and three percentiles."""
    values = sample("latency_ms", latency_ms)
    marks = {name: percentile(values, q) for name, q in MARKED.items()}
    marks["mean"] = values.mean()
    above = (values > marks["mean"]).mean()
    fig, ax = new_figure(
        title=f"{100 * (1 - above):.0f} % are faster than the mean of {marks['mean']:,.0f} ms, "
        f"1 % slower than {marks['p99']:,.0f} ms",
        x="latency (ms)",
        y="share of requests",
        height=3.8,
    )
    end = 1.3 * marks["p99"]
    shares = np.full(values.size, 100 / values.size)
    ax.hist(values, bins=np.linspace(0, end, 66), weights=shares, color=color("service"), alpha=0.6)
    ax.yaxis.set_major_formatter("{x:.0f} %")
    top = ax.get_ylim()[1]
    for name, at in marks.items():
        role = "limit" if name == "mean" else "ink"
        ax.plot([at, at], [0, 0.93 * top], **line(role, linewidth=1.5))
        below = name == "mean" and abs(at - marks["p50"]) < 0.1 * end
        ax.annotate(
            f"{name}\n{at:,.0f}", (at, 0.93 * top), xytext=(4 if below else -2, -2 if below else 2),
            textcoords="offset points", ha="left", va="top" if below else "bottom",
            color=color(role), fontweight="bold",
        )  # fmt: skip
    ax.set(xlim=(0, end), ylim=(0, 1.12 * top))
    return fig
