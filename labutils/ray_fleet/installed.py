"""Whether Ray is here."""

import importlib.util

WANTED = "ray[serve]==2.60.0"
SIZE_MB = 465


def missing() -> str | None:
    """What to do where Ray is not installed; None where it is."""
    if importlib.util.find_spec("ray") is not None:
        return None
    return f'Ray is not installed: pip install "{WANTED}" ({SIZE_MB} MB)'
