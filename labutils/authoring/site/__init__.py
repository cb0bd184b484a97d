"""The course as a static site: pages that read, ask and fold, from a folder or any web server.

``python -m labutils.authoring site`` (``make site``) writes ``build/site/`` from the sources, the
catalog and the executed editions. A page asks before it tells: a prediction is a form, and what
came out of it is folded up to the next ``##``, headings included. Nothing is loaded from elsewhere.

``markup`` turns markdown into HTML with links inside the site (``python_code`` colours what is
code), ``shell`` is the frame of every page, ``explorers`` and ``home_sketch`` say what moves on
them. On these stand the rooms: ``chapters``, then ``others`` (the pages that are no chapter's),
then ``whole`` (the search, and what writes everything). ``static/`` is copied as it is.
"""
