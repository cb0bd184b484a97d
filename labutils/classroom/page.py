"""A notebook as a page that needs no network: nothing is loaded from anywhere."""

import re

from nbformat import NotebookNode

# nbconvert's own page loads MathJax, require.js and mermaid from other hosts.
_TEMPLATE = """{% extends 'lab/index.html.j2' %}
{% block html_head_js %}{% endblock %}
{% block html_head_js_mathjax %}{% endblock %}
{% block html_head_js_mermaidjs %}{% endblock %}
{% block jupyter_widgets %}{% endblock %}
"""
_LOADS = re.compile(
    r"<script\b|@import\b|url\(\s*[\"']?(?:https?:)?//"
    r"|<(?:img|link|iframe|source|video|audio|embed|object)\b[^>]*?"
    r"(?:src|href|data)\s*=\s*[\"']?(?:https?:)?//",
    re.IGNORECASE,
)


def page(notebook: NotebookNode, *, title: str) -> str:
    """The notebook's text and outputs as HTML; code cells stay out.

    Raises ``RuntimeError`` if the page would load anything: a fault of ours.
    """
    from nbconvert import HTMLExporter

    # Without prompts text begins where the outputs below it do.
    plain = {"exclude_input_prompt": True, "exclude_output_prompt": True}
    exporter = HTMLExporter(exclude_input=True, **plain)
    exporter.raw_template = _TEMPLATE
    text, _ = exporter.from_notebook_node(notebook, {"metadata": {"name": title}})
    if found := loads_from_elsewhere(text):
        raise RuntimeError(f"the page loads from elsewhere: {', '.join(found)}")
    return text


def loads_from_elsewhere(text: str) -> list[str]:
    """What a page would fetch from other hosts when it is opened; scripts count, all of them."""
    return sorted({found.group(0)[:80] for found in _LOADS.finditer(text)})
