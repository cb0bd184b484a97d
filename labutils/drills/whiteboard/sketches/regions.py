"""The board of d10: a gateway in three regions, with quotas in tokens."""

from labutils.drills.whiteboard.sketch import Sketch


def regions(gpus: tuple[int, int, int], lease_tokens: int) -> Sketch:
    """The sketch, with GPUs per region and the tokens of a lease."""
    east, west, south = gpus
    drawing = f"""\
                 client: one name, nearest region, two more to try
                    |
        +-----------+------------------+------------------+
        v                              v                  v
+---- east ----------------+   +---- west ----+   +---- south ---+
| gateway    (stateless)   |   | gateway      |   | gateway      |
|   | reserve, settle      |   |              |   |              |
|   v                      |   | same boxes   |   | same boxes   |
| limiter    (a shard a    |   |              |   |              |
|   |         tenant)      |   |              |   |              |
|   | admit, or 503        |   |              |   |              |
|   v                      |   |              |   |              |
| pool      {east:4} GPUs      |   | {west:4} GPUs    |   | {south:4} GPUs    |
+---|-----------|----------+   +------|-------+   +------|-------+
    |           | lease: {lease_tokens:,} tokens at a time  |
    | usage     +---------------------+------------------+
    v                                 v
+-----------------+        +-------------------------------+
| ledger: append, |        | quota home: one a tenant, in  |
| once a request  |        | the region that it uses most  |
+-----------------+        +-------------------------------+"""
    return Sketch(drawing, BOXES, CALLS)


BOXES = """
- client: retries on 503 and on a cut stream in the next region, with jitter and a budget of 10 %;
  on 429 it waits as long as it is told.
- gateway: who is it, is it allowed, where does it go; it proxies the stream and settles what was
  used. It keeps nothing, so any one may die.
- limiter: a bucket a tenant, in memory; tenants are dealt to shards on a ring.
- quota home: the bucket of the contract, replicated within its region; lends tokens to limiters,
  for seconds.
- pool: replicas that admit by free pages. Quotas protect tenants from each other, this protects the
  machines.
- ledger: what is billed: an event a request, written once, added up later.
"""

CALLS = """\
POST /v1/chat/completions                   client -> gateway
  takes   key, idempotency_key, model, messages, max_tokens, deadline_ms,
          class
  returns 200 and a stream; headers: limit, remaining, reset, region
  errors  400 larger than the bucket: never; 401; 429 quota, Retry-After
          from the bucket; 503 no pages here, try the next region; 504
          deadline
reserve                                     gateway -> limiter
  takes   tenant, request_id, tokens: prompt + what answers usually take
  returns reservation_id, remaining
  errors  denied: retry_after_ms; unreachable: the tenant's share of a
          region
settle                                      gateway -> limiter
  takes   reservation_id, used_tokens
  returns remaining; may come twice; without it the reservation expires
  errors  unknown: the ledger has it all the same
lease                                       limiter -> quota home
  takes   tenant, region, wanted_tokens, epoch
  returns granted_tokens, valid_ms
  errors  exhausted: retry_after_ms; stale_epoch: another home was elected
report                                      pool -> gateways everywhere
  takes   region, free_pages, queue_ms, draining, at
  returns nothing; older than 3 s counts as full
  errors  none"""
