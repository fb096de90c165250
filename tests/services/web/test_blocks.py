"""Code and tables of articles."""

from __future__ import annotations

import pytest

from hermes.services.web.extract.articles import read

WORDS = "The committee met on Tuesday to discuss the harbour, its cranes and the new bridge. " * 5
CODE = """<div class="highlight-python notranslate"><div class="highlight"><pre><span></span>\
<span class="k">def</span> <span class="nf">f</span>(x):
    <span class="k">return</span> x

<span class="k">class</span> A:
    pass
</pre></div></div>"""
SHOWN = "def f(x):\n    return x\n\nclass A:\n    pass\n"


def article(middle, format="markdown"):
    html = f"<article><h1>Harbour</h1><p>{WORDS}</p>{middle}<p>{WORDS}</p></article>"
    return read(f"<html><body>{html}</body></html>", "https://x.test/", format).text


@pytest.mark.parametrize(
    ("html", "wanted"),
    [
        (CODE, f"```python\n{SHOWN}```"),
        ('<pre class="language-rust"><code class="language-rust"><b>fn</b> a() {\n\n}</code></pre>',
         "```rust\nfn a() {\n\n}\n```"),
        ('<div class="highlight highlight-source-js"><pre>a;\n\nb;</pre></div>',
         "```js\na;\n\nb;\n```"),
        ("<pre>a   b\n  c\n\n\nd</pre>", "```\na   b\n  c\n\n\nd\n```"),
        ('<pre><code class="language-sh">pip install x</code></pre>', "```sh\npip install x\n```"),
        ("<pre>one<br>two<br><br>four</pre>", "```\none\ntwo\n\nfour\n```"),
        ("<pre><code>a\n```\n| b | c |\n| d | e |</code></pre>",
         "````\na\n```\n| b | c |\n| d | e |\n````"),
        ("<ul><li>Do this:<pre><code>x\n\n  y</code></pre></li><li>then</li></ul>",
         "- Do this:\n  ```\n  x\n\n    y\n  ```"),
        ("<table><tr><td><pre>1\n2</pre></td><td><pre><code>int a;\nint b;</code></pre></td></tr>"
         "</table>", "```\nint a;\nint b;\n```"),
    ],
)  # fmt: skip
def test_code_is_kept_as_it_was_written(html, wanted):
    text = article(html)
    assert wanted in text
    assert "\u2e3b" not in text
    assert "\u2424" not in text


def test_code_in_text_and_html_is_plain():
    assert f"\n{SHOWN}" in article(CODE, "text")
    assert "\u2e3b" not in article(CODE, "text")
    html = article(CODE, "html")
    assert f'<pre><code class="language-python">{SHOWN}</code></pre>' in html
    assert "\u2e3b" not in html


@pytest.mark.parametrize(
    ("rows", "wanted"),
    [
        ("<caption>Ships</caption><tr><th>Year<th>Number<tr><td>2024<td>40",
         "Ships\n\n| Year | Number |\n|---|---|\n| 2024 | 40 |\n"),
        ("<tr><td>2024<td>40<tr><td>2025<td>41", "| 2024 | 40 |\n|---|---|\n| 2025 | 41 |\n"),
        ("<tr><th>Year<th>a | b<tr><td>1<td>2", "| Year | a \\| b |\n|---|---|\n| 1 | 2 |\n"),
        ("<tr><th>Year<td>2024<tr><th>Ships<td>40", "| Year | 2024 |\n|---|---|\n| Ships | 40 |\n"),
    ],
)  # fmt: skip
def test_a_table_has_one_head_and_a_rule_under_it(rows, wanted):
    assert wanted in article(f"<table>{rows}</table>")


def test_html_keeps_what_lists_and_heads_are():
    html = article("<table><tr><th>Year<th>Ships<tr><td>2024<td>40</table>"
                   "<ol><li>one<li>two</ol><p>H<sub>2</sub>O and more words</p>", "html")  # fmt: skip
    for piece in ("<th>Year</th>", "<ol><li>one</li>", "H<sub>2</sub>O"):
        assert piece in html
