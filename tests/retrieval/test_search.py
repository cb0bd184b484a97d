"""Corpus, vectors, indexes, keywords, fusion: each against an independent calculation."""

import numpy as np
import pytest

from labutils import datafile
from labutils.retrieval import Embedder, ExactIndex, GraphIndex, KeywordIndex, fuse, read_corpus
from labutils.retrieval.embedder import _columns


@pytest.fixture(scope="module")
def texts():
    return [passage.words for passage in read_corpus()][:400]


def test_the_corpus_is_large_and_sorted():
    ids = [passage.id for passage in read_corpus()]
    assert len(ids) > 1_400 and ids == sorted(set(ids))
    assert datafile("corpus.jsonl").stat().st_size <= 1_500_000


@pytest.mark.parametrize("cut", [1, 40, 300])
def test_a_corpus_cut_in_the_middle_names_file_and_line(tmp_path, cut):
    whole = b"".join(datafile("corpus.jsonl").read_bytes().splitlines(keepends=True)[:7])
    path = tmp_path / "corpus.jsonl"
    path.write_bytes(whole[:-cut])
    with pytest.raises(ValueError, match=r"corpus.jsonl, line \d: cut in the middle"):
        read_corpus(path)
    path.write_bytes(whole[:20] + b"\n" + whole)
    with pytest.raises(ValueError, match=r"corpus.jsonl, line 1: expected a passage as JSON"):
        read_corpus(path)
    path.write_bytes(whole + whole)
    with pytest.raises(ValueError, match=r"line 8: id .* stands in line 1"):
        read_corpus(path)


def test_a_text_without_a_word_takes_its_place_among_others():
    places, _ = KeywordIndex(["", "a queue"]).search("queues", 2)
    assert places.tolist() == [1]


def test_json_that_is_nested_too_deep_names_file_and_line(tmp_path):
    path = tmp_path / "corpus.jsonl"
    path.write_text("[" * 100_000 + "\n")
    with pytest.raises(ValueError, match=r"corpus.jsonl, line 1: expected a passage as JSON"):
        read_corpus(path)


def test_vectors_have_length_one_and_come_out_the_same(texts):
    one, other = (Embedder.of(texts[:150], dimensions=17) for _ in range(2))
    vectors = one.embed(texts[:31])
    assert vectors.shape == (31, 17) and vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    np.testing.assert_allclose(vectors, other.embed(texts[:31]), atol=1e-5)
    assert not one.embed(["", "?!"]).any()


@pytest.mark.parametrize(
    ("texts", "says"),
    [([], "texts has 0: expected more than dimensions = 2"),
     (["one", "two"], "texts has 2: expected more than dimensions = 2"),
     (["?!", "", "..."], "texts has no word")],
)  # fmt: skip
def test_texts_that_teach_nothing_are_named(texts, says):
    with pytest.raises(ValueError, match=says):
        Embedder.of(texts, dimensions=2)


@pytest.mark.parametrize("texts", [[], ["?!"], ["the", "of"]])
def test_an_index_of_no_words_says_so(texts):
    with pytest.raises(ValueError, match="texts has no word that says something"):
        KeywordIndex(texts)


def test_a_word_of_any_length_has_a_vector_and_long_ones_are_not_kept(texts):
    embedder, (short, long) = Embedder.of(texts, dimensions=17), ("q" * 31 + "x", "q" * 33 + "x")
    before = _columns.cache_info().currsize
    assert embedder.embed([long]).any() and _columns.cache_info().currsize == before
    assert embedder.embed([short]).any() and _columns.cache_info().currsize == before + 1


def test_a_text_is_nearest_to_itself(texts):
    embedder = Embedder.of(texts)
    vectors = embedder.embed(texts)
    index = ExactIndex(vectors)
    own = [index.search(vectors[i], 1)[1][0] for i in range(0, 400, 37)]
    np.testing.assert_allclose(own, 1, atol=1e-5)


@pytest.mark.parametrize("kind", [ExactIndex, GraphIndex])
@pytest.mark.parametrize(("size", "dimension", "k"), [(1, 3, 1), (97, 5, 9), (300, 11, 300)])
def test_indexes_find_what_sorting_finds(kind, size, dimension, k):
    rng = np.random.default_rng(size)
    vectors = rng.normal(size=(size, dimension)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    query = vectors[size // 2] + 0.1
    options = {"search_width": 400, "build_width": 400} if kind is GraphIndex else {}
    places, scores = kind(vectors, **options).search(query, k)
    expected = sorted(range(size), key=lambda i: -float(vectors[i] @ query))[:k]
    if kind is ExactIndex:
        assert places.tolist() == expected
    else:
        assert len(set(places) & set(expected[: len(places)])) >= 0.9 * len(expected)
    np.testing.assert_allclose(scores, vectors[places] @ query, atol=1e-5)


def test_of_equal_texts_vectors_find_the_first_ones_as_words_do():
    texts = ["queue", *["cache flush"] * 40, "queue server", *["cache flush"] * 9]
    rows = {"queue": [1, 0], "cache flush": [0.5, 0.5], "queue server": [0.75, 0]}
    near = ExactIndex(np.array([rows[text] for text in texts])).search(np.array([0, 1.0]), 4)
    words = KeywordIndex(texts).search("flush", 4)
    assert near[0].tolist() == words[0].tolist() == [1, 2, 3, 4]
    best = ExactIndex(np.array([rows[text] for text in texts])).search(np.array([1.0, 0]), 4)
    assert best[0].tolist() == [0, 41, 1, 2]


@pytest.mark.parametrize("kind", [ExactIndex, GraphIndex])
def test_indexes_refuse_what_they_cannot_search(kind):
    good = np.eye(4, 3, dtype=np.float32) + 0.1
    bad = good.copy()
    bad[2, 1] = np.nan
    for vectors, words in ((bad, r"vectors\[2\]"), (good[:0], "shape"), (good[0], "shape")):
        with pytest.raises(ValueError, match=words):
            kind(vectors)
    index = kind(good)
    for query, k, words in (
        (good[0, :2], 1, "query has the shape"),
        (bad[2], 1, "query is not finite"),
        (good[0], 5, "k = 5"),
        (good[0], 0, "k = 0"),
    ):
        with pytest.raises(ValueError, match=words):
            index.search(query, k)


def test_bm25_against_the_formula():
    texts = ["queue queue server", "cache server page page", "cache flush", "queue cache queue"]
    places, scores = KeywordIndex(texts, k1=1.2, b=0.6).search("queue flush", 4)
    words = [text.split() for text in texts]
    mean = sum(map(len, words)) / 4
    expected = np.zeros(4)
    for word in ("queue", "flush"):
        seen = sum(word in one for one in words)
        idf = np.log(1 + (4 - seen + 0.5) / (seen + 0.5))
        for i, one in enumerate(words):
            count = one.count(word)
            expected[i] += idf * count / (count + 1.2 * (1 - 0.6 + 0.6 * len(one) / mean))
    np.testing.assert_allclose(scores, expected[places], rtol=1e-4)
    assert set(places) == set(np.flatnonzero(expected))
    assert KeywordIndex(texts).search("zebra", 2)[0].size == 0


def test_fusion_against_sums_by_hand():
    assert fuse([["a", "b", "c"], ["c", "d"]]) == ["c", "a", "b", "d"]
    assert fuse([["a", "b"], ["b", "a"]], weights=[1, 3]) == ["b", "a"]
    with pytest.raises(ValueError):
        fuse([["a"]], weights=[1.0, 2.0])
