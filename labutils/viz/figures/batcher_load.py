"""A batcher under load: what it did on the virtual clock, beside the kernel and the real clock."""

from collections.abc import Mapping

import numpy as np

from labutils.viz.labels import label_line
from labutils.viz.style import line, new_figure, points

ROLES = ("theory", "queue", "backlog")


def load_sweep(rates, kernel: Mapping[str, list], yours: Mapping[str, list], *, title: str):
    """Draw mean latency against the rate: the kernel as lines, the batcher's runs as points.

    ``kernel`` and ``yours`` map the name of a setting to mean latencies in seconds, a rate each.
    """
    fig, ax = new_figure(title=title, x="requests per second", y="mean latency (ms)", height=4.2)
    rates = np.asarray(rates, dtype=float)
    highest = max(max(values) for values in (*kernel.values(), *yours.values()))
    ax.set(xlim=(0, 1.18 * rates[-1]), ylim=(0, 1.1 * 1000 * highest))
    for role, (name, means) in zip(ROLES, kernel.items()):
        (drawn,) = ax.plot(rates, 1000 * np.asarray(means), **line(role))
        ax.plot(rates, 1000 * np.asarray(yours[name]), **points(role))
        label_line(ax, drawn, name)
    return fig
