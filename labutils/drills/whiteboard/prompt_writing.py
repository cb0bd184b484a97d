"""What a prompt is written with, in one place: ``sheet`` says how.

>>> from labutils.drills.whiteboard.prompt_writing import Page, page, prompt, quantity
"""

from labutils.drills.whiteboard.prompt import Page
from labutils.drills.whiteboard.prompt_sheet import page, prompt
from labutils.ground.units import format_quantity as quantity

__all__ = ["Page", "page", "prompt", "quantity"]
