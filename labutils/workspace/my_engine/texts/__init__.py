"""An engine as text: read from the course, changed function by function, and run.

1. ``course_engine``: the course's files, and which lab writes which of their functions
2. ``functions``: one function in a text, found and replaced; ``load_pieces``: a package of texts
3. ``assemble``: the learner's functions in the course's engine
4. ``slips``: a mistake in one function, written as what it changes in the text
"""
