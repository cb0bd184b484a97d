"""``python -m labutils.server``."""

from .command import main

main()
