"""What a router throws away: counterfactual regret, in pages."""

from collections import defaultdict


def leading(pages, sent) -> int:
    """How many pages at the beginning of a prompt are among those that were sent."""
    return next((n for n, page in enumerate(pages) if page not in sent), len(pages))


class Thrown:
    """Stands before ``router`` and counts in ``pages`` what each choice gave up.

    These are the leading pages of a prompt that some replica was sent before, less those that the
    chosen one was. What a replica has forgotten meanwhile is not known here.
    """

    def __init__(self, router):
        self.router, self.sent, self.pages = router, defaultdict(set), 0

    def choose(self, request, views) -> int:
        """The router's choice."""
        chosen = self.router.choose(request, views)
        known = {at: leading(request.pages, self.sent[at]) for at in views.up}
        self.pages += max(known.values()) - known[chosen]
        self.sent[chosen].update(request.pages)
        return chosen
