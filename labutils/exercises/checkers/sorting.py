"""Cards that are to be sorted: each has a place on every axis, such as a phase and a resource."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from labutils.exercises.definition.exercise import Checker, Misconception
from labutils.exercises.definition.verdict import Status, Verdict

Place = tuple[str, ...]
"""One bin per axis, in the order of the axes: ``("decode", "bytes")``."""


@dataclass(frozen=True)
class SortedCard:
    """A card: what stands on it, where it belongs, and what speaks against wrong places.

    ``places`` are the places that pass, the house's own first. ``diagnoses`` maps one bin, or
    several separated by blanks ("prefill flops"), to the question that a card in them raises; the
    first that fits is asked.
    """

    text: str
    places: tuple[Place, ...]
    diagnoses: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True)
class Sorting(Checker):
    """A checker for cards sorted along ``axes`` (axis -> bin -> other words for that bin).

    An answer maps card to place: a text that names one bin of each axis ("decode, bytes", in any
    order, with any separator), or a tuple or set of them. ``...`` is a card not placed yet. Neither
    case nor marks around a card's name count. The verdict counts what is in place and asks about
    the first card that is not, one with a diagnosis before others; its diagnosis is the card and
    the bins ("c-prefill").
    """

    axes: Mapping[str, Mapping[str, tuple[str, ...]]]
    cards: Mapping[str, SortedCard]

    def __post_init__(self):
        if len(self.cards) < 2:
            raise ValueError(f"cards = {list(self.cards)}: expected two or more")
        if len({_folded(key) for key in self.cards}) < len(self.cards):
            raise ValueError(f"cards = {list(self.cards)}: expected names that differ")
        words = [word for _, word in self._words()]
        if len(set(words)) < len(words):
            raise ValueError(f"axes: expected words that name one bin each, got {sorted(words)}")
        for check in (self._refuse_placeless, self._refuse_misplaced):
            for key, card in self.cards.items():
                check(key, card)

    @property
    def reference_answer(self) -> dict[str, str]:
        return {key: " ".join(card.places[0]) for key, card in self.cards.items()}

    @property
    def misconceptions(self) -> tuple[Misconception, ...]:
        """Every diagnosis as a misconception: the answer that has one card in that wrong place."""
        return tuple(
            Misconception(_name(key, bins), lambda k=key, b=bins: self._with(k, b), message)
            for key, card in self.cards.items()
            for bins, message in card.diagnoses.items()
        )

    def check(self, answer) -> Verdict:
        if not isinstance(answer, Mapping):
            return Verdict(Status.unreadable, self._expected())
        try:
            named = self._named(answer)
            placed = {key: place for key, place in named.items() if not _is_open(place)}
            if not placed:
                return Verdict(Status.not_attempted, f"Give the cards a place. {self._expected()}")
            return self._judged({key: self._place(key, place) for key, place in placed.items()})
        except ValueError as error:
            return Verdict(Status.unreadable, str(error))

    def _named(self, answer: Mapping) -> dict:
        """The answer by the cards' own names; ``ValueError`` for no such card, or one twice."""
        known = {_folded(key): key for key in self.cards}
        named = {}
        for given, place in answer.items():
            key = known.get(_folded(str(given)))  # 1 names the card "1"
            if key is None or key in named:
                fault = "There is no card" if key is None else "There are two places for card"
                raise ValueError(f"{fault} {_shown(given)}. {self._expected()}")
            named[key] = place
        return named

    def _place(self, key: str, given) -> Place:
        place = self._read(given)
        if place is None:
            raise ValueError(f"The place of {key} is {_shown(given)}. Name {self._bins()}.")
        return place

    def _judged(self, places: Mapping[str, Place]) -> Verdict:
        ordered = [key for key in self.cards if key in places]
        wrong = [key for key in ordered if places[key] not in self.cards[key].places]
        missing = [key for key in self.cards if key not in places]
        score = f"In place: {len(ordered) - len(wrong)} of {len(self.cards)} cards."
        detail = "\n".join(
            f"{what}: {', '.join(keys)}"
            for what, keys in (("not in place", wrong), ("without a place", missing))
            if keys
        )
        if wrong:
            return self._refusal(places, wrong, score, detail)
        if missing:
            return Verdict(Status.wrong, f"{score} Go on with the others.", detail)
        return Verdict(Status.right, "Every card is in a place where it belongs.")

    def _refusal(self, places, wrong: list[str], score: str, detail: str) -> Verdict:
        for key in wrong:
            for bins, question in self.cards[key].diagnoses.items():
                if set(bins.split()) <= set(places[key]):
                    message = f"{score} {key}: {question}"
                    name = _name(key, bins)
                    return Verdict(Status.misconception, message, detail, diagnosis=name)
        key = wrong[0]
        off = " and the ".join(self._axes_off(key, places[key]))
        return Verdict(Status.wrong, f"{score} {key}: look at the {off} again.", detail)

    def _axes_off(self, key: str, place: Place) -> list[str]:
        """The axes that keep a place from being right; all of them where no place shares one."""
        nearest = max(self.cards[key].places, key=lambda p: sum(map(str.__eq__, p, place)))
        return [axis for axis, mine, yours in zip(self.axes, nearest, place) if mine != yours]

    def _read(self, place) -> Place | None:
        """The place that a text or a tuple names: one bin of every axis and nothing else."""
        text = _text(place)
        if text is None:
            return None
        known = {word: bin_ for bin_, word in self._words()}
        words = [word for word in re.findall(r"[^\W_]+", text.casefold()) if word != "and"]
        named = [known.get(word) for word in words]
        chosen = tuple(next((b for b in named if b in bins), None) for bins in self.axes.values())
        return None if None in chosen or len(named) != len(chosen) else chosen

    def _words(self) -> Iterator[tuple[str, str]]:
        for bins in self.axes.values():
            for name, others in bins.items():
                yield from ((name, word.casefold()) for word in (name, *others))

    def _with(self, key: str, bins: str) -> dict[str, str]:
        """The house's answer, with one card in other bins."""
        moved = bins.split()
        pairs = zip(self.axes.values(), self.cards[key].places[0])
        place = [next((b for b in moved if b in axis), own) for axis, own in pairs]
        return {**self.reference_answer, key: " ".join(place)}

    def _refuse_placeless(self, key: str, card: SortedCard) -> None:
        for place in card.places or ((),):
            if self._read(place) != place:
                raise ValueError(f"cards[{key!r}]: place {place}: expected {self._bins()}")

    def _refuse_misplaced(self, key: str, card: SortedCard) -> None:
        for bins in card.diagnoses:
            if self._read(self._with(key, bins)[key]) in card.places:
                raise ValueError(f"cards[{key!r}]: the diagnosis {bins!r} hits a right place")

    def _expected(self) -> str:
        first, *_, last = self.cards
        cards = f"a dict from card ({first} to {last}) to place"
        return f"Expected: {cards}. A place names {self._bins()}."

    def _bins(self) -> str:
        return ", and ".join(f"one {axis} ({', '.join(bins)})" for axis, bins in self.axes.items())


def _is_open(place) -> bool:
    """Whether a card has no place yet."""
    return place is ... or (isinstance(place, str) and not place.strip(" ."))


def _text(place) -> str | None:
    """A place as one text, if it is one or holds nothing else."""
    if isinstance(place, tuple | list | set | frozenset):
        parts = list(place)
        return " ".join(parts) if all(isinstance(part, str) for part in parts) else None
    return place if isinstance(place, str) else None


def _shown(given) -> str:
    """What was given for a card or a place, short enough for a sentence."""
    text = _text(given)
    return f"a value of type {type(given).__name__}" if text is None else repr(text[:40])


def _folded(key: str) -> str:
    return key.strip().strip("().:").casefold()


def _name(key: str, bins: str) -> str:
    return f"{key}-{bins.replace(' ', '-')}"
