"""The board of d11: agents with adapters, whose caches outlive a tool call."""

from labutils.drills.whiteboard.sketch import Sketch


def agents(gpus: int, seats: int, slots: int, adapters: int) -> Sketch:
    """The sketch, with GPUs, sequences per GPU, adapter slots per GPU and adapters in all."""
    drawing = f"""\
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
+--------------------------------------------------------------------+"""
    return Sketch(drawing, BOXES, CALLS)


BOXES = """
- session service: runs the loop: turn, tool call, result, turn; owns budgets of steps, tokens and
  time; a session has one owner at a time, by a lease.
- transcript: every turn and result, written before it is acted on. Caches are rebuilt from it, so
  losing one costs time and no data.
- router: back to the replica that holds the cache, unless it is much fuller than the others; new
  sessions go where their adapter is.
- replica: one base model, many adapters in one batch; pages of idle sessions go to the host. The
  key of a page names the adapter: its values differ.
- adapter registry: name, version, base model, rank, checksum; a session keeps the version that it
  began with.
- tools: outside the platform's trust: a sandbox, a deadline, a call id that makes a second call
  return the first result.
"""

CALLS = """\
POST /v1/sessions                           app -> session service
  takes   adapter, instructions, tools, budget: steps, tokens, seconds
  returns session_id, adapter version
  errors  404 no such adapter; 409 made for another base model; 429
          sessions, Retry-After
POST /v1/sessions/ID/turns                  app -> session service
  takes   turn, input, idempotency_key
  returns 200 and a stream: tokens, tool_call, budget_left, end
  errors  409 not the next turn; 410 expired; 429 tokens; 503; an error
          event after the first token. The same key gets the same turn
call, result                                session service <-> tool
  takes   session_id, call_id, name, arguments, deadline_ms
  returns content, or running and when to ask again
  errors  timeout and failed are results, too: the model reads them; a
          call_id that is done returns what it returned
resume                                      router -> replica
  takes   session_id, adapter@version, page keys, new tokens, deadline_ms
  returns tokens, and which pages were found: device, host, none
  errors  no_pages: queue or the next replica; loading: adapter,
          ready_in_ms; stale_owner
park                                        session service -> replica
  takes   session_id, expected_s, an estimate for this tool
  returns kept, out or dropped
  errors  unknown: nothing is lost, it is computed again
PUT /v1/adapters/NAME                       customer -> registry
  takes   base model, rank, weights, checksum
  returns version; not served before a trial against the last one
  errors  422 base, shape or rank does not fit a slot; 413; 409 version
          exists"""
