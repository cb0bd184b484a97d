"""The nearest vectors: exactly, with numpy alone, or about, with a graph that skips most of them.

Both say ``search(query, k)``: places of the k vectors with the largest inner product, best first,
and the products. For unit vectors that is the cosine.
"""

import numpy as np

from labutils.ground import arguments


def nearest(vectors: np.ndarray, query: np.ndarray, k: int) -> np.ndarray:
    """Places of the ``k`` rows of ``vectors`` with the largest inner product, best first.

    Of equal ones the first, as in a search by words: so identical texts meet where both are fused.
    """
    scores = vectors @ query
    best = np.flatnonzero(scores >= np.partition(scores, -k)[-k])
    return best[np.argsort(-scores[best], kind="stable")][:k]


class ExactIndex:
    """Compares a query with every vector: always right, and quick up to some 10⁵ vectors."""

    def __init__(self, vectors: np.ndarray):
        self.vectors = checked_vectors(vectors)

    def search(self, query: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Places and inner products of the ``k`` nearest; ``ValueError`` as ``checked_query``."""
        query, k = checked_query(query, k, self.vectors.shape)
        best = nearest(self.vectors, query, k)
        return best, self.vectors[best] @ query


class GraphIndex:
    """A hierarchical navigable small world (Malkov and Yashunin, 2018), from faiss.

    ``neighbours`` is M, ``build_width`` efConstruction, ``search_width`` efSearch: a wider search
    finds more of the true neighbours and takes longer. How many it finds depends on the vectors.
    """

    def __init__(
        self, vectors: np.ndarray, *, neighbours: int = 16, build_width: int = 64,
        search_width: int = 64,
    ):  # fmt: skip
        import faiss

        vectors = checked_vectors(vectors)
        self.shape = vectors.shape
        kind = faiss.METRIC_INNER_PRODUCT
        self.graph = faiss.IndexHNSWFlat(vectors.shape[1], neighbours, kind)
        self.graph.hnsw.efConstruction = build_width
        self.graph.hnsw.efSearch = arguments.whole("search_width", search_width)
        self.graph.add(vectors)

    def search(self, query: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
        """As ``ExactIndex.search``; fewer than ``k`` where the graph found no more."""
        query, k = checked_query(query, k, self.shape)
        scores, places = self.graph.search(query[None], k)
        found = places[0] >= 0
        return places[0][found], scores[0][found]


def checked_vectors(vectors: np.ndarray) -> np.ndarray:
    """``vectors`` as float32 [number, dimension], if there are any and all are finite."""
    vectors = np.ascontiguousarray(vectors, dtype=np.float32)
    if vectors.ndim != 2 or 0 in vectors.shape:
        raise ValueError(f"vectors has the shape {vectors.shape}: expected [number, dimension]")
    if not np.isfinite(vectors).all():
        row = int(np.flatnonzero(~np.isfinite(vectors).all(axis=1))[0])
        raise ValueError(f"vectors[{row}] is not finite: expected no NaN and no infinity")
    return vectors


def checked_query(query: np.ndarray, k: int, shape: tuple[int, int]) -> tuple[np.ndarray, int]:
    """``query`` as float32 of the index's dimension and ``k`` of at most its size, or an error."""
    query = np.asarray(query, dtype=np.float32)
    if query.shape != shape[1:]:
        raise ValueError(f"query has the shape {query.shape}: expected {shape[1:]}, as the index")
    if not np.isfinite(query).all():
        raise ValueError("query is not finite: expected no NaN and no infinity")
    return query, arguments.whole("k", k, at_most=shape[0])
