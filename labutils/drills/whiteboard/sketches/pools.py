"""The board of d9: prefill and decode in pools of their own."""

from labutils.drills.whiteboard.sketch import Sketch


def pools(prefill: int, decode: int, seats: int, cache_gb: float) -> Sketch:
    """The sketch, with GPUs per pool (spares not counted), seats per GPU and GB a prompt."""
    drawing = f"""\
  client  <------------- 6 tokens, one stream a request ----------+
    |                                                             |
    | 1 completion                                                |
    v                                                             |
+-----------+   2 reserve: a seat, or "full"          +-----------+-----+
|  gateway  |---------------------------------------->|   decode pool   |
|           |   5 start: lease, first token           | {decode:2} GPUs + spare |
+-----------+                                         | {seats:2} seats each   |
    |                                                 +-----------------+
    | 3 run: prompt, seat; the first token comes back             ^
    v                                                             |
+-----------------+   4 cache, layer by layer                     |
|  prefill pool   |-----------------------------------------------+
| {prefill:2} GPUs + spare |   {cache_gb:.2f} GB a prompt
+-----------------+
    ^
    | set_role: one GPU at a time, drained first
+-----------------+
| ratio keeper    |   watches prefill queue, free seats
+-----------------+"""
    return Sketch(drawing, BOXES, CALLS)


BOXES = """
- gateway: limits, deadline, the request's state machine; holds the stream, and the prompt until the
  last token, so that it can start again.
- prefill pool: one queue, first deadline first; no batching beyond a few short prompts, for a
  prompt fills the arithmetic alone. Prefix caches live here.
- decode pool: continuous batching over seats; nothing else runs here, so gaps between tokens depend
  on the batch alone.
- transfer: a library in both workers, no box: it writes pages by their addresses over the fabric, a
  layer as soon as it is computed.
- ratio keeper: changes a worker's role when one pool waits and the other does not; both run the
  same binary with the same weights.
"""

CALLS = """\
POST /v1/completions                        client -> gateway
  takes   request_id, model, prompt, max_tokens, deadline_ms, stream
  returns 200 and a stream: token events, usage, done
  errors  400 longer than the model; 429 over a quota, Retry-After; 503 no
          seat in time; after the first token an error event, never a
          silent end
reserve                                      gateway -> decode worker
  takes   request_id, prompt_tokens, max_tokens, deadline_ms
  returns lease_id, page addresses, expires_in_ms
  errors  full: try the next; too_long: 400. The same request_id gets the
          same lease
run                                          gateway -> prefill worker
  takes   request_id, tokens, lease_id, addresses, deadline_ms
  returns first token, pages written, checksum
  errors  late: dropped before it starts; lease_expired: reserve anew;
          link_down: the next worker, twice at most
start, release                               gateway -> decode worker
  takes   lease_id, first token, sampling, checksum
  returns a stream of tokens; release gives the pages back and may come
          twice
  errors  lease_expired; checksum: pages are dropped and the prompt runs
          again
set_role                                     ratio keeper -> worker
  takes   role, epoch
  returns drained_in_ms, an estimate
  errors  stale_epoch: an older keeper speaks"""
