"""Server settings of the course's JupyterLab, for this one process alone.

The server hands small messages to TCP with Nagle's algorithm on: on the loopback device the second
message of a burst then waits up to 40 ms for the browser's delayed acknowledgement. A slider's
answer is such a burst (busy, echo, picture), so the wait is most of what a learner would feel.

A terminal is no login shell: below a hub or in a container it would be one, and many systems'
/etc/profile sets PATH anew, without the course's commands.

Text is at most 48em wide, which ``custom/custom.css`` says; a learner's own file goes first.
"""

import os
from pathlib import Path

from jupyter_server.services.config.manager import jupyter_config_dir
from jupyter_server.services.kernels.connection.channels import ZMQChannelsWebsocketConnection


class PromptConnection(ZMQChannelsWebsocketConnection):
    """The server's own connection between a page and its kernel, with Nagle's algorithm off."""

    def connect(self):
        self.websocket_handler.set_nodelay(True)
        return super().connect()


c.ServerApp.kernel_websocket_connection_class = PromptConnection  # noqa: F821
c.LabApp.custom_css = True  # noqa: F821
places = [str(Path(at) / "custom") for at in (jupyter_config_dir(), Path(__file__).parent)]
c.ServerApp.tornado_settings.update({"static_custom_path": places})  # noqa: F821
if os.name == "posix":
    c.ServerApp.terminado_settings = {  # noqa: F821
        "shell_command": [os.environ.get("SHELL") or "sh"]
    }
