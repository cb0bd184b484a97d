"""A client that is not there any more: no packet says goodbye."""

import ctypes
import socket
import struct

SO_ATTACH_FILTER = 26  # of Linux (asm-generic/socket.h); the socket module does not name it
_DROP = struct.pack("HBBI", 0x06, 0, 0, 0)  # one instruction: return 0, which keeps no byte


def vanish(client: socket.socket) -> None:
    """Have the kernel drop what arrives for ``client``, so that no packet is acknowledged.

    To the other side it looks like a laptop that was closed. Needs Linux, and no rights. Close the
    socket only when the other side has given up, or it hears of that.
    """
    program = ctypes.create_string_buffer(_DROP)
    wanted = struct.pack("HP", 1, ctypes.addressof(program))
    client.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER, wanted)
