"""Stories that several templates about one server share."""

ONE_AT_A_TIME = (  # what it is, shortest and longest mean work in s
    ("A reranker runs on one GPU and takes one query at a time", 0.01, 0.2),
    ("One GPU transcribes voice notes, one after the other", 0.3, 4),
    ("The team's own code assistant serves one request at a time on one GPU", 0.4, 5),
)
MEMORYLESS = (
    "Requests come independently of each other. Their work varies a lot and has no memory: however "
    "long one has run already, the work still to come is on average the full mean again"
)
