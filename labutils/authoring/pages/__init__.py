"""What the build collects over all chapters, as pages.

``offers`` (drills, prompts and cards that cover topics), ``index`` (all places of all topics),
``first_place`` (the best of them), ``topic_page`` (``INDEX.md``), ``outlines`` (the chapters as
data), ``readme`` (its map and routes), ``card_page`` (reference cards, for print), ``plan_page``
(the guide's plans, for print), ``measured`` (figures in the guide) and ``passages``.
"""
