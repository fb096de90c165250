"""YAML tools follow their files while a runtime runs."""

import asyncio
import json
import os
import threading
import time

import pytest

from hermes import Runtime
from hermes.base.errors import ConfigError
from hermes.runtime.registry import registry as process_registry
from hermes.runtime.yaml_tools import YamlSource

SAY = """\
type: command
name: say
description: {description}
argv: [{argv}]
parameters:
  - {{name: word, type: string, required: true, description: What to say.}}
"""
WAIT = """\
type: command
name: wait
description: Wait for a word in a pipe, then say it.
argv: [cat, "{fifo}"]
timeout_seconds: 10
"""


def said(description="Say a word.", argv='echo, "said {word}"'):
    return SAY.format(description=description, argv=argv)


def write(path, text):
    """Write a file so that it surely looks changed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    before = path.stat().st_mtime_ns if path.exists() else 0
    path.write_text(text)
    os.utime(path, ns=(before + 1_000_000, before + 1_000_000))


def soon(look, wanted):
    """Look until the wanted value is there; the runtime looks at its files ten times a second."""
    end = time.monotonic() + 5
    while (found := look()) != wanted and time.monotonic() < end:
        threading.Event().wait(0.01)
    assert found == wanted


@pytest.fixture
def tools(hermes_home):
    return hermes_home / "tools"


@pytest.fixture
def rt(registry, runtime, tools, tmp_path):
    """A runtime of its own that follows the home's tools folder."""
    made = runtime(cwd=tmp_path)
    made.add_source(YamlSource(tools))
    return made


def words(rt):
    answer = json.loads(rt.call_sync("say", {"word": "hi"}))
    return answer.get("stdout", answer.get("code"))


def described(rt):
    return {one["function"]["name"]: one["function"]["description"] for one in rt.definitions()}


def test_a_registered_file_is_copied_and_its_tool_can_be_called(rt, tools, tmp_path):
    write(tmp_path / "mine.yaml", said())
    assert rt.register_yaml(tmp_path / "mine.yaml") == ["say"]
    assert (tools / "say.yaml").read_text() == said()
    assert described(rt) == {"say": "Say a word."}
    assert words(rt).strip() == "said hi"


def test_a_runtime_on_a_registry_of_its_own_loads_what_is_registered(runtime, tmp_path):
    made = runtime()
    write(tmp_path / "mine.yaml", said())
    assert made.register_yaml(tmp_path / "mine.yaml") == ["say"]
    assert described(made) == {"say": "Say a word."}


def test_a_wrong_file_is_refused_with_line_and_fix_and_changes_nothing(rt, tools, tmp_path):
    write(tmp_path / "mine.yaml", said().replace("argv", "agrv"))
    with pytest.raises(ConfigError) as caught:
        rt.register_yaml(tmp_path / "mine.yaml")
    assert "mine.yaml:4" in str(caught.value) and "argv" in f"{caught.value} {caught.value.hint}"
    assert described(rt) == {} and not list(tools.glob("*"))


def test_an_edited_file_changes_definition_and_behaviour_on_the_next_use(rt, tools):
    write(tools / "say.yaml", said())
    soon(lambda: described(rt), {"say": "Say a word."})
    assert words(rt).strip() == "said hi"
    write(tools / "say.yaml", said("Shout a word.", 'echo, "SHOUTED {word}"'))
    soon(lambda: described(rt), {"say": "Shout a word."})
    assert words(rt).strip() == "SHOUTED hi"


def test_a_call_alone_sees_the_edit_too(rt, tools):
    write(tools / "say.yaml", said())
    soon(lambda: words(rt), "said hi\n")
    write(tools / "say.yaml", said(argv='echo, "anew {word}"'))
    soon(lambda: words(rt).strip(), "anew hi")
    soon(lambda: json.loads(asyncio.run(rt.call("say", {"word": "x"})))["stdout"], "anew x\n")


def test_a_broken_edit_keeps_the_last_good_tool_and_is_told(rt, tools):
    write(tools / "say.yaml", said())
    soon(lambda: described(rt), {"say": "Say a word."})
    write(tools / "say.yaml", "name: say\nargv: [echo\n")
    soon(lambda: bool(rt.problems()), True)
    ((place, why),) = rt.problems()
    assert place.endswith("say.yaml") and "say.yaml:" in why
    assert described(rt) == {"say": "Say a word."}
    assert words(rt).strip() == "said hi"
    write(tools / "say.yaml", said("Mended."))
    soon(lambda: described(rt), {"say": "Mended."})
    assert rt.problems() == []


def test_a_removed_file_takes_its_tool_with_it(rt, tools):
    write(tools / "say.yaml", said())
    soon(lambda: described(rt), {"say": "Say a word."})
    (tools / "say.yaml").unlink()
    soon(lambda: described(rt), {})
    assert words(rt) == "unknown_tool"
    assert rt.problems() == []


def test_a_broken_file_that_is_removed_takes_tool_and_problem_with_it(rt, tools):
    write(tools / "say.yaml", said())
    soon(lambda: described(rt), {"say": "Say a word."})
    write(tools / "say.yaml", "nonsense")
    soon(lambda: bool(rt.problems()), True)
    (tools / "say.yaml").unlink()
    soon(lambda: described(rt), {})
    soon(rt.problems, [])


@pytest.mark.proves("call-keeps-entry")
@pytest.mark.parametrize("change", ["edited", "removed", "broken"])
def test_a_call_in_flight_finishes_on_its_entry(rt, tools, tmp_path, change):
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    write(tools / "wait.yaml", WAIT.format(fifo=fifo))
    soon(lambda: sorted(described(rt)), ["wait"])
    answers = []
    call = threading.Thread(target=lambda: answers.append(json.loads(rt.call_sync("wait"))))
    call.start()
    with fifo.open("w") as pipe:  # opens once the tool reads
        if change == "removed":
            (tools / "wait.yaml").unlink()
            soon(lambda: described(rt), {})
        elif change == "edited":
            text = WAIT.format(fifo=fifo).replace("Wait for", "Never wait for")
            write(tools / "wait.yaml", text.replace(f'cat, "{fifo}"', "echo, changed"))
            soon(lambda: described(rt)["wait"].startswith("Never"), True)
        else:
            write(tools / "wait.yaml", "nonsense")
            soon(lambda: bool(rt.problems()), True)
        pipe.write("the old way")
    call.join(10)
    assert [answer.get("stdout") for answer in answers] == ["the old way"]


def test_a_runtime_finds_the_files_that_are_there_and_those_that_come(tools, monkeypatch):
    with Runtime() as made:
        try:
            assert "say" not in described(made)
            write(tools / "say.yaml", said())
            soon(lambda: described(made).get("say"), "Say a word.")
            with Runtime() as later:
                assert described(later)["say"] == "Say a word."
        finally:
            (tools / "say.yaml").unlink(missing_ok=True)
            made.refresh()
    assert "say" not in process_registry


def test_a_runtime_that_closes_takes_its_tools_along(tools):
    write(tools / "say.yaml", said())
    with Runtime() as made:
        assert "say" in described(made)
    assert "say" not in process_registry
    assert "say" not in described(made)


def test_a_runtime_that_closes_leaves_the_tools_of_another_on_the_same_home(tools):
    write(tools / "say.yaml", said())
    with Runtime() as first:
        with Runtime() as second:
            assert "say" in described(second)
        assert words(first).strip() == "said hi"
        third = Runtime()
    assert words(third).strip() == "said hi"
    third.close()
    assert "say" not in process_registry


def test_a_file_cannot_take_the_name_of_another_tool(rt, registry, tools):
    registry.register("say", "mine", {"type": "object"}, lambda args: "mine")
    write(tools / "say.yaml", said())
    soon(lambda: bool(rt.problems()), True)
    assert json.loads(rt.call_sync("say")) == {"result": "mine"}
    registry.deregister("say")
    rt.refresh()
    write(tools / "other.yaml", said().replace("name: say", "name: other"))
    soon(lambda: sorted(described(rt)), ["other", "say"])
