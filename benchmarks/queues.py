"""Queue kernels against SimPy, Ciw and the speed of memory, in one run."""

from collections.abc import Iterator

import numpy as np

from labutils.simulation import fifo_queue, load_curve, waiting_times
from labutils.simulation.queues import kernels, twins

from .registry import Goal, Row, Settings, Unavailable, benchmark
from .timing import Contender, Timing, side_by_side

UTILIZATION = 0.9
CUSTOMERS = 200_000


@benchmark
def single_server(settings: Settings) -> Iterator[Row]:
    """Single-server queue, 200,000 customers at utilization 0.9"""
    arrivals, services = _visits(1)
    waits = np.empty_like(arrivals)
    timings = side_by_side(
        {
            "memory": _memory_limit(arrivals, services, waits),
            "kernel": _compiled(lambda: kernels.lindley_waits(arrivals, services, waits)),
            "checked": _compiled(lambda: waiting_times(arrivals, services)),
            **_peers(arrivals, services, 1, settings),
        },
        rounds=settings.choose(7, 2),
    )
    yield from _rows("G/G/1", timings, "waiting_times", Goal(2.5), Goal(2_000, at_least=True))


@benchmark
def eight_servers(settings: Settings) -> Iterator[Row]:
    """Eight servers, 200,000 customers at utilization 0.9"""
    arrivals, services = _visits(8)
    starts = np.empty_like(arrivals)
    timings = side_by_side(
        {
            "memory": _memory_limit(arrivals, services, starts),
            "kernel": _compiled(
                lambda: kernels.starts_at_few_servers(arrivals, services, 8, starts)
            ),
            "checked": _compiled(lambda: fifo_queue(arrivals, services, num_servers=8)),
            **_peers(arrivals, services, 8, settings),
        },
        rounds=settings.choose(7, 2),
    )
    yield from _rows("G/G/8", timings, "fifo_queue", Goal(12), None)


@benchmark
def whole_load_curve(settings: Settings) -> Iterator[Row]:
    """Latency against load: 20 utilizations, 200,000 customers each, mean and p99"""
    rng = np.random.default_rng(3)
    gaps, services = rng.exponential(size=(2, CUSTOMERS))
    loads = np.linspace(0.05, 0.97, 20)
    for num_servers in (1, 8):
        timings = side_by_side(
            {
                "sweep": Contender(lambda c=num_servers: _curve(loads, gaps, services, c)),
                "runs": Contender(lambda c=num_servers: _run_by_run(loads, gaps, services, c)),
            },
            rounds=settings.choose(7, 2),
        )
        sweep, ratio = timings["sweep"], timings["runs"].times_slower_than(timings["sweep"])
        name = f"load_curve, {num_servers} server" + "s" * (num_servers > 1)
        yield Row(name, sweep.best_ns / 1e6, "ms", sweep.median_ns / 1e6)
        yield Row(f"  run by run / {name}", ratio[0], "×", ratio[1])


def _visits(num_servers: int):
    rng = np.random.default_rng(1)
    gaps = rng.exponential(1 / (UTILIZATION * num_servers), CUSTOMERS)
    return np.cumsum(gaps), rng.exponential(1.0, CUSTOMERS)


def _compiled(call) -> Contender:
    return Contender(call, CUSTOMERS, repeats=9)


def _memory_limit(arrivals, services, out) -> Contender:
    """Two arrays read and one written: a kernel that moves as much cannot be faster."""
    return Contender(lambda: np.add(arrivals, services, out=out), CUSTOMERS, repeats=9)


def _peers(arrivals, services, num_servers: int, settings: Settings) -> dict[str, Contender]:
    n = settings.choose(20_000, 2_000)
    arrivals, services = arrivals[:n], services[:n]
    expected = fifo_queue(arrivals, services, num_servers=num_servers).waiting_time_s
    np.testing.assert_allclose(
        np.sort(_ciw_waits(arrivals, services, num_servers)), np.sort(expected), atol=1e-6
    )
    return {
        "simpy": Contender(
            lambda: twins.fifo_queue(arrivals, services, num_servers=num_servers), n
        ),
        "ciw": Contender(lambda: _ciw_waits(arrivals, services, num_servers), n),
    }


def _ciw_waits(arrivals, services, num_servers: int) -> list[float]:
    """Ciw on the same draws, so that its result can be held against ours."""
    try:
        import ciw
    except ImportError:
        raise Unavailable("Ciw is not installed: pip install ciw") from None
    gaps = np.diff(arrivals, prepend=0.0).tolist()
    network = ciw.create_network(
        arrival_distributions=[ciw.dists.Sequential([*gaps, float("inf")])],
        service_distributions=[ciw.dists.Sequential(services.tolist())],
        number_of_servers=[num_servers],
    )
    simulation = ciw.Simulation(network)
    simulation.simulate_until_max_customers(len(gaps), method="Finish")
    return [record.waiting_time for record in simulation.get_all_records()]


def _rows(model, timings: dict[str, Timing], function, kernel_goal, simpy_goal) -> Iterator[Row]:
    kernel, checked, added = timings["kernel"], timings["checked"], timings["memory"]
    ratio, _ = kernel.times_slower_than(added)
    note = f"{ratio:.1f} × adding the two arrays ({added.best_ns:.2g} ns)"
    yield Row(f"{model} kernel", kernel.best_ns, "ns", kernel.median_ns, kernel_goal, note)
    name = f"{model} {function}, with checks and arrays"
    yield Row(name, checked.best_ns, "ns", checked.median_ns)
    for key, peer_name, goal in (("simpy", "SimPy", simpy_goal), ("ciw", "Ciw", None)):
        peer = timings[key]
        yield Row(f"{model} {peer_name}", peer.best_ns, "ns", peer.median_ns)
        best, median = peer.times_slower_than(kernel)
        yield Row(f"  {model} {peer_name} / kernel", best, "×", median, goal)


def _curve(loads, gaps, services, num_servers):
    curve = load_curve(loads, gaps, services, num_servers=num_servers)
    return curve.mean_sojourn_time, curve.sojourn_time_quantile(0.99)


def _run_by_run(loads, gaps, services, num_servers):
    arrivals = np.cumsum(gaps)
    for load in loads:
        run = fifo_queue(arrivals / (load * num_servers), services, num_servers=num_servers)
        run.sojourn_time_s.mean(), np.quantile(run.sojourn_time_s, 0.99)
