"""The formulas of the course, each with an example that is computed here."""

from labutils import llm
from labutils.cards.card import ReferenceCard
from labutils.ground.units import format_quantity as fmt
from labutils.laws import queueing, tails
from labutils.laws.batching import AffineBatchTime
from labutils.laws.scaling import amdahl_speedup
from labutils.llm.levers.speculation import speculation_speedup, tokens_per_verification
from labutils.llm.steps.stream import stream_duration_s

MODEL, DEVICE = "Llama-3.1-8B", "H100 SXM"


def queues() -> ReferenceCard:
    """Counts, loads and waits."""
    rate, capacity = 450.0, 550.0
    one = queueing.MM1(rate, capacity)
    eight = queueing.MMc(rate, capacity / 8, 8)
    spread, equal = (queueing.MG1(rate, capacity, scv) for scv in (4.0, 0.0))
    peak = queueing.Overload(700, 550, 600, 400)
    here = f"{fmt(rate, '1/s')} on {fmt(capacity, '1/s')}"
    rows = (
        (
            "Inside on average (Little)",
            r"$L = \lambda W$",
            f"500/s × 40 ms = {fmt(500 * 0.04, 'req')} inside. Any arrivals, services and order.",
        ),
        (
            "Utilization",
            r"$\rho = \frac{\lambda}{c\mu}$",
            f"{here}: {fmt(one.utilization, '1')}. Above 1 there is no steady state.",
        ),
        (
            "Time inside, M/M/1",
            r"$W = \frac{1}{\mu-\lambda}$",
            f"{here}: {fmt(one.mean_sojourn_time, 's')} on average, "
            f"{one.mean_sojourn_time * capacity:.2g} services.",
        ),
        (
            "Quantile of it, M/M/1",
            r"$t_{(q)} = -W \ln(1-q)$",
            f"p99 = 4.6 W = {fmt(one.sojourn_time_quantile(0.99), 's')}.",
        ),
        (
            "Wait, M/M/c",
            r"$W_q = \frac{C(c,\, \lambda/\mu)}{c\mu-\lambda}$",
            f"{here}, in 8 servers behind one queue: {fmt(eight.mean_waiting_time, 's')} "
            f"(one fast server: {fmt(one.mean_waiting_time, 's')}). C: chance that all are busy "
            "(Erlang).",
        ),
        (
            "Wait, M/G/1 (Pollaczek, Khinchine)",
            r"$W_q = \frac{\rho}{1-\rho} \cdot \frac{1+c_s^2}{2} \cdot S$",
            f"{here}, services of scv 4: {fmt(spread.mean_waiting_time, 's')}; of equal length "
            f"(scv 0, M/D/1): {fmt(equal.mean_waiting_time, 's')}, half of M/M/1.",
        ),
        (
            "Wait, G/G/1 (Kingman, approximate)",
            r"$W_q \approx \frac{\rho}{1-\rho} \cdot \frac{c_a^2+c_s^2}{2} \cdot S$",
            "As above with the gaps counted in: bursts lengthen the wait as uneven requests do.",
        ),
        (
            "Above capacity",
            r"$\text{backlog} = (\lambda-\mu)\,t$",
            f"700/s on 550/s for 10 min: {fmt(peak.peak_backlog, 'req')}; at 400/s afterwards "
            f"{fmt(peak.drain_s, 's')} to drain.",
        ),
    )
    return ReferenceCard(
        id="queues",
        title="Formulas: queues",
        topics=("B27", "B01", "B07", "B08", "B09"),
        header=("what", "formula", "example"),
        rows=rows,
        note=(
            r"$\lambda$: arrivals per second; $\mu$: what one busy server completes per second; "
            r"$S=1/\mu$; $c$: servers; $c_a^2, c_s^2$: squared coefficients of variation of gaps "
            "and services."
        ),
    )


def tails_and_shares() -> ReferenceCard:
    """Fan-out, hedging, speed-ups and batches."""
    batch = AffineBatchTime(fixed_s=0.004, per_item_s=0.0009)
    rows = (
        (
            "Slow pages, $n$ independent leaves",
            r"$1-(1-p)^n$",
            f"1 % of 100 leaves: {100 * tails.slow_share(0.01, 100):.0f} % of pages.",
        ),
        (
            "Leaf quantile that a page needs",
            r"$q^{1/n}$",
            f"p99 over 10 leaves: {100 * tails.required_leaf_quantile(0.99, 10):.2f} % of each.",
        ),
        (
            "Extra load of a hedge sent at quantile $q$",
            r"$1-q$",
            "At the p95: 5 % more requests, one copy each. A queue makes it more.",
        ),
        (
            "Speed-up of the whole (Amdahl)",
            r"$\frac{1}{(1-f)+f/s}$",
            f"70 % made twice as fast: {amdahl_speedup(0.7, 2):.2f}; "
            f"ten times: {amdahl_speedup(0.7, 10):.2f}; at most {1 / 0.3:.2f}.",
        ),
        (
            "Batch throughput",
            r"$\frac{B}{c_0+c_1B} < \frac{1}{c_1}$",
            f"4 ms + 0.9 ms a request: {fmt(batch.throughput_per_s(16), '1/s')} at 16, "
            f"never above {fmt(batch.limit_per_s, '1/s')}.",
        ),
        (
            "Tokens from one verification",
            r"$E = \frac{1-\alpha^{k+1}}{1-\alpha}$",
            f"80 % accepted, 5 drafts: {tokens_per_verification(0.8, 5):.2f}.",
        ),
        (
            "Speed-up by speculation",
            r"$\frac{E}{1+kr}$",
            f"the same, a draft costs a tenth of a step: {speculation_speedup(0.8, 5, 0.1):.2f}; "
            f"half accepted, drafts at 0.3: {speculation_speedup(0.5, 5, 0.3):.2f} (slower).",
        ),
    )
    return ReferenceCard(
        id="tails",
        title="Formulas: tails, shares, batches",
        topics=("B27", "B05", "B14", "B15", "B11"),
        header=("what", "formula", "example"),
        rows=rows,
        note=(
            r"$p$: share of slow leaves; $q$: quantile; $f$: share of the time that is made $s$ "
            r"times as fast; a batch of $B$ takes $c_0 + c_1 B$; $\alpha$: share of drafts "
            r"accepted, $k$ drafts a step, each at $r$ of a step. Independence is an assumption: "
            "leaves that stall together make fewer pages slow. Speculation gains while a step "
            "waits for memory, not for arithmetic."
        ),
    )


def tokens() -> ReferenceCard:
    """Memory, bandwidth and arithmetic of a language model."""
    model, device = llm.model(MODEL), llm.accelerator(DEVICE)
    one, many = (llm.decode_step(model, device, batch, 1024) for batch in (1, 32))
    prompt_s = llm.prefill_time_s(model, device, 2048)
    cost = llm.cost_per_million_tokens(2.5, many.tokens_per_s)
    rows = (
        (
            "Weights",
            r"$W = P\,b$",
            f"{fmt(model.weight_bytes(), 'B')} in bf16.",
        ),
        (
            "KV cache of a token",
            r"$kv = 2\,L\,H_{kv}\,d\,b$",
            f"{fmt(model.kv_bytes_per_token(), 'B')} = 128 KiB. **KV** heads, not query heads.",
        ),
        (
            "Sequences that fit",
            r"$\lfloor \frac{uM-W-o}{C\,kv} \rfloor$",
            f"{llm.max_sequences(model, 80e9, 4096)} of 4,096 tokens on 80 GB at u = 0.9.",
        ),
        (
            "Decode step, lower bound",
            r"$\max(\frac{W+B\,C\,kv}{BW},\, \frac{2PB}{F})$",
            f"{fmt(one.time_s, 's')} alone, {fmt(many.time_s, 's')} for 32 with 1,024 tokens each.",
        ),
        (
            "Tokens per second: device, user",
            r"$\frac{B}{\text{TPOT}}, \quad \frac{1}{\text{TPOT}}$",
            f"{fmt(many.tokens_per_s, 'tok/s')} and "
            f"{fmt(many.tokens_per_s_per_request, 'tok/s')} for each of 32.",
        ),
        (
            "Prefill",
            r"$\frac{2Pn + 2n^2 L\,H\,d}{F \cdot \text{MFU}}$",
            f"2,048 tokens at MFU 50 %: {fmt(prompt_s, 's')}.",
        ),
        (
            "Ridge; batch that reaches it",
            r"$\frac{F}{BW}, \quad \frac{F\,b}{2\,BW}$",
            f"{device.ridge():.0f} FLOP/B, {llm.compute_ridge_batch(device):.0f} sequences.",
        ),
        (
            "Tokens at which cache equals weights",
            r"$B\,C = \frac{W}{kv}$",
            f"{fmt(llm.kv_equals_weights_tokens(model), 'tok')} in the whole batch.",
        ),
        (
            "First token",
            r"$\text{TTFT} = \text{network} + \text{queue} + \text{prefill}$",
            f"20 ms + 100 ms + {fmt(prompt_s, 's')} = {fmt(0.12 + prompt_s, 's')}. In chunks the "
            "prefill takes longer.",
        ),
        (
            "A streamed answer",
            r"$\text{TTFT}+(n-1)\,\text{TPOT}$",
            f"0.5 s + 499 × 30 ms = {fmt(stream_duration_s(0.5, 0.03, 500), 's')}.",
        ),
        (
            "Price of a million tokens",
            r"$\frac{n \cdot \text{price}}{3600 \cdot \text{tok/s} \cdot u} \cdot 10^6$",
            f"$2.50 an hour, 32 at a time, always busy: ${cost:.2f}.".replace("$", r"\$"),
        ),
    )
    return ReferenceCard(
        id="tokens",
        title=f"Formulas: tokens ({MODEL} on {DEVICE})",
        topics=("B27", "B22", "B24", "A06", "A07", "A10"),
        header=("what", "formula", "example"),
        rows=rows,
        note=(
            r"$P$: weights; $b$: bytes of each; $L$: layers; $H$, $H_{kv}$: query and KV heads; "
            r"$d$: head size; $C$: context; $B$: batch; $M$: memory, $u$: usable share, $o$: "
            r"overhead; $BW$, $F$: peak bandwidth and dense arithmetic; $n$: "
            "tokens, and in the last row devices, busy for a share $u$ of the time. Bounds at "
            "peak: lab 1 measures what your machine reaches. GB = 10⁹ bytes. ($W$, $L$ and $C$ "
            "mean other things on the card of queues.)"
        ),
    )
