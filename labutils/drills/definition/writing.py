"""What a template is written with, in one place: ``sheet`` says how.

>>> from labutils.drills.definition.writing import Draw, Drill, quantity, template
"""

from labutils.drills.definition.claim import FIRST, FLAW, in_order, line_of, lines_of, numbered
from labutils.drills.definition.draw import Draw
from labutils.drills.definition.drill import Drill, Mistake, Step
from labutils.drills.definition.options import Options
from labutils.drills.definition.pieces import choice, listing, piece, positive, within
from labutils.drills.definition.sheet import drill
from labutils.drills.definition.telling import telling
from labutils.drills.definition.template import Decision, Form, template
from labutils.ground.units import format_quantity as quantity

__all__ = [
    "FIRST",
    "FLAW",
    "Decision",
    "Draw",
    "Drill",
    "Form",
    "Mistake",
    "Options",
    "Step",
    "choice",
    "drill",
    "in_order",
    "line_of",
    "lines_of",
    "listing",
    "numbered",
    "piece",
    "positive",
    "quantity",
    "telling",
    "template",
    "within",
]
