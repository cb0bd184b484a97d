"""Clients that vanish without a word: the kernel gives their connections up in time."""

import socket


def bound_silence(listener: socket.socket, seconds: float) -> None:
    """Connections of ``listener`` end when their client has confirmed nothing for so long.

    What was sent and is not confirmed, or not taken because the client's buffers are full, waits
    that long (TCP_USER_TIMEOUT); where nothing is on its way, the kernel asks whether anybody is
    there. Without it Linux repeats for about 15 minutes, and asks after two hours. Linux alone has
    all of these options, and hands them on to what it accepts.
    """
    whole_s = max(1, round(seconds / 4))
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in (
        ("TCP_USER_TIMEOUT", round(1e3 * seconds)),
        ("TCP_KEEPIDLE", whole_s),
        ("TCP_KEEPINTVL", whole_s),
        ("TCP_KEEPCNT", 3),
    ):
        if hasattr(socket, name):
            listener.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
