"""The figures of chapter 11: who waits, what an order can keep, and what refusals save."""

from collections.abc import Mapping, Sequence

import numpy as np

from labutils.serving.arena.arena import Table
from labutils.serving.promises import Kept
from labutils.viz.labels import key_above, label_line, readable
from labutils.viz.style import CARD, color, dress, line, new_figure, points

LOOKS = {"chat": "measurement", "documents": "theory", "editor": "service", "review": "backlog"}
"""The role of a kind of request."""


def waits(got: Kept):
    """Draw when each request came and how long it waited; a cross broke a promise."""
    kinds = got.by_kind()
    broken = [f"{kind} {one.requests - one.kept} of {one.requests}" for kind, one in kinds.items()]
    fig, ax = new_figure(
        title=f"Broken promises, first come, first served: {', '.join(broken)}",
        x="time of arrival (s)", y="first token after (s)", width=7, height=3.2,
    )  # fmt: skip
    for kind, marker in zip(kinds, ("o", "s")):
        for kept in (True, False):
            rows = (got.kinds == kind) & (got.all == kept)
            look = points(LOOKS[kind], markersize=5, marker=marker if kept else "x")
            look["markeredgecolor"] = CARD if kept else color(LOOKS[kind])
            if rows.any():
                name = f"{kind}: {'kept' if kept else 'broken'}"
                ax.plot(_came_s(got)[rows], got.log.ttft_s[rows], **look, label=name)
    ax.set(xlim=(0, None), ylim=(-0.4, None))
    ax.locator_params(axis="y", integer=True)
    _limit(ax, got, x=ax.get_xlim()[1])
    key_above(ax)
    return fig


def _came_s(got: Kept):
    return got.log.intended_arrival_s


def _limit(ax, got: Kept, *, x: float) -> None:
    """A line at the shortest first token that was promised to anybody."""
    limit_s = float(got.promises.column("ttft_s", got.ids).min())
    drawn = ax.axhline(limit_s, **line("limit", linewidth=1.4))
    label_line(ax, drawn, f"promised: {limit_s:g} s", x=x)


def patience(served: Mapping[float, Kept]):
    """Draw the worst first token of each kind against the patience in seconds."""
    ages = sorted(served)
    shares = {age: served[age].by_kind() for age in ages}
    said = [f"patience {age:g} s: " + ", ".join(
            f"{kind} {one.worst_ttft_s:.1f} s" for kind, one in shares[age].items())
            for age in (ages[0], ages[-1])]  # fmt: skip
    fig, ax = new_figure(
        title=f"The longest waits, {said[0]}; {said[1]}",
        x="patience (s)", y="worst first token after (s)", width=7, height=3.2,
    )  # fmt: skip
    for kind, marker in zip(shares[ages[0]], ("o", "s")):
        look = {**points(LOOKS[kind], marker=marker), "linestyle": "-", "linewidth": 2}
        waits_s = [shares[age][kind].worst_ttft_s for age in ages]
        ax.semilogx(ages, waits_s, **look, label=kind)
    ax.set(ylim=(0, 1.15 * ax.get_ylim()[1]), xlim=(0.85 * ages[0], 1.6 * ages[-1]))
    ax.set_xticks(ages, [f"{age:g}" for age in ages])
    ax.minorticks_off()
    for drawn in ax.lines:
        label_line(ax, drawn, drawn.get_label(), x=ages[len(ages) // 2])
    _limit(ax, served[ages[0]], x=ages[0])
    return fig


def dominoes(due_s: Mapping[str, float], done_s: Mapping[str, Mapping[str, float]], work_s: float):
    """Draw prompts of ``work_s`` seconds as blocks, one row for each order, and when each is due.

    ``done_s`` maps an order to the moments at which its prompts are done.
    """
    kept = {order: sum(end <= due_s[one] for one, end in ends.items())
            for order, ends in done_s.items()}  # fmt: skip
    said = ", ".join(f"{number} of {len(due_s)} {order}" for order, number in kept.items())
    fig, ax = new_figure(title=f"In time: {said}", x="time (s)", width=7, height=2.6)
    for row, ends in enumerate(done_s.values()):
        for one, end in ends.items():
            is_late = end > due_s[one]
            look = {"color": color("limit" if is_late else "service"), "edgecolor": CARD}
            ax.barh(row, work_s, left=end - work_s, height=0.5, **look)
            text = f"{one}: {'late' if is_late else 'in time'}"
            ax.text(end - work_s / 2, row, text, ha="center", va="center", color="white")
            ax.plot(due_s[one], row - 0.33, **points("ink", marker="v"))
            ax.text(due_s[one] + 0.1, row - 0.32, f"{one} due", fontsize=9.5, va="center")
    ax.set_yticks(range(len(done_s)), list(done_s))
    ax.set(ylim=(len(done_s) - 0.6, -0.6), xlim=(0, None))
    ax.grid(axis="y", visible=False)
    return fig


def lateness(runs: Mapping[str, Kept]):
    """Draw by how much each first token missed its moment, a panel for each order of the queue."""
    gaps = " and ".join(f"{gap_at_the_end_s(got):.1f} s ({order})" for order, got in runs.items())
    late = " and ".join(f"{(~got.ttft).sum()}" for got in runs.values())
    kinds = list(next(iter(runs.values())).by_kind())
    fig, axes = new_figure(
        title=f"At the end {' and '.join(kinds)} are {gaps} apart; late: {late}",
        x="time of arrival (s)", width=7.5, height=3.2, cols=len(runs), sharey=True,
    )  # fmt: skip
    for ax, (order, got) in zip(axes, runs.items()):
        for kind, marker in zip(kinds, ("o", "^")):
            rows = got.kinds == kind
            look = points(LOOKS[kind], marker=marker, markersize=3.5, markeredgewidth=0)
            ax.plot(_came_s(got)[rows], late_s(got)[rows], **look, label=kind)
        ax.axhline(0, **line("limit", linewidth=1.4))
        dress(ax, title=order)
    dress(axes[0], y="first token after due (s)")
    key_above(axes[0], loc="upper left", bbox_to_anchor=(0, 1), ncols=1, markerscale=2)
    return fig


def late_s(got: Kept) -> np.ndarray:
    """Seconds from when a first token was due until it came; below 0 it was early."""
    return got.log.ttft_s - got.promises.column("ttft_s", got.ids)


def gap_at_the_end_s(got: Kept) -> float:
    """How far the median lateness of two kinds lies apart, in the last quarter of the time."""
    last = _came_s(got) > 0.75 * _came_s(got).max()
    one, other = (np.nanmedian(late_s(got)[last & (got.kinds == kind)]) for kind in got.by_kind())
    return float(abs(one - other))


FATES = (("kept", "service"), ("refused", "reference"), ("late", "limit"))
"""What becomes of a request, and the role that colours it."""
_POLICIES = ("reference", "waiting", "theory", "service", "prediction")
_NARROW = 0.06  # of a row: a part with no room for its number


def fates(got: Kept) -> dict[str, int]:
    """How many requests kept all their promises, were refused, or were let in and broke one."""
    kept, refused = int(got.all.sum()), int(got.refused.sum())
    return {"kept": kept, "refused": refused, "late": len(got.ids) - kept - refused}


def refusals(runs: Mapping[str, Mapping[float, Kept]]):
    """Draw what is kept a second against what is asked, and what becomes of all at the highest.

    ``runs`` maps policies and requests a second to runs. The title sets the third policy against
    the first.
    """
    rates = sorted(next(iter(runs.values())))
    top = {name: fates(by_rate[rates[-1]]) for name, by_rate in runs.items()}
    (first, before), _, (third, after), *_ = top.items()
    fig, (left, right) = new_figure(
        title=f"At {rates[-1]:g} a second, {before['kept']} of {sum(before.values())} are kept "
        f"{first}, {after['kept']} with {third}",
        width=8, height=3.5, cols=2, width_ratios=(1.15, 1),
    )  # fmt: skip
    dress(left, x="requests a second", y="kept a second")
    for by_rate, look in zip(runs.values(), _POLICIES):
        good = [rate * by_rate[rate].share for rate in rates]
        left.plot(rates, good, **{**points(look, markersize=6), **line(look, linewidth=1.8)})
    _name_ends(left, runs, apart=0.09 * rates[-1], top=rates[-1])
    left.plot([0, rates[-1]], [0, rates[-1]], **line("ink", linewidth=0.8, linestyle=":"))
    left.set(xlim=(rates[0] - 0.2, 2.2 * rates[-1] - 1.2 * rates[0]), ylim=(0, 1.1 * rates[-1]))
    left.set_xticks(rates)
    _stack(right, top)
    return fig


def _name_ends(ax, names, *, apart: float, top: float) -> None:
    """Write names beside the ends of the lines, the highest first, so far apart that all fit."""
    ends = sorted(zip(ax.lines, names), key=lambda one: -one[0].get_ydata()[-1])
    free = top + apart
    for drawn, name in ends:
        x, y = drawn.get_xydata()[-1]
        free = min(y, free - apart)
        look = {"va": "center", "color": readable(drawn.get_color()), "fontsize": 10}
        ax.annotate(name, (x, free), xytext=(8, 0), textcoords="offset points", **look)


def _stack(ax, top: Mapping[str, Mapping[str, int]]) -> None:
    before, asked = np.zeros(len(top)), sum(next(iter(top.values())).values())
    for fate, look in FATES:
        width = np.array([one[fate] for one in top.values()])
        bars = ax.barh(list(top), width, left=before, height=0.7, color=color(look), label=fate)
        told = [f"{n}" if n > _NARROW * asked else "" for n in width]
        ax.bar_label(bars, told, label_type="center", color="white")
        before += width
    for row, one in enumerate(top.values()):
        few = [f"{n} {fate}" for fate, n in one.items() if 0 < n <= _NARROW * asked]
        ax.text(1.02 * asked, row, "\n".join(few), va="center", fontsize=9)
    dress(ax, x="requests")
    ax.set(xlim=(0, 1.3 * asked), ylim=(len(top) - 0.5, -0.5))
    ax.grid(False)
    key_above(ax, handlelength=1)


Counts = Sequence[tuple[float, Mapping[str, float]]]
"""Moments in seconds, and what is counted of each tenant then."""


def counters(runs: Mapping[str, tuple[Kept, Counts]]):
    """Draw the tenants' counters around the moment when the last tenant comes, by rule.

    A panel for each rule, which names how many requests of the first tenant's kind were kept.
    """
    credits = [f"{credit(*run):,.0f} {rule}" for rule, run in runs.items()]
    late = list(_tenants(next(iter(runs.values()))[0]))[-1]
    fig, axes = new_figure(
        title=f"Tokens of credit with which the {late} come: {', '.join(credits)}",
        x="time (s)", width=8, height=3.4, cols=len(runs), sharey=True,
    )  # fmt: skip
    for ax, (rule, (got, seen)) in zip(axes, runs.items()):
        tenants, come_s = _tenants(got), _comes(got, seen)[0]
        inside = [row for row in seen if come_s - 6 <= row[0] <= come_s + 24]
        for (tenant, kind), dash in zip(tenants.items(), ("-", (0, (4, 1)))):
            stands = [counted.get(tenant, 0.0) / 1000 for _, counted in inside]
            look = line(LOOKS[kind], linestyle=dash)
            ax.step([at for at, _ in inside], stands, where="post", **look, label=tenant)
        kind, one = next(iter(got.by_kind().items()))
        dress(ax, title=f"{rule}: {kind} kept {one.kept} of {one.requests}")
        ax.set(xlim=(come_s - 6, come_s + 24), ylim=(0, None))
        for drawn in ax.lines:
            label_line(ax, drawn, drawn.get_label(), x=come_s + 15)
    dress(axes[0], y="counter (thousand tokens)")
    return fig


def _tenants(got: Kept) -> dict[str, str]:
    """The kind of requests of each tenant, in the order of the kinds."""
    pairs = set(zip(got.kinds, got.promises.column("tenant", got.ids)))
    return {str(tenant): str(kind) for kind, tenant in sorted(pairs)}


def _comes(got: Kept, seen: Counts) -> tuple[float, Mapping[str, float]]:
    """The first row that counts something for the last tenant."""
    late = list(_tenants(got))[-1]
    return next(row for row in seen if row[1].get(late))


def credit(got: Kept, seen: Counts) -> float:
    """How far the last tenant stands behind the first one when it is counted first."""
    first, *_, late = _tenants(got)
    counted = _comes(got, seen)[1]
    return counted[first] - counted[late]


def two_promises(runs: Mapping[str, Kept], *, kind: str = "chat"):
    """Draw each request of one kind at its two times, a panel for each policy; a cross is late."""
    shares = {name: got.by_kind()[kind] for name, got in runs.items()}
    asked = next(iter(shares.values())).requests
    said = ", ".join(f"{one.requests - one.kept} ({name})" for name, one in shares.items())
    fig, axes = new_figure(
        title=f"Broken promises among {asked} requests: {said}", x="first token after (s)",
        width=7.2, height=3.1, cols=len(runs), sharex=True, sharey=True,
    )  # fmt: skip
    for ax, (name, got) in zip(axes, runs.items()):
        for kept in (True, False):
            rows = (got.kinds == kind) & (got.all == kept)
            look = points(LOOKS[kind], marker="o", markersize=2.2, markeredgewidth=0)
            if not kept:
                look = points("limit", marker="x", markersize=5, markeredgecolor=color("limit"))
            ax.loglog(got.log.ttft_s[rows], 1000 * got.log.tpot_s[rows], **look)
        promise = got.promises[got.ids[int(np.argmax(got.kinds == kind))]]
        ax.axvline(promise.ttft_s, **line("limit", linewidth=1.2))
        ax.axhline(1000 * promise.tpot_s, **line("limit", linewidth=1.2))
        ax.set_xticks([0.01, 0.1, 1], ["0.01", "0.1", "1"])
        ax.set_yticks([10, 30, 100], ["10", "30", "100"])
        ax.minorticks_off()
        one = shares[name]
        slow, late = one.requests - one.kept_tpot, one.requests - one.kept_ttft
        look = {"transform": ax.transAxes, "color": color("limit")}
        ax.text(0.04, 0.9, f"too slow: {slow}", **look)
        ax.text(0.99, 0.06, f"late:\n{late}", ha="right", **look)
        ax.set(xlim=(0.008, 15), ylim=(5, 250))
        dress(ax, title=name)
    dress(axes[0], y="time per token (ms)")
    return fig


_WORKLOADS = ("theory", "queue", "service", "prediction")


def standings(table: Table):
    """Draw what each policy keeps on each workload and in the mean, in the order of the ranking.

    Whoever was sent off has no row.
    """
    ranking = {name: kept for name, kept in table.ranking() if np.isfinite(kept)}
    where = dict.fromkeys(one.workload for one in table.scores)
    (best, most), (last, least) = (list(ranking.items())[end] for end in (0, -1))
    fig, ax = new_figure(
        title=f"First is {best!r}, {100 * most:.0f} % in the mean, best on "
        f"{_best_on(table, best)} of {len(where)} workloads; last {last!r}, {100 * least:.0f} %",
        x="all promises kept (% of the requests)", width=8, height=1.4 + 0.3 * len(ranking),
    )  # fmt: skip
    for workload, look, shift in zip(where, _WORKLOADS, (-0.27, -0.09, 0.09, 0.27)):
        scores = {one.policy: one.kept for one in table.scores if one.workload == workload}
        kept = [100 * scores[name] for name in ranking]
        rows = np.arange(len(ranking)) + shift  # or one mark hides the other
        ax.plot(kept, rows, **points(look, markersize=6), label=workload)
    look = points("ink", marker="|", markersize=15, markeredgewidth=2, markeredgecolor=color("ink"))
    ax.plot([100 * kept for kept in ranking.values()], range(len(ranking)), **look, label="mean")
    ax.set_yticks(range(len(ranking)), list(ranking))
    ax.set(ylim=(len(ranking) - 0.4, -0.6))
    key_above(ax, ncols=5, loc="lower right", bbox_to_anchor=(1.01, 0.98), fontsize=9)
    return fig


def _best_on(table: Table, policy: str) -> int:
    """On how many workloads nobody keeps more."""
    most = {where: np.nanmax([one.kept for one in table.scores if one.workload == where])
            for where in (one.workload for one in table.scores)}  # fmt: skip
    return sum(one.kept == most[one.workload] for one in table.of(policy))
