"""A layout: how a model is cut, and how many copies of it there are."""

from dataclasses import dataclass

from labutils.ground import arguments
from labutils.llm.specification.spec import ModelSpec


@dataclass(frozen=True)
class Layout:
    """One model on ``cards`` = tp · pp · sp · dp cards.

    ``tp``: every matrix cut into so many parts (tensor parallel). ``pp``: the layers dealt to so
    many stages (pipeline). ``dp``: so many copies, each with its own requests (data parallel).
    ``ep``: the experts placed whole on so many cards, those of several copies together (expert
    parallel); at 1 they are cut like all other matrices. ``sp``: a sequence dealt to so many cards,
    each with all the weights of its part (sequence parallel).

    >>> Layout(tp=4, dp=2).cards
    8
    """

    tp: int = 1
    pp: int = 1
    dp: int = 1
    ep: int = 1
    sp: int = 1

    def __post_init__(self):
        for name in self.__dataclass_fields__:
            object.__setattr__(self, name, arguments.whole(name, getattr(self, name)))
        together = self.tp * self.dp
        if self.ep > 1 and (self.ep % self.tp or together % self.ep):
            raise ValueError(
                f"ep = {self.ep}: expected 1, or a multiple of tp = {self.tp} that divides "
                f"tp · dp = {together}"
            )
        if self.ep > 1 and self.sp > 1:
            raise ValueError(f"sp = {self.sp}: expected 1 beside ep = {self.ep}")

    @property
    def cards_of_a_copy(self) -> int:
        """Cards that hold one copy of the model (all but its experts, if those are placed)."""
        return self.tp * self.pp * self.sp

    @property
    def cards(self) -> int:
        """All cards."""
        return self.cards_of_a_copy * self.dp

    def __str__(self) -> str:
        parts = [f"{name.upper()}{size}" for name, size in vars(self).items() if size > 1]
        return " × ".join(parts) or "one card"

    def require(self, model: ModelSpec, cards: int | None = None) -> None:
        """``ValueError`` that names what does not divide: heads, layers, experts or cards."""
        _divides("tp", self.tp, "heads", model.num_heads)
        if not model.latent:
            _divides("tp", self.tp, "KV heads", model.num_kv_heads)
        _divides("pp", self.pp, "layers", model.layers)
        if self.ep > 1:
            if not model.experts:
                raise ValueError(f"ep = {self.ep}: expected 1, {model.name} has no experts")
            _divides("ep", self.ep, "experts", model.experts.num)
        if cards is not None and self.cards != cards:
            raise ValueError(f"layout {self} takes {self.cards} cards: expected {cards}")

    def divides(self, model: ModelSpec, cards: int | None = None) -> bool:
        """Whether ``require`` has nothing to say."""
        try:
            self.require(model, cards)
        except ValueError:
            return False
        return True


def layouts_of(model: ModelSpec, cards: int) -> tuple[Layout, ...]:
    """All layouts of ``cards`` cards that divide the model, sequences whole (sp = 1)."""
    total = arguments.whole("cards", cards)
    parts = [size for size in range(1, total + 1) if total % size == 0]
    found = []
    for tp in parts:
        for pp in (size for size in parts if (total // tp) % size == 0):
            dp = total // (tp * pp)
            groups = {1} | ({tp * n for n in parts if dp % n == 0} if model.experts else set())
            for ep in sorted(groups):
                if (layout := Layout(tp, pp, dp, ep)).divides(model, total):
                    found.append(layout)
    return tuple(found)


def _divides(name: str, size: int, noun: str, count: int) -> None:
    if count % size:
        raise ValueError(f"{name} = {size}: expected a divisor of the {count} {noun}")
