"""What sites ask of robots."""

from __future__ import annotations

import pytest
from tests.services.web.conftest import run

from hermes.services.web.crawler import Crawler
from hermes.services.web.crawling import Plan
from hermes.services.web.robots_text import asked

NAMES = ("hermes-tools", "hermes")


def may(text, path):
    return asked(text, NAMES).allows(f"https://a.example{path}")


@pytest.mark.parametrize(
    ("rule", "path", "is_kept_out"),
    [
        ("/a", "/a", True),
        ("/a", "/ab", True),
        ("/a", "/b", False),
        ("/a/", "/a", False),
        ("/*.pdf$", "/x/y.pdf", True),
        ("/*.pdf$", "/x/y.pdf?z=1", False),
        ("/*.pdf", "/x/y.pdf?z=1", True),
        ("/*?s=", "/q?s=1", True),
        ("*/end", "/any/end", True),
        ("/a$", "/a", True),
        ("/a$", "/ab", False),
        ("/a*b*c$", "/a-b-c", True),
        ("/a*b*c$", "/a-c", False),
        ("/a*a$", "/a", False),
        ("/%7euser", "/~user", True),
        ("/~user", "/%7Euser", True),
        ("/ü", "/%C3%BC", True),
        ("", "/a", False),
        ("private", "/private", False),
        ("/", "/robots.txt", False),
    ],
)
def test_a_rule_stands_for_paths(rule, path, is_kept_out):
    assert may(f"User-agent: *\nDisallow: {rule}", path) is not is_kept_out


@pytest.mark.parametrize("order", [0, 1])
def test_the_longest_rule_decides_and_of_two_as_long_the_kind_one(order):
    lines = ["Disallow: /priv", "Allow: /priv/ok"][:: 1 if order else -1]
    text = "\n".join(["User-agent: *", *lines])
    assert may(text, "/priv/ok")
    assert not may(text, "/priv/no")
    assert may("User-agent: *\nAllow: /a\nDisallow: /a", "/a")
    assert not may("User-agent: *\nAllow: /\nDisallow: /a", "/a")


@pytest.mark.parametrize("name", ["hermes", "Hermes-Tools", "HERMES"])
def test_what_is_asked_of_us_by_name_stands_before_what_is_asked_of_everybody(name):
    text = f"User-agent: *\nDisallow: /\n\nUser-agent: {name}\nDisallow: /a\nCrawl-delay: 2.5"
    assert may(text, "/b")
    assert not may(text, "/a")
    assert asked(text, NAMES).delay == 2.5


def test_several_robots_share_lines_and_groups_of_one_robot_are_one():
    text = "User-agent: x\nUser-agent: *\nDisallow: /a\n\nUser-agent: *\nDisallow: /b # why\n"
    assert not may(text, "/a")
    assert not may(text, "/b")
    assert may(text.replace("*", "y"), "/a")


def test_maps_are_found_wherever_they_stand_and_nonsense_is_passed_over():
    text = "\ufeffSITEMAP: https://a.example/m.xml\r\n<html>\0\r\nuser-agent : *\r\ndisallow:/a\r\n"
    found = asked(text, NAMES)
    assert found.sitemaps == ("https://a.example/m.xml",)
    assert not found.allows("https://a.example/a")
    assert asked("", NAMES).allows("https://a.example/a")
    assert asked("Crawl-delay: 5\nDisallow: /", NAMES).delay == 0


@pytest.mark.parametrize("delay", ["0.5", "1", ".25"])
def test_a_delay_may_be_a_fraction(delay):
    assert asked(f"User-agent: *\nCrawl-delay: {delay}", NAMES).delay == float(delay)


def test_a_rule_of_many_stars_is_judged_at_once():
    text = f"User-agent: *\nDisallow: /{'*a' * 2000}$"
    assert may(text, f"/{'a' * 1999}b")


@pytest.mark.parametrize(("status", "is_left_alone"), [(500, True), (503, True), (404, False),
                                                       (429, False), (403, True)])  # fmt: skip
def test_a_site_whose_rules_cannot_be_had_is_left_alone(
    web, caller, site, tmp_path, status, is_left_alone
):
    site.routes["/"] = "<p>hi</p>"
    site.routes["/robots.txt"] = (status, {"content-type": "text/plain"}, "")
    crawler = Crawler(web, tmp_path / "crawls")
    found = run(web, crawler.crawl(Plan(site.url()), caller))
    assert ("error" in found["pages"][0]) is is_left_alone
    assert ("/" in [each.path for each in site.requests]) is not is_left_alone
    if status >= 500:
        assert str(status) in found["pages"][0]["error"]
