"""Imported before nbformat, which then starts three seconds sooner.

jsonschema builds 38 grammars of addresses as soon as it finds ``rfc3987_syntax``, which Jupyter
brings along. No notebook's schema asks for one, and without it jsonschema takes a plainer check.
"""

import sys

sys.modules.setdefault("rfc3987_syntax", None)  # None: importing it raises ImportError
