"""Words as HTML: markdown with links of the site, texts of the catalog, Python in colours."""

import re

import pytest

from labutils.authoring.site import markup
from labutils.authoring.site.python_code import code_html


def test_a_number_stays_with_its_unit_and_a_price_is_no_formula():
    assert markup.plain("At 90 % it takes 10 ms of $5 and `a < b`, 3 times. $6") == (
        "At 90\xa0% it takes 10\xa0ms of $5 and <code>a &lt; b</code>, 3 times. $6"
    )
    assert "20\xa0GB" in markup.inline("20 GB of 3 sets")


def test_a_call_leads_to_what_stands_for_it():
    assert '<a href="#mm1.launch"><code>hint' in markup.inline('Try `hint("mm1.launch")`.')
    assert '<a href="#mm1.recovery">' in markup.inline('`predict("mm1.recovery", low=..., high=9)`')
    assert 'href="cards.html"' in markup.inline("At the end of `docs/cards.html`.")


CODE = '''\
@cached
async def load(n=1_000):  # a "comment"
    """A < B."""
    return f"{n} def" if n else None
'''


def test_code_keeps_its_characters_and_colours_its_words():
    html = code_html(CODE)
    bare = re.sub(r"</?(i|pre|code)[^>]*>", "", html)
    assert bare.replace("&lt;", "<") == CODE
    assert '<i class="made">load</i>' in html and '<i class="number">1_000</i>' in html
    assert '<i class="aside"># a "comment"</i>' in html and '<i class="word">async</i>' in html


@pytest.mark.parametrize("text", ["%pip install 'x", "curl -N {", "a\n  b\n c"])
def test_what_is_no_python_stands_as_it_is(text):
    assert code_html(text) == f'<pre class="code"><code>{text}</code></pre>'
