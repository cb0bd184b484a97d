"""The explorer of promises: its marks and bills are those of a run that is made again."""

import numpy as np
import pytest

from labutils.engine import Scheduler
from labutils.serving.arena.match import Setting
from labutils.serving.arena.night import night
from labutils.serving.promises import Kept, Promises, Tenant
from labutils.serving.promises.policies import TokenCounters
from labutils.serving.simulator import simulate
from labutils.viz.explorers.who_pays import said, who_pays_explorer
from labutils.viz.figures.who_pays import bill

BEGIN = {"documents": 4, "chat_per_s": 5.0, "promised_s": 120.0, "weight": 1}


@pytest.fixture(scope="module")
def explorer():
    return who_pays_explorer(seed=3, duration_s=12.0)


def served(weight=None, documents=4):
    workload = night(seed=3, chat_per_s=5.0, duration_s=12.0, documents=documents)
    setting = Setting(promises=workload.promises)
    if weight is None:
        scheduler = Scheduler(*setting.server(), **setting.options)
    else:
        tenants = [Tenant(name="shop", weight=weight), Tenant(name="lawyers")]
        promises = Promises(workload.promises.by_id, tenants=tenants)
        scheduler = TokenCounters(*setting.server(), promises=promises, **setting.options)
    cost, answers = setting.step_cost, workload.output_tokens
    run = simulate(workload.requests, scheduler, cost, output_tokens=answers)
    return Kept.of(run, workload.promises)


def marks(explorer, row):
    kept, wait = explorer._frames.fig.axes
    rows = [[dict(zip(np.round(mark.get_ydata()), mark.get_xdata())) for mark in ax.lines[:2]]
            for ax in (kept, wait)]  # fmt: skip
    return [mark.get(row) for panel in rows for mark in panel]


@pytest.mark.parametrize("weight", [1, 8])
def test_marks_and_bills_are_those_of_the_runs(explorer, weight):
    finding = explorer(**BEGIN | {"weight": weight})
    first = served()
    for row, kept in ((0, first), (5, served(weight=weight))):
        kinds = kept.by_kind()
        want = [100 * kinds[k].share for k in ("chat", "documents")]
        want += [kinds[k].worst_ttft_s for k in ("chat", "documents")]
        assert marks(explorer, row) == pytest.approx(want)
        name = ("first come", "token counters")[row > 0]
        assert f"{name}: {said(bill(kept, first))}" in finding


def test_a_night_without_documents_has_no_marks_for_them(explorer):
    finding = explorer(**BEGIN | {"documents": 0})
    assert marks(explorer, 0)[1] is None is marks(explorer, 0)[3]
    assert "first come: nobody" in finding


def test_a_bill_names_who_pays_and_with_what():
    kept = served(documents=14)
    chat = kept.by_kind()["chat"]
    assert bill(kept, kept)["chat"] == f"{chat.requests - chat.kept} late"
    calm = served(documents=0)
    assert bill(calm, calm) == {}
    longer, before = (served(weight=w).by_kind()["documents"].worst_ttft_s for w in (8, None))
    assert longer > 1.1 * before
    assert (
        bill(served(weight=8), served())["documents"] == f"{longer:.0f} s instead of {before:.0f}"
    )


def test_documents_leave_the_chat_as_it_was():
    few, many = night(seed=3, documents=0, duration_s=9.0), night(seed=3, duration_s=9.0)
    chats = [(one.arrival_s, one.prompt_tokens, answer)
             for one, answer in zip(many.requests, many.output_tokens)
             if many.promises[one.id].kind == "chat"]  # fmt: skip
    assert len(many.requests) == len(few.requests) + 6
    same = [(one.arrival_s, one.prompt_tokens, answer)
            for one, answer in zip(few.requests, few.output_tokens)]  # fmt: skip
    assert chats == same
    long = [one for one in many.requests if many.promises[one.id].kind == "documents"]
    assert np.ptp([one.arrival_s for one in long]) < 0.1
    assert min(one.prompt_tokens for one in long) >= 12_000
