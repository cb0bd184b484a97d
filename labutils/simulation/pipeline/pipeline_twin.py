"""The pipeline as a story, in SimPy: read this one, run ``run_pipeline``.

A request lives through ``walk``: it goes from part to part, and into all branches at once. See
``labutils.simulation.queues.twins`` for the words that SimPy uses.
"""

import numpy as np
import simpy

from labutils.laws.queueing import Stage
from labutils.simulation.pipeline.pipeline_run import PipelineRun, checked
from labutils.simulation.pipeline.plan import stages_of


def run_pipeline(plan, arrival_s, service_s) -> PipelineRun:
    """Tell the story of ``run_pipeline``: same arguments, result and errors."""
    parts, arrivals, services = checked(plan, arrival_s, service_s)
    site = Site(parts, arrivals, services)
    site.env.process(users(site, arrivals.tolist()))
    site.env.run()
    ready, start, done = site.diary
    return PipelineRun(parts, arrivals, ready.T, start.T, done.T, services.T)


class Site:
    """The stages with their servers, what each request asks of them, and a diary."""

    def __init__(self, parts, arrivals, services):
        self.parts, self.services = parts, services
        self.env = simpy.Environment(initial_time=float(arrivals[0]))
        stages = stages_of(parts)
        self.servers = [simpy.Resource(self.env, capacity=stage.servers) for stage in stages]
        self.column = {stage: i for i, stage in enumerate(stages)}
        self.diary = np.full((3, len(stages), arrivals.size), np.nan)


def users(site, arrival_s):
    """Send every request at its time, whatever became of those before: an open system."""
    for number, arrival in enumerate(arrival_s):
        yield site.env.timeout(max(0.0, arrival - site.env.now))
        site.env.process(walk(site, site.parts, number))


def walk(site, row, number):
    """Take one request through a row of parts."""
    for part in row:
        if isinstance(part, Stage):
            yield from visit(site, site.column[part], number)
        else:
            branches = [site.env.process(walk(site, each, number)) for each in part.branches]
            yield site.env.all_of(branches)


def visit(site, stage, number):
    """Wait for a server of one stage, and be served."""
    ready = site.env.now
    with site.servers[stage].request() as turn:
        yield turn
        start = site.env.now
        yield site.env.timeout(site.services[stage, number])
    site.diary[:, stage, number] = ready, start, site.env.now
