"""Explorers recorded for the site: every setting of a grid as the course's own figure.

``python -m labutils.authoring record [NAME …]`` writes ``docs/site/explorers/NAME.json``. The
files, in order: ``recordings`` says which explorers on which grids, ``excerpt`` cuts out of a
chapter what an explorer rests on, ``drawn`` keeps each element of a picture once, and
``recording_table`` puts the table together (with ``load_table`` for the kernel) and says what it is
made of.
"""
