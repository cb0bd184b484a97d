"""Buy tokens or make them: the demand at which both cost the same."""

from labutils.ground import arguments


def break_even_per_day(
    fixed_per_day: float, bought_per_token: float, made_per_token: float = 0.0
) -> float:
    """Tokens a day from which own machines are cheaper: fixed / (bought - made), money per token.

    ``made_per_token`` is what each own token adds to the fixed cost. Raises ``ValueError`` unless
    bought tokens cost more than that: then no volume pays for the machines.
    """
    fixed = arguments.positive("fixed_per_day", fixed_per_day)
    bought = arguments.positive("bought_per_token", bought_per_token)
    made = arguments.non_negative("made_per_token", made_per_token)
    if made >= bought:
        raise ValueError(
            f"made_per_token = {made_per_token!r}: expected less than "
            f"bought_per_token = {bought_per_token!r}"
        )
    return fixed / (bought - made)


def monthly_cost(price_per_hour: float, machines: int, *, days: float = 30) -> float:
    """What rented machines cost in ``days`` days, busy or not: price · machines · 24 · days."""
    price = arguments.non_negative("price_per_hour", price_per_hour)
    return price * arguments.whole("machines", machines) * 24 * arguments.positive("days", days)
