"""Which addresses are this machine's own."""

from labutils.ground.loopback import is_loopback


def test_which_addresses_are_this_machines_own():
    hosts = ["127.0.0.1", "127.9.9.9", "::1", "localhost", "0.0.0.0", "10.0.0.7", "", "example"]
    assert [is_loopback(host) for host in hosts] == [True] * 4 + [False] * 4
