"""What a script may use: limits that bite, each met by a script that wants more."""

import shutil
import time

import pytest

LIMITED = """\
profiles:
  small:
    allow: ['*']
    limits: {processes: 40}
"""


def script(project, code, profile=None, **settings):
    async def story(call):
        began = time.monotonic()
        answer = await call("execute_code", code=code, timeout=40)
        after = await call("execute_code", code="print('well')")
        return answer, time.monotonic() - began, after["stdout"]

    config = {"code": {"backend": "python", **settings}}
    return project.run(story, config=config, **({"profile": profile} if profile else {}))


@pytest.mark.proves("script-limits")
def test_a_script_that_fills_the_disk_with_many_files_is_stopped(project, tmp_path):
    if shutil.disk_usage(tmp_path).free < 1 << 30:
        pytest.skip("needs 1 GB of free disk")
    code = (
        "import os, time\nfor n in range(3):\n    with open(f'big{n}', 'wb') as file:\n"
        "        os.posix_fallocate(file.fileno(), 0, 45 << 20)\n"
        "print('written')\ntime.sleep(60)\n"
    )
    answer, seconds, after = script(project, code, disk_megabytes=100)
    for path in project.folder.glob("big*"):
        path.unlink()
    assert (answer["status"], after) == ("stopped", "well\n"), answer
    assert "the disk lost more than 100 MB" in answer["reason"]
    assert seconds < 20


@pytest.mark.proves("script-limits")
def test_endless_output_of_a_child_is_stopped_and_the_beginning_is_shown(project):
    code = "import subprocess\nprint('first', flush=True)\nsubprocess.run(['yes'])"
    answer, seconds, after = script(project, code)
    assert (answer["status"], after) == ("stopped", "well\n"), answer
    assert "printed more than 64 MB" in answer["reason"]
    assert answer["stdout"].startswith("first\ny\ny\n")
    assert len(answer["stdout"]) < 60_000
    assert seconds < 30


@pytest.mark.proves("script-limits")
def test_a_script_gets_no_more_processes_than_its_task_may_have(project, hermes_home):
    (hermes_home / "hermes_permissions.yaml").write_text(LIMITED)
    code = (
        "import subprocess\nbegun = []\ntry:\n    for n in range(300):\n"
        "        begun.append(subprocess.Popen(['sleep', '4325']))\n"
        "except OSError as error:\n    print(len(begun) < 200)\n    raise\n"
    )
    answer, _, after = script(project, code, profile="small")
    assert (answer["stdout"], after) == ("True\n", "well\n"), answer
    assert "processes and threads" in answer["note"]


@pytest.mark.proves("script-killed")
def test_a_script_that_kills_itself_leaves_its_words_and_no_process(project):
    code = (
        "import os, subprocess\nsubprocess.Popen(['setsid', 'flock', 'held', 'sleep', '600'])\n"
        "while not os.path.exists('held'): pass\nprint('begun', flush=True)\n"
        "os.kill(os.getpid(), 9)\n"
    )

    async def story(call):
        answer = await call("execute_code", code=code)
        return answer, await call("terminal", command="flock -w 10 held true; echo $?")

    answer, free = project.run(story, config={"code": {"backend": "python"}})
    assert (answer["status"], answer["stdout"]) == ("error", "begun\n"), answer
    assert "signal 9" in answer["note"]
    assert free["stdout"] == "0\n"
