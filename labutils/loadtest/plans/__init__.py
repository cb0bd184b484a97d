"""What will be asked and when: plans as data, drawn from a seed.

1. ``prompts``: text of a given length that may begin like another
2. ``planned_request``: one request, and the limits that a kind was promised
3. ``load_plan``: requests in order, for an open or a closed loop; a plan as JSON
4. ``load_arrivals``: the moments of an arrival process
5. ``request_kind``: a mix of kinds, and the plans that are drawn from it
"""
