"""Only the definitions around a change are parsed where that is enough, with the same outcome."""

import shutil

import pytest

from hermes.services.files.linting import introduced

NODE = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
MODULE = "".join(
    f"@cached\n@named('{i}')\ndef function_{i}(a, b):\n"
    f'    """Return\na sum."""\n    return a + {i}\n\n'
    for i in range(20)
)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return a + 7\n", "return (a + 7\n"),
        ("def function_7(a, b):", "def function_7(a, b:"),
        (
            '    """Return\na sum."""\n    return a + 7\n',
            '    """Return\na sum.\n    return a + 7\n',
        ),
        ("    return a + 0\n", "  return a + 0\n"),
        ("    return a + 19\n", "    return a +\n"),
        ("def function_7(a, b):", "@\ndef function_7(a, b):"),
    ],
)
def test_a_problem_that_a_change_brings_in_is_found(old, new):
    before, after = MODULE.encode(), MODULE.replace(old, new, 1).encode()
    assert introduced("a.py", before, after) == introduced("a.py", None, after)
    assert introduced("a.py", before, after)
    assert introduced("a.py", after, before) is None


@pytest.mark.parametrize(
    "old", ["return a + 7\n", "a, b", "", "@cached\n", "def function_0(a, b):"]
)
def test_a_right_change_of_a_right_file_has_no_problem(old):
    new = old.replace("a + 7", "a * 7").replace("a, b", "a, b, c").replace("function_0", "f")
    after = MODULE.replace(old, new, 1) if old else f"import this\n{MODULE}"
    assert introduced("a.py", MODULE.encode(), after.encode()) is None


def test_a_problem_that_was_there_is_not_told():
    broken = MODULE.replace("return a + 3\n", "return (a + 3\n").encode()
    assert introduced("a.py", broken, broken.replace(b"a + 15", b"a + (15")) is None


@pytest.mark.parametrize(
    ("name", "wrong", "right"),
    [
        ("a.sh", "echo\nif then\n", "if true; then echo; fi\n"),
        ("a.sh", None, "#!/usr/bin/env zsh\nprint -l ${(o)x}; if then\n"),
        pytest.param("a.js", "let x = ;\n", "let x = 1\n", marks=NODE),
        pytest.param("a.js", None, "import x from 'y'\nexport default x\n", marks=NODE),
        pytest.param("a.js", None, "const x = <p>hi</p>\n", marks=NODE),
    ],
)
def test_other_languages_are_checked_by_their_programs(name, wrong, right):
    assert introduced(name, None, right.encode()) is None
    if wrong is not None:
        problem = introduced(name, right.encode(), wrong.encode())
        assert problem is not None and problem.startswith("line ")
        assert introduced(name, wrong.encode(), wrong.encode()) is None


@pytest.mark.parametrize(
    "name", ["tsconfig.json", "app/tsconfig.build.json", ".vscode/settings.json", ".eslintrc.json"]
)
def test_json_that_is_read_with_comments_may_have_them(name):
    good = b'// why\n{"a": "// no \\" comment,}", /* so */ "b": [1, 2,],\n}\n'
    assert introduced(name, None, good) is None
    assert introduced("package.json", None, good) == "line 1: Expecting value"
    assert introduced(name, None, b'{\n// a\n/* b\n*/ "a" 1}') == "line 4: Expecting ':' delimiter"


@pytest.mark.parametrize(
    "text", ["{{- if .Values.x }}\na: {{ .y }}\n{{- end }}\n", "{% if x %}\na: b\n{% endif %}\n"]
)
def test_a_template_of_yaml_is_no_yaml_yet(text):
    assert introduced("chart/templates/x.yaml", None, text.encode()) is None
    assert introduced("x.yaml", None, b"a: b: c\n")


def test_what_is_nested_too_deep_is_told_and_breaks_nothing():
    assert introduced("a.py", None, b"x = " + b"-" * 100_000 + b"1") == (
        "it is nested too deep to be checked"
    )
