"""What the answers add up to: a level for each decision, and how well ranges held.

Read ``levels`` (levels, ranges and mistakes, counted from the journal), ``figure`` (their two
pictures), then ``skills`` (the card that ``skill()`` shows).
"""
