"""Whose first token is due first."""

from labutils.serving.scheduling.ordered import Ordered

from .promising import Promising


class EarliestDeadline(Promising, Ordered):
    """The request whose first token is due first starts first; nothing that runs is set aside.

    Where the first token ends the work, as with prompts read one by one, no other order of those
    that wait together has a smaller largest lateness (Jackson, 1955): if any order keeps all
    promises, this one does. Where a place stays taken until the last token it may not: a long
    answer that is due first makes the next one late. In overload it falls like dominoes: it works
    on what is nearly late, which makes the next one late.
    """

    in_order = False

    def __init__(self, *args, **options):
        super().__init__(*args, by=lambda one: self.promises.first_token_by_s(one), **options)
