"""Chapter 07's live frontier: 20,000 requests behind every picture, simulated as a slider moves."""

import statistics
from collections.abc import Iterator
from time import perf_counter

from labutils import llm
from labutils.serving.simulator import StepCost
from labutils.viz.explorers.frontier import BUDGETS, PAGES, PLACES, FrontierRuns, frontier_explorer
from labutils.workload import mix

from .explorer import LEFT, RIGHT, notebook
from .registry import Goal, Row, Settings, benchmark

RATES = {
    "azure-conversation": (7, 9, 11, 12, 13),
    "azure-code": (2, 4, 6, 7, 8.5),
    "long-context": (0.2, 0.4, 0.6, 0.8, 1.0),
}
REQUESTS = 20_000


def shown(name: str):
    """The explorer as the chapter shows it, of one mix: with the others it takes longer to open."""
    return frontier_explorer({name: (mix(name), RATES[name])}, step_cost=_step_cost(), seed=7)


@benchmark
def simulation(settings: Settings) -> Iterator[Row]:
    """The frontier of chapter 07: simulation of each move, over all positions of its sliders"""
    requests = settings.choose(REQUESTS, 1_000)
    for name, rates in RATES.items():
        runs = FrontierRuns({name: (mix(name), rates)}, _step_cost(), 7, requests)
        runs.serve(name, BUDGETS[0], PLACES[0], max(PAGES) + 1)  # loads what is compiled
        taken = _all_moves_ms(runs, name)
        for moved, times_ms in taken.items():
            middle = statistics.median(times_ms)
            goal = None if settings.quick else Goal(60.0)
            yield Row(f"{name}, {moved}, worst", max(times_ms), "ms", middle, goal)


def _all_moves_ms(runs: FrontierRuns, name: str) -> dict[str, list[float]]:
    """By what is served anew; both curves at the budget that takes longest, the least."""
    both, chunks = "both curves anew", "chunks anew"
    taken = {both: [], chunks: []}
    for pages in PAGES:
        for places in PLACES:
            for budget in sorted(BUDGETS):
                begin = perf_counter()
                runs.serve(name, budget, places, pages)
                moved = both if budget == min(BUDGETS) else chunks
                taken[moved].append(1e3 * (perf_counter() - begin))
    return taken


@benchmark
def key_to_screen(settings: Settings) -> Iterator[Row]:
    """The frontier of chapter 07, from the key to the screen: settings never seen before"""
    for name in RATES:
        with notebook([f"from benchmarks.frontier import shown\nshown({name!r})"]) as lab:
            lab.cell(0).scroll_into_view_if_needed()
            for moved, taken in _presses_ms(lab, name, rounds=settings.choose(4, 1)).items():
                note = f"best {min(taken):.0f}, worst {max(taken):.0f}"
                middle = statistics.median(taken)
                yield Row(f"{name}, {moved}, median", middle, "ms", goal=Goal(60.0), note=note)


def _presses_ms(lab, name: str, *, rounds: int) -> dict[str, list[float]]:
    """The budget goes to its end and back, each time with fewer running."""
    budget, running = "token budget", "most running"
    taken = {budget: lab.key_to_screen(budget, key=RIGHT, times=4)}
    if name == "azure-conversation":  # where any fewer running show in the picture
        taken[running] = lab.key_to_screen(running, key=LEFT, times=rounds)
        lab.move_slider(running, RIGHT, rounds)
        lab.page.wait_for_timeout(1_000)
    lab.move_slider("memory pages", LEFT)
    for key in (LEFT, RIGHT, LEFT, RIGHT)[:rounds]:
        lab.page.wait_for_timeout(1_000)
        taken[budget] += lab.key_to_screen(budget, key=key, times=5)
        lab.move_slider(running, LEFT)
    return taken


def _step_cost() -> StepCost:
    accelerator = llm.accelerator("H100 SXM")
    return StepCost.from_roofline(llm.model("Llama-3.1-8B"), accelerator, flops_share=0.5)
