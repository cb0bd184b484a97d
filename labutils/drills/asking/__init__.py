"""One drill being asked: the question, what was handed in, what is said about it.

``wording`` writes the question and its solution, ``remarks`` a sentence on how it stands;
``asking`` holds the state and writes the journal. Nothing here shows anything by itself.
"""
