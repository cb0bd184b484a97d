"""The timed mock, and the report on it.

Read ``result`` (one question and how it went), ``places`` (where the course explains it),
``report`` (the text), ``report_page`` (the same as a page with the solutions), ``sitting`` (the
mock that leads there), ``lineup`` (which stories it asks), then ``interview`` (how one is made).
``simulated`` counts what a thousand of them ask.
"""
