"""The worst age adds up; the mean is tried out, over moments at which a page may change."""

import re

MOMENTS = [(number + 0.5) / 200 for number in range(200)]  # as parts of a period


def solve(drill):
    minutes = [int(shown) for shown in re.findall(r"(\d+) minutes", drill.story)]
    look, embed, build, make, kept = minutes
    in_use = [look * one + embed + build * other + make for one in MOMENTS for other in MOMENTS]
    mean = sum(in_use) / len(in_use)
    wrong = {"pipeline-alone": 60 * (look + embed + build + make)}
    return [60 * (look + embed + build + make + kept), 60 * mean], wrong
