"""Load tests of the table, with fewer requests and shorter answers."""

from dataclasses import replace

from labutils.serving.measured import MeasuredRun, measured_run


def small_run(name: str, *rates: float, requests: int, output_tokens: int) -> MeasuredRun:
    """The run of that name with one stage at each rate; its figures are not those of the load."""
    run = measured_run(name)
    stages = tuple(
        replace(run.stages[0], rate_per_s=rate, requests=requests, duration_s=requests / rate)
        for rate in rates
    )
    return replace(run, stages=stages, output_tokens=output_tokens)
