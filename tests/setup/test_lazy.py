"""Names that load when they are first used."""

import sys

import pytest

INIT = """
from labutils.lazy import lazily
_HOME = {"answer": "inner"}
__all__ = sorted(_HOME)
__getattr__, __dir__ = lazily(__name__, _HOME)
plain = 7
"""


@pytest.fixture
def package(tmp_path, monkeypatch):
    folder = tmp_path / "lazy_toy"
    folder.mkdir()
    (folder / "__init__.py").write_text(INIT)
    (folder / "inner.py").write_text("answer = object()\n")
    monkeypatch.syspath_prepend(tmp_path)
    yield __import__("lazy_toy")
    for name in ("lazy_toy", "lazy_toy.inner"):
        sys.modules.pop(name, None)


def test_a_name_loads_its_module_when_it_is_asked_for(package):
    assert "lazy_toy.inner" not in sys.modules
    assert {"answer", "plain"} <= set(dir(package))
    assert "lazy_toy.inner" not in sys.modules
    assert package.answer is sys.modules["lazy_toy.inner"].answer


def test_an_unknown_name_is_no_attribute_of_the_package(package):
    with pytest.raises(AttributeError, match="module 'lazy_toy' has no attribute 'question'"):
        package.question  # noqa: B018
    with pytest.raises(ImportError, match="question"):
        from lazy_toy import question  # noqa: F401
