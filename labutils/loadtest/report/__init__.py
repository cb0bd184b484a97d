"""What a run showed.

1. ``figures``: quantiles with intervals, promises kept, lateness
2. ``load_report``: all figures of a run, from its records; a report as JSON
3. ``remarks``: what a reader has to know first, in sentences
4. ``report_table``, ``report_page``: the report as text, and as a page
"""
