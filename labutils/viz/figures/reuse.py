"""The figures of chapter 10: what a cache takes off a backend, and what it cannot promise."""

import numpy as np

from labutils.caching.cache_run import CacheRun
from labutils.caching.levels import OutageRun
from labutils.caching.refresh import HotKeyRun
from labutils.caching.theory import CheHitRates
from labutils.caching.threshold import error_at, errors_by_group
from labutils.metrics.latency import percentile
from labutils.simulation.flush import FlushRun
from labutils.viz.figures.flush import smoothed
from labutils.viz.labels import label_line, note
from labutils.viz.style import band, color, dress, line, new_figure, points

LOOKS = ("reference", "measurement", "theory", "service", "backlog")


def _figure(title: str, **changes) -> tuple:
    return new_figure(title=title, **{"width": 6.2, "height": 2.9, **changes})


def _percent(share: float, *_) -> str:
    return f"{100 * share:.3g} %"


def knee(hit_rates, loads, mean_s, *, told=(0.95, 0.92)):
    """Draw the mean time of a miss over the hit rate, which falls to where the load is 1.

    ``hit_rates`` rise; ``loads`` and ``mean_s`` belong to them. The title tells the first of
    ``told``, and points mark them all.
    """
    full = 1 - (1 - hit_rates[0]) / loads[0]  # the load grows as the misses do
    then = np.interp(told[0], hit_rates, loads)
    fig, ax = _figure(
        f"At {_percent(told[0])} hits the backend's load is {then:.2g}, "
        f"at {_percent(full)} it is 1",
        x="hit rate",
        y="mean time of a miss (s)",
    )
    ax.plot(hit_rates, mean_s, **line("theory"))
    ax.axvline(full, **line("limit", linewidth=1.6))
    for at in told:
        load, took_s = (np.interp(at, hit_rates, column) for column in (loads, mean_s))
        ax.plot(at, took_s, **points("theory"))
        text = f"load {load:.2g}: {took_s:.2f} s"
        note(ax, text, (at, took_s), "theory", shift=(4, 7), ha="right")
    note(ax, "load 1", (full, 1.2), "limit")
    ax.set(xlim=(1, full - 0.012), ylim=(0, 2.5))
    ax.xaxis.set_major_formatter(_percent)
    return fig


def percentiles_seen(seen_s: dict, *, told: float, q: float = 0.99):
    """Draw the latency at each percentile for each hit rate.

    ``seen_s`` maps a hit rate to latencies in seconds. The title sets the hit rate ``told`` beside
    none.
    """
    (was_50, was_q), (now_50, now_q) = (
        [1000 * percentile(seen_s[rate], share) for share in (0.5, q)] for rate in (0.0, told)
    )
    fig, ax = _figure(
        f"{_percent(told)} hits turn a p50 of {was_50:.0f} into {now_50:.0f} ms, "
        f"and a p{100 * q:g} of {was_q:,.0f} into {now_q:,.0f} ms",
        x="percentile",
        y="latency",
        height=3.1,
    )
    slower = np.geomspace(1, 0.002, 400)[1:]
    for look, (rate, values) in zip(LOOKS, seen_s.items(), strict=False):
        name = f"{_percent(rate)} hits: mean {1000 * values.mean():.0f} ms"
        ax.plot(slower, percentile(values, 1 - slower), label=name, **line(look))
        ax.plot(1 - q, percentile(values, q), **points(look))
    ax.axvline(1 - q, ymax=0.7, **line("ink", linewidth=1))  # up to the key
    ax.set(xscale="log", yscale="log", xlim=(1, slower[-1]), ylim=(0.001, 100))
    ax.set_xticks([0.5, 0.1, 0.03, 0.01, 0.003], ["p50", "p90", "p97", "p99", "p99.7"])
    ax.set_yticks([0.001, 0.01, 0.1, 1, 10], ["1 ms", "10 ms", "100 ms", "1 s", "10 s"])
    ax.legend(frameon=False, fontsize=9.5, ncols=2, loc="upper left", handlelength=3)
    return fig


def who_is_inside(keys, runs: dict[int, tuple[CacheRun, CheHitRates]]):
    """Draw how often a request finds its key, over the key's rank, for each number of places.

    Points are the second half of each run, in ranks that double; lines are Che's approximation.
    """
    few, many, count = min(runs), max(runs), runs[min(runs)][1].per_key.size
    late = np.arange(len(keys)) >= len(keys) // 2
    edges = np.append(2 ** np.arange(int(np.log2(count)) + 1), count + 1)
    group = np.searchsorted(edges, np.asarray(keys)[late] + 1, side="right") - 1
    total = {places: round(run.hit[late].mean(), 2) for places, (run, _) in runs.items()}
    room = f"A cache for {_percent(few / count)} of the keys serves {_percent(total[few])}"
    fig, ax = _figure(
        f"{room} of the requests, one for {_percent(many / count)} serves {_percent(total[many])}",
        x="rank of the key (1: the most popular)",
        y="chance that it is there",
    )
    for look, (places, (run, che)) in zip(("service", "backlog", "theory"), runs.items()):
        ax.plot(np.arange(1, count + 1), che.per_key, **line(look))
        asked, hits = (np.bincount(group, w, edges.size - 1) for w in (None, run.hit[late]))
        ax.plot(np.sqrt(edges[:-1] * (edges[1:] - 1)), hits / asked, **points(look))
        at = np.flatnonzero(che.per_key >= 0.35)[-1] + 1, 0.35
        text = f"{places:,} places\n{_percent(total[places])} hit"
        note(ax, text, at, look, shift=(-4, 0), ha="right", va="top")
    ax.set(xscale="log", xlim=(0.9, count), ylim=(0, 1.05))
    ax.set_xticks([1, 10, 100, 1000, 10_000], ["1", "10", "100", "1,000", "10,000"])
    ax.yaxis.set_major_formatter(_percent)
    return fig


def for_nobody(runs: dict[str, FlushRun], *, remedy_s: float):
    """Draw the computations a second, those for nobody on top, in a panel for each of two runs."""
    (_, dead), (name, alive) = ((n, wasted_since(run, remedy_s)) for n, run in runs.items())
    fig, axes = _figure(
        f"Without a remedy {100 * dead:.0f} % of the later computations are for nobody, "
        f"with {name} it is {100 * alive:.0f} %",
        height=3.5,
        rows=2,
        sharex=True,
        sharey=True,
    )
    for ax, (name, run) in zip(axes, runs.items()):
        dress(ax, y="computed\na second")
        ax.set_title(name, loc="right", fontsize=11)
        every, wasted = (smoothed(x)[::5] for x in (run.computed_per_s, run.wasted_per_s))
        minutes = run.seconds[::5] / 60
        ax.fill_between(minutes, 0, every - wasted, **band("service", alpha=0.7))
        ax.fill_between(minutes, every - wasted, every, **band("limit", alpha=0.3))
        for said, at_s in (("flush", run.flush_s), ("remedy", remedy_s)):
            ax.axvline(at_s / 60, **line("ink", linewidth=1))
            if ax is axes[0]:
                note(ax, said, (at_s / 60, 26), "ink", shift=(0, 2), ha="center")
    axes[0].set(xlim=(0, minutes[-1]), ylim=(0, 26))
    for ax, said, height in zip(axes, ("for nobody", "for somebody"), (8, 3)):
        note(ax, said, (0.6 * minutes[-1], height), "ink", ha="center")
    dress(axes[1], x="time (minutes)")
    return fig


def wasted_since(run: FlushRun, from_s: float) -> float:
    """The share of the computations from a second on that ended when nobody waited."""
    late = run.seconds >= from_s
    return float(run.wasted_per_s[late].sum() / run.computed_per_s[late].sum())


def stampede(times_s, runs: dict[str, HotKeyRun], *, recompute_s: float, expected: float):
    """Draw how many computations of one key run at once after it has expired, in two runs.

    A line is the mean over all times that it expired; the shade goes from the least to the most.
    """
    (_, alone), (guard, guarded) = ((name, run.at_once.max()) for name, run in runs.items())
    fig, ax = _figure(
        f"A popular answer expires: up to {alone} requests compute it at once, "
        f"with {guard} {guarded}",
        x="time since the first that missed (s)",
        y="computations under way",
    )
    since_s = np.linspace(-0.2, 3.4, 721) * recompute_s
    places = ("measurement", (1.3, 0.8)), ("theory", (2.05, 0.07))
    for (look, place), (name, run) in zip(places, runs.items()):
        waves = under_way(times_s, run, since_s, recompute_s)
        ax.fill_between(since_s, waves.min(0), waves.max(0), **band(look, alpha=0.25))
        ax.plot(since_s, waves.mean(0), **line(look))
        text = f"{name}: {run.recomputations:,} computed,\n{len(waves)} times expired"
        note(ax, text, (place[0] * recompute_s, place[1] * alone), look)
    ax.plot(recompute_s, expected, **points("ink", marker="P"))
    text = f"$1 + \\lambda S = {expected:g}$"
    note(ax, text, (recompute_s, expected), "ink", shift=(-8, 4), ha="right")
    ax.set(xlim=(since_s[0], since_s[-1]), ylim=(0, 1.1 * alone))
    return fig


def under_way(times_s, run: HotKeyRun, since_s, recompute_s: float) -> np.ndarray:
    """Computations under way at moments after the first of each wave: a row for each wave.

    Who computes waits for the whole computation; who waits for another's waits for less.
    """
    began_s = np.asarray(times_s)[run.waiting_s == recompute_s]
    first_s = began_s[np.diff(began_s, prepend=-np.inf) >= recompute_s]
    now_s = first_s[:, None] + since_s
    begun, ended = (np.searchsorted(began_s, now_s - x, "right") for x in (0, recompute_s))
    return begun - ended


LEVELS = {"process": "service", "shared": "theory", "compute": "waiting"}
STATES = ("closed", "half-open", "open")


def outage(run: OutageRun):
    """Draw each answer's time and level while Redis goes away, and the breaker's state below."""
    spared = np.mean(run.breaker[run.during] == "open")
    fig, (top, low) = _figure(
        f"Redis is away for {run.back_s - run.gone_s:.1f} s: {run.lost} of {run.level.size:,} "
        f"requests are lost, {100 * spared:.0f}\u00a0% of those that came then did not ask it",
        height=3.7,
        rows=2,
        sharex=True,
        height_ratios=(3, 1.2),
    )
    for level, look in LEVELS.items():
        chosen = run.level == level
        look = points(look, markersize=3.5, markeredgewidth=0)
        top.plot(run.asked_s[chosen], run.took_s[chosen], label=level, **look)
    states = [STATES.index(state) for state in run.breaker]
    low.step(run.asked_s, states, where="post", **line("ink", linewidth=1.8))
    for ax in (top, low):
        ax.axvspan(run.gone_s, run.back_s, **band("limit", alpha=0.12))
    middle_s = (run.gone_s + run.back_s) / 2
    note(low, "Redis is away", (middle_s, 0), "limit", ha="center", shift=(0, 0))
    dress(top, y="time to the answer")
    dress(low, x="time (s)", y="breaker")
    top.set(yscale="log", xlim=(0, run.asked_s[-1]), ylim=(1e-5, 1))
    top.set_yticks([1e-4, 1e-3, 0.01, 0.1], ["0.1 ms", "1 ms", "10 ms", "100 ms"])
    top.legend(frameon=False, fontsize=9.5, ncols=3, loc="upper left", markerscale=2)
    low.set_yticks(range(len(STATES)), STATES)
    low.set_ylim(-0.4, 2.4)
    return fig


def errors_over_threshold(alike, same, *, at: float = 0.95, fewest: int = 20):
    """Draw the share of wrong answers among the hits over the threshold, with its interval.

    The title tells the least share among ``fewest`` hits or more: that of fewer says little.
    """
    told, thresholds = error_at(at, alike, same), np.arange(0.6, 0.9951, 0.005)
    found = [error_at(threshold, alike, same) for threshold in thresholds]
    low, rate, high = np.array([(e.low, e.rate, e.high) for e in found]).T
    least = min(e.rate for e in found if e.hits >= fewest)
    fig, ax = _figure(
        f"From {at:g} on {100 * told.rate:.0f} % of {told.hits} hits are wrong; "
        f"with {fewest} hits and more never under {100 * least:.0f} %",
        x="threshold",
        y="share",
    )
    ax.fill_between(thresholds, low, high, **band("measurement"))
    (wrong,) = ax.plot(thresholds, rate, **line("measurement"))
    (hits,) = ax.plot(thresholds, [e.hits / len(alike) for e in found], **line("theory"))
    ends = [[told.rate - told.low], [told.high - told.rate]]
    ax.errorbar(at, told.rate, ends, **points("measurement"))
    ax.set(xlim=(0.6, 1), ylim=(0, 1))
    ax.yaxis.set_major_formatter(_percent)
    label_line(ax, wrong, "wrong, of the hits", x=0.68)
    label_line(ax, hits, "hits, of all pairs", x=0.8)
    return fig


def alike_by_kind(alike, same, kinds, *, threshold: float):
    """Draw each pair's similarity by its kind, the wrong ones as crosses, and the threshold."""
    errors = errors_by_group(threshold, alike, same, kinds)
    (first, good), *others = errors.items()
    wrong, hits = (sum(getattr(e, name) for _, e in others) for name in ("errors", "hits"))
    fig, ax = _figure(
        f"From {threshold:g} on {good.errors} of {good.hits} hits of a {first} are wrong, "
        f"and {wrong} of {hits} other hits",
        x="similarity of the question and the cached one",
        height=3.0,
    )
    rows = np.array([list(errors).index(kind) for kind in kinds], dtype=float)
    rows += np.resize(np.linspace(-0.28, 0.28, 7), rows.size)  # or the marks hide each other
    for chosen, look, marker, name in (
        (same, "theory", "o", "same answer"),
        (~same, "limit", "x", "another answer"),
    ):
        look = points(look, marker=marker, markersize=4, markeredgecolor=color(look))
        ax.plot(alike[chosen], rows[chosen], label=name, **look)
    ax.axvline(threshold, **line("ink", linewidth=1.4))
    names = [f"{kind}\n{e.errors} of {e.hits} wrong" for kind, e in errors.items()]
    ax.set_yticks(range(len(names)), names)
    ax.set(ylim=(len(names) - 0.4, -0.6), xlim=(0, 1.01))
    ax.legend(frameon=False, fontsize=9.5, loc="center left")
    return fig
