"""A run as lanes: which slot does what at which moment, as boxes ready to be painted."""

from dataclasses import dataclass

import numpy as np
from matplotlib.colors import to_rgb

from labutils.ground.arguments import whole
from labutils.viz.style import CARD, color

_SHADES = (0.45, 0.72, 1.0)  # of neighbours in one slot
STALLED = 0.45


@dataclass(frozen=True)
class Stay:
    """One request in one slot, its ``guest`` number from 0: admission to last token, in seconds."""

    slot: int
    guest: int
    admitted_s: float
    first_token_s: float
    finish_s: float


@dataclass(frozen=True, eq=False)
class Boxes:
    """Stretches of slots in the order of painting: a row each, ``colors`` as RGB from 0 to 1."""

    slot: np.ndarray
    start_s: np.ndarray
    end_s: np.ndarray
    colors: np.ndarray

    def corners(self, until_s: float, height: float = 0.9) -> np.ndarray:
        """Corners with time in per cent of ``until_s``, shape (boxes, 4, 2); row 0 is slot 0."""
        left, right = 100 * self.start_s / until_s, 100 * self.end_s / until_s
        low = self.slot + (1 - height) / 2
        ends = ((left, low), (right, low), (right, low + height), (left, low + height))
        return np.stack([np.stack(end, axis=-1) for end in ends], axis=1)


class Lane:
    """The slots of one run, from its request records.

    Each request takes the lowest free slot when it is admitted. With ``mixed`` steps a prompt is
    read beside the others' tokens; without, all others stand still meanwhile.
    """

    def __init__(self, records, *, slots: int, mixed: bool):
        self.slots, self.mixed = whole("slots", slots), mixed
        done = sorted((r for r in records if r.ok), key=lambda r: r.admitted_s)
        self.stays = self._seated(done)
        self.token_s = np.sort(np.concatenate([r.token_times_s for r in done]))
        self.finish_s = np.sort([r.finish_s for r in done])
        self.end_s = float(self.finish_s[-1])

    def tokens(self, at_s: float) -> int:
        """Output tokens up to a moment."""
        return int(np.searchsorted(self.token_s, at_s, side="right"))

    def answers(self, at_s: float) -> int:
        """Answers that have ended by then."""
        return int(np.searchsorted(self.finish_s, at_s, side="right"))

    def boxes(self) -> Boxes:
        """Answers being written, what interrupts them, and prompts being read."""
        writes, stalls, reads = [], [], []
        pauses = self._pauses()
        for stay in self.stays:
            begins = stay.admitted_s if self.mixed else stay.first_token_s
            shade = mixed("service", _SHADES[stay.guest % len(_SHADES)])
            writes.append((stay.slot, begins, stay.finish_s, *shade))
            for start, end in pauses:
                if begins < end and start < stay.finish_s:
                    part = max(start, begins), min(end, stay.finish_s)
                    stalls.append((stay.slot, *part, *mixed("waiting", STALLED)))
            if begins > stay.admitted_s:
                reads.append((stay.slot, stay.admitted_s, begins, *mixed("theory", 1.0)))
        slot, start, end, *colors = np.array(writes + stalls + reads).T
        return Boxes(slot, start, end, np.stack(colors, axis=-1))

    def _seated(self, records) -> list[Stay]:
        free_at, guests = np.zeros(self.slots), [0] * self.slots
        stays = []
        for r in records:
            free = np.flatnonzero(free_at <= r.admitted_s + 1e-9)
            if not free.size:
                raise ValueError(f"request {r.id!r}: expected a free slot at {r.admitted_s:.6g} s")
            slot = int(free[0])
            free_at[slot] = r.finish_s
            stays.append(Stay(slot, guests[slot], r.admitted_s, r.first_token_s, r.finish_s))
            guests[slot] += 1
        return stays

    def _pauses(self) -> list[tuple[float, float]]:
        """When somebody reads a prompt and nobody writes: disjoint, in order."""
        spans = [] if self.mixed else [(stay.admitted_s, stay.first_token_s) for stay in self.stays]
        merged: list[tuple[float, float]] = []
        for start, end in sorted(spans):
            if merged and start <= merged[-1][1] + 1e-12:
                start, end = merged[-1][0], max(end, merged.pop()[1])
            merged.append((start, end))
        return merged


def mixed(name: str, share: float) -> tuple:
    """So much of a role's colour on the card, and opaque: RGB from 0 to 1."""
    return tuple(share * np.array(to_rgb(color(name))) + (1 - share) * np.array(to_rgb(CARD)))
