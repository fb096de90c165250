"""Pages read through the whole pipeline: many at once, in windows, by a question, summed up."""

from __future__ import annotations

import io
import socket
import threading
import zipfile

import pytest
from tests.tools.web.conftest import OPEN, article

PDF = "application/pdf"
WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


def pages(answer):
    return answer["pages"]


def test_five_pages_are_read_at_once(call, site):
    everybody = threading.Barrier(5, timeout=10)

    def wait(request):
        everybody.wait()
        return article(title=f"Page {request.path[1:]}")

    urls = [site.url(f"/{n}") for n in range(5)]
    for n in range(5):
        site.routes[f"/{n}"] = wait
    found = pages(call("web_extract", urls=urls))
    assert [each["url"] for each in found] == urls
    assert [each["title"] for each in found] == [f"Page {n}" for n in range(5)]


def test_one_failure_of_five_spoils_nothing(call, site):
    for n in range(3):
        site.routes[f"/{n}"] = article()
    urls = [
        site.url("/0"), site.url("/gone"), site.url("/1"), closed_place(), site.url("/2"),
    ]  # fmt: skip
    answer = call("web_extract", urls=urls)
    assert answer["failed"] == 2
    assert ["error" in each for each in pages(answer)] == [False, True, False, True, False]
    assert pages(answer)[1]["code"] == "http_error"


def test_an_address_that_is_denied_spoils_none_of_the_others(call, site):
    site.routes["/"] = article()
    inside = "http://169.254.169.254/latest/meta-data/"
    answer = call("web_extract", urls=[inside, site.url(), inside])
    assert answer["failed"] == 1
    assert [each.get("code") for each in pages(answer)] == ["denied", None]
    assert "only the user can change it" in pages(answer)[0]["hint"]
    assert call("web_extract", urls=[inside])["code"] == "denied"
    assert call("web_extract", urls=[inside, inside])["code"] == "denied"


def test_more_than_five_or_none_are_refused(call):
    assert call("web_extract", urls=[])["code"] == "invalid_arguments"
    six = [f"https://a.example/{n}" for n in range(6)]
    assert call("web_extract", urls=six)["code"] == "invalid_arguments"


@pytest.mark.parametrize("name", ["url", "urls"])
def test_one_address_may_be_given_as_it_is(call, site, name):
    site.routes["/"] = article()
    assert "Rivers" in pages(call("web_extract", **{name: site.url()}))[0]["content"]


@pytest.mark.parametrize(
    ("wanted", "mark"), [("markdown", "# Rivers"), ("html", "<h1>Rivers</h1>")]
)
def test_an_article_comes_in_the_form_that_is_wanted(call, site, wanted, mark):
    site.routes["/"] = article()
    content = pages(call("web_extract", urls=[site.url()], format=wanted))[0]["content"]
    assert mark in content
    assert "Menu" not in content


def test_a_long_page_is_read_in_windows_without_loss(call, site):
    words = " ".join(f"Sentence number {n} is here." for n in range(2_000))
    site.routes["/"] = article(words, 1)
    whole, offset = "", 0
    while True:
        page = pages(call("web_extract", urls=[site.url()], char_limit=9_000, offset=offset))[0]
        whole += page["content"]
        if "next_offset" not in page:
            break
        offset = page["next_offset"]
    assert len(whole) == page["total_chars"]
    assert all(f"number {n} " in whole for n in range(2_000))
    assert len(site.requests) >= 1


def test_a_question_shows_the_paragraphs_that_fit_it(call, site):
    parts = "".join(f"<p>Paragraph {n} speaks of plain matters at length.</p>" for n in range(200))
    fitting = "<p>The capital of Mongolia is Ulaanbaatar, on the Tuul river.</p>"
    site.routes["/"] = f"<article><h1>Facts</h1>{parts}{fitting}{parts}</article>"
    page = pages(
        call("web_extract", urls=[site.url()], char_limit=400, query="capital of Mongolia")
    )[0]
    assert "Ulaanbaatar" in page["content"]
    assert len(page["content"]) < 500
    assert page["excerpt_for"] == "capital of Mongolia"


def test_a_summary_is_the_answer_of_the_model(door, site, tmp_path):
    script = tmp_path / "script.yaml"
    script.write_text("steps:\n  - text: It is about rivers.\n")
    site.routes["/"] = article()
    call = door(config={**OPEN, "model": {"name": f"scripted:{script}"}})
    page = pages(call("web_extract", urls=[site.url()], summarize=True))[0]
    assert page["summary"] == "It is about rivers."
    assert "content" not in page


def test_a_summary_without_a_model_says_so_for_each_page(call, site):
    site.routes["/"] = article()
    page = pages(call("web_extract", urls=[site.url()], summarize=True))[0]
    assert page["code"] == "unavailable"
    assert "model" in page["error"]


def test_documents_are_read_by_what_they_are(call, site):
    site.routes["/a"] = (200, {"content-type": "application/octet-stream"}, pdf("Hello from PDF"))
    site.routes["/b.docx"] = (200, {"content-type": WORD}, docx("Hello from Word"))
    site.routes["/c"] = (200, {"content-type": "application/json"}, b'{"b":[1]}')
    site.routes["/d"] = (
        200,
        {"content-type": "text/plain; charset=utf-16"},
        "añb".encode("utf-16"),
    )
    rss = (
        "<rss version='2.0'><channel><title>News</title><item><title>One</title>"
        "<link>https://a.example/1</link></item></channel></rss>"
    )
    site.routes["/e"] = (200, {"content-type": "application/rss+xml"}, rss)
    urls = [site.url(path) for path in ("/a", "/b.docx", "/c", "/d", "/e")]
    found = pages(call("web_extract", urls=urls))
    assert [each.get("type") for each in found] == ["pdf", "docx", "json", "text", "feed"], found
    said = ("Hello from PDF", "Hello from Word", '"b"', "añb", "One")
    assert all(words in each["content"] for words, each in zip(said, found, strict=True))


def test_what_has_no_text_is_told_with_a_way_out(call, site):
    site.routes["/"] = (200, {"content-type": "image/png"}, b"\x89PNG\0")
    page = pages(call("web_extract", urls=[site.url()]))[0]
    assert page["code"] == "not_text"
    assert "save_to" in page["hint"]


def test_without_its_extra_a_tool_names_the_command_that_installs_it(monkeypatch, door):
    monkeypatch.setattr("hermes.runtime.extras.installed", lambda extra: extra != "web")
    answer = door()("web_extract", urls=["https://a.example/"])
    assert answer["code"] == "unavailable"
    assert "pip install 'hermes-tools[web]'" in answer["error"], answer


def closed_place():
    """Return an address where nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return f"http://127.0.0.1:{listener.getsockname()[1]}/"


def pdf(words):
    """Return the smallest PDF that says something."""
    stream = f"BT /F1 24 Tf 72 700 Td ({words}) Tj ET".encode()
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R"
        b" /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    made, places = b"%PDF-1.4\n", []
    for number, each in enumerate(objects, 1):
        places.append(len(made))
        made += b"%d 0 obj\n%s\nendobj\n" % (number, each)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    head = b"xref\n0 6\n0000000000 65535 f \n" + table
    return made + head + b"trailer << /Size 6 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % len(made)


def docx(words):
    """Return a Word document of one paragraph."""
    space = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    text = f"<w:p><w:r><w:t>{words}</w:t></w:r></w:p>"
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr(
            "word/document.xml",
            f'<w:document xmlns:w="{space}"><w:body>{text}</w:body></w:document>',
        )
    return made.getvalue()
