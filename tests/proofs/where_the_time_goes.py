"""Proofs of chapter 09: mistakes that learners make, and right answers of other styles."""

from functools import reduce

import numpy as np

from labutils.exercises.definition.verdict import Status
from labutils.latency import percentile
from labutils.telemetry import Span, critical_path, exclusive_times
from tests.proofs.proof import Proof

# --- where.alone --------------------------------------------------------------------------------


def subtracts_durations(span, children):
    end = span[1]
    return end - span[0] - sum(min(stop, end) - start for start, stop in children)


def clipped_at_nothing(span, children):
    at, alone = span[0], 0
    for start, stop in sorted(children):
        alone += max(start - at, 0)
        at = max(at, stop)
    return alone + span[1] - at


def last_child_counts(span, children):
    at, alone = span[0], 0
    for start, stop in sorted(children):
        alone += max(min(start, span[1]) - at, 0)
        at = min(stop, span[1])
    return alone + span[1] - at


def between_the_outer_ends(span, children):
    if not children:
        return span[1] - span[0]
    first, last = min(s for s, _ in children), min(span[1], max(e for _, e in children))
    return span[1] - span[0] - (last - first)


def each_whole_millisecond(span, children):
    moments = range(round(span[0]), round(span[1]))
    return len([at for at in moments if not any(s <= at < e for s, e in children)])


def subtracts_the_union_unsorted(span, children):
    left, at = span[1] - span[0], span[0]
    for start, stop in children:
        start, stop = max(start, at), min(stop, span[1])
        if stop > start:
            left -= stop - start
            at = stop
    return left


def between_all_ends(span, children):
    ends = np.unique([*span, *(min(t, span[1]) for child in children for t in child)])
    middles = (ends[1:] + ends[:-1]) / 2
    free = [not any(s < middle < e for s, e in children) for middle in middles]
    return np.diff(ends)[free].sum()


def cut_out_of_what_is_free(span, children):
    free = [span]
    for start, stop in children:
        parts = [part for s, e in free for part in ((s, min(e, start)), (max(s, stop), e))]
        free = [(s, e) for s, e in parts if s < e]
    return sum(e - s for s, e in free)


def with_the_library_of_spans(span, children):
    spans = [Span("t", "root", None, "root", *map(float, span))]
    spans += [Span("t", f"{n}", "root", "c", *map(float, c)) for n, c in enumerate(children)]
    return exclusive_times(spans)["root"]


# --- where.waited_for ---------------------------------------------------------------------------


def ended_before(stages):
    name = max(stages, key=lambda n: stages[n][1])
    path = [name]
    while earlier := [n for n in stages if stages[n][1] < stages[path[0]][0]]:
        path.insert(0, max(earlier, key=lambda n: stages[n][1]))
    return path


def every_stage(stages):
    return sorted(stages, key=lambda n: stages[n][0])


def longest_of_those_done(stages):
    path = [max(stages, key=lambda n: stages[n][1])]
    while earlier := [n for n in stages if stages[n][1] <= stages[path[0]][0]]:
        path.insert(0, max(earlier, key=lambda n: (stages[n][1] - stages[n][0], stages[n][1])))
    return path


def longest_of_those_done_as_they_come(stages):
    path = [max(stages, key=lambda n: stages[n][1])]
    while earlier := [n for n in stages if stages[n][1] <= stages[path[0]][0]]:
        path.insert(0, max(earlier, key=lambda n: stages[n][1] - stages[n][0]))
    return path


def ended_at_that_moment(stages):
    path = [max(stages, key=lambda n: stages[n][1])]
    while earlier := [n for n in stages if stages[n][1] == stages[path[0]][0]]:
        path.insert(0, *earlier)
    return path


def most_work_recursively(stages, until=float("inf")):
    chains = [
        [*most_work_recursively(stages, start), name]
        for name, (start, end) in stages.items()
        if end <= until
    ]
    return max(chains, key=lambda c: sum(stages[n][1] - stages[n][0] for n in c), default=[])


def ends_as_whole_milliseconds(stages):
    ends = {int(end): name for name, (_, end) in stages.items()}
    path, until = [], max(ends)
    while until in ends:
        path.insert(0, ends[until])
        until = int(stages[path[0]][0])
        while until > 0 and until not in ends:
            until -= 1
    return path


def from_the_end(stages):
    path = [max(stages, key=lambda n: stages[n][1])]
    while earlier := [n for n in stages if stages[n][1] <= stages[path[-1]][0]]:
        path.append(max(earlier, key=lambda n: stages[n][1]))
    return path


def recursively(stages, until=float("inf")):
    done = {name: end for name, (_, end) in stages.items() if end <= until}
    if not done:
        return []
    last = max(done, key=done.get)
    return [*recursively(stages, stages[last][0]), last]


def one_pass_from_the_last_end(stages):
    path, until = [], float("inf")
    for name, (start, end) in sorted(stages.items(), key=lambda item: -item[1][1]):
        if end <= until:
            path, until = [name, *path], start
    return tuple(path)


def with_the_library_of_traces(stages):
    start = min(start for start, _ in stages.values())
    end = max(end for _, end in stages.values())
    spans = [Span("t", "root", None, "root", float(start), float(end))]
    spans += [Span("t", n, "root", n, float(s), float(e)) for n, (s, e) in stages.items()]
    return [span.name for span, *_ in critical_path(spans) if span.name != "root"]


# --- where.saved --------------------------------------------------------------------------------


def of_the_request_that_was_there(times, stage, factor, share):
    row = sorted(times, key=sum)[int(np.ceil(share * len(times) - 1e-9)) - 1]
    return row[stage] * (1 - 1 / factor)


def share_of_the_mean(times, stage, factor, share):
    table = np.array(times, dtype=float)
    part = table[:, stage].sum() / table.sum()
    return percentile(table.sum(axis=1), share) * part * (1 - 1 / factor)


def into_whole_numbers(times, stage, factor, share):
    table = np.array(times, dtype=int if isinstance(times[0][0], int) else float)
    before = percentile(table.sum(axis=1), share)
    table[:, stage] = table[:, stage] // factor
    return before - percentile(table.sum(axis=1), share)


def of_the_mean(times, stage, factor, share):
    return np.mean([row[stage] for row in times]) * (1 - 1 / factor)


def interpolates(times, stage, factor, share):
    table = np.array(times, dtype=float)
    before = np.quantile(table.sum(axis=1), share)
    table[:, stage] /= factor
    return before - np.quantile(table.sum(axis=1), share)


def with_a_table(times, stage, factor, share):
    before = np.array(times, dtype=float)
    after = before.copy()
    after[:, stage] /= factor
    return percentile(before.sum(axis=1), share) - percentile(after.sum(axis=1), share)


def by_nearest_rank(times, stage, factor, share):
    rank = int(np.ceil(share * len(times) - 1e-9)) - 1
    before = sorted(map(sum, times))[rank]
    left = [sum(t / factor if n == stage else t for n, t in enumerate(row)) for row in times]
    return before - sorted(left)[rank]


# --- where.stage_limits -------------------------------------------------------------------------


def less_than_the_promise(stages, limit):
    ordered = [sorted(times) for times in stages]
    for rank in reversed(range(len(stages[0]))):
        if sum(times[rank] for times in ordered) < limit:
            return [times[rank] for times in ordered]
    return [times[0] for times in ordered]


def in_order_of_arrival(stages, limit):
    fitting = [row for row in zip(*stages) if sum(row) <= limit]
    return list(fitting[-1] if fitting else next(zip(*stages)))


def all_alike(stages, limit):
    return [limit / len(stages) for _ in stages]


def slowest_request_that_kept_it(stages, limit):
    table = np.array(stages)
    sums = np.where(table.sum(axis=0) <= limit, table.sum(axis=0), -np.inf)
    return table[:, sums.argmax()].tolist()


def whole_times(stages, limit):
    table = np.sort(np.array(stages, dtype=int), axis=1)
    return table[:, np.flatnonzero(table.sum(axis=0) <= limit)[-1]]


def proportional_to_each_p99(stages, limit):
    p99s = [percentile(times, 0.99) for times in stages]
    return [limit * p99 / sum(p99s) for p99 in p99s]


def proportional_to_the_means(stages, limit):
    means = np.array(stages).mean(axis=1)
    return (limit * means / means.sum()).tolist()


def with_a_sorted_table(stages, limit):
    table = np.sort(stages, axis=1)
    rank = np.flatnonzero(table.sum(axis=0) <= limit)[-1]
    return table[:, rank]


def rank_by_rank(stages, limit):
    rows = zip(*map(sorted, stages))
    return reduce(lambda kept, row: row if sum(row) <= limit else kept, rows)


# --- where.largest_rate -------------------------------------------------------------------------


def first_come(stages):
    return min(servers / seconds for visits, seconds, servers in stages)


def end_to_end(stages):
    return 1 / sum(visits * seconds for visits, seconds, servers in stages)


def forgets_the_servers(stages):
    return 1 / max(visits * seconds for visits, seconds, servers in stages)


def through_the_busiest(stages):
    return 1 / max(visits * seconds / servers for visits, seconds, servers in stages)


def with_arrays(stages):
    visits, seconds, servers = np.array(stages, dtype=float).T
    return (servers / visits / seconds).min()


PROOFS = {
    "where.alone": Proof(
        mistakes={
            "subtracts durations": (subtracts_durations, "sums-the-children"),
            "follows a child outside": (clipped_at_nothing, "follows-children-outside"),
            "the last child counts": (last_child_counts, "forgets-the-longer-one"),
            "between the outer ends": (between_the_outer_ends, "from-first-start-to-last-end"),
            "each whole millisecond": (each_whole_millisecond, "whole-milliseconds"),
            "the union, unsorted": (subtracts_the_union_unsorted, "in-the-order-given"),
        },
        alternatives={
            "between all ends, a numpy number": between_all_ends,
            "cut out of what is free": cut_out_of_what_is_free,
            "the library": with_the_library_of_spans,
        },
    ),
    "where.waited_for": Proof(
        mistakes={
            "ended before": (ended_before, "strictly-before"),
            "every stage": (every_stage, "all-stages"),
            "the longest of those done": (longest_of_those_done, "longest"),
            "the longest, as they come": (longest_of_those_done_as_they_come, "longest"),
            "ended at that moment": (ended_at_that_moment, "at-that-moment"),
            "the most work": (most_work_recursively, "most-work"),
            "whole milliseconds": (ends_as_whole_milliseconds, Status.wrong),
            "from the end": (from_the_end, "backwards"),
        },
        alternatives={
            "recursion": recursively,
            "one pass, a tuple": one_pass_from_the_last_end,
            "the library": with_the_library_of_traces,
        },
    ),
    "where.saved": Proof(
        mistakes={
            "of the request that was there": (
                of_the_request_that_was_there,
                "follows-the-same-request",
            ),
            "the mean's share": (share_of_the_mean, "amdahl-on-the-mean"),
            "of the mean": (of_the_mean, "mean"),
            "into whole numbers": (into_whole_numbers, "whole-division"),
            "another percentile": (interpolates, Status.wrong),
        },
        alternatives={"a table": with_a_table, "nearest rank": by_nearest_rank},
    ),
    "where.stage_limits": Proof(
        mistakes={
            "less than the promise": (less_than_the_promise, "strictly-below"),
            "in order of arrival": (in_order_of_arrival, "unsorted"),
            "all alike": (all_alike, "equal-parts"),
            "one request": (slowest_request_that_kept_it, "times-of-one-request"),
            "whole times": (whole_times, "whole-numbers"),
            "by each p99": (proportional_to_each_p99, "by-maxima"),
            "by the means": (proportional_to_the_means, "by-means"),
        },
        alternatives={"a sorted table": with_a_sorted_table, "rank by rank": rank_by_rank},
        equivalent={
            "for k in reversed(range(len(stages[0]))): => "
            f"for k in reversed(range(len(stages[{place}]))):": "every stage has as many times"
            for place in (1, -1)
        },
    ),
    "where.largest_rate": Proof(
        mistakes={
            "one visit": (first_come, "no-visits"),
            "end to end": (end_to_end, "one-request-at-a-time"),
            "no servers": (forgets_the_servers, "no-servers"),
        },
        alternatives={"the busiest stage": through_the_busiest, "arrays": with_arrays},
    ),
    "where.clocked": Proof(
        mistakes={
            "the work": ("130 ms", "sum"),
            "one beat": ("50 ms", "one-beat"),
            "the work and a beat": ("180 ms", "a-beat-and-the-work"),
            "seconds for milliseconds": (0.2, Status.scale),
            "a rate": ("20 /s", Status.unit),
        },
        alternatives={"seconds": "0.2 s", "a number": 200},
    ),
}
