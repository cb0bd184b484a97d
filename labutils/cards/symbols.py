"""Symbols and units of the course."""

from labutils.cards.card import ReferenceCard
from labutils.ground.units import format_quantity as fmt


def symbols() -> ReferenceCard:
    """What the letters mean, and what the code calls them."""
    rows = (
        (
            r"$\lambda$",
            "`arrival_rate`",
            "requests per second",
            "all that arrive, refused ones too",
        ),
        (r"$\mu$", "`service_rate`", "requests per second", "of one server, always busy"),
        (r"$S = 1/\mu$", "`mean_service_time`", "s", "without waiting"),
        (r"$c$", "`num_servers`", "–", "servers behind one queue; slots of an engine"),
        (
            r"$\rho = \lambda/(c\mu)$",
            "`utilization`",
            "–",
            "share of the servers' time that is spent serving",
        ),
        (r"$a = \lambda/\mu$", "`offered_load`", "Erlang", "servers that the work keeps busy"),
        (r"$W_q$", "`waiting_time`", "s", "in the queue alone"),
        (r"$W$", "`sojourn_time`", "s", "waiting plus service"),
        (r"$L$, $L_q$", "`num_in_system`, `queue_length`", "requests", "inside; waiting"),
        (r"$c_a^2$, $c_s^2$", "`scv_arrival`, `scv_service`", "–", "variance over squared mean"),
        (r"$B$", "`max_batch`", "requests", "in one batch or step"),
        ("TTFT", "`ttft_s`", "s", "from the intended arrival to the first token"),
        ("TPOT", "`tpot_s`", "s", r"$(t_n-t_1)/(n-1)$ of one answer"),
        ("ITL", "`itl_s`", "s", "single gaps between tokens, pooled over answers"),
        ("E2E", "`e2e_s`", "s", "from the intended arrival to the last token"),
        ("goodput", "`goodput_per_s`", "requests per second", "answers within every limit"),
        (r"$P$, $b$", "`parameters`, `bytes_per_weight`", "–, B", "weights; bytes of each"),
        (r"$kv$", "`kv_bytes_per_token`", "B/token", "over all layers"),
        (r"$C$", "`context_tokens`", "tokens", "prompt and answer so far"),
        (r"$BW$, $F$", "`bandwidth_bytes_per_s`, `peak_flops`", "B/s, FLOP/s", "peaks, dense"),
        (r"$q$", "`q`", "–", "quantile: p99 is q = 0.99"),
    )
    return ReferenceCard(
        id="symbols",
        title="Symbols",
        topics=("B27", "A05", "A06", "A17"),
        header=("symbol", "in code", "unit", "meaning"),
        rows=rows,
        note=(
            "Three letters serve twice, as in the literature: on the card of tokens $W$ is the "
            "bytes of all weights and $L$ the number of layers; $C(c, a)$ is Erlang's formula."
        ),
    )


def units() -> ReferenceCard:
    """Prefixes and the traps between them."""
    gigabyte, gibibyte = 1e9, 2.0**30
    rows = (
        ("GB and GiB", f"10⁹ and 2³⁰ bytes: {100 * (gibibyte / gigabyte - 1):.1f} % apart"),
        ("TB and TiB", f"10¹² and 2⁴⁰ bytes: {100 * (1.024**4 - 1):.1f} % apart"),
        ("Gbit/s and GB/s", f"a factor of 8: 400 Gbit/s = {fmt(400e9 / 8, 'B/s')}"),
        ("links", "data sheets add both directions: one has half of it"),
        ("FLOP/s", "peaks here are dense; a data sheet that says “sparse” prints twice as much"),
        ("bytes of a number", "4 in fp32, 2 in bf16 and fp16, 1 in fp8 and int8, 0.5 in int4"),
        ("8 billion weights", f"{fmt(8e9 * 2, 'B')} in bf16, {fmt(8e9 / 2, 'B')} in 4 bits"),
        ("a day", f"{24 * 3600:,} s: a million requests a day are {1e6 / 86_400:.1f} per second"),
        (
            "a month of 30 days",
            f"{30 * 24} h: $2.50 an hour is ${2.5 * 720:,.0f}".replace("$", r"\$"),
        ),
        (
            "99.9 % of a month",
            f"leaves {fmt(0.001 * 30 * 86_400, 's')}; 99.99 % {fmt(0.0001 * 30 * 86_400, 's')}",
        ),
    )
    return ReferenceCard(
        id="units",
        title="Units and their traps",
        topics=("B22", "A14"),
        header=("what", "how much"),
        rows=rows,
    )
