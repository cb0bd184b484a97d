"""The board of d12: questions through searches to an answer, and changes to the index."""

from labutils.drills.whiteboard.sketch import Sketch


def retrieval(gpus: int, shards: int, copies: int, segment_s: int) -> Sketch:
    """The sketch, with GPUs (the spare not counted), shards, their copies, seconds of a segment."""
    drawing = f"""\
 client                                         a tenant's source
   |  ^                                                 |
   |  | 9 tokens, citations                             | a change
   v  |                                                 v
+------------------+ 1 asked before? +------------+ +----------------+
|     gateway      |---------------->|answer cache| |    changes     |
| tenant, bucket,  |                 |list by     |<| embed, segment,|
| deadline         |                 |document    | | drop answers   |
+------------------+                 +------------+ +----------------+
   |  ^                                                 |
   |  | 8 tokens                                        | every {segment_s:2} s
   v  |                                                 |
+------------------+ 2 embed   +---------------------+  |
|   orchestrator   |---------->| embedding, cache    |<-+
| stages, limits,  |           +---------------------+  |
| what is left out | 3 dense   +---------------------+  |
|                  |---------->| index: {shards} shards x {copies} |<-+
|                  | 4 words   | segments, tombstones|  |
|                  |---------->| vectors and words   |  |
|                  |           +---------------------+  |
|                  | 5 fetch   +---------------------+  |
|                  |---------->| passages, rights    |<-+
|                  |           +---------------------+
|                  | 6 rerank  +---------------------+
|                  |---------->| reranker, small GPUs|
|                  |           +---------------------+
|                  | 7 prompt  +---------------------+
|                  |---------->| model: {gpus} GPUs + 1  |
+------------------+           | prefix cache        |
                               +---------------------+"""
    return Sketch(drawing, BOXES, CALLS)


BOXES = """
- gateway: who asks, a bucket in tokens, the deadline; looks into the answer cache and writes into
  it what was answered in full.
- answer cache: key: tenant, rights, question, model and prompt version; an entry lists the
  documents that it quotes, so that a change can drop it.
- orchestrator: runs the stages with what is left of the deadline; searches side by side; leaves out
  what is late, and says so in the answer.
- embedding: question and passages by the same model version; a cache of questions, keyed by that
  version.
- index: a shard holds whole tenants: a question asks one. A base, small segments beside it,
  tombstones; keywords and vectors change together.
- passages: the text, its version, and who may read it: checked again when fetched.
- reranker: the best fifty again, with the question; may be left out.
- model: continuous batching, prompts first; the instructions stay in its prefix cache.
- changes: an event per document in order, embedding, a segment every few seconds, a merge every
  hour; then the answers that quote it are dropped.
"""

CALLS = """\
POST /v1/questions                       client -> gateway
  takes   question, filters, deadline_ms, request_id, stream
  returns 200 and a stream: citations, tokens, left_out, index version,
          end
  errors  401; 429 over the bucket, Retry-After; 503 cannot start in time;
          an error event after the first token. The same request_id gets
          the same answer
get, put, drop                           gateway, changes -> answer cache
  takes   key, or document and version; for put the answer and what it
          quotes
  returns a hit; or a lease for the one that computes it, and a wait for
          the others
  errors  no_lease: compute without putting; put is refused if a quoted
          document has changed since it was searched; drop may come twice
search                                   orchestrator -> index
  takes   tenant, rights, vector or words, filters, k, model version,
          deadline_ms
  returns passage ids with scores, index version, partial
  errors  wrong_version: the vector is of another model; late: what is
          found so far, partial = true; unavailable: the other copy, once
rerank                                   orchestrator -> reranker
  takes   question, passages, deadline_ms
  returns scores, model version
  errors  full or late: the order of the fusion stands, left_out = rerank
generate                                 orchestrator -> model
  takes   request_id, prefix id, passages, max_tokens, deadline_ms
  returns tokens, usage with cached tokens, end
  errors  full: ready_in_ms, fewer passages or 503; cancelled frees its
          pages within a step
POST /v1/changes                         source -> changes
  takes   tenant, document, version, text or deleted, rights
  returns 202 and a ticket: tombstone at once, searchable_in_ms
  errors  409 older than what is known; 413; 429 per tenant. The same
          version may come twice"""
