"""What an author wrote: ``solutions/NAME.py``, read.

Read ``source`` (header and cells of a chapter; ``include`` brings in functions of the package),
``solutions`` (answers between markers), then ``course`` (all chapters in order). ``python`` reads
a cell's code, ``stretches`` finds the checkpoints, ``definitions`` what a chapter may ask,
``executed`` pairs the cells with what they printed.
"""
