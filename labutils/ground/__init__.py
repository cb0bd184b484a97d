"""What everything stands on: small, and of no subject of its own.

1. ``arguments``: checked arguments, with an error that names argument, value and expectation
2. ``units``: a room of its own: quantities as people write them, read and written
3. ``folder``, ``files``: where ``my/`` lies, and how anything is written into it
4. ``lazy``, ``edition``: names that load when first used; an update under a running kernel
5. ``sheets``, ``patches``: texts with a mark before each part; changes of a text, line by line
 6. ``stopwatch``, ``alarm``: how long somebody's code has worked, and its end when time is up
 7. ``loopback``, ``characters``: addresses of this machine; what its terminal can show
"""
