"""What the build collects over all chapters, as pages.

``offers`` (drills, prompts and cards that cover topics), ``index`` (all places of all topics, and
the map in the README), ``first_place`` (the best of them), ``topic_page`` (``INDEX.md``),
``card_page`` (reference cards, for print), ``measured`` (figures in the guide) and ``passages``.
"""
