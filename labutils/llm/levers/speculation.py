"""Speculative decoding: tokens per verification, and what drafting them costs."""

from labutils.ground import arguments

MOST_DRAFTS = 100_000  # a sum of as many terms; real engines draft a handful


def tokens_per_verification(acceptance: float, drafts: int) -> float:
    """Expected tokens that one step of the target yields: (1 − αᵏ⁺¹) / (1 − α).

    Each of the k ``drafts`` is accepted with probability ``acceptance`` (α) if all before it were;
    the target adds one token of its own, in place of the first rejected draft or after the last
    (Leviathan, Kalman and Matias, ICML 2023, equation 1).

    >>> round(tokens_per_verification(0.8, 5), 2)
    3.69
    """
    alpha = _chance("acceptance", acceptance)
    count = arguments.whole("drafts", drafts, at_least=0, at_most=MOST_DRAFTS)
    return sum(alpha**accepted for accepted in range(count + 1))


def speculation_speedup(
    acceptance: float, drafts: int, cost_ratio: float, *, verification_cost: float = 1.0
) -> float:
    """How many times as fast tokens come: E / (v + k · r) (Leviathan et al., 2023, theorem 3.8).

    ``cost_ratio`` (r) is the time of a draft step, and ``verification_cost`` (v) that of verifying
    k + 1 positions, both in ordinary steps of the target. v is 1 while the step waits for memory,
    and nears k + 1 once it waits for arithmetic.

    >>> round(speculation_speedup(0.8, 5, 0.1), 2)
    2.46
    """
    ratio = arguments.non_negative("cost_ratio", cost_ratio)
    verifying = arguments.positive("verification_cost", verification_cost)
    return tokens_per_verification(acceptance, drafts) / (verifying + drafts * ratio)


def _chance(name: str, value: float) -> float:
    number = arguments.non_negative(name, value)
    if number > 1:
        raise ValueError(f"{name} = {value!r}: expected a probability, 0 to 1")
    return number
