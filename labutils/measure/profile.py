"""What was measured on this machine, kept for later chapters."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from labutils.ground.files import locked, make_folder
from labutils.measure import profile_file
from labutils.measure.machine import Machine
from labutils.measure.measurement import (
    BatchTimeMeasurement,
    Entry,
    Measurement,
    StepCostMeasurement,
    as_json,
    from_json,
    stamp,
)
from labutils.measure.rates import CopyBandwidth, MatrixRate

COPY, MATRIX, BATCH = "copy_bandwidth_bytes_per_s", "matrix_flops_per_s", "batch_fit"
STEP = "step_cost"
_KINDS = {BATCH: BatchTimeMeasurement, STEP: StepCostMeasurement}


@dataclass(frozen=True)
class MachineProfile:
    """Measurements of one machine; each ``with_…`` returns a grown copy, ``save`` keeps it.

    >>> profile = MachineProfile.load()  # the file in the learner's folder, if there is one
    >>> profile = profile.with_value("launch_s", 4e-6, low=3e-6, high=6e-6, unit="s")
    >>> profile.save().name
    'machine.json'

    ``measurements`` maps a name to an entry with its value, spread, date, device and torch
    version. ``path`` is the file it came from.
    """

    machine: Machine
    measurements: Mapping[str, Entry] = field(default_factory=dict)
    path: Path | None = None

    @classmethod
    def load(cls, path=None, *, device: str = "cpu", machine: Machine | None = None):
        """Read what is known of this machine; an empty profile where nothing is.

        ``path`` is the file, by default ``machine.json`` in the learner's folder. ``machine`` is
        this one, computing on ``device``. A file that cannot be read, or that knows other
        machines only, is left as it is; a line says so.
        """
        place = profile_file.default_path() if path is None else Path(path)
        profile = cls(machine or Machine.here(device), path=place)
        try:
            known, others = profile._known()
        except profile_file.UnreadableProfile as error:
            print(f"{place} cannot be used: {error}. You start afresh; saving keeps the old file.")
            return profile
        if others and not known:
            print(f"{place} holds figures of {others[0]}, not of this machine. They stay apart.")
        return replace(profile, measurements=known)

    def save(self, path=None) -> Path | None:
        """Merge into the file at ``path`` (where it came from, by default); return that path.

        Of two entries with one name the later stays, so notebooks do not undo each other. An
        unreadable file is moved aside and named. Where nothing can be written, a line says so
        and ``None`` comes back.
        """
        place = Path(path) if path is not None else self.path or profile_file.default_path()
        try:
            make_folder(place.parent)
            with locked(place.parent):
                profile_file.write(place, replace(self, path=place)._merged())
        except OSError as error:
            print(f"{place} cannot be written ({error.strerror or error}); nothing was saved.")
            return None
        return place

    def with_copy_bandwidth(self, rate: CopyBandwidth, *, note: str = "") -> "MachineProfile":
        """With the result of ``copy_bandwidth``."""
        return self.with_rate(COPY, rate, unit="B/s", note=note)

    def with_matrix_rate(self, rate: MatrixRate, *, note: str = "") -> "MachineProfile":
        """With the result of ``matrix_rate``."""
        about = f"{rate.dtype}, {rate.size} × {rate.size}"
        return self.with_rate(MATRIX, rate, unit="FLOP/s", note=note or about)

    def with_rate(self, name: str, rate, *, unit: str, note: str = "") -> "MachineProfile":
        """With a ``Rate`` under a name of your own."""
        return self.with_value(
            name,
            rate.per_s,
            low=rate.low_per_s,
            high=rate.high_per_s,
            unit=unit,
            device=rate.device,
            note=note,
        )

    def with_value(
        self, name: str, value, *, low, high, unit: str, device: str | None = None, note: str = ""
    ) -> "MachineProfile":
        """With any figure: ``value`` in ``unit``, 80 % of the runs from ``low`` to ``high``.

        Raises ``ValueError`` for a name that is no identifier, or numbers out of order.
        """
        if name in _KINDS:
            raise ValueError(f"name = {name!r}: expected another name; use with_{name}")
        made = stamp(device or self.machine.device)
        return self._with(name, Measurement(value, low, high, unit, note=note, **made))

    def with_batch_fit(self, fit, *, device: str | None = None, note: str = "") -> "MachineProfile":
        """With a ``labutils.laws.batching.BatchFit``: its model, error and measured batches."""
        entry = BatchTimeMeasurement(
            type(fit.model).__name__,
            dict(vars(fit.model)),
            fit.relative_rms,
            tuple(fit.batches),
            tuple(fit.times_s),
            note=note,
            **stamp(device or self.machine.device),
        )
        return self._with(BATCH, entry)

    def with_step_cost(
        self, calibration, *, engine: str, device: str | None = None, note: str = ""
    ) -> "MachineProfile":
        """With what ``calibrate`` found; ``engine`` says what it was fitted to."""
        entry = StepCostMeasurement(
            engine,
            dict(calibration.costs),
            calibration.relative_rms,
            calibration.noise,
            len(calibration.times_s),
            note=note,
            **stamp(device or self.machine.device),
        )
        return self._with(STEP, entry)

    @property
    def copy_bandwidth_bytes_per_s(self) -> float | None:
        """Bytes read and written per second; ``None`` until measured."""
        return self._value(COPY)

    @property
    def matrix_flops_per_s(self) -> float | None:
        """Floating-point operations per second of a matrix product; ``None`` until measured."""
        return self._value(MATRIX)

    @property
    def batch_fit(self) -> BatchTimeMeasurement | None:
        """The fitted batch time, with ``.model`` to call; ``None`` until measured."""
        return self.measurements.get(BATCH)

    @property
    def step_cost(self) -> StepCostMeasurement | None:
        """The fitted step cost of an engine, with ``.costs``; ``None`` until measured."""
        return self.measurements.get(STEP)

    def _value(self, name: str) -> float | None:
        return self.measurements[name].value if name in self.measurements else None

    def _with(self, name: str, entry: Entry) -> "MachineProfile":
        if not isinstance(name, str) or not name.isidentifier():
            raise ValueError(f"name = {name!r}: expected an identifier such as copy_time_s")
        return replace(self, measurements={**self.measurements, name: entry})

    def _known(self) -> tuple[dict[str, Entry], list[Machine]]:
        """What the file says of this machine, and which other machines it knows."""
        known, others = {}, []
        for section in profile_file.read(self.path):
            machine = _machine(section)
            if machine != self.machine:
                others.append(machine)
                continue
            for name, entry in section["measurements"].items():
                known[name] = _entry(name, entry)
        return known, others

    def _merged(self) -> list[dict]:
        """The file's sections with this profile's own grown or added, the others untouched."""
        try:
            (known, _), sections = self._known(), profile_file.read(self.path)
        except profile_file.UnreadableProfile:
            known, sections = {}, []
            print(f"The old file lies at {profile_file.moved_aside(self.path)} now.")
        for name, entry in self.measurements.items():
            if name not in known or known[name].measured_at <= entry.measured_at:
                known[name] = entry
        mine = {name: as_json(known[name]) for name in sorted(known)}
        others = [section for section in sections if _machine(section) != self.machine]
        return [*others, {**vars(self.machine), "measurements": mine}]


def _machine(section: Mapping) -> Machine:
    return Machine(section.get("device"), section.get("cpu"), section.get("gpu"))


def _entry(name: str, content) -> Entry:
    try:
        entry = from_json(content)
    except ValueError as error:
        raise profile_file.UnreadableProfile(f"{name}: {error}") from None
    if type(entry) is not _KINDS.get(name, Measurement):
        raise profile_file.UnreadableProfile(f"{name}: expected another kind of entry")
    return entry
