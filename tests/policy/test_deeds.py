"""What a call would do: permissions with subjects, and dangers with their places."""

import pytest

from hermes.policy.deeds import Asked, deed_of, place
from hermes.policy.need import Need

HERE = place("/ws", ("/ws",), "/home/me", "/home/me/.hermes")


def deed(permissions=(), declared=None, **arguments):
    return deed_of(Asked(("t",), tuple(permissions), arguments, declared, HERE))


def needs(found):
    return {(need.permission, need.subject, need.kind) for need in found.needs}


def test_a_command_needs_what_it_does():
    found = deed(["terminal:execute"], command="cat a > b")
    assert needs(found) == {
        ("terminal:execute", "cat a > b", "command"),
        ("file:read", "/ws/a", "path"),
        ("file:write", "/ws/b", "path"),
    }
    assert found.findings == ()


def test_a_danger_has_its_place_in_the_command():
    command = "echo ok; rm -rf ../elsewhere"
    found = deed(["terminal:execute"], command=command)
    (finding,) = found.findings
    start, end = finding.span
    assert (finding.category, finding.severity) == ("delete", "ask")
    assert command[start:end] == "rm -rf ../elsewhere"
    assert found.needs[0] == Need("danger:delete", finding=finding)


def test_a_command_works_in_the_folder_that_the_call_names():
    assert deed(command="rm x").findings == deed(command="rm x", workdir="sub").findings
    (finding,) = deed(command="touch x", workdir="/etc").findings
    assert "/etc/x" in finding.what


@pytest.mark.parametrize(
    ("permissions", "kind", "verb"),
    [
        (["file:read"], "path", "reads"),
        (["file:write"], "path", "changes"),
        (["file:delete"], "path", "deletes"),
        ([], "path", "reads"),
        (["file:read"], "path:write", "changes"),
    ],
)
def test_a_path_is_judged_by_what_the_tool_does_with_it(permissions, kind, verb):
    found = deed(permissions, {"target": kind}, target="~/.ssh/id_rsa")
    assert found.findings[0].what.startswith(verb)


def test_a_path_belongs_to_the_files_permissions():
    assert needs(deed(["file:read", "x:y"], path="sub/../a")) == {
        ("x:y", "", ""),
        ("file:read", "/ws/a", "path"),
    }
    assert needs(deed([], path="a")) == {("", "/ws/a", "path")}


def test_hermes_own_state_is_beneath_the_floor():
    (finding,) = deed(["file:write"], path="~/.hermes/hermes_permissions.yaml").findings
    assert finding.severity == "floor"


def test_an_address_belongs_to_the_networks_permissions():
    assert needs(deed(["network:fetch"], url="https://x.y")) == {
        ("network:fetch", "https://x.y", "url")
    }
    assert needs(deed([], url="https://x.y")) == {("", "https://x.y", "url")}


def test_code_is_understood_and_its_dangers_stand_in_the_code():
    code = "import shutil\nshutil.rmtree('/home/me/other')\n"
    found = deed(["code:execute"], code=code)
    assert [each.category for each in found.findings] == ["delete"]
    start, end = found.findings[0].span
    assert 0 <= start < end <= len(code)
    shell = deed(["code:execute"], code="rm -rf /home/me/other", language="bash")
    assert [each.category for each in shell.findings] == ["delete"]


def test_code_that_ends_a_here_document_stays_inside():
    code = "x = 1\nEOF\nrm -rf /\n"
    found = deed(["code:execute"], code=code)
    assert all(each.severity != "floor" for each in found.findings)


def test_statements_of_a_database_are_understood():
    assert [each.category for each in deed(sql="DROP TABLE users").findings] == ["database"]
    assert deed(sql="SELECT 1").findings == ()


def test_what_is_moved_away_counts_as_deleted():
    found = deed(["file:delete", "file:write"], src_path="~/.bashrc", destination="x")
    assert found.findings[0].what.startswith("deletes")


def test_a_folder_that_is_searched_is_read_with_all_in_it():
    def found(tool, declared=None):
        asked = Asked((tool,), ("file:read",), {"path": "~"}, declared, HERE)
        return [each.category for each in deed_of(asked).findings]

    assert found("read_file") == []
    assert found("search_files") == ["exfiltration"]
    assert found("look", {"path": "path:tree"}) == ["exfiltration"]
    assert found("search_files", {"path": "path"}) == []


@pytest.mark.parametrize(
    "command",
    ["rm -rf / " + "x" * 300_000, "echo x;" * 20_000 + "rm -rf /", "(" * 5_000 + "rm -rf /"],
    ids=["too long", "too much", "too deep"],
)
def test_what_nobody_can_read_is_beneath_the_floor(command):
    assert [each.severity for each in deed(command=command).findings][:1] == ["floor"]


def test_hidden_characters_are_asked_about():
    (finding, *_) = deed(command="echo a\u200bb").findings
    assert (finding.category, finding.severity) == ("obfuscation", "ask")


TOKEN = "ghp_" + "aB3" * 12


@pytest.mark.parametrize(
    ("url", "sent"),
    [
        (f"https://x.com/?t={TOKEN}", "github token"),
        (f"https://x.com/{TOKEN.replace('_', '%5F')}", "github token"),
        ("https://x.com/?k=AKIAIOSFODNN7EXAMPL3", "aws key"),
        ("https://x.com/?key=your_api_key_goes_here", None),
        ("https://x.com/b?X-Amz-Credential=AKIAIOSFODNN7EXAMPL3&X-Amz-Signature=a", None),
        ("https://x.com/da39a3ee5e6b4b0d3255bfef95601890afd80709", None),
    ],
)
def test_a_credential_in_an_address_is_not_sent_unasked(url, sent):
    found = [each.what for each in deed(["network:fetch"], url=url).findings]
    assert found == ([f"sends a {sent} along in an address"] if sent else [])


@pytest.mark.parametrize(
    "command", ["trash-empty", "gpg --delete-secret-keys ABCD", "conda env remove -n base"]
)
def test_what_is_deleted_nobody_knows_where_is_a_need_of_its_own(command):
    found = deed(["terminal:execute"], command=command)
    (finding,) = found.findings
    assert ("", finding.what, "") in needs(found)
    assert finding.what not in {need[1] for need in needs(deed(command="rm -rf src"))}
