"""The figures of the serving chapters: who runs when, who waits for whom, and what it costs."""

from collections.abc import Mapping

import numpy as np

from labutils.laws.batching.seats import SeatProblem
from labutils.metrics import RequestLog, RequestRecord
from labutils.serving.simulator import ServingRun
from labutils.viz.figures.lanes import mixed
from labutils.viz.labels import label_line, readable
from labutils.viz.style import CARD, INK, color, dress, line, new_figure, points

_SHADES = (0.55, 0.8)  # of neighbours in a seat


def seat_schedules(problem: SeatProblem, schedules: Mapping[str, Mapping[str, int]]):
    """Draw schedules by hand, one panel each: who sits where in which step, and what is empty.

    ``schedules`` maps a title to the steps in which requests are admitted; steps that are still
    ``...`` are left out. Whoever finds no seat stands below the last one. Of a single schedule the
    memory is drawn too.
    """
    known = {
        title: {name: step for name, step in starts.items() if isinstance(step, int)}
        for title, starts in schedules.items()
    }
    alone = len(known) == 1
    fig, axes = new_figure(
        title=_schedule_title(problem, known),
        height=3.9 if alone else 1.0 + 1.25 * len(known),
        rows=len(known) + alone,
        sharex=True,
    )
    axes = np.atleast_1d(axes)
    last = max(_last(problem, starts) for starts in known.values())
    for ax, (title, starts) in zip(axes, known.items()):
        _seats(ax, problem, starts, "" if alone else title)
    if alone:
        _memory(axes[-1], problem, next(iter(known.values())), last)
    dress(axes[-1], x="step")
    axes[-1].grid(alone, axis="y")
    axes[-1].grid(False, axis="x")
    axes[-1].set(xlim=(0.5, max(30, last) + 0.5))
    axes[-1].set_xticks(range(1, max(30, last) + 1, 1 if last <= 30 else 3))
    axes[-1].tick_params(axis="x", labelsize=8)
    return fig


def _schedule_title(problem, known) -> str:
    if any(len(starts) < len(problem.requests) for starts in known.values()):
        return "Not everybody has a step yet"
    if len(known) == 1:
        (starts,) = known.values()
        idle, ends = problem.idle(starts), problem.last_step(starts)
        return (
            f"The last answer ends in step {ends}: {idle} of {problem.seats * ends} slot-steps "
            "are empty"
        )
    ends = [f"{title} {problem.last_step(starts)}" for title, starts in known.items()]
    return f"The last answer ends in step: {', '.join(ends)}"


def _last(problem, starts) -> int:
    ends = [starts[r.name] + r.output_tokens - 1 for r in problem.requests if r.name in starts]
    return max(ends, default=1)


def _seats(ax, problem, starts, title: str) -> None:
    last, free_from = _last(problem, starts), {}
    ax.barh(
        range(problem.seats), last, left=0.5, height=0.86, facecolor=CARD, hatch="////",
        edgecolor=color("reference"), linewidth=0,
    )  # fmt: skip
    rows = 0
    inside = [r for r in problem.requests if r.name in starts]
    for r in sorted(inside, key=lambda r: starts[r.name]):
        start, end = starts[r.name], starts[r.name] + r.output_tokens
        row = next(k for k in range(99) if free_from.get(k, (1, 0))[0] <= start)
        guest = free_from.get(row, (1, 0))[1]
        free_from[row], rows = (end, guest + 1), max(rows, row)
        fits = row < problem.seats
        shade = mixed("service", _SHADES[guest % 2]) if fits else color("limit")
        ax.barh(row, end - start, left=start - 0.5, height=0.86, color=shade)
        ax.text(
            (start + end) / 2 - 0.5, row, r.name, ha="center", va="center", fontsize=9.5,
            fontweight="bold", color=INK if fits else CARD,
        )  # fmt: skip
    ax.grid(False)
    ax.set(ylim=(max(rows, problem.seats - 1) + 0.6, -0.6))
    seats = range(problem.seats)
    ax.set_yticks(seats, [k + 1 for k in seats], fontsize=9)
    ax.tick_params(axis="y", length=0)
    dress(ax, y="seat", title=title)
    ax.grid(False)


def _memory(ax, problem, starts, last: int) -> None:
    inside = [r for r in problem.requests if r.name in starts]
    steps = np.arange(1, last + 1)
    held = np.array([sum(r.held(starts[r.name], step) for r in inside) for step in steps])
    over = held > problem.memory_tokens
    shades = np.where(over, color("limit"), color("kv"))
    ax.bar(steps, held, width=0.9, color=shades, alpha=0.75)
    (full,) = ax.plot(
        [0.5, max(30, last) + 0.5], [problem.memory_tokens] * 2, **line("limit", linewidth=1.6)
    )
    ax.set(ylim=(0, 1.35 * max(problem.memory_tokens, held.max(initial=0))))
    ax.annotate(
        f"memory: {problem.memory_tokens} tokens", (0.7, problem.memory_tokens), xytext=(2, 3),
        textcoords="offset points", color=readable(full.get_color()), fontsize=9.5,
    )  # fmt: skip
    dress(ax, y="tokens held")


def bystanders(
    runs: Mapping[str, list[RequestRecord]], guest, *, from_s: float = 0.0, until_s: float
):
    """Draw who gets tokens when while the ``guest`` reads a long prompt; one panel for each run.

    ``runs`` maps a title to the records of the same requests; ``guest`` is the id of the one with
    the long prompt. A tick is a token, a stretch without ticks a gap that a reader sees. Drawn is
    the time from ``from_s`` to ``until_s``.
    """
    fig, axes = new_figure(
        title=_bystander_title(runs, guest), height=1.2 + 1.75 * len(runs), rows=len(runs),
        sharex=True,
    )  # fmt: skip
    for ax, (title, records) in zip(np.atleast_1d(axes), runs.items()):
        ax.set_xlim(1000 * from_s, 1000 * until_s)
        ordered = sorted(records, key=lambda r: (r.id == guest, r.id))
        rows = [row + (r.id == guest) for row, r in enumerate(ordered)]  # the guest stands apart
        for row, r in zip(rows, ordered):
            _ticks(ax, row, r, is_guest=r.id == guest)
        names = ["" if r.id != guest else "long prompt" for r in ordered]
        names[(len(names) - 1) // 2] = "the others"
        ax.set_yticks(rows, names, fontsize=10)
        ax.tick_params(axis="y", length=0)
        ax.set_ylim(len(ordered) + 1.4, -0.6)
        dress(ax, title=title)
        ax.grid(False)
    np.atleast_1d(axes)[-1].set_xlabel("time (ms)")
    return fig


def _ticks(ax, row: int, r: RequestRecord, *, is_guest: bool) -> None:
    times_ms = 1000 * r.token_times_s
    if is_guest:
        start = 1000 * r.intended_arrival_s
        ax.barh(row, times_ms[0] - start, left=start, height=1.6, color=color("theory"))
        ax.text(
            times_ms[0], row, f" first token after {times_ms[0] - start:.0f} ms", va="center",
            fontsize=9.5, color=readable(color("theory")),
        )  # fmt: skip
        return
    low, high = ax.get_xlim()
    times_ms = times_ms[(low <= times_ms) & (times_ms <= high)]
    ax.vlines(times_ms, row - 0.36, row + 0.36, color=color("service"), lw=1.3)


def longest_gap_s(records: list[RequestRecord], guest) -> float:
    """The longest time between two tokens of anybody but the guest."""
    return max(float(r.itl_s.max()) for r in records if r.id != guest and r.itl_s.size)


def _bystander_title(runs, guest) -> str:
    gaps = [f"{1000 * longest_gap_s(records, guest):.0f}" for records in runs.values()]
    firsts = [
        f"{1000 * r.ttft_s:.0f}" for records in runs.values() for r in records if r.id == guest
    ]
    return (
        f"Longest gap of the others: {' against '.join(gaps)} ms. First token of the long prompt: "
        f"{' against '.join(firsts)} ms"
    )


POLICY_ROLES = ("measurement", "queue", "theory", "service", "backlog")


def frontiers(runs: Mapping[str, Mapping[str, list[ServingRun]]]):
    """Draw latency against throughput, one panel for each workload, one line for each policy.

    ``runs`` maps workload and policy to runs at rising request rates. Throughput is
    answers per second until the last one ends, latency the median of end-to-end time per output
    token ("normalized latency", Yu and others 2022).
    """
    fig, axes = new_figure(
        title=_frontier_title(runs), x="answers per second",
        y="end-to-end time per token (ms)", width=9, height=4.4, cols=len(runs),
    )  # fmt: skip
    for ax, (name, policies) in zip(np.atleast_1d(axes), runs.items()):
        for (policy, served), role in zip(policies.items(), POLICY_ROLES):
            at = np.array(
                [(answers_per_s(run.log), normalized_latency_ms(run.log)) for run in served]
            )
            look = {**points(role, markersize=5.5), **line(role, linestyle="-", linewidth=1.8)}
            ax.plot(*at.T, label=policy, **look)
        ax.set_yscale("log")
        ax.set_xlim(0, 1.12 * ax.get_xlim()[1])
        low, high = ax.get_ylim()
        ticks = [t for t in (5, 10, 20, 50, 100, 200, 500, 1000) if low <= t <= high]
        ax.set_yticks(ticks, [f"{t}" for t in ticks])
        ax.minorticks_off()
        dress(ax, title=name)
        for drawn in ax.lines:
            label_line(ax, drawn, drawn.get_label())
    for ax in np.atleast_1d(axes)[1:]:
        ax.set_ylabel("")
    return fig


def answers_per_s(log: RequestLog) -> float:
    """Answers per second, from 0 to the end of the last one."""
    return float(log.ok.sum() / np.nanmax(log.finish_s[log.ok]))


def normalized_latency_ms(log: RequestLog) -> float:
    """Median of end-to-end time per output token, in milliseconds."""
    return 1000 * float(np.median(log.e2e_s[log.ok] / log.output_tokens[log.ok]))


def _frontier_title(runs) -> str:
    """How much more the best policy serves than the first one named, workload by workload."""
    gains = []
    for name, policies in runs.items():
        most = [max(answers_per_s(run.log) for run in served) for served in policies.values()]
        gains.append(f"{max(most) / most[0]:.2f} times on {name}")
    return f"Most answers per second against {next(iter(policies))}: {', '.join(gains)}"
