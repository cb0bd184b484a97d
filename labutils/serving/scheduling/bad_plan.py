"""What is raised for a plan that cannot be carried out."""


class BadPlan(ValueError):
    """A scheduler asked for something impossible, or lost somebody.

    The message names the request, what was planned and what was expected. ``run`` holds all that a
    simulation had recorded before.
    """

    def __init__(self, message: str, run=None):
        super().__init__(message)
        self.run = run
