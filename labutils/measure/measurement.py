"""One measured figure as it is kept: its value, its spread, when and with what it was measured."""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime

from labutils.ground import arguments
from labutils.measure.machine import torch_version


@dataclass(frozen=True)
class Measurement:
    """A rate or a time: ``value`` in ``unit``; 80 % of the runs lie from ``low`` to ``high``.

    ``measured_at`` is the moment in UTC (ISO 8601), ``torch`` the version that was used. Raises
    ``ValueError`` unless 0 <= low <= value <= high.
    """

    value: float
    low: float
    high: float
    unit: str
    device: str
    torch: str | None
    measured_at: str
    note: str = ""

    def __post_init__(self):
        for name in ("value", "low", "high"):
            object.__setattr__(self, name, arguments.non_negative(name, getattr(self, name)))
        if not self.low <= self.value <= self.high:
            raise ValueError(
                f"low, value, high = {self.low:g}, {self.value:g}, {self.high:g}: "
                "expected them in ascending order"
            )
        check_texts(self, "unit", "device", "note")
        check_moment(self)


@dataclass(frozen=True)
class BatchTimeMeasurement:
    """A fitted batch-time model: the name of its class, its costs, and the batches behind it.

    ``relative_rms`` is the typical relative error of the fit, the spread of this entry.
    """

    kind: str
    costs: Mapping[str, float]
    relative_rms: float
    batches: tuple[float, ...]
    times_s: tuple[float, ...]
    device: str
    torch: str | None
    measured_at: str
    note: str = ""

    def __post_init__(self):
        for name in ("batches", "times_s"):
            numbers = arguments.sample(name, getattr(self, name))
            object.__setattr__(self, name, tuple(numbers.tolist()))
        object.__setattr__(
            self, "relative_rms", arguments.non_negative("relative_rms", self.relative_rms)
        )
        check_texts(self, "kind", "device", "note")
        check_moment(self)
        if not isinstance(self.costs, Mapping):
            raise ValueError(f"costs = {self.costs!r}: expected names and numbers")
        object.__setattr__(self, "costs", dict(self.costs))
        self.model  # noqa: B018  (the costs are checked by the model itself)

    @property
    def model(self):
        """The model of ``labutils.laws.batching``, ready to be called with a batch size."""
        from labutils.laws import batching

        models = {
            model.__name__: model
            for model in (
                batching.AffineBatchTime,
                batching.LogBatchTime,
                batching.RooflineBatchTime,
            )
        }
        if self.kind not in models:
            raise ValueError(f"kind = {self.kind!r}: expected one of {', '.join(models)}")
        try:
            return models[self.kind](**self.costs)
        except TypeError:
            raise ValueError(f"costs = {self.costs!r}: expected those of {self.kind}") from None


@dataclass(frozen=True)
class StepCostMeasurement:
    """The fitted step cost of an engine: seconds for each item of a step, by name.

    ``costs`` are the coefficients of the simulator's ``StepCost``, ``engine`` says what they were
    fitted to. ``relative_rms`` is the typical relative error of a single step, ``noise`` how far
    repetitions of the same ``steps`` differed in total.
    """

    engine: str
    costs: Mapping[str, float]
    relative_rms: float
    noise: float
    steps: int
    device: str
    torch: str | None
    measured_at: str
    note: str = ""

    def __post_init__(self):
        if not isinstance(self.costs, Mapping) or not self.costs:
            raise ValueError(f"costs = {self.costs!r}: expected names and numbers")
        costs = {name: arguments.non_negative(name, cost) for name, cost in self.costs.items()}
        object.__setattr__(self, "costs", costs)
        for name in ("relative_rms", "noise"):
            object.__setattr__(self, name, arguments.non_negative(name, getattr(self, name)))
        object.__setattr__(self, "steps", arguments.whole("steps", self.steps))
        check_texts(self, "engine", "device", "note")
        check_moment(self)


Entry = Measurement | BatchTimeMeasurement | StepCostMeasurement


def as_json(entry: Entry) -> dict:
    """An entry as a JSON object; ``from_json`` reads it back."""
    return asdict(entry)


def from_json(content) -> Entry:
    """Read an entry. Raises ``ValueError`` for what is none."""
    if not isinstance(content, Mapping):
        raise ValueError(f"measurement = {content!r}: expected a JSON object")
    by_field = {"kind": BatchTimeMeasurement, "engine": StepCostMeasurement}
    entry = next((entry for name, entry in by_field.items() if name in content), Measurement)
    try:
        return entry(**content)
    except TypeError as error:
        raise ValueError(f"measurement = {dict(content)!r}: {error}") from None


def now() -> str:
    """This moment in UTC, to the microsecond: the later of two texts is the later moment."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


def stamp(device: str) -> dict:
    """What every entry says about its making."""
    return {"device": str(device), "torch": torch_version(), "measured_at": now()}


def check_texts(entry: Entry, *names: str) -> None:
    """Raise ``ValueError`` unless these fields hold text."""
    for name in names:
        if not isinstance(getattr(entry, name), str):
            raise ValueError(f"{name} = {getattr(entry, name)!r}: expected text")
    if not isinstance(entry.torch, str | None):
        raise ValueError(f"torch = {entry.torch!r}: expected a version, or None")


def check_moment(entry: Entry) -> None:
    """Raise ``ValueError`` unless ``measured_at`` is a moment in UTC."""
    try:
        moment = datetime.fromisoformat(entry.measured_at)
        offset = moment.utcoffset()
    except (TypeError, ValueError):
        offset = None
    if offset is None or not math.isclose(offset.total_seconds(), 0):
        raise ValueError(f"measured_at = {entry.measured_at!r}: expected a moment in UTC")
