"""The timeline of requests draws the spans of a run, and nothing else."""

import numpy as np
import pytest

from labutils.engine import PagePool, Request, Scheduler
from labutils.serving.simulator import StepCost, simulate
from labutils.viz.figures.lanes import mixed
from labutils.viz.figures.timeline import PHASES, request_timelines
from labutils.viz.style import title_of

COST = StepCost(base_s=0.01)


def run_of(pages):
    """Two requests of 6 and 5 prompt tokens, 7 and 9 tokens of answer, on pages of two tokens."""
    requests = [Request("p", 6, 7), Request("q", 5, 9, arrival_s=0.025)]
    options = {"output_tokens": [7, 9], "token_times": True}
    return simulate(requests, Scheduler(4, PagePool(pages, 2)), COST, **options)


def boxes(ax, phase):
    """(row, start, end) of every box in the colours of a phase."""
    _, role, share = PHASES[phase]
    shades = {mixed(role, share), mixed(role, 0.85 * share)}
    found = []
    for drawn in ax.collections:
        for path, shade in zip(drawn.get_paths(), drawn.get_facecolors()):
            if any(np.allclose(shade[:3], one) for one in shades):
                (left, top), (right, bottom) = path.vertices.min(axis=0), path.vertices.max(axis=0)
                assert bottom == top + 1
                found.append((int(top), round(left, 6), round(right, 6)))
    return sorted(found)


def test_with_room_for_both_nobody_is_preempted():
    # q comes at 25 ms, in the third step; its prompt is read alone, in the fourth, while p stands
    # still. Tokens of p end with steps 1, 2, 3, 5, 6, 7 and 8, the last one of q with step 12.
    (ax,) = request_timelines({"roomy": run_of(40)}).axes
    assert boxes(ax, "queue") == [(0, 0, 0), (1, 0.025, 0.03)]
    assert boxes(ax, "prefill") == [(0, 0, 0.01), (1, 0.03, 0.04)]
    assert boxes(ax, "decode") == [(0, 0.01, 0.08), (1, 0.04, 0.12)]
    assert boxes(ax, "preempted") == []


def test_what_loses_its_memory_is_preempted_and_read_again():
    run = run_of(8)
    fig = request_timelines({"roomy": run_of(40), "tight": run})
    _, ax = fig.axes
    ((row, lost_s, again_s),) = boxes(ax, "preempted")
    assert row == 1 and lost_s < again_s
    assert [read[:2] for read in boxes(ax, "prefill")] == [(0, 0), (1, 0.03), (1, again_s)]
    assert "with 0 and 1 preemptions" in title_of(fig)
    assert ax.get_xlim()[1] == pytest.approx(np.nanmax(run.log.finish_s))
    # 6 and 5 tokens of prompt, and q's once more with what it had written by then
    written = sum(token <= lost_s + 1e-9 for token in run.token_times_s(1))
    assert f"{6 + 5 + 5 + written} prompt tokens read" in ax.get_title(loc="left")


def test_a_stretch_of_time_can_be_drawn():
    (ax,) = request_timelines({"a": run_of(40)}, until_s=0.05).axes
    assert ax.get_xlim() == (0, 0.05)
