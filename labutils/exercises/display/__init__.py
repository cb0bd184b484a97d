"""How the workbook speaks to a learner: the same words as text and as HTML, shown once.

Read ``card`` first (a card and its parts), then ``at_once`` (a call shows its own card, wherever
in a cell it stands).
"""
