"""Layouts under load: one model on several cards, simulated with the scheduler of everything else.

1. ``layout_cost``: what a step takes, term by term
2. ``serve``: a trace under a layout, copy by copy; prefill and decode apart, with caches that move
   (``arrived``: the memory of those that receive them)
3. ``layout_run``: all requests together, goodput a card, and what a kept token costs
4. ``layout_map``: many layouts at many rates, judged by any promise at once
5. ``scenes``, ``kept_maps``: the maps of the course, and their file
"""

from .arrived import ArrivedCaches
from .layout_cost import LayoutCost
from .layout_map import LayoutMap, MapPoint
from .layout_run import LayoutRun
from .serve import serve_layout, serve_pools

__all__ = [
    "ArrivedCaches",
    "LayoutCost",
    "LayoutMap",
    "LayoutRun",
    "MapPoint",
    "serve_layout",
    "serve_pools",
]
