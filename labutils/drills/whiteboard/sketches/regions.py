"""The board of d10: a gateway in three regions, with quotas in tokens."""

from labutils.drills.whiteboard.sketch import Interface, Sketch


def regions(gpus: tuple[int, int, int], lease_tokens: int) -> Sketch:
    """The sketch, with GPUs per region and the tokens of a lease."""
    east, west, south = gpus
    return Sketch(
        drawing=f"""\
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
+-----------------+        +-------------------------------+""",
        components={
            "client": "retries on 503 and on a cut stream in the next region, with jitter and a "
            "budget of 10 %; on 429 it waits as long as it is told.",
            "gateway": "who is it, is it allowed, where does it go; it proxies the stream and "
            "settles what was used. It keeps nothing, so any one may die.",
            "limiter": "a bucket a tenant, in memory; tenants are dealt to shards on a ring.",
            "quota home": "the bucket of the contract, replicated within its region; lends tokens "
            "to limiters, for seconds.",
            "pool": "replicas that admit by free pages. Quotas protect tenants from each other, "
            "this protects the machines.",
            "ledger": "what is billed: an event a request, written once, added up later.",
        },
        interfaces=(
            Interface(
                "POST /v1/chat/completions                   client -> gateway",
                "key, idempotency_key, model, messages, max_tokens, deadline_ms, class",
                "200 and a stream; headers: limit, remaining, reset, region",
                "400 larger than the bucket: never; 401; 429 quota, Retry-After from the "
                "bucket; 503 no pages here, try the next region; 504 deadline",
            ),
            Interface(
                "reserve                                     gateway -> limiter",
                "tenant, request_id, tokens: prompt + what answers usually take",
                "reservation_id, remaining",
                "denied: retry_after_ms; unreachable: the tenant's share of a region",
            ),
            Interface(
                "settle                                      gateway -> limiter",
                "reservation_id, used_tokens",
                "remaining; may come twice; without it the reservation expires",
                "unknown: the ledger has it all the same",
            ),
            Interface(
                "lease                                       limiter -> quota home",
                "tenant, region, wanted_tokens, epoch",
                "granted_tokens, valid_ms",
                "exhausted: retry_after_ms; stale_epoch: another home was elected",
            ),
            Interface(
                "report                                      pool -> gateways everywhere",
                "region, free_pages, queue_ms, draining, at",
                "nothing; older than 3 s counts as full",
                "none",
            ),
        ),
    )
