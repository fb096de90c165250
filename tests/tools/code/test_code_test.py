"""code_test through its public door, with the real runners."""

import subprocess

import pytest

PYTHON = """
import unittest
import pytest

def test_good():
    pass

def test_bad():
    print("noise")
    assert [1, 2] == [1, 3]

@pytest.fixture
def broken():
    raise RuntimeError("no fixture")

def test_error(broken):
    pass

@pytest.mark.skip(reason="later")
def test_later():
    pass

class TestCase(unittest.TestCase):
    def test_unit(self):
        self.assertEqual("a", "b")
"""
COUNTS = ("passed", "failed", "errors", "skipped")


def counts(answer):
    return tuple(answer[name] for name in COUNTS)


def failure(answer, test):
    return next(each for each in answer["failures"] if each["test"].endswith(test))


@pytest.mark.proves("test-structured")
def test_pytest_is_run_and_what_matters_is_told(project):
    answer = project.put("tests/test_a.py", PYTHON).call("code_test")
    assert (answer["ok"], answer["runner"], counts(answer)) == (False, "pytest", (1, 2, 1, 1))
    assert failure(answer, "test_bad") == {
        "test": "tests/test_a.py::test_bad",
        "outcome": "failed",
        "message": "assert [1, 2] == [1, 3]\n  \n  At index 1 diff: 2 != 3",
        "file": "tests/test_a.py",
        "line": 10,
        "lines": failure(answer, "test_bad")["lines"],
        "output": "noise",
    }
    assert failure(answer, "test_bad")["lines"][0] == ">       assert [1, 2] == [1, 3]"
    assert failure(answer, "test_error")["message"] == "RuntimeError: no fixture"
    assert failure(answer, "test_unit")["file"] == "tests/test_a.py"


def test_a_filter_and_a_name_pick_tests(project):
    project.put("tests/test_a.py", PYTHON)
    assert counts(project.call("code_test", filter="good or later")) == (1, 0, 0, 1)
    one = project.call("code_test", path="tests/test_a.py::test_good")
    assert one["ok"] and counts(one) == (1, 0, 0, 0)


@pytest.mark.parametrize("filter", ["--version", "-h", "x --co"])
def test_a_filter_is_never_an_option(project, filter):
    answer = project.put("test_a.py", PYTHON).call("code_test", filter=filter)
    assert not answer["ok"] and counts(answer) == (0, 0, 0, 0)


@pytest.mark.proves("test-timeout")
def test_when_time_is_up_what_is_known_is_told(project):
    code = "import time\n\ndef test_a():\n    pass\n\ndef test_b():\n    time.sleep(600)\n"
    answer = project.put("test_a.py", code).call("code_test", timeout=8)
    assert counts(answer) == (1, 0, 0, 0) and not answer["ok"]
    assert answer["running"] == ["test_a.py::test_b"] and answer["not_run"] == 1


def test_progress_is_told_while_tests_run(project):
    code = "".join(f"def test_{n}():\n    pass\n" for n in range(3))
    project.put("test_a.py", code)
    told = []

    async def story(call):
        call.runtime.services.on_progress = lambda ctx, text: told.append(text)
        return await call("code_test")

    assert project.run(story)["passed"] == 3
    assert "running pytest" in told and any("tests, 0 failed" in text for text in told)


def test_coverage_is_measured_on_request(project):
    project.put("lib.py", "def used():\n    return 1\n\n\ndef unused():\n    return 2\n")
    project.put("test_a.py", "import lib\n\ndef test_a():\n    assert lib.used() == 1\n")
    told = project.call("code_test", coverage=True)["coverage"]
    assert {"file": "lib.py", "percent": 75.0, "missing": "6"} in told["files"]


def test_unittest_measures_coverage_as_well(project):
    project.put("lib.py", "def used():\n    return 1\n\n\ndef unused():\n    return 2\n")
    code = "import lib, unittest\n\nclass A(unittest.TestCase):\n    def test_a(self):\n"
    project.put("test_a.py", f"{code}        self.assertEqual(lib.used(), 1)\n")
    answer = project.call("code_test", coverage=True, runner="unittest")
    assert (answer["runner"], answer["passed"]) == ("unittest", 1)
    assert {"file": "lib.py", "percent": 75.0, "missing": "6"} in answer["coverage"]["files"]
    assert "coverage" not in project.call("code_test", runner="unittest")


def test_a_file_that_cannot_be_imported_is_an_error(project):
    answer = project.put("test_a.py", "import nothing_like_this\n").call("code_test")
    assert counts(answer) == (0, 0, 1, 0)
    assert "nothing_like_this" in answer["failures"][0]["message"]


def test_a_broken_setting_is_told(project):
    project.put("pytest.ini", "[pytest]\naddopts = --nonsense\n").put("test_a.py", PYTHON)
    answer = project.call("code_test")
    assert not answer["ok"] and "--nonsense" in answer["error"]


def test_unittest_is_run(project):
    code = (
        "import unittest\n\n\nclass A(unittest.TestCase):\n"
        "    def test_good(self):\n        pass\n"
        "    def test_bad(self):\n        self.assertEqual(1, 2)\n"
        "    def test_boom(self):\n        raise KeyError('x')\n"
        "    @unittest.skip('later')\n    def test_later(self):\n        pass\n"
        "    def test_parts(self):\n        for n in (1, 2):\n"
        "            with self.subTest(n=n):\n                self.assertEqual(n, 1)\n"
    )
    answer = project.put("tests/test_a.py", code).call("code_test", runner="unittest")
    assert counts(answer) == (1, 2, 1, 1)
    assert failure(answer, "test_bad")["line"] == 8
    only = project.call("code_test", runner="unittest", filter="test_good")
    assert only["ok"] and counts(only) == (1, 0, 0, 0)


NODE = """
const {test, describe, it} = require("node:test");
const assert = require("node:assert");
test("good", () => {});
describe("group", () => {
  it("bad", () => { assert.strictEqual(1, 2); });
  it.skip("later", () => {});
});
"""


def test_node_is_run(project, needs):
    needs("node")
    answer = project.put("test/a.test.js", NODE).call("code_test")
    assert (answer["runner"], counts(answer)) == ("node", (1, 1, 0, 1))
    told = failure(answer, "group > bad")
    assert (told["file"], told["line"]) == ("test/a.test.js", 6)
    only = project.call("code_test", path="test/a.test.js", filter="good")
    assert only["passed"] == 1 and only["ok"]


@pytest.mark.parametrize(
    ("runner", "head"),
    [("jest", ""), ("vitest", 'import {test, expect, describe} from "vitest";')],
)
def test_jest_and_vitest_are_run(project, needs, runner, head):
    needs("node")
    project.with_node_parts(runner)
    project.put("package.json", f'{{"type": "commonjs", "devDependencies": {{"{runner}": "1"}}}}')
    name = "a.test.js" if runner == "jest" else "a.test.mjs"
    project.put(
        name,
        f"{head}\ntest('good', () => {{}});\ndescribe('group', () => {{\n"
        "  test('bad', () => { expect(1).toBe(2); });\n  test.skip('later', () => {});\n});\n",
    )
    answer = project.call("code_test")
    assert (answer["runner"], counts(answer)) == (runner, (1, 1, 0, 1))
    told = failure(answer, "group > bad")
    assert (told["file"], told["line"]) == (name, 4)
    assert project.call("code_test", path=name, filter="good")["passed"] == 1


def test_jest_tells_coverage(project, needs):
    needs("node")
    project.with_node_parts("jest").put("package.json", '{"devDependencies": {"jest": "1"}}')
    project.put("lib.js", "exports.a = () => 1;\nexports.b = () => {\n  return 2;\n};\n")
    project.put("a.test.js", "const l = require('./lib');\ntest('a', () => { l.a(); });\n")
    assert project.call("code_test", coverage=True)["coverage"] == {"percent": 75.0}


def test_a_runner_that_is_missing_is_named(project, needs):
    needs("node")
    project.put("package.json", '{"devDependencies": {"vitest": "1"}}').put("a.test.js", NODE)
    answer = project.call("code_test")
    assert answer["code"] == "unavailable"
    assert answer["hint"] == "To install it: npm install --save-dev vitest"


def test_go_is_run(project, needs):
    needs("go")
    project.put("go.mod", "module example.com/a\n\ngo 1.19\n").put("a.go", "package a\n")
    project.put(
        "a_test.go",
        'package a\n\nimport "testing"\n\nfunc TestGood(t *testing.T) {}\n'
        'func TestBad(t *testing.T) { t.Errorf("got %d", 1) }\n'
        'func TestLater(t *testing.T) { t.Skip("later") }\n',
    )
    answer = project.call("code_test")
    assert (answer["runner"], counts(answer)) == ("go", (1, 1, 0, 1))
    told = failure(answer, "TestBad")
    assert (told["message"], told["file"], told["line"]) == ("got 1", "a_test.go", 6)
    project.put("b.go", "package a\n\nfunc f() { return 1 }\n")
    assert "too many" in str(project.call("code_test"))


def test_cargo_is_run(project, needs):
    needs("cargo")
    project.put("Cargo.toml", '[package]\nname = "a"\nversion = "0.1.0"\nedition = "2021"\n')
    project.put(
        "src/lib.rs",
        "#[cfg(test)]\nmod tests {\n    #[test]\n    fn good() {}\n    #[test]\n"
        "    fn bad() {\n        assert_eq!(1, 2);\n    }\n    #[test]\n    #[ignore]\n"
        "    fn later() {}\n}\n",
    )
    answer = project.call("code_test")
    assert (answer["runner"], counts(answer)) == ("cargo", (1, 1, 0, 1))
    told = failure(answer, "tests::bad")
    assert (told["file"], told["line"]) == ("src/lib.rs", 7)
    assert "left: 1" in told["message"]
    assert counts(project.call("code_test", filter="good")) == (1, 0, 0, 0)
    project.put("src/lib.rs", "fn f( {")
    assert "error" in project.call("code_test")


def test_tests_are_not_run_without_the_permission(project):
    project.put("test_a.py", "open('ran', 'w')\n")
    answer = project.run(lambda call: call("code_test"), profile="readonly")
    assert answer["code"] == "denied"
    assert not (project.folder / "ran").exists()


@pytest.mark.proves("code-in-sandbox")
def test_tests_run_in_the_sandbox_of_their_task(project, tmp_path_factory, monkeypatch):
    outside = tmp_path_factory.mktemp("outside") / "file"
    monkeypatch.setenv("MY_SERVICE_API_KEY", "sk-secret-value-123456")
    code = (
        "import os\nfrom pathlib import Path\n\ndef test_write():\n"
        f"    Path({str(outside)!r}).write_text('x')\n\ndef test_environment():\n"
        "    assert 'MY_SERVICE_API_KEY' not in os.environ\n"
    )
    answer = project.put("test_a.py", code).call("code_test")
    assert not outside.exists()
    assert answer["passed"] >= 1 and sum(counts(answer)) == 2
    broken = [each["test"] for each in answer.get("failures", [])]
    assert "test_a.py::test_environment" not in broken


def test_a_folder_without_tests_says_so(project):
    assert project.put("a.txt", "x").call("code_test")["code"] == "unavailable"
    assert project.put("a.py", "x = 1\n").call("code_test")["note"] == "no test was run"


def test_cargo_says_what_coverage_needs_where_that_is_missing(project, needs):
    needs("cargo")
    if not subprocess.run(["cargo", "llvm-cov", "--version"], capture_output=True).returncode:
        pytest.skip("cargo llvm-cov is there")
    project.put("Cargo.toml", '[package]\nname = "a"\nversion = "0.1.0"\nedition = "2021"\n')
    project.put("src/lib.rs", "#[test]\nfn well() {}\n")
    answer = project.call("code_test", coverage=True)
    assert (answer["runner"], answer["passed"]) == ("cargo", 1), answer
    assert answer["coverage"] == {"missing": "cargo install cargo-llvm-cov"}


def test_cargo_tells_the_coverage_of_llvm_cov(project, monkeypatch):
    programs = project.folder / "programs"
    programs.mkdir()
    table = (
        "Filename  Regions  Missed Regions  Cover  Functions  Missed Functions  Executed  Lines\n"
        "lib.rs  7  2  71.43%  3  1  66.67%  12  3  75.00%  0  0  -\n"
        "TOTAL  7  2  71.43%  3  1  66.67%  12  3  75.00%  0  0  -\n"
    )
    (programs / "cargo").write_text(
        '#!/bin/sh\n[ "$1" = llvm-cov ] || exit 9\n[ "$2" = --version ] && exit 0\n'
        f"printf 'running 1 test\\ntest well ... ok\\n'\ncat <<'END'\n{table}END\n"
    )
    (programs / "cargo").chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    project.put("Cargo.toml", '[package]\nname = "a"\n').put(
        "src/lib.rs", "#[test]\nfn well() {}\n"
    )
    answer = project.call("code_test", coverage=True, runner="cargo")
    assert (answer["passed"], answer["coverage"]) == (1, {"percent": 75.0}), answer
