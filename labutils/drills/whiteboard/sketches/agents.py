"""The board of d11: agents with adapters, whose caches outlive a tool call."""

from labutils.drills.whiteboard.sketch import Interface, Sketch


def agents(gpus: int, seats: int, slots: int, adapters: int) -> Sketch:
    """The sketch, with GPUs, sequences per GPU, adapter slots per GPU and adapters in all."""
    return Sketch(
        drawing=f"""\
 customer's app                               +---------------------+
    |  ^                                      | tools, in sandboxes |
    |  | events: tokens, tool calls, end      +---------------------+
    v  |                                          ^        |
+------------------+  call, call_id, deadline     |        | result
|  session service |------------------------------+        |
|  one owner a     |<--------------------------------------+
|  session         |        +------------------------------+
|                  |------->| transcript: turns, tokens,   |
+------------------+ append | adapter version. The truth   |
    |        ^              +------------------------------+
    | turn   | tokens
    v        |
+------------------+   session -> replica, by a ring with bounded load
|     router       |
+------------------+
    |
    v
+---- replica, one of {gpus:2} --------------------------------------------+
| GPU memory:  base model | {slots:2} adapter slots | {seats:2} sequences of pages |
|                                ^                    ^  |           |
|                           load |               back |  | new       |
|                                |                    |  v pages     |
| host memory: {adapters:3} adapters -----+      idle sessions' pages         |
+--------------------------------------------------------------------+""",
        components={
            "session service": "runs the loop: turn, tool call, result, turn; owns budgets of "
            "steps, tokens and time; a session has one owner at a time, by a lease.",
            "transcript": "every turn and result, written before it is acted on. Caches are "
            "rebuilt from it, so losing one costs time and no data.",
            "router": "back to the replica that holds the cache, unless it is much fuller than "
            "the others; new sessions go where their adapter is.",
            "replica": "one base model, many adapters in one batch; pages of idle sessions go to "
            "the host. The key of a page names the adapter: its values differ.",
            "adapter registry": "name, version, base model, rank, checksum; a session keeps the "
            "version that it began with.",
            "tools": "outside the platform's trust: a sandbox, a deadline, a call id that makes "
            "a second call return the first result.",
        },
        interfaces=(
            Interface(
                "POST /v1/sessions                           app -> session service",
                "adapter, instructions, tools, budget: steps, tokens, seconds",
                "session_id, adapter version",
                "404 no such adapter; 409 made for another base model; 429 sessions, Retry-After",
            ),
            Interface(
                "POST /v1/sessions/ID/turns                  app -> session service",
                "turn, input, idempotency_key",
                "200 and a stream: tokens, tool_call, budget_left, end",
                "409 not the next turn; 410 expired; 429 tokens; 503; an error event after the "
                "first token. The same key gets the same turn",
            ),
            Interface(
                "call, result                                session service <-> tool",
                "session_id, call_id, name, arguments, deadline_ms",
                "content, or running and when to ask again",
                "timeout and failed are results, too: the model reads them; a call_id that is "
                "done returns what it returned",
            ),
            Interface(
                "resume                                      router -> replica",
                "session_id, adapter@version, page keys, new tokens, deadline_ms",
                "tokens, and which pages were found: device, host, none",
                "no_pages: queue or the next replica; loading: adapter, ready_in_ms; stale_owner",
            ),
            Interface(
                "park                                        session service -> replica",
                "session_id, expected_s, an estimate for this tool",
                "kept, out or dropped",
                "unknown: nothing is lost, it is computed again",
            ),
            Interface(
                "PUT /v1/adapters/NAME                       customer -> registry",
                "base model, rank, weights, checksum",
                "version; not served before a trial against the last one",
                "422 base, shape or rank does not fit a slot; 413; 409 version exists",
            ),
        ),
    )
