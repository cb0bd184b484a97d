"""The engine's own ``BlockManager``, read as the stories of lab 5 read the learner's pool."""

from labutils.serving import BlockManager, OutOfBlocks

from .books import PoolBooks


class Oracle(BlockManager):
    """Shares pages, and keeps those that nobody holds until they are needed."""

    attempt = PoolBooks.attempt

    def audit(self) -> dict[str, int]:
        """Its own check has recounted everything."""
        self.check()
        return {"free": self.num_free, "lost": 0, "twice": 0, "miscounted": 0}

    def layout(self) -> dict:
        """All block tables, with pages named in the order in which they appear there."""
        names: dict[int, int] = {}
        return {
            request: [names.setdefault(page, len(names)) for page in pages]
            for request, pages in self.tables().items()
        }


class Unshared(Oracle):
    """Shares nothing."""

    def __init__(self, num_blocks: int, page_tokens: int = 16):
        super().__init__(num_blocks, page_tokens, prefix_sharing=False)

    def allocate(self, request_id, tokens, keys=(), *, count=True):
        return super().allocate(request_id, tokens)


class Forgetful(Oracle):
    """Shares among those inside; a page that nobody holds any more is forgotten."""

    def free(self, request_id) -> None:
        super().free(request_id)
        if idle := self.num_idle:
            self._blank += self._runs.evict(idle)
            self.check()


__all__ = ["Forgetful", "Oracle", "OutOfBlocks", "Unshared"]
