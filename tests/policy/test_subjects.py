"""Which arguments are commands, paths, addresses and code."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes.policy.guesses import inferred_permissions, inferred_subjects
from hermes.policy.subjects import (
    Subject,
    is_kind,
    kind_by_name,
    may_have_subjects,
    subjects_of,
)


def found(arguments, declared=None):
    return [(each.kind, each.text) for each in subjects_of(arguments, declared)]


def test_names_tell_what_undeclared_arguments_are():
    assert found(
        {
            "command": "ls",
            "Path": "a",
            "save_to": "b",
            "urls": ["https://x", "https://y"],
            "code": "1",
            "workdir": "c",
            "text": "rm -rf /",
        }
    ) == [
        ("command", "ls"),
        ("path", "a"),
        ("path:write", "b"),
        ("url", "https://x"),
        ("url", "https://y"),
        ("code", "1"),
        ("folder", "c"),
    ]


def test_what_is_declared_is_all_there_is():
    arguments = {"command": "ls", "where": "a", "path": "b"}
    assert found(arguments, {"where": "path"}) == [("path", "a")]
    assert found(arguments, {}) == []


def test_nested_arguments_are_found():
    arguments = {"edits": [{"path": "a", "new": {"file_path": "b"}}], "files": [{"path": "c"}]}
    assert found(arguments) == [("path", "a"), ("path", "b"), ("path", "c")]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("filePath", "path"),
        ("file-path", "path"),
        ("FILE_PATH", "path"),
        ("configPath", "path"),
        ("log_file", "path"),
        ("outputPath", "path:write"),
        ("imageURL", "link"),
        ("start_url", "url"),
        ("buildCommand", "command"),
        ("sql", "code:sql"),
        ("profile", None),
        ("text", None),
        ("content", None),
        ("", None),
    ],
)
def test_names_are_read_in_any_style(name, kind):
    assert kind_by_name(name) == kind


def test_a_link_counts_when_it_leads_into_the_network_or_to_a_file():
    links = ["note://x", "HTTP://127.0.0.1", "//evil", "file:///etc/passwd", "#top", "mailto:a@b.c"]
    assert [text for _, text in found({"links": links})] == links[1:4]


def test_where_a_request_goes_through_or_reports_to_counts_as_an_address():
    for name in ("proxy", "webhook", "callback_url", "website"):
        assert found({name: "http://127.0.0.1:8080"}) == [("url", "http://127.0.0.1:8080")]
    for text in ("gopher://x", "ldap://x", "ws://x", "http+unix://x", "javascript:x"):
        assert found({"href": text}) == [("url", text)]


def test_a_picture_may_be_an_address_a_path_or_its_own_bytes():
    for text, kinds in {
        "https://x/y.png": ["url"],
        "/etc/shadow": ["path:read"],
        "~/x.png": ["path:read"],
        "data:image/png;base64,AA": [],
        "x.png": [],
    }.items():
        assert [kind for kind, _ in found({"image_url": text})] == kinds


def test_a_source_is_a_path_where_there_is_a_destination():
    assert found({"source": "a", "destination": "b"}) == [("path:read", "a"), ("path:write", "b")]
    assert found({"source": "a"}) == []
    assert found({"source": "a", "destination": "b"}, {"destination": "path"}) == [("path", "b")]


def test_what_is_nested_without_end_is_refused():
    arguments = {"path": "a"}
    for _ in range(100):
        arguments = {"x": [arguments]}
    with pytest.raises(ValueError, match="too deep"):
        subjects_of(arguments, None)


def test_a_list_of_words_is_one_command():
    assert found({"command": ["rm", "-rf", "a b"]}) == [("command", "rm -rf 'a b'")]
    assert found({"commands": ["ls", "pwd"]}) == [("command", "ls"), ("command", "pwd")]


def test_more_subjects_than_anybody_would_look_at_are_refused():
    with pytest.raises(ValueError, match="too many"):
        subjects_of({"paths": ["a"] * 20_000}, None)


@pytest.mark.parametrize(
    ("properties", "extra", "may"),
    [
        ({"seconds": {"type": "number"}}, False, False),
        ({"words": {"type": "array", "items": {"type": "string"}}}, False, False),
        ({"path": {"type": "string"}}, False, True),
        ({"edits": {"type": "array", "items": {"type": "object"}}}, False, True),
        ({"data": {"type": "object"}}, False, True),
        ({"data": {}}, False, True),
        ({"data": {"type": ["object", "null"]}}, False, True),
        ({}, True, True),
        ({}, False, False),
    ],
)
def test_a_schema_tells_whether_there_can_be_any(properties, extra, may):
    schema = {"type": "object", "properties": properties, "additionalProperties": extra}
    assert may_have_subjects(schema, None) is may
    assert may_have_subjects(schema, {}) is False
    assert may_have_subjects(schema, {"x": "path"}) is True


_VALUES = st.recursive(
    st.text(max_size=5) | st.integers() | st.none(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["path", "url", "x", "cmd", "y"]), inner, max_size=3)
    ),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from(["path", "x", "command", "url"]), _VALUES))
def test_any_arguments_can_be_looked_through(arguments):
    for subject in subjects_of(arguments, None):
        assert subject.kind in (kind_by_name(subject.name), "url")


@pytest.mark.parametrize(
    ("name", "arguments", "permissions"),
    [
        ("terminal", {"command": "ls"}, ["terminal:execute"]),
        ("run_tests", {"cmd": "x"}, ["terminal:execute"]),
        ("read_file", {"path": "a"}, ["file:read"]),
        ("search_files", {"path": "a", "query": "x"}, ["file:read"]),
        ("write_file", {"path": "a"}, ["file:write"]),
        ("delete_file", {"path": "a"}, ["file:delete"]),
        ("move-file", {"src_path": "a", "destination": "b"}, ["file:delete", "file:write"]),
        ("web_extract", {"urls": ["https://x"]}, ["network:fetch"]),
        ("download", {"url": "https://x", "save_to": "a"}, ["file:write", "network:fetch"]),
        ("web_search", {"query": "x"}, ["network:search"]),
        ("execute_code", {"code": "1"}, ["code:execute"]),
        ("spreadsheet", {"action": "write", "path": "a"}, ["file:write"]),
        ("spreadsheet", {"action": "read", "path": "a"}, ["file:read"]),
        ("docker_manage", {"action": "run"}, ["docker:run"]),
        ("docker_manage", {"action": "ps"}, ["docker:read"]),
        ("docker_manage", {"action": "rm"}, ["docker:write"]),
        ("git_operations", {"action": "status"}, ["git:read"]),
        ("git_operations", {"action": "push"}, ["git:write"]),
        ("git_log", {}, ["git:read"]),
        ("database_query", {"query": "SELECT 1;"}, ["database:read"]),
        ("database_query", {"query": "select 1; drop table a"}, ["database:write"]),
        ("database_query", {"query": "delete from a"}, ["database:write"]),
        ("env_manager", {"action": "set"}, ["env:write"]),
        ("sleep", {"seconds": 1}, ["tool:call"]),
    ],
)
def test_permissions_of_unknown_tools_are_guessed(name, arguments, permissions):
    subjects = subjects_of(arguments, None)
    assert list(inferred_permissions(name, subjects, arguments)) == permissions


def test_kinds_that_can_be_declared():
    assert is_kind("command") and is_kind("path:write") and is_kind("code:python")
    assert not is_kind("code:") and not is_kind("paths") and not is_kind(5)


def test_a_subject_is_told_with_its_name():
    assert subjects_of({"cmd": "ls"}, None) == (Subject("cmd", "command", "ls"),)


def test_a_patch_changes_the_files_that_its_headers_name():
    text = (
        "*** Begin Patch\n*** Update File: a.py\n*** Move to: ../b.py\n@@\n-x\n+*** y\n"
        "*** Add File: c d.py\n+z\n*** End Patch\n--- a/e.py\n+++ b/f.py\t2020\n@@ -1 +1 @@\n"
        "--- g\n--- h\n+++ /dev/null\n"
    )
    found = subjects_of({"mode": "patch", "patch": text}, None)
    assert {subject.kind for subject in found} == {"path:write"}
    assert [subject.text for subject in found] == [
        "a.py", "../b.py", "c d.py", "e.py", "f.py", "h",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("patch", "files"),
    [
        ("rename from a\nrename to .git/config\n", ["a", ".git/config"]),
        ("copy from a\ncopy to ../b\n", ["a", "../b"]),
        ("diff --git a/x b/.git/hooks/y\nGIT binary patch\n", [".git/hooks/y"]),
        ('--- a/x\n+++ "b/\\056git/config"\n', ["x", ".git/config"]),
        ("--- a/x\r\n+++ b/../y\r\n", ["x", "../y"]),
        ("--- a/../x\n+++ /dev/null\n", ["../x"]),
        ("--- ../x\t2020\n+++ src/x\t2020\n", ["../x", "src/x"]),
        ("Index: ../x\n", ["../x"]),
        ("  *** Add File: ../x\n+y\n", ["../x"]),
        ("+*** Add File: ../x\n-rename to y\n", []),
    ],
)
def test_every_header_of_a_patch_counts(patch, files):
    assert [subject.text for subject in subjects_of({"patch": patch}, None)] == files


def test_addresses_are_found_in_lists_of_lists_numbers_and_paths():
    assert found({"urls": [["http://a/"], [["http://b/"]]]}) == [
        ("url", "http://a/"),
        ("url", "http://b/"),
    ]
    assert found({"url": 2130706433}) == [("url", "2130706433")]
    assert found({"path": "HTTP://a/"}) == [("path", "HTTP://a/"), ("url", "HTTP://a/")]


def test_what_is_compared_is_a_path_or_a_text():
    declared = inferred_subjects("file_diff")
    assert found({"a": ".env", "b": "two words"}, declared) == [("path:read", ".env")]
    assert inferred_subjects("add") is None


def test_a_tool_that_fetches_or_patches_says_what_its_arguments_are():
    fetched = inferred_subjects("web_fetch")
    assert found({"uri": "rtsp://x", "endpoint": "x"}, fetched) == [
        ("url", "rtsp://x"),
        ("url", "x"),
    ]
    patched = inferred_subjects("apply_patch")
    text = "*** Begin Patch\n*** Update File: ../x\n*** End Patch"
    assert found({"input": text}, patched) == [("path:write", "../x")]


def test_where_something_comes_from_and_goes_to_is_a_path_when_it_looks_like_one():
    arguments = {"from": "~/.ssh/id_rsa", "to": "./k"}
    assert found(arguments) == [("path:read", "~/.ssh/id_rsa"), ("path:write", "./k")]
    assert found({"output": "/etc/x", "input": "hello", "target": "telegram:1"}) == [
        ("path:write", "/etc/x")
    ]
    assert found({"to": "a@b.c", "from": "me"}) == []


def test_a_database_in_a_file_is_that_file():
    assert found({"connection": "sqlite:////etc/x.db?mode=ro"}) == [("path:read", "//etc/x.db")]
    assert found({"dsn": "duckdb:data.db"}) == [("path:read", "data.db")]
    assert found({"connection": "postgresql://db/x"}) == []


def test_an_archive_is_read_when_it_is_unpacked_and_written_otherwise():
    for action, kind in (("extract", "path:read"), ("list", "path:read"), ("create", "path:write")):
        found = subjects_of({"action": action, "archive": "x.zip"}, None)
        assert [(subject.kind, subject.text) for subject in found] == [(kind, "x.zip")]


def test_pictures_and_attachments_are_looked_at_when_they_are_paths_or_addresses():
    arguments = {"image": "~/x.png", "attachments": ["/a", "http://b/"], "images": ["debian:12"]}
    kinds = [subject.kind for subject in subjects_of(arguments, None)]
    assert kinds == ["path:read", "path:read", "url"]


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        (".env", [".env"]),
        ("../my files/id_rsa", ["../my files/id_rsa"]),
        ("two words", []),
        ("/etc/shadow\nand more", []),
    ],
)
def test_a_side_of_a_comparison_is_a_path_or_a_text(text, paths):
    found = subjects_of({"a": text}, {"a": "side"})
    assert [(each.kind, each.text) for each in found] == [("path:read", path) for path in paths]


def test_addresses_that_a_call_can_do_without_are_marked():
    found = subjects_of({"urls": ["https://a", "https://b"]}, {"urls": "url:each"})
    assert [(each.kind, each.text, each.is_spared) for each in found] == [
        ("url", "https://a", True),
        ("url", "https://b", True),
    ]
