"""The page of an exported engine: one HTML file that needs nothing else.

``page``: the whole of it; ``facts``: what it says; ``packed_steps``: some steps of the engine, to
be drawn; ``drawings``: the two pictures, as SVG.
"""

from .facts import Facts, facts_of
from .page import page

__all__ = ["Facts", "facts_of", "page"]
