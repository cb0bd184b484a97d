"""An engine behind HTTP, in the OpenAI protocol: small, real, on 127.0.0.1.

1. ``protocol``: what may be asked, and the words of answers and errors
2. ``detokeniser``, ``event_log``: tokens to text, text to numbered events that a client reads
3. ``admission``: who may come in; ``job``: one request from its ticket to its end
4. ``app``, ``settings``: the routes; ``outgoing``: an answer on its way out
5. ``life``: warm-up, drain; ``half_open``: who vanished; ``command``: ``python -m labutils.server``
6. ``watch``: metrics, spans, log lines
"""

from typing import TYPE_CHECKING

from labutils.ground.lazy import lazily

if TYPE_CHECKING:
    from .admission import Admission, Limits
    from .detokeniser import Detokeniser
    from .event_log import EventLog
    from .life import Server
    from .protocol import ProtocolError
    from .settings import Settings

_HOME = {
    "Admission": "admission", "Detokeniser": "detokeniser", "EventLog": "event_log",
    "Limits": "admission", "ProtocolError": "protocol", "Server": "life", "Settings": "settings",
}  # fmt: skip

__all__ = [
    "Admission", "Detokeniser", "EventLog", "Limits", "ProtocolError", "Server", "Settings",
]  # fmt: skip
__getattr__, __dir__ = lazily(__name__, _HOME)
