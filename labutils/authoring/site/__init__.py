"""The course as a static site: pages that read, ask and fold, from a folder or any web server.

``python -m labutils.authoring site`` (``make site``) writes ``build/site/`` from the sources, the
catalog and the executed editions. A page asks before it tells: a prediction is a form, and what
came out of it is folded up to the next ``##``, headings included. Nothing is loaded from elsewhere.

The files, in order: ``markup`` (markdown as HTML, with links inside the site), ``outputs`` (what
cells printed), ``asked`` (predictions and exercises), ``folds`` and ``chapter_page`` (a chapter,
cell by cell), ``explorers`` (what stands where a notebook has one), ``shell`` (the frame of every
page); ``home_sketch``, ``home``, ``routes``, ``topics``, ``drills`` and ``reference`` (the other
pages); ``search_index`` and ``write`` (all of it). ``static/`` is copied as it is.
"""
