"""The timed mock, and the report on it.

Read ``result`` (one question and how it went), ``places`` (where the course explains it),
``report`` (the text), ``report_page`` (the same as a page with the solutions), then ``interview``
(the mock that leads there).
"""
