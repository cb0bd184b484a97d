"""The exercises and predictions that the sources may name, by chapter."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Definitions:
    """Catalog entries by chapter slug: what ``EXERCISES`` and ``PREDICTIONS`` define."""

    exercises: Mapping[str, tuple] = field(default_factory=dict)
    predictions: Mapping[str, tuple] = field(default_factory=dict)

    @property
    def exercise_ids(self) -> set[str]:
        """Ids of all exercises."""
        return {exercise.id for group in self.exercises.values() for exercise in group}

    @property
    def prediction_ids(self) -> set[str]:
        """Ids of all predictions."""
        return {prediction.id for group in self.predictions.values() for prediction in group}

    @property
    def by_id(self) -> dict:
        """Exercises and predictions by their ids."""
        groups = [*self.exercises.values(), *self.predictions.values()]
        return {entry.id: entry for group in groups for entry in group}


def read_definitions() -> Definitions:
    """What the catalog defines, by slug (the name of its module)."""
    from labutils.exercises import catalog

    modules = {m.__name__.rpartition(".")[2]: m for m in catalog.chapters()}
    return Definitions(
        {slug: catalog.exercises_of(module) for slug, module in modules.items()},
        {slug: catalog.predictions_of(module) for slug, module in modules.items()},
    )
