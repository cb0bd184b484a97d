"""A replica that starts: its weights, the queue meanwhile, a faster source, what it then bears."""

from labutils import llm
from labutils.drills.catalog._serving import GB
from labutils.drills.definition.writing import Draw, Drill, choice, quantity, template
from labutils.laws.queueing import Overload

_SERVED = (  # model, bytes a weight, how they are stored, the host's GPUs
    ("Llama-3.1-70B", 2, "bf16", "4 H100 SXM"),
    ("Qwen3-235B-A22B", 1, "fp8", "4 H200 SXM"),
    ("Llama-3.1-405B", 1, "fp8", "8 H100 SXM"),
    ("Qwen2.5-72B", 2, "bf16", "2 B200"),
    ("DeepSeek-V3", 1, "fp8", "8 B200"),
)
_PARTS = ("The node", "The weights", "The warm-up")
_AGAINST = (
    "Nodes take a while. How many seconds do the weights take beside that?",
    "How many bytes are there now to read, and how fast do they come?",
    "Graphs and first kernels cost seconds. Put the other two parts beside them.",
)


@template("O03 I08 O04 P08 P03", level=3, decision="limit", form="chain", minutes=7)
def chain_start_up(draw: Draw) -> Drill:
    """A replica starts: bytes over the link, the queue meanwhile, a faster disc."""
    name, width, kind, gpus = draw.one_of(_SERVED)
    billions = float(f"{llm.model(name).parameters / 1e9:.4g}")
    node, warm = draw.one_of((40, 60, 75, 90)), draw.one_of((20, 30, 45, 60))
    link, reached = draw.one_of((10, 25, 50)), draw.one_of((0.6, 0.7, 0.8))
    size, rate = 1e9 * billions * width, link * 1e9 / 8 * reached
    load = size / rate
    start, count = node + load + warm, int(gpus.split()[0])
    draw.require(1.3 * max(node, warm) < load < 600)
    return draw.drill(f"""
    {name} ({billions:g} billion parameters, stored in {kind}) runs on hosts of {gpus}, one replica
    a host. A new replica waits {node} s for its node, which brings the container image along. Then
    it loads the weights from an object store over the host's link of {link} Gbit/s, of which
    downloads reach {100 * reached:.0f} %, and then it takes {warm} s to capture graphs and to warm
    up.
    ? How long does it take from the order to the first request served?
    = {start} s tolerance=0.02 telling=3
    - bits-for-bytes {node + load / 8 + warm}: You move bytes at a rate in bits. How many bits has a
      byte?
    - bytes-of-a-weight {node + load * (2 if width == 1 else 0.5) + warm}: How many bytes has a
      weight in {kind}?
    - a-part-for-each-gpu {node + load / count + warm}: Each GPU takes its own part. Through which
      link do all the parts come?
    - weights-alone {load}: That is the weights. What else must be done before?
    - rated-link {node + load * reached + warm}: You use the whole link. Which part of it do the
      downloads reach?
    ? Which part is the longest?
    {_longest(node, load, warm)}
    > Three parts, one after the other. One of them is bytes over a rate.
    > Node + parameters × bytes of a weight ÷ (share × link ÷ 8) + warm-up.
    > {node} s + {billions:g} × 10⁹ × {width} B ÷ ({reached:g} × {link} Gbit/s ÷ 8) + {warm} s.
    * weights {size} B: Weights: {quantity(size, "B")}
    * load {load} s: The link brings {reached:g} × {link} ÷ 8 = {quantity(rate, "B/s")}:
      {quantity(load, "s")}
    * start {start} s: {node} + {load:.4g} + {warm} = {start:.4g} s
    ~ More than the {node + warm} s of node and warm-up.

    A cold start of a large model is a download. Compute bytes over rate before you tune the
    container.
    """).then(_meanwhile(draw, size=size, node=node, warm=warm, start=start, load=load))


def _longest(*parts: float) -> str:
    right = max(range(3), key=lambda place: parts[place])
    others = {_PARTS[place]: _AGAINST[place] for place in range(3) if place != right}
    return choice(_PARTS[right], others)


def _meanwhile(draw: Draw, *, size, node, warm, start, load) -> Drill:
    done, more = draw.number(12, 60), draw.number(2, 12)
    notice = draw.one_of((15, 30, 45, 60))
    come = float(f"{done + more:.4g}")
    more = come - done
    queue = Overload(come, done, notice + start, come).backlog_at_end
    draw.require(queue > 200)
    asked = draw.drill(f"""
    At ten the traffic jumps to {quantity(come, "req/s")} and stays there. The replicas in service
    complete {quantity(done, "req/s")} in all. The scaler notices after {notice} s and orders a
    replica at once. Nobody is refused, and nobody leaves.
    ? How many requests wait when the new replica serves its first one?
    = {queue} req tolerance=0.02 telling=3
    - nobody-served {come * (notice + start)}: You let nobody be served. What do the replicas in
      service do?
    - noticed-at-once {more * start}: You count from the order. Since when does the queue grow?
    - load-alone {more * (notice + load)}: You count the loading of weights. When does the replica
      serve?
    > By how much does the queue grow each second, and for how long?
    > (arrivals − completions) × (notice + start).
    > ({come:g} − {done:g}) req/s × ({notice} + {start:.4g}) s.
    * growth {more} req/s: Growth: {come:g} − {done:g} = {quantity(more, "req/s")}
    * queue {queue} req: × ({notice} + {start:.4g}) s = {quantity(queue, "req")}
    ~ At least the {quantity(more * start, "req")} of the start alone.

    The queue grows over the whole reaction time: metric, decision, node, weights, warm-up. Whoever
    scales up by reacting needs room for that queue.
    """)
    return asked.then(
        _faster(draw, size=size, node=node, warm=warm, before=start, notice=notice, load=load)
    )


def _faster(draw: Draw, *, size, node, warm, before, notice, load) -> Drill:
    disc = draw.one_of((5, 6, 7, 10, 12))
    fresh = size / (disc * GB)
    start = node + fresh + warm
    top = max(node, warm)
    draw.require(node != warm and fresh < 0.9 * top)
    return draw.drill(f"""
    From now on the weights lie on a local disc of every host, read at {disc} GB/s. All else is as
    before.
    ? How long does a start take now?
    = {start} s tolerance=0.02 telling=3
    - weights-alone {fresh}: That is the weights. Have the other parts gone away?
    - whole-start-faster {before * fresh / load}: You make the whole start faster. Which part of it
      comes from the disc?
    - bits-for-bytes {node + 8 * fresh + warm}: The disc's rate is in bytes. Did you turn them into
      bits?
    - loading-free {node + warm}: You leave out the loading. How many bytes does the disc still
      read?
    ? Which part is the longest?
    {_longest(node, fresh, warm)}
    > Only one of the three parts has changed.
    > Node + bytes ÷ rate of the disc + warm-up.
    > {node} s + {quantity(size, "B")} ÷ {disc} GB/s + {warm} s.
    * load {fresh} s: Weights: {quantity(size, "B")} ÷ {disc} GB/s = {quantity(fresh, "s")}
    * start {start} s: {node} + {fresh:.4g} + {warm} = {start:.4g} s
    ~ Never less than {node + warm} s, however fast the disc.

    The bottleneck has moved: a disc twice as fast would now save seconds out of minutes. What is
    left is the node and the warm-up: keep nodes ready, keep compiled graphs.
    """).then(_bears(draw, start=start, notice=notice, before=before))


def _bears(draw: Draw, *, start: float, notice: float, before: float) -> Drill:
    room = draw.one_of((200, 300, 500, 800))
    answer = room / (notice + start)
    return draw.drill(f"""
    The queue has room for {room} requests; what comes beyond that is refused.
    ? By how many requests a second may a jump of traffic exceed what the replicas complete so that
      no one is refused before the new replica serves?
    = {answer} req/s tolerance=0.02 telling=3
    - noticed-at-once {room / start}: You count from the order. Since when does the queue grow?
    - the-old-start {room / (notice + before)}: That is the start as it was. How long does one take
      now?
    - time-over-room {(notice + start) / room}: That is seconds per request. Which way round is the
      rate?
    > How long must the room last?
    > Room ÷ (notice + start).
    > {room} ÷ ({notice} + {start:.4g}) s.
    * grows {notice + start} s: The queue grows for {notice} + {start:.4g} = {notice + start:.4g} s
    * excess {answer} req/s: {room} ÷ that: {quantity(answer, "req/s")}
    ~ More than {quantity(room / (notice + before), "req/s")}, what the slower start bore.

    Room in the queue, spare replicas and a shorter start are three ways to pay for the same jump.
    Choose by what a waiting user, an idle GPU and a disc cost you.
    """)
