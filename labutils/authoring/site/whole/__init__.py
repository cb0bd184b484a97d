"""All of the site: ``search_index`` is what a search looks through, ``write`` writes every file."""
