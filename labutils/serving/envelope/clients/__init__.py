"""Load tests of other people's clients, read as ``MeasuredRun``.

``client`` says where each client keeps what (a table), ``client_json`` reads numbers from JSON,
``rows`` has requests one by one, ``read_run`` is all of it.
"""

from .read_run import read_run

__all__ = ["read_run"]
