"""The kinds of answer that an exercise can ask for, each with its verdicts.

Two rooms: ``numbers`` (a value, an estimate) and ``code`` (a function, a class, asyncio code, a
piece of the engine), which runs it. Beside them ``choice`` and ``sorting``. Begin with
``numbers/number``.
"""

from typing import TYPE_CHECKING

from labutils.ground.lazy import lazily

if TYPE_CHECKING:
    from ..comparing.trial import Property
    from ..stories.script import Call, New, Read
    from ..stories.story import Story
    from .choice import Choice
    from .code.function import Function
    from .code.piece import Piece, piece_of
    from .code.rehearsals import Rehearsals
    from .code.stories import Stories
    from .numbers.estimate import Estimate
    from .numbers.number import Number
    from .sorting import SortedCard, Sorting

_HOME = {  # a check loads its own kind
    "Call": ".stories.script",
    "Choice": "choice",
    "Estimate": "numbers.estimate",
    "Function": "code.function",
    "New": ".stories.script",
    "Number": "numbers.number",
    "Piece": "code.piece",
    "Property": ".comparing.trial",
    "Read": ".stories.script",
    "Rehearsals": "code.rehearsals",
    "SortedCard": "sorting",
    "Sorting": "sorting",
    "Stories": "code.stories",
    "Story": ".stories.story",
    "piece_of": "code.piece",
}

__all__ = [
    "Call",
    "Choice",
    "Estimate",
    "Function",
    "New",
    "Number",
    "Piece",
    "Property",
    "Read",
    "Rehearsals",
    "SortedCard",
    "Sorting",
    "Stories",
    "Story",
    "piece_of",
]
__getattr__, __dir__ = lazily(__name__, _HOME)
