"""How a pool of pages is told stories and compared with the engine's own, step by step."""

from collections.abc import Callable
from dataclasses import dataclass

from labutils.exercises.checkers import New, Read, Stories
from labutils.exercises.stories.script import Step

from .oracles import Oracle

AUDIT, LAYOUT = Read("audit"), Read("layout")
NAMES = ("r1", "r2", "r3", "r4", "r5")


@dataclass(frozen=True)
class PoolStories(Stories):
    """Stories that compare a pool with the engine's own; ``house`` stands in for a learner's."""

    house: Callable = Oracle

    @property
    def house_answer(self) -> Callable:
        return self.house


def allocate(request: str, tokens: int, keys: tuple = ()) -> Step:
    return Read("attempt", ("allocate", request, tokens, *([keys] if keys else [])))


def extend(request: str, tokens: int) -> Step:
    return Read("attempt", ("extend", request, tokens))


def publish(request: str, tokens: int) -> Step:
    return Read("attempt", ("publish", request, tokens))


def free(request: str) -> Step:
    return Read("attempt", ("free", request))


def chained(text: str) -> tuple[str, ...]:
    """Keys as they are chained: each names its page and all before it."""
    return tuple(text[: at + 1] for at in range(len(text)))


def walk(draw, oracle: Oracle, steps: int, most_pages: int, *, sharing: bool):
    """Requests come, grow, are refused and go; every step is looked at."""
    page, inside = oracle.page_tokens, {}
    yield New((oracle.num_blocks, page))
    for _ in range(steps):
        outside = [name for name in NAMES if name not in inside]
        verb = draw.pick(["allocate"] * 3 + ["extend", "free", "publish"])
        if verb == "allocate" and outside:
            name, text = draw.pick(outside), "".join(draw.pick("xy") for _ in range(most_pages))
            tokens = draw.whole(1, page * most_pages)
            keys = chained(text[: tokens // page]) if sharing else ()
            step = allocate(name, tokens, keys)
            if oracle.can_allocate(tokens, keys):
                inside[name] = tokens
        elif verb == "extend" and inside:
            name = draw.pick(sorted(inside))
            tokens = inside[name] + draw.whole(1, 2 * page)
            step = extend(name, tokens)
            if oracle.can_extend(name, tokens):
                inside[name] = tokens
        elif verb == "publish" and inside and sharing:
            name = draw.pick(sorted(inside))
            step = publish(name, inside[name])
        elif inside:
            name = draw.pick(sorted(inside))
            step = free(name)
            del inside[name]
        else:
            continue
        oracle.attempt(*step.args)
        yield step
        yield AUDIT
    yield LAYOUT


def readers(draw, pool_pages: int):
    """A prompt that one request has computed: (page, its name, its text, its tokens)."""
    page, pages = draw.whole(3, 6), draw.whole(3, 5)
    text = "".join(draw.pick("pqr") for _ in range(pages))
    return page, draw.shuffled(NAMES), text, page * pages + draw.whole(1, page - 1), pool_pages
