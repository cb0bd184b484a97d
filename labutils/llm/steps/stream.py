"""One streamed answer: its first token, then a gap for each further one."""

from labutils.ground import arguments


def stream_duration_s(ttft_s: float, tpot_s: float, output_tokens: int) -> float:
    """Seconds from the request to its last token: TTFT + (n − 1) · TPOT.

    The first token is inside TTFT, so n tokens leave n − 1 gaps (vLLM ``benchmarks/serve.py``
    defines TPOT so; ``labutils.metrics`` measures it so).

    >>> round(stream_duration_s(0.5, 0.03, 500), 2)
    15.47
    """
    first = arguments.non_negative("ttft_s", ttft_s)
    gap = arguments.non_negative("tpot_s", tpot_s)
    return first + (arguments.whole("output_tokens", output_tokens) - 1) * gap


def tpot_for_duration_s(duration_s: float, ttft_s: float, output_tokens: int) -> float:
    """The TPOT at which ``output_tokens`` are out after ``duration_s``: its inverse.

    Raises ``ValueError`` where a single token leaves no gap, or TTFT alone takes longer.
    """
    first = arguments.non_negative("ttft_s", ttft_s)
    tokens = arguments.whole("output_tokens", output_tokens, at_least=2)
    if arguments.positive("duration_s", duration_s) < first:
        raise ValueError(f"duration_s = {duration_s!r}: expected at least ttft_s = {ttft_s!r}")
    return (duration_s - first) / (tokens - 1)
