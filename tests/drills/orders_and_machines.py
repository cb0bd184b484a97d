"""The drills on orders of service and on more machines, solved from the words that they print."""

import re

import numpy as np

from labutils.ground.units import parse

TIME = r"([\d.,]+ (?:ms|µs|s)\b|\d+ min(?: \d+ s)?|\d+ h(?: \d+ min)?)"


def figure(pattern: str, text: str) -> float:
    return float(re.search(pattern, text)[1].replace(",", ""))


def machines_at_the_peak(drill):
    text = drill.story
    rates = [float(r.replace(",", "")) for r in re.findall(r"([\d.,]+) req/s", text)]
    few, many = (int(n) for n in re.findall(r", (\d+) complete", text))
    # Time of a request by number of machines, against one alone: 1 + a (N - 1) + b N (N - 1).
    rows = [[n - 1, n * (n - 1)] for n in (few, many)]
    cost = [n * rates[0] / rate - 1 for n, rate in zip((few, many), rates[1:])]
    a, b = np.linalg.solve(rows, cost)

    def throughput(n):
        return n * rates[0] / (1 + a * (n - 1) + b * n * (n - 1))

    grid = np.linspace(1, 10 * many, 2_000_001)
    ordered = figure(r"orders (\d+)", drill.follow_up.story)
    wrong = {"best-measured": many if rates[2] > rates[1] else few}
    return [grid[throughput(grid).argmax()], throughput(ordered)], wrong


def twice_the_machines(drill):
    a, b = (
        figure(rf"([\d.]+) {term}", drill.story) for term in (r"\(N − 1\)\s*\+", r"N \(N − 1\)")
    )
    now, twice = figure(r"You have\s+(\d+)", drill.story), figure(r"“(\d+)", drill.story)
    cost = {n: 1 + a * (n - 1) + b * n * (n - 1) for n in (now, twice)}
    grid = np.linspace(1, 60 * now, 2_000_001)
    best = grid[(grid / (1 + a * (grid - 1) + b * grid * (grid - 1))).argmax()]
    gain = twice / cost[twice] / (now / cost[now])
    expected = "falls" if gain < 1 else "less than half" if gain < 1.5 else "half or more"
    assert expected in drill.options.texts[drill.options.right]
    wrong = {"against-one": twice / cost[twice], "cost-alone": cost[twice] / cost[now]}
    return [gain, best], wrong


def mix(drill):
    """Work of a short and of a long one, their rates, and the mean work left in service."""
    short, long = (parse(shown, "s") for shown in re.findall(TIME, drill.story)[:2])
    share = figure(r"([\d.]+) % are", drill.story) / 100
    rate = figure(r"Together ([\d.,]+) req/s", drill.story)
    rates = (rate * (1 - share), rate * share)
    rest = (rates[0] * short**2 + rates[1] * long**2) / 2
    return (short, long), rates, rest


def shared_or_in_turn(drill):
    (short, long), (often, rarely), rest = mix(drill)
    idle = 1 - often * short - rarely * long
    return [short / idle, rest / idle + short], {"in-turn": rest / idle + short}


def shortest_first(drill):
    (short, long), (often, rarely), rest = mix(drill)
    without_short = 1 - often * short
    idle = without_short - rarely * long
    waits = rest / without_short, rest / without_short / idle
    mean = (often * waits[0] + rarely * waits[1]) / (often + rarely)
    stay = waits[1] + short + (long - short) / without_short
    return [mean, stay], {"in-order": rest / idle, "short-ones-alone": waits[0]}


SOLVED = (machines_at_the_peak, twice_the_machines, shared_or_in_turn, shortest_first)
