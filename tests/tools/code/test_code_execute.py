"""Code through its public door: what a model calls and what it reads."""

import asyncio
import json
import os
import re
import shutil
import sys
from pathlib import Path

import pytest

from hermes import Runtime

NODE = pytest.mark.skipif(not shutil.which("node"), reason="needs node (apt package nodejs)")
OWN = Path(sys.executable).parent


@pytest.fixture
def drive(tmp_path):
    """Run a coroutine that is given a caller, with a runtime in a workspace of its own."""

    def run(story, **options):
        async def main():
            async with Runtime(cwd=tmp_path, **options) as rt:

                async def call(code, language="python", *, task=None, **more):
                    arguments = {"code": code, "language": language, **more}
                    return json.loads(await rt.call("code_execute", arguments, task))

                return await asyncio.wait_for(story(call), 100)

        return asyncio.run(main())

    return run


@pytest.fixture
def own_python(monkeypatch):
    """Have tasks find the Python that runs the tests, which has matplotlib."""
    monkeypatch.setenv("PATH", f"{OWN}:{os.environ['PATH']}")


def once(drive, *code, **more):
    """Return the answer of one call."""

    async def story(call):
        return await call(*code, **more)

    return drive(story)


@pytest.mark.proves("code-run")
def test_the_value_of_the_last_expression_comes_back(drive):
    answer = once(drive, "import math\nprint('so')\nmath.floor(2.5) * 21")

    assert answer.pop("seconds") > 0
    assert answer == {"status": "ok", "exit_code": 0, "stdout": "so\n", "value": "42"}


def test_an_exception_is_told_as_python_tells_it(drive):
    answer = once(drive, "def f():\n    raise ValueError('no')\nf()")

    assert (answer["status"], answer["exit_code"]) == ("error", 1)
    told = re.sub(r"/\S*/main.py", "main.py", answer["stderr"])
    assert told.startswith('Traceback (most recent call last):\n  File "main.py", line 3, in <mod')
    assert told.endswith("ValueError: no\n")


def test_input_and_exit_codes_reach_and_leave_it(drive):
    answer = once(drive, "import sys\nprint(sys.stdin.read() * 2)\nsys.exit(3)", stdin="ab")

    assert (answer["stdout"], answer["exit_code"]) == ("abab\n", 3)


@NODE
@pytest.mark.parametrize(
    ("code", "printed"),
    [
        ("const fs = require('fs'); console.log(typeof fs.readFileSync)", "function\n"),
        ("import fs from 'node:fs'\nconsole.log(await Promise.resolve(5))", "5\n"),
    ],
)
def test_javascript_of_both_kinds_runs(drive, code, printed):
    assert once(drive, code, "javascript")["stdout"] == printed


def test_bash_runs(drive):
    answer = once(drive, "read -r name; echo hello $name; exit 4", "bash", stdin="you\n")

    assert (answer["stdout"], answer["exit_code"]) == ("hello you\n", 4)


def test_typescript_is_run_by_what_is_there(drive, tmp_path, monkeypatch):
    programs = tmp_path / "programs"
    programs.mkdir()
    for name, line in {"node": "echo", "tsx": 'echo tsx; cat "$1"'}.items():
        (programs / name).write_text(f"#!/bin/bash\n{line}\n")
        (programs / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")

    assert once(drive, "let a: number = 1", "typescript")["stdout"] == "tsx\nlet a: number = 1\n"


def test_a_language_that_nothing_runs_says_what_to_install(drive, tmp_path, monkeypatch):
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("mkdir", "cat", "rm", "sleep", "base64", "find", "sort", "head", "chmod", "tr"):
        (programs / name).symlink_to(shutil.which(name))
    monkeypatch.setenv("PATH", str(programs))

    answer = once(drive, "let a: number = 1", "typescript")

    assert answer["error"] == "nothing here runs TypeScript"
    assert "tsx" in answer["hint"]


@pytest.mark.proves("code-folder")
def test_its_folder_is_gone_afterwards_and_the_files_are_told(drive, tmp_path):
    async def story(call):
        made = await call(
            "import os\nos.mkdir('sub')\nopen('sub/a b.txt', 'w').write('hello')\n"
            "os.chmod('sub', 0o500)\nprint(os.getcwd())"
        )
        left = await call("ls -A /tmp", "bash")
        return made, left

    made, left = drive(story)
    assert made["files"] == [{"path": "sub/a b.txt", "bytes": 5}]
    assert Path(made["stdout"].strip()).name not in left["stdout"]
    assert list(tmp_path.iterdir()) == []


def test_its_files_are_kept_where_the_call_says(drive, tmp_path):
    answer = once(drive, "open('out.txt', 'w').write('hello')", save_to="kept")

    assert answer["saved_to"] == "kept"
    assert (tmp_path / "kept" / "out.txt").read_text() == "hello"


def test_it_runs_in_the_folder_that_the_call_names(drive, tmp_path):
    (tmp_path / "data.txt").write_text("7")

    assert once(drive, "int(open('data.txt').read()) * 6", workdir=".")["value"] == "42"


@pytest.mark.proves("code-run")
def test_figures_come_back_as_images(drive, own_python):
    code = (
        "import matplotlib.pyplot as plt\n"
        "for n in (1, 2):\n    plt.figure(); plt.plot([1, n])\nplt.show()"
    )
    answer = once(drive, code)

    assert (answer["status"], answer["figures"], answer.get("stderr")) == ("ok", 2, None)
    assert [part["media_type"] for part in answer["parts"]] == ["image/png"] * 2
    assert Path(answer["parts"][0]["path"]).read_bytes().startswith(b"\x89PNG")


@pytest.mark.proves("code-limits")
def test_one_that_ignores_its_end_is_ended_with_all_it_started(drive):
    code = "trap '' TERM; (trap '' TERM; setsid sleep 4321 & wait) & echo begun; sleep 4321"

    async def story(call):
        return await call(code, "bash", timeout=0.5)

    answer = drive(story)
    assert (answer["status"], answer["stdout"]) == ("timeout", "begun\n")
    assert answer["reason"] == "Stopped after 0.5 s, with all that it had started."
    assert running("4321") == []


@pytest.mark.proves("code-limits")
def test_what_it_leaves_in_the_background_neither_holds_the_answer_nor_outlives_it(drive):
    answer = once(drive, "(setsid sleep 4322 &) ; echo done", "bash", timeout=30)

    assert (answer["status"], answer["stdout"]) == ("ok", "done\n")
    assert answer["seconds"] < 20
    assert running("4322") == []


@pytest.mark.proves("code-limits")
def test_endless_output_is_cut_and_stopped(drive):
    answer = once(drive, "while True:\n    print('x' * 10_000)", timeout=60)

    assert answer["reason"] == "Stopped: it printed more than 64 MB."
    assert len(answer["stdout"]) < 60_000
    assert "bytes left out" in answer["stdout"]


@pytest.mark.proves("code-limits")
def test_a_file_cannot_grow_without_end(drive):
    code = (
        "import os\nfd = os.open('big', os.O_CREAT | os.O_WRONLY)\n"
        "os.lseek(fd, 2 << 30, 0)\nos.write(fd, b'x')"
    )

    answer = once(drive, code)

    assert "File too large" in answer["stderr"]


@pytest.mark.proves("code-limits")
def test_a_fork_bomb_ends_with_its_run(drive):
    code = (
        "import os, time\nmore = vars(os)[input()]\nprint(os.getcwd(), flush=True)\n"
        "while True:\n    try:\n        more()\n    except OSError:\n        time.sleep(4323)\n"
    )
    answer = once(drive, code, timeout=2, stdin="fork\n")

    folder = answer["stdout"].split()[0].encode()
    assert (answer["status"], b"/hermes-code-" in folder) == ("timeout", True)
    assert [words for words in running_words() if any(folder in word for word in words)] == []


@pytest.mark.proves("code-confined")
def test_it_neither_sees_hermes_nor_writes_outside(drive, hermes_home, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside")
    code = (
        "import os, pathlib\n"
        f"for path in ({str(outside / 'x')!r}, {str(hermes_home / 'x')!r}):\n"
        "    try:\n        getattr(pathlib.Path(path), 'write_' + 'text')('x')\n"
        "        print('wrote', path)\n"
        "    except OSError as error:\n        print(type(error).__name__)\n"
        "try:\n    import hermes\n    print('hermes')\nexcept ImportError:\n    print('none')\n"
    )
    answer = once(drive, code)

    assert "wrote" not in answer.get("stdout", "")
    assert not (outside / "x").exists()
    assert not (hermes_home / "x").exists()


@pytest.mark.proves("code-judged")
@pytest.mark.parametrize(
    ("language", "code"),
    [
        ("python", "import shutil; shutil.rmtree('/etc')"),
        ("javascript", "require('fs').rmSync('/etc', {recursive: true})"),
        ("typescript", "require('fs').rmSync('/etc', {recursive: true})"),
        ("bash", "rm -rf /etc"),
    ],
)
def test_code_is_judged_by_what_it_would_do(drive, language, code):
    assert once(drive, code, language)["code"] == "denied"


def test_secrets_do_not_reach_it(drive, monkeypatch):
    monkeypatch.setenv("SOME_API_KEY", "sk-very-secret-value")

    code = "import os\n[name for name in os.environ if 'API' in name]"

    assert once(drive, code)["value"] == "[]"


@pytest.mark.proves("code-packages")
def test_packages_need_a_network_that_the_profile_allows(drive, hermes_home):
    (hermes_home / "hermes_permissions.yaml").write_text(
        "profiles:\n  offline:\n    allow: ['*']\n    deny: ['network:*']\n"
    )

    answer = once(lambda story: drive(story, profile="offline"), "1", packages=["six"])

    assert answer["code"] == "denied"
    assert once(lambda story: drive(story, profile="offline"), "1")["value"] == "1"


@pytest.mark.parametrize("package", ["--index-url=http://x", "../x", "git+https://x/y", "a b", ""])
def test_only_names_of_packages_are_installed(drive, package):
    assert once(drive, "1", packages=[package])["code"] == "invalid_arguments"


def running(mark):
    """Return the processes that are called with a mark."""
    return [words for words in running_words() if mark.encode() in words]


def running_words():
    """Yield what the processes of this machine are called with."""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            yield path.read_bytes().split(b"\0")
        except OSError:
            continue
