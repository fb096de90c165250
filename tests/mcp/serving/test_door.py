import pytest

from hermes.mcp.serving.door import Door

HERE = Door("127.0.0.1", 8000)
EVERYWHERE = Door("0.0.0.0", 8000, "token", hosts=("tools.example",))


@pytest.mark.parametrize(
    "host", ["127.0.0.1:8000", "localhost:1", "LOCALHOST", "[::1]:8000", "127.9.9.9"]
)
def test_names_of_this_machine_are_known(host):
    assert HERE.refusal(host, None, "") is None


@pytest.mark.parametrize(
    "host", ["", ":8000", "evil.example", "10.0.0.1", "localhost.evil.example", "[::2]:80"]
)
def test_other_names_are_not(host):
    assert HERE.refusal(host, None, "") == (403, "Invalid Host header")


@pytest.mark.parametrize(
    ("host", "is_known"),
    [
        ("10.0.0.1:8000", True),
        ("tools.example", True),
        ("Tools.Example:8000", True),
        ("[fe80::1]", True),
        ("evil.example", False),
    ],
)
def test_a_server_for_others_is_reached_by_address_or_by_a_name_that_it_was_given(host, is_known):
    refused = EVERYWHERE.refusal(host, None, "Bearer token")
    assert (refused is None) is is_known


@pytest.mark.parametrize("origin", ["http://localhost:3000", "https://127.0.0.1", "http://[::1]:9"])
def test_pages_of_this_machine_may_use_it(origin):
    assert HERE.refusal("localhost", origin, "") is None


@pytest.mark.parametrize(
    "origin",
    ["null", "", "https://evil.example", "http://localhost.evil.example", "file://", "http://[bad"],
)
def test_other_pages_may_not(origin):
    assert HERE.refusal("localhost", origin, "") == (403, "Invalid Origin header")


def test_a_page_that_was_allowed_may_use_it():
    door = HERE._replace(origins=("https://app.example",))
    assert door.refusal("localhost", "https://app.example", "") is None


@pytest.mark.parametrize(
    "shown", ["", "token", "Bearer", "Bearer tok", "Bearer tokens", "Bearer é"]
)
def test_only_the_very_token_opens(shown):
    assert EVERYWHERE.refusal("10.0.0.1", None, shown) == (401, "A bearer token is required")
