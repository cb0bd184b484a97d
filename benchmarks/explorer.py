"""From the key to the screen: an explorer that simulates 200,000 requests for every frame.

Measured in JupyterLab in a real browser, beside the same controls and the same computation under
``ipywidgets.interact``, in one notebook and one run, in alternating bursts.
"""

import shutil
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from labutils.simulation import fifo_queue
from labutils.viz import Explorer, label_line, line, move_label, new_figure, points, slider

from .registry import Goal, Row, Settings, Unavailable, benchmark

REQUESTS = 200_000
LABEL = "load"
LEFT, RIGHT = "ArrowLeft", "ArrowRight"
CHAPTER_EXPLORERS = {  # the file, what stands before it, the call, the slider that is moved, how
    "01 percentiles": (
        "percentiles",
        "",
        "percentile_explorer(seed=7, num_requests=200_000)",
        "day",
        (RIGHT, LEFT),
    ),
    "03 load": ("load", "", "load_explorer(seed=7)", "promise (service times)", (RIGHT, LEFT)),
    "04 batching": (
        "batching",
        "",
        "batching_explorer(seed=7, load=0.3)",
        "load (share of limit)",
        (RIGHT, LEFT),
    ),
    "05 decode step": ("decode_step", "", "decode_step_explorer()", "batch", (RIGHT, LEFT)),
    "06 two page maps": (
        "page_race",
        """
from labutils.engine import PagePool
from labutils.serving.memory import ContiguousReservation
from labutils.serving.memory.race import race
from labutils.workload import mix
prompts, outputs = mix("azure-conversation").draw(150, np.random.default_rng(6))
stream = [*range(0, 600, 4)], prompts.clip(1, 3000).tolist(), outputs.clip(1, 1000).tolist()
memories = {"reserved": ContiguousReservation(16 * 2600), "paged": PagePool(2600)}
recorded = {"limits": 4096, "steps": 601, "record_every": 5}
runs = {name: race(*stream, memory, **recorded) for name, memory in memories.items()}
""",
        "page_race_explorer(runs, num_cells=2600, cell_tokens=16, step=300)",
        "step",
        (RIGHT, LEFT),
    ),
    "07 race": (
        "race",
        """
from labutils.serving.simulator import StepCost
from labutils.workload import mix
lengths = mix("azure-conversation").draw(72, np.random.default_rng(7))
cost = StepCost(0.005, 3e-5, 1e-9, 0.0, 4e-8)
""",
        "race_explorer({'conversation': lengths}, seed=7, step_cost=cost)",
        "time (% of static's)",
        (LEFT, RIGHT),
    ),
    "08 hedging": ("hedging", "", "hedging_explorer(seed=11)", "trigger quantile", (LEFT, RIGHT)),
    "09 pipeline": (
        "pipeline",
        "",
        "pipeline_explorer(seed=9, load=0.8)",
        "its speed-up",
        (RIGHT, LEFT),
    ),
    "10 hit rate": (
        "hit_rate",
        "",
        "cache_explorer(seed=3)",
        "requests per second",
        (RIGHT, LEFT),
    ),
    "10 flush": ("flush", "", "flush_explorer(seed=3)", "queue limit", (RIGHT, LEFT)),
    "11 who pays": (
        "who_pays",
        "",
        "who_pays_explorer(seed=3)",
        "the shop's weight",
        (RIGHT, LEFT),
    ),
    "14 herd": ("herd", "", "herd_explorer(seed=3)", "age of the reports", (LEFT, RIGHT)),
}
STEPS = {"11 who pays": 3, "14 herd": 6}  # of a slider too short for eight moves one way
PICTURES = {"Explorer": ".house-explorer img", "interact": ".widget-output img"}


def demo(requests: int = REQUESTS) -> Explorer:
    """An explorer of eight servers: every frame re-simulates, on common random numbers."""
    rng = np.random.default_rng(11)
    gaps, services = rng.exponential(size=(2, requests))
    fig, ax = new_figure(
        title="Latency at eight servers",
        x="time in system (service times)",
        y="share of requests that take longer",
    )
    times = np.linspace(0, 12, 200)
    (tail,) = ax.semilogy(times, np.ones_like(times), **line("measurement"))
    (p99,) = ax.plot([1], [0.01], **points("limit", marker="o"))
    ax.set(xlim=(0, 12), ylim=(1e-4, 1))
    name = label_line(ax, tail, "simulated", x=4)

    def update(load, servers):
        latency = _latencies(gaps, services, load, servers)
        tail.set_ydata(_tail(latency, times))
        p99.set_xdata([np.partition(latency, int(0.99 * requests))[int(0.99 * requests)]])
        move_label(name, tail, x=4)
        return f"At load {load:.2f} one request in a hundred takes {p99.get_xdata()[0]:.1f}."

    return Explorer(
        fig,
        update,
        controls={
            "load": slider(LABEL, 0.3, 0.98, 0.6, 0.01),
            "servers": slider("servers", 1, 32, 8),
        },
    )


def plain_interact(requests: int = REQUESTS) -> None:
    """The same controls, computation and curves the usual way: ``interact`` and pyplot."""
    import ipywidgets
    import matplotlib.pyplot as plt

    rng = np.random.default_rng(11)
    gaps, services = rng.exponential(size=(2, requests))
    times = np.linspace(0, 12, 200)

    def update(load, servers):
        latency = _latencies(gaps, services, load, servers)
        _, ax = plt.subplots(figsize=(8, 4.2))
        ax.semilogy(times, _tail(latency, times))
        ax.plot(np.percentile(latency, 99), 0.01, "o")
        ax.set(
            xlim=(0, 12),
            ylim=(1e-4, 1),
            xlabel="time in system (service times)",
            ylabel="share of requests that take longer",
            title="Latency at eight servers",
        )
        plt.show()

    ipywidgets.interact(
        update,
        load=ipywidgets.FloatSlider(0.6, min=0.3, max=0.98, step=0.01, description=LABEL),
        servers=ipywidgets.IntSlider(8, min=1, max=32),
    )


def _latencies(gaps, services, load, servers):
    arrivals = np.cumsum(gaps) / (load * servers)
    return fifo_queue(arrivals, services, num_servers=servers).sojourn_time_s


def _tail(latency, times):
    """Share of requests that take longer than each of the evenly spaced ``times``."""
    cells = np.minimum(latency / (times[1] - times[0]), times.size - 1).astype(np.intp)
    counts = np.bincount(cells, minlength=times.size)
    return counts[::-1].cumsum()[::-1] / latency.size


@benchmark
def callback(settings: Settings) -> Iterator[Row]:
    """Explorer in the kernel alone: simulate 200,000 requests and draw the frame"""
    explorer = demo()
    loads = [0.5 + 0.01 * k for k in range(settings.choose(40, 5))]
    taken = [_ms(lambda load=load: explorer(load=load)) for load in loads]
    yield Row("simulate, move, draw, pack", min(taken), "ms", statistics.median(taken))


@benchmark
def key_to_screen(settings: Settings) -> Iterator[Row]:
    """From the key to the screen in JupyterLab, 200,000 requests simulated a frame"""
    sources = [
        f"from benchmarks.explorer import {name}\n{name}()" for name in ("demo", "plain_interact")
    ]
    with notebook(sources) as lab:
        taken = {name: [] for name in PICTURES}
        for key in (RIGHT, LEFT) * settings.choose(3, 1):
            for cell, (name, picture) in enumerate(PICTURES.items()):
                lab.cell(cell).scroll_into_view_if_needed()
                taken[name] += lab.key_to_screen(
                    LABEL, key=key, picture=picture, cell=cell, times=settings.choose(10, 3)
                )
    for name, goal in (("Explorer", Goal(60.0)), ("interact", None)):
        middle = statistics.median(taken[name])
        yield Row(
            f"{name}, median",
            middle,
            "ms",
            goal=goal,
            note=f"p90 {np.percentile(taken[name], 90):.0f}, best {min(taken[name]):.0f}",
        )


@benchmark
def chapters_key_to_screen(settings: Settings) -> Iterator[Row]:
    """From the key to the screen in the chapters' explorers (08 simulates 160,000; 01, 03 more)"""
    for name, (module, before, call, label, keys) in CHAPTER_EXPLORERS.items():
        imported = f"from labutils.viz.explorers.{module} import {call.partition('(')[0]}"
        source = f"import numpy as np\n{imported}\n{before}\n{call}"
        taken = []
        with notebook([source]) as lab:  # a page each: the watch looks at the first picture
            lab.cell(0).scroll_into_view_if_needed()
            for key in keys * settings.choose(3, 1):
                times = min(settings.choose(8, 2), STEPS.get(name, 8))
                taken += lab.key_to_screen(label, key=key, times=times)
        note = f"p90 {np.percentile(taken, 90):.0f}, best {min(taken):.0f}"
        yield Row(f"{name}, median", statistics.median(taken), "ms", goal=Goal(60.0), note=note)


@contextmanager
def notebook(sources: list[str]):
    """A page with a notebook of these cells, all run."""
    try:
        import nbformat
        import playwright  # noqa: F401

        from tests.browser.lab_page import LabPage, launched
        from tests.browser.lab_server import running_lab
    except ImportError as missing:
        raise Unavailable(str(missing)) from None
    if not (chromium := shutil.which("chromium")):
        raise Unavailable("no chromium on the path")
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook = nbformat.v4.new_notebook(
        cells=[*map(nbformat.v4.new_code_cell, sources)], metadata={"kernelspec": kernel}
    )
    with tempfile.TemporaryDirectory() as root, tempfile.TemporaryDirectory() as scratch:
        nbformat.write(notebook, Path(root) / "speed.ipynb")
        with running_lab(Path(root), Path(scratch)) as server, launched(chromium) as browser:
            lab = LabPage(browser.new_page(), server)
            lab.open("speed.ipynb")
            lab.run_all()
            yield lab


def _ms(call) -> float:
    begin = time.perf_counter()
    call()
    return 1e3 * (time.perf_counter() - begin)
