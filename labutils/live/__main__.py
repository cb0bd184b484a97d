"""``python -m labutils.live SEED``: ``under_load`` in a process of its own."""

from .under_load import main

main()
