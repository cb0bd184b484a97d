"""The pages that are no chapter's: ``home`` with its ``routes``, ``topics``, ``drills``, and
``reference`` (cards, glossary, what is not found).
"""
