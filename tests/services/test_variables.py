import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes.base.errors import InvalidArguments, ToolError
from hermes.services.variables import Variables, shown

BASE = {
    "PATH": "/bin",
    "HOME": "/home/me",
    "LC_TIME": "de_DE.UTF-8",
    "TERMINAL_TOKEN": "t0ken",
    "OPENAI_API_KEY": "k" * 51,
    "EDITOR": "vim",
    "PROXY": "http://proxy",
}
NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,20}", fullmatch=True)


def test_a_task_sees_the_base_and_its_own_changes():
    variables = Variables(BASE)
    variables.set("a", "MODE", "fast")
    variables.set("a", "HOME", "/elsewhere")
    assert variables.get("a", "MODE") == "fast"
    assert variables.get("a", "HOME") == "/elsewhere"
    assert variables.own("a") == ["HOME", "MODE"]
    assert list(variables.all("a")) == sorted([*BASE, "MODE"])


def test_two_tasks_never_see_each_others_variables():
    variables = Variables(BASE)
    variables.set("a", "MODE", "fast")
    variables.unset("a", "HOME")
    assert variables.get("b", "MODE") is None
    assert variables.get("b", "HOME") == "/home/me"
    assert variables.all("b") == dict(sorted(BASE.items()))
    assert "MODE" not in variables.safe("b")


def test_the_base_is_looked_at_anew_and_never_written():
    base = dict(BASE)
    variables = Variables(base)
    variables.set("a", "NEW", "1")
    base["LATER"] = "1"
    assert "NEW" not in base
    assert variables.get("a", "LATER") == "1"


def test_unsetting_hides_a_variable_and_says_whether_it_was_set():
    variables = Variables(BASE)
    variables.set("a", "MODE", "fast")
    assert variables.unset("a", "MODE") is True
    assert variables.unset("a", "MODE") is False
    assert variables.unset("a", "HOME") is True
    assert variables.unset("a", "HOME") is False
    assert variables.get("a", "HOME") is None
    assert "HOME" not in variables.all("a")
    assert "HOME" not in variables.safe("a")
    variables.set("a", "HOME", "/again")
    assert variables.get("a", "HOME") == "/again"


def test_child_processes_see_allowed_names_and_what_the_task_set():
    variables = Variables(BASE, allowed=["PROXY"])
    variables.set("a", "MY_TOKEN", "mine")
    assert variables.safe("a") == {
        "HOME": "/home/me",
        "LC_TIME": "de_DE.UTF-8",
        "MY_TOKEN": "mine",
        "PATH": "/bin",
        "PROXY": "http://proxy",
    }


def test_a_secret_is_fetched_by_name_and_remembered_for_redaction():
    redacted = []
    variables = Variables(BASE, on_secret=redacted.append)
    assert variables.secret("OPENAI_API_KEY") == "k" * 51
    assert variables.secret("MISSING") is None
    assert redacted == ["k" * 51]


def test_a_secret_that_a_task_sets_is_redacted_from_then_on():
    redacted = []
    variables = Variables({}, on_secret=redacted.append)
    variables.set("a", "DB_PASSWORD", "hunter2")
    variables.set("a", "MODE", "fast")
    assert redacted == ["hunter2"]


def test_forgetting_a_task_drops_what_it_set():
    variables = Variables(BASE)
    variables.set("a", "MODE", "fast")
    variables.forget("a")
    assert variables.own("a") == []
    variables.forget("never seen")


def test_secret_values_are_shown_by_length_only():
    assert shown("OPENAI_API_KEY", "k" * 51) == "[secret, 51 characters]"
    assert shown("HOME", "/home/me") == "/home/me"


@pytest.mark.parametrize("name", ["", "1A", "A B", "A=B", "A-B", "Ä", "A\n", "A\0", "A" * 300])
def test_names_that_no_variable_can_have_are_refused(name):
    variables = Variables(BASE)
    for attempt in (
        lambda: variables.get("a", name),
        lambda: variables.set("a", name, "x"),
        lambda: variables.unset("a", name),
    ):
        with pytest.raises(InvalidArguments, match="is not a variable name"):
            attempt()


@pytest.mark.parametrize("value", ["a\0b", "\ud800", "x" * 100_001])
def test_values_that_no_process_can_be_handed_are_refused(value):
    with pytest.raises(InvalidArguments, match="the value of A"):
        Variables(BASE).set("a", "A", value)


@pytest.mark.parametrize(
    "name",
    [
        "LD_PRELOAD", "LD_LIBRARY_PATH", "DYLD_INSERT_LIBRARIES", "BASH_ENV", "ENV", "IFS",
        "PYTHONSTARTUP", "PYTHONPATH", "NODE_OPTIONS", "PERL5OPT", "RUBYOPT", "GIT_SSH_COMMAND",
        "GIT_CONFIG_COUNT", "BASH_FUNC_ls", "PAGER", "GIT_EDITOR", "PROMPT_COMMAND",
    ],
)  # fmt: skip
def test_variables_that_make_programs_run_code_are_refused(name):
    variables = Variables({})
    with pytest.raises(ToolError, match="makes other programs run code") as caught:
        variables.set("a", name, "/tmp/evil")
    assert caught.value.code == "protected_variable"
    assert f"{name}=" in caught.value.hint
    assert variables.all("a") == {}


def test_a_pager_or_editor_that_does_nothing_is_allowed():
    variables = Variables({})
    variables.set("a", "PAGER", "cat")
    variables.set("a", "GIT_EDITOR", "true")
    assert variables.safe("a") == {"GIT_EDITOR": "true", "PAGER": "cat"}


def test_a_task_cannot_set_variables_without_end():
    variables = Variables({})
    for number in range(1_000):
        variables.set("a", f"V{number}", "x")
    variables.set("a", "V0", "changed")
    with pytest.raises(InvalidArguments, match="1,000 variables already"):
        variables.set("a", "ONE_MORE", "x")
    variables.set("b", "ONE_MORE", "x")


def test_the_nearest_names_are_found():
    assert Variables(BASE).near("a", "HOEM") == ["HOME"]


def test_many_threads_lose_no_change():
    variables = Variables(BASE)

    def work(task):
        for number in range(200):
            variables.set(task, f"V{number}", task)

    threads = [threading.Thread(target=work, args=(f"task{number % 4}",)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number in range(4):
        own = variables.own(f"task{number}")
        assert len(own) == 200
        assert {variables.get(f"task{number}", name) for name in own} == {f"task{number}"}


@given(st.text(max_size=30), st.text(max_size=30))
def test_any_name_and_value_is_kept_exactly_or_refused(name, value):
    variables = Variables({})
    try:
        variables.set("a", name, value)
    except ToolError:
        assert variables.all("a") == {}
    else:
        assert variables.all("a") == {name: value}


@given(st.dictionaries(NAMES, st.text(max_size=5)), NAMES)
def test_children_never_see_more_than_the_task(base, name):
    variables = Variables(base, allowed=["A*"])
    variables.unset("a", name)
    safe = variables.safe("a")
    assert safe.items() <= variables.all("a").items()
    assert name not in safe


def test_a_secret_under_an_allowed_name_is_not_seen_by_children():
    base = {
        "LC_API_KEY": "anything",
        "CI": "ghp_Zx8Qw3Lm5Nt7Rv2Bk9Jd4Hf6Gs1Pc0Ya3Ue",
        "LC_ALL": "C.UTF-8",
        "PATH": "/usr/bin:/bin",
        "TERM": "xterm-256color",
    }
    seen = {"LC_ALL", "PATH", "TERM"}
    assert Variables(base).safe("a").keys() == seen
    assert Variables(base, allowed=["CI"]).safe("a").keys() == {*seen, "CI"}
