"""Which explorers are recorded for the site, and on which grids of settings."""

import math
from dataclasses import dataclass, field
from pathlib import Path

from labutils.authoring.site.recording.excerpt import Excerpt, excerpt
from labutils.authoring.sources.course import Course

FOLDER = Path("docs/site/explorers")  # from the checkout's root: no wheel carries it


@dataclass(frozen=True)
class Recording:
    """One explorer of a ``chapter``, as the first call of ``function`` there makes it.

    ``values`` are the settings at which a control stands; one that is not named there is recorded
    with all its options. Simulations have coarse grids: the page shows steps, and no picture that
    nobody computed.
    """

    name: str
    chapter: str
    function: str
    values: dict = field(default_factory=dict)
    kernel: bool = False  # the page computes what it shows; the table holds what is simulated

    def excerpt(self, course: Course) -> Excerpt:
        """What the chapter does before it shows this explorer."""
        return excerpt(course.chapter(self.chapter), self.function)


RECORDINGS = (
    Recording("load", "03", "load_explorer", kernel=True),
    Recording(
        "batching", "04", "batching_explorer",
        {"load": (0.3, 0.5, 0.72, 0.9), "timeout": (0, 2, 10, 50, math.inf),
         "max_batch": (1, 2, 4, 8, 16, 32, 64)},
    ),
    Recording(
        "decode_step", "05", "decode_step_explorer",
        {"batch": (1, 4, 16, 64, 128, 256, 512, 1024), "context": (128, 1024, 4096, 16384, 65536),
         "device": ("L4", "H100 SXM", "B200")},
    ),
    Recording("kv_memory", "06", "kv_memory_explorer", {"page": (16,)}),
    Recording("frontier", "07", "frontier_explorer"),
    Recording(
        "hedging", "08", "hedging_explorer",
        {"trigger": (0.5, 0.8, 0.9, 0.95, 0.99), "load": (0.2, 0.4, 0.6, 0.8),
         "correlation": (0, 0.5, 1)},
    ),
    Recording(
        "pipeline", "09", "pipeline_explorer",
        {"factor": (1.0, 2.0, 4.0, 10.0), "servers": (0, 1, 3), "load": (0.3, 0.6, 0.9),
         "spread": (1.0, 2.0)},
    ),
    Recording(
        "hit_rate", "10", "cache_explorer",
        {"size": (100, 1_000, 3_000, 5_000, 6_000, 7_000, 10_000, 15_000), "skew": (0.8, 1.1, 1.4),
         "rate": (500, 1_000, 2_000), "life": (10, 100)},
    ),
    Recording(
        "who_pays", "11", "who_pays_explorer",
        {"documents": (0, 2, 4, 6, 8, 12), "chat_per_s": (2.0, 4.0, 5.0, 6.0, 7.0),
         "promised_s": (5.0, 10.0, 30.0, 120.0), "weight": (1, 2, 4)},
    ),
    Recording(
        "layouts", "12", "layout_explorer", {"ttft_s": (0.5, 2.0), "tpot_ms": (10, 40)}
    ),
    Recording("wall", "13", "wall_explorer"),
    Recording("page_run", "Lab 5", "page_run_explorer", {"follow": (None,)}),
    Recording("herd", "14", "herd_explorer", {"age_s": (0.0, 0.05, 0.1, 0.5)}),
)  # fmt: skip
