"""code_lint through its public door, with the real linters."""

import pytest

MESSY = "import os\n\nx = 1\n"
FIXED = "\nx = 1\n"


def found(answer):
    return [(each["tool"], each["file"], each["line"], each["rule"]) for each in answer["findings"]]


@pytest.mark.proves("lint-real-tools")
def test_python_is_checked_by_ruff(project):
    answer = project.put("a.py", MESSY).call("code_lint")
    assert answer["findings"] == [
        {
            "file": "a.py",
            "line": 1,
            "column": 8,
            "rule": "F401",
            "message": "`os` imported but unused",
            "severity": "error",
            "fixable": True,
            "tool": "ruff",
        }
    ]
    assert not answer["clean"]
    assert project.read("a.py") == MESSY


def test_a_file_without_faults_is_clean(project):
    answer = project.put("a.py", "x = 1\n").call("code_lint", paths=["a.py"])
    assert answer["clean"] and answer["findings"] == []


def test_settings_of_the_project_count(project):
    project.put("pyproject.toml", '[tool.ruff.lint]\nignore = ["F401"]\n').put("sub/a.py", MESSY)
    assert project.call("code_lint", paths=["sub"])["clean"]


def test_only_the_paths_that_were_asked_for_are_told_of(project):
    project.put("a.py", MESSY).put("b.py", MESSY)
    assert {each["file"] for each in project.call("code_lint", paths=["b.py"])["findings"]} == {
        "b.py"
    }


def test_types_are_checked_where_the_project_says_so(project):
    code = 'def f(x: int) -> str:\n    return x\n\n\nf("a")\n'
    project.put("a.py", code)
    assert found(project.call("code_lint")) == []
    project.put("pyproject.toml", "[tool.mypy]\nstrict = true\n")
    assert found(project.call("code_lint")) == [
        ("mypy", "a.py", 2, "return-value"),
        ("mypy", "a.py", 5, "arg-type"),
    ]


def test_types_are_checked_by_pyright_where_the_project_says_so(project, needs):
    needs("node")
    code = 'def f(x: int) -> str:\n    return x\n\n\nf("a")\n'
    project.with_node_parts("pyright").put("a.py", code)
    assert found(project.call("code_lint")) == []
    project.put("pyrightconfig.json", "{}")
    answer = project.call("code_lint")
    assert found(answer) == [
        ("pyright", "a.py", 2, "reportReturnType"),
        ("pyright", "a.py", 5, "reportArgumentType"),
    ], answer
    assert [each["severity"] for each in answer["findings"]] == ["error", "error"]
    assert answer["findings"][0]["column"] == 12


def test_shell_scripts_are_checked_and_fixed(project, needs):
    needs("shellcheck")
    project.put("a.sh", "#!/bin/bash\necho $1 ä $2\n")
    answer = project.call("code_lint", fix=True)
    assert project.read("a.sh") == '#!/bin/bash\necho "$1" ä "$2"\n'
    assert answer["fixed"] == ["a.sh"] and answer["clean"]


@pytest.mark.proves("lint-undo")
def test_what_was_fixed_can_be_undone(project, hermes_home):
    answer = project.put("a.py", MESSY).put("b.py", MESSY).call("code_lint", fix=True)
    assert sorted(answer["fixed"]) == ["a.py", "b.py"]
    assert project.read("a.py") == project.read("b.py") == FIXED
    project.undo()
    assert project.read("a.py") == project.read("b.py") == MESSY


def test_fixing_needs_the_permission_to_write(project):
    project.put("a.py", MESSY)

    async def story(call):
        return await call("code_lint"), await call("code_lint", fix=True)

    looked, fixed = project.run(story, profile="readonly")
    assert found(looked) == [("ruff", "a.py", 1, "F401")]
    assert fixed["code"] == "denied"
    assert project.read("a.py") == MESSY


@pytest.mark.proves("lint-project-code")
def test_programs_of_the_project_are_not_run_where_code_may_not_be(project):
    project.put("a.py", MESSY).put(".venv/bin/ruff", "#!/bin/sh\ntouch ran\nexit 2\n")
    project.put("mypy.ini", "[mypy]\n")
    (project.folder / ".venv/bin/ruff").chmod(0o755)
    answer = project.run(lambda call: call("code_lint"), profile="readonly")
    assert found(answer) == [("ruff", "a.py", 1, "F401")]
    assert not (project.folder / "ran").exists()
    assert [each["tool"] for each in answer["missing"]] == ["mypy"]
    assert "code:execute" in answer["missing"][0]["why"]


def test_programs_of_the_project_come_before_the_machines(project):
    project.put("a.py", MESSY).put(".venv/bin/ruff", "#!/bin/sh\necho mine is broken >&2\nexit 2\n")
    (project.folder / ".venv/bin/ruff").chmod(0o755)
    answer = project.call("code_lint")
    assert answer["failed"] == [{"tool": "ruff", "error": "mine is broken"}]


@pytest.mark.proves("lint-missing")
def test_a_missing_tool_is_named_and_the_others_still_run(project):
    project.put("a.py", MESSY).put("pyrightconfig.json", "{}").put("eslint.config.js", "")
    project.put("b.js", "var x")
    answer = project.call("code_lint")
    assert found(answer) == [("ruff", "a.py", 1, "F401")]
    assert {each["tool"]: each["install"] for each in answer["missing"]} == {
        "pyright": "pip install pyright",
        "eslint": "npm install --save-dev eslint",
    }


def test_code_is_checked_and_fixed_without_a_file(project):
    answer = project.call("code_lint", code=MESSY, language="python", fix=True)
    assert found(answer) == [("ruff", "<code>", 1, "F401")]
    assert answer["code"] == FIXED
    assert list(project.folder.iterdir()) == []


def test_shell_code_is_checked(project, needs):
    needs("shellcheck")
    answer = project.call("code_lint", code="echo $1", language="bash")
    assert found(answer) == [("shellcheck", "<code>", 1, "SC2086")]


@pytest.mark.parametrize(
    "arguments", [{"code": "x"}, {"code": "x", "language": "python", "paths": ["a"]}]
)
def test_what_cannot_be_meant_is_refused(project, arguments):
    assert project.call("code_lint", **arguments)["code"] == "invalid_arguments"


def test_a_path_that_is_not_there_is_an_error(project):
    assert project.call("code_lint", paths=["nothing"])["code"] == "not_found"


def test_a_folder_without_code_is_said_to_be_one(project):
    answer = project.put("a.txt", "x").call("code_lint")
    assert "nothing here" in answer["note"] and not answer["clean"]


def test_javascript_is_checked_and_fixed_by_eslint(project, needs):
    needs("node")
    project.with_node_parts("eslint").put("a.js", "var x = 1;\nconsole.log(x, y);\n")
    project.put(
        "eslint.config.js",
        'module.exports = [{rules: {"no-var": "error", "no-undef": "warn"}}];\n',
    )
    answer = project.call("code_lint", paths=["a.js"], fix=True)
    assert project.read("a.js") == "let x = 1;\nconsole.log(x, y);\n"
    severities = [(each["rule"], each["severity"]) for each in answer["findings"]]
    assert severities == [("no-undef", "warning"), ("no-undef", "warning")]


def test_typescript_is_checked_by_its_compiler(project, needs):
    needs("node")
    project.with_node_parts("tsc").put("tsconfig.json", '{"include": ["src"]}')
    project.put("src/a.ts", 'export const n: number = "a";\n')
    assert found(project.call("code_lint")) == [("tsc", "src/a.ts", 1, "TS2322")]
    answer = project.call("code_lint", code='const n: number = "a"', language="typescript")
    assert found(answer) == [("tsc", "<code>", 1, "TS2322")]


def test_rust_is_checked_and_fixed_by_clippy_and_rustfmt(project, needs):
    needs("cargo", "rustfmt", "clippy-driver")
    project.put("crate/Cargo.toml", '[package]\nname = "a"\nversion = "0.1.0"\nedition = "2021"\n')
    code = "pub fn f(x: &[u8])->bool{\n    x.len() == 0\n}\n"
    project.put("crate/src/lib.rs", code)
    answer = project.call("code_lint", fix=True)
    assert project.read("crate/src/lib.rs") == "pub fn f(x: &[u8]) -> bool {\n    x.is_empty()\n}\n"
    assert answer["clean"]
    assert not (project.folder / "crate/target").exists()


def test_go_is_checked_and_fixed(project, needs):
    needs("go", "gofmt")
    project.put("go.mod", "module a\n\ngo 1.19\n")
    project.put("a.go", 'package a\n\nimport "fmt"\n\nfunc F()  {\n\tfmt.Printf("%d", "x")\n}\n')
    answer = project.call("code_lint", fix=True)
    assert found(answer) == [("go vet", "a.go", 6, "vet")]
    assert "func F() {" in project.read("a.go")


def test_secrets_outside_of_the_workspace_are_not_looked_at(project):
    assert project.call("code_lint", paths=["/etc/shadow"])["code"] == "denied"
