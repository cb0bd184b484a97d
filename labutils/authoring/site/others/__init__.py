"""The pages that are no chapter's: ``home`` with its ``route_cards``, ``topics``, ``drills``, and
``reference`` (cards, glossary, what is not found).
"""
