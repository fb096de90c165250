"""code_format through its public door, with the real formatters."""

import pytest

UGLY = "x = {  'a':1 }\n"
BY_RUFF = 'x = {"a": 1}\n'


@pytest.mark.proves("format-real-tools")
def test_python_is_formatted_by_ruff(project):
    project.put("a.py", UGLY).put("sub/b.py", UGLY).put("c.py", BY_RUFF)
    answer = project.call("code_format")
    assert answer["formatted"] == ["a.py", "sub/b.py"]
    assert project.read("a.py") == project.read("sub/b.py") == BY_RUFF


def test_black_formats_where_its_settings_are(project):
    settings = "[tool.black]\nskip-string-normalization = true\n"
    project.put("pyproject.toml", settings).put("a.py", UGLY)
    answer = project.call("code_format")
    assert [each["tool"] for each in answer["tools"]] == ["black"]
    assert project.read("a.py") == "x = {'a': 1}\n"


def test_checking_changes_nothing(project):
    project.put("a.py", UGLY).put("b.py", BY_RUFF)
    answer = project.call("code_format", check=True)
    assert answer["unformatted"] == ["a.py"] and not answer["ok"]
    assert project.read("a.py") == UGLY


@pytest.mark.proves("lint-undo")
def test_what_was_formatted_can_be_undone_at_once(project):
    project.put("a.py", UGLY).put("b.py", UGLY).call("code_format")
    project.undo()
    assert project.read("a.py") == project.read("b.py") == UGLY


def test_formatting_needs_the_permission_to_write_and_checking_does_not(project):
    project.put("a.py", UGLY)

    async def story(call):
        return await call("code_format"), await call("code_format", check=True)

    formatted, checked = project.run(story, profile="readonly")
    assert formatted["code"] == "denied"
    assert checked["unformatted"] == ["a.py"]


@pytest.mark.proves("lint-undo")
def test_a_file_that_may_not_be_written_keeps_all_files_as_they_are(project, hermes_home):
    rules = (
        "version: 1\nprofiles:\n  mine:\n    extends: developer\n    restrictions:\n"
        f"      file:write:\n        denied_paths: ['{project.folder}/kept/**']\n"
    )
    (hermes_home / "hermes_permissions.yaml").write_text(rules, encoding="utf-8")
    project.put("a.py", UGLY).put("kept/b.py", UGLY)
    answer = project.run(lambda call: call("code_format"), profile="mine")
    assert answer["code"] == "denied"
    assert project.read("a.py") == project.read("kept/b.py") == UGLY


def test_a_file_that_cannot_be_read_does_not_keep_the_others_from_being_formatted(project):
    answer = project.put("a.py", UGLY).put("b.py", "x = (\n").call("code_format")
    assert answer["formatted"] == ["a.py"]
    assert "b.py" in answer["failed"][0]["error"]
    assert project.read("b.py") == "x = (\n"


def test_code_is_formatted_without_a_file(project):
    answer = project.call("code_format", code=UGLY, language="python")
    assert answer == {"tool": "ruff", "changed": True, "code": BY_RUFF}


def test_line_ends_stay_what_they_were(project):
    (project.folder / "a.py").write_bytes(b"x = {  'a':1 }\r\ny = 1\r\n")
    project.call("code_format")
    assert (project.folder / "a.py").read_bytes() == b'x = {"a": 1}\r\ny = 1\r\n'


def test_code_of_a_language_without_a_formatter_here_says_what_to_install(project):
    answer = project.call("code_format", code="a  {}", language="css")
    assert answer["code"] == "formatter_missing"
    assert "npm install --save-dev prettier" in answer["hint"]


def test_scripts_and_what_is_beside_them_are_formatted_by_prettier(project, needs):
    needs("node")
    project.with_node_parts("prettier").put(".prettierrc", '{"semi": false}')
    project.put("a.ts", "let  x:number=1;").put("b.json", '{"a":1}').put("c.txt", " x")
    answer = project.call("code_format")
    assert answer["formatted"] == ["a.ts", "b.json"]
    assert project.read("a.ts") == "let x: number = 1\n"
    assert project.read("b.json") == '{ "a": 1 }\n'


def test_go_is_formatted(project, needs):
    needs("gofmt")
    project.put("a.go", "package a\nfunc  F( ) { }\n").call("code_format")
    assert project.read("a.go") == "package a\n\nfunc F() {}\n"


def test_rust_is_formatted(project, needs):
    needs("rustfmt")
    project.put("a.rs", "fn  f( ) { }\n").call("code_format")
    assert project.read("a.rs") == "fn f() {}\n"
