"""A small library, the draft model and an engine, for the tests of the assistant."""

import pytest

from labutils.retrieval import Library, read_corpus


@pytest.fixture(scope="session")
def library():
    passages = [p for p in read_corpus() if p.source in ("glossary", "card/symbols")]
    return Library.of(passages, dimensions=24, tenants=("course", "other"))


@pytest.fixture(scope="session")
def draft():
    from labutils.serving.checkpoints.checkpoint import course_model

    return course_model("draft")


@pytest.fixture
def engine(draft):
    from labutils.engine import Engine

    model, tokenizer = draft
    return Engine(model, tokenizer=tokenizer, num_pages=160, max_sequences=4)
