"""The signature explorer of chapter 06: one memory given out twice, played step by step."""

from labutils.serving.memory.race import RaceRun
from labutils.viz.controls import player, slider
from labutils.viz.explorer import Explorer
from labutils.viz.figures.pages import TwoMaps
from labutils.viz.style import set_title


def page_race_explorer(
    runs: dict[str, RaceRun], *, num_cells: int, cell_tokens: int, step: int = 0
) -> Explorer:
    """Play two recorded runs of the same arrivals side by side.

    ``runs`` maps two names to what ``labutils.serving.memory.race.race`` recorded. The slider goes
    through the recorded steps, and the buttons beside it play them; by code ``explorer(step=300)``.

    Raises ``ValueError`` unless both runs recorded the same steps, two at least.
    """
    recorded = {name: [moment.step for moment in run.moments] for name, run in runs.items()}
    first, *rest = recorded.values()
    if len(recorded) != 2 or rest != [first] or len(first) < 2:
        raise ValueError(f"runs recorded at {recorded}: expected two runs with the same steps")
    maps = TwoMaps(runs, num_cells=num_cells, cell_tokens=cell_tokens)
    set_title(maps.fig, "Same arrivals, same memory: who gets in?")
    moved = slider("step", first[0], first[-1], step, step=first[1] - first[0])
    return Explorer(
        maps.fig, maps.update, controls={"step": moved}, beside=[player(moved, interval_ms=150)]
    )
