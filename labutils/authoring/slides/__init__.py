"""Slides: one self-contained reveal.js deck for each chapter and lab, without a network.

``python -m labutils.authoring slides [NAME ...]`` (``make slides``) writes
``build/slides/NAME/index.html`` from the executed solution edition. What stands on a slide follows
from the structure of the chapter: headings become titles, predictions come before their outcomes
on slides of their own, figures and printed tables fill a slide, formulas and lists are shown, of
the prose the telling sentences; the rest, the questions and the misconceptions to expect are
speaker notes. Tags on cells (``slide:show`` and its like) and ``data/slides.json`` overrule that.

The files, in order: ``markup`` turns markdown into HTML and MathML, ``parts`` cuts a chapter into
sections and their parts, ``choice`` says which sentences stand on a slide, ``room`` how much of one
a block takes, ``notes`` writes what only the speaker sees, ``slide`` is one slide, ``blocks`` and
``takeaway`` put prose on it, ``pages`` deals the parts to slides, ``deck`` puts the HTML together.
"""
