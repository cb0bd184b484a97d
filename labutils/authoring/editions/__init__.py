"""The two notebooks that are made of a chapter.

Read ``opening`` (its first and last cells), ``editions`` (a notebook put together), ``execute`` (it
is run), ``outputs`` (what of the outputs is kept), then ``figures`` (what the README shows).
"""
