"""``python -m labutils.server``."""

from .life import main

main()
