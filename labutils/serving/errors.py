"""What can be wrong with a request or with a plan."""


class RequestTooLong(ValueError):
    """A request that could outgrow the whole memory: it is rejected when it arrives."""


class BadPlan(ValueError):
    """A scheduler asked for something impossible; ``run`` holds all that was recorded before.

    The message names the request, what was planned and what was expected.
    """

    def __init__(self, message: str, run=None):
        super().__init__(message)
        self.run = run
