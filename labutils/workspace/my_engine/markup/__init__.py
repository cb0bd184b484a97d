"""What an engine's page is made of: ``page_parts`` in HTML, ``drawings`` in SVG, a style sheet."""
