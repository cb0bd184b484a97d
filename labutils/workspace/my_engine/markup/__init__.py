"""What the page of an engine is made of: ``parts`` in HTML, ``drawings`` in SVG, a style sheet."""
