"""A client that costs little: ``python -m benchmarks.bare_client HOST PORT STREAMS BODY``.

It opens all streams at once over bare sockets, reads them to their ends, and prints as JSON the
moment it was sent, the moments of its first and last event (seconds of the monotonic clock) and how
many events came. A client library would take the processor from the server that it measures.
"""

import asyncio
import json
import sys
import time


async def stream(host: str, port: int, body: bytes) -> dict:
    """One request, read event by event; ``ended`` says whether ``[DONE]`` came."""
    reader, writer = await asyncio.open_connection(host, port)
    head = f"POST /v1/completions HTTP/1.1\r\nHost: {host}\r\nContent-Length: {len(body)}\r\n\r\n"
    writer.write(head.encode() + body)
    found = {"sent_s": time.perf_counter(), "first_s": None, "events": 0, "ended": False}
    while line := await reader.readline():
        if line.startswith(b"data: "):
            found["events"] += 1
            found["last_s"] = time.perf_counter()
            found["first_s"] = found["first_s"] or found["last_s"]
        if line.startswith(b"data: [DONE]"):
            found["ended"] = True
        if line == b"0\r\n" or (line.startswith(b"HTTP/1.1 ") and b" 200 " not in line):
            found["status"] = line.decode().strip()
            break
    writer.close()
    return found


async def main(host: str, port: str, streams: str, body: str) -> None:
    """All of them at once."""
    asked = (stream(host, int(port), body.encode()) for _ in range(int(streams)))
    print(json.dumps(await asyncio.gather(*asked)))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
