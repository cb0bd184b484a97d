"""When a drill comes back: all of it is read from the journal, there is no second store.

Read ``attempts`` (what became of each question), ``recall`` (predictions of the chapters that come
back as drills), ``schedule`` (what is due), then ``choosing`` (which one is next).
"""
