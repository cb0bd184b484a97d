"""What the build collects over all chapters, as pages.

``offers`` (drills, prompts and cards that cover topics), ``index`` (``INDEX.md`` and the map in the
README), ``topic_page`` (the index as HTML) and ``card_page`` (reference cards, for print).
"""
