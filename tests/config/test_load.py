import re
import subprocess
import sys
from pathlib import Path

import pytest

from hermes.base.errors import ConfigError
from hermes.config.declare import Section, Setting, walk
from hermes.config.kinds import Flag
from hermes.config.load import declared, load, variable
from hermes.config.settings import Settings


def written(folder: Path, text: str) -> Path:
    (folder / "config.yaml").write_text(text)
    return folder


def complaint(folder: Path, **given) -> str:
    with pytest.raises(ConfigError) as caught:
        load(folder, **{"environ": {}, **given})
    return f"{caught.value.message}\n{caught.value.hint}"


def test_defaults_hold_when_nothing_is_said(tmp_path):
    settings = load(tmp_path, environ={})
    assert settings.home == tmp_path
    assert settings.file == tmp_path / "config.yaml"
    assert settings.tools.enabled == ("all",)
    assert settings.tools.timeout_seconds == 300
    assert settings.results.per_turn_chars == 200_000
    assert settings.permissions.profile is None
    assert settings.environment.pass_names == ()
    assert settings.toolsets == {}


def test_home_comes_from_the_argument_then_the_overrides_then_the_environment(tmp_path):
    environ = {"HERMES_HOME": str(tmp_path / "env")}
    assert load(environ=environ).home == tmp_path / "env"
    assert load(environ=environ, overrides={"home": tmp_path / "over"}).home == tmp_path / "over"
    assert load(tmp_path, environ=environ, overrides={"home": "x"}).home == tmp_path
    assert load(environ={}).home == Path("~/.hermes").expanduser()


def test_each_source_beats_the_one_before(tmp_path):
    written(tmp_path, "tools:\n  timeout_seconds: 1\n  max_workers: 1\n  check_ttl_seconds: 1\n")
    environ = {"HERMES_TOOLS_MAX_WORKERS": "2", "HERMES_TOOLS_CHECK_TTL_SECONDS": "2"}
    tools = load(tmp_path, {"tools": {"check_ttl_seconds": 3}}, environ).tools
    assert (tools.timeout_seconds, tools.max_workers, tools.check_ttl_seconds) == (1, 2, 3)
    assert tools.defer_over_tokens == 0


def test_overrides_may_be_nested_or_dotted(tmp_path):
    nested = load(tmp_path, {"tools": {"disabled": ["web"]}}, {})
    dotted = load(tmp_path, {"tools.disabled": ["web"]}, {})
    assert nested == dotted
    assert nested.tools.disabled == ("web",)


def test_the_environment_speaks_in_words(tmp_path):
    environ = {
        "HERMES_TOOLS_DISABLED": "web, browser",
        "HERMES_TOOLS_DEFER": "['a', \"b\"]",
        "HERMES_JOURNAL_ENABLED": "off",
        "HERMES_APPROVALS_TIMEOUT_SECONDS": "2.5",
        "HERMES_PERMISSIONS_PROFILE": "careful",
        "HERMES_ENVIRONMENT_PASS": "GH_TOKEN",
        "HERMES_RESULTS_CONTEXT_TOKENS": "",
    }
    settings = load(tmp_path, environ=environ)
    assert settings.tools.disabled == ("web", "browser")
    assert settings.tools.defer == ("a", "b")
    assert settings.journal.enabled is False
    assert settings.approvals.timeout_seconds == 2.5
    assert settings.permissions.profile == "careful"
    assert settings.environment.pass_names == ("GH_TOKEN",)
    assert settings.results.context_tokens == 0


def test_custom_toolsets_are_read_whole(tmp_path):
    written(
        tmp_path,
        "toolsets:\n  mine:\n    description: Mine.\n    tools: [sleep]\n    includes: [web]\n",
    )
    assert load(tmp_path, environ={}).toolsets == {
        "mine": {"description": "Mine.", "tools": ("sleep",), "includes": ("web",)}
    }


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("[sleep]", "'mine' must be"),
        ("{tool: [a]}", "has no 'tool'"),
        ("{tools: a}", "a list of names"),
    ],
)
def test_a_custom_toolset_of_the_wrong_form_is_explained(tmp_path, body, words):
    assert words in complaint(written(tmp_path, f"toolsets:\n  mine: {body}\n"))


def test_an_empty_key_or_section_means_the_default(tmp_path):
    written(tmp_path, "# nothing yet\ntools:\nresults:\n  per_turn_chars:\n")
    assert load(tmp_path, environ={}).results.per_turn_chars == 200_000


def test_an_unknown_key_names_file_line_and_the_nearest_key(tmp_path):
    said = complaint(written(tmp_path, "# top\ntools:\n  timeout_secs: 3\n"))
    assert f"{tmp_path}/config.yaml:3: tools.timeout_secs: unknown setting" in said
    assert "Did you mean 'tools.timeout_seconds'?" in said


def test_a_key_in_the_wrong_place_is_sent_home(tmp_path):
    assert "'urls.allow_private'" in complaint(written(tmp_path, "allow_private: true\n"))


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("tools: {max_workers: '3'}", "a whole number, 1 or more, got '3'"),
        ("tools: {max_workers: true}", "a whole number, 1 or more, got True"),
        ("tools: {max_workers: 0}", "a whole number, 1 or more, got 0"),
        ("tools: {timeout_seconds: -1}", "a number of seconds above 0, got -1"),
        ("tools: {enabled: web}", "a list of names, got 'web'"),
        ("tools: {enabled: [1]}", "a list of names, got [1]"),
        ("journal: {enabled: 1}", "true or false, got 1"),
        ("permissions: {profile: [a]}", "a text, got ['a']"),
        ("tools: 3", "a section with settings beneath it, got 3"),
        ("toolsets: 3", "a mapping of names"),
    ],
)
def test_a_mistyped_value_says_what_is_expected_and_what_was_given(tmp_path, line, words):
    said = complaint(written(tmp_path, line + "\n"))
    assert words in said
    assert "config.yaml:1" in said


def test_all_problems_are_told_at_once(tmp_path):
    said = complaint(
        written(tmp_path, "tool: 1\nurls:\n  allow_private: 3\n"),
        environ={"HERMES_TOOLS_TIMEOUT": "1", "HERMES_JOURNAL_ENABLED": "maybe"},
        overrides={"model": {"strict": True}},
    )
    assert said.startswith("5 problems")
    for words in ("'tools'", ":3: urls.allow_private", "$HERMES_JOURNAL_ENABLED", "model.strict"):
        assert words in said
    assert "Did you mean 'HERMES_TOOLS_TIMEOUT_SECONDS'?" in said


def test_variables_of_others_are_left_alone(tmp_path):
    environ = {"HERMES_DEBUG": "1", "HERMES_FOO": "x", "HERMES_TOOLS_XQZ": "1", "HOME": "/x"}
    assert load(tmp_path, environ=environ) == load(tmp_path, environ={})


@pytest.mark.parametrize("text", ["tools: [", "- a\n", "just words", "a: 1\na: 2\n", "a: &x 1\n"])
def test_a_file_that_is_no_mapping_is_refused_with_its_name(tmp_path, text):
    assert "config.yaml" in complaint(written(tmp_path, text))


def test_a_file_that_is_not_text_is_refused(tmp_path):
    (tmp_path / "config.yaml").write_bytes(b"\xff\xfe\x00")
    assert "UTF-8" in complaint(tmp_path)


def test_settings_are_frozen(tmp_path):
    settings = load(tmp_path, environ={})
    for change in (
        lambda: setattr(settings, "home", Path("/")),
        lambda: setattr(settings.tools, "max_workers", 1),
        lambda: setattr(settings, "anything", 1),
    ):
        with pytest.raises(AttributeError, match="frozen"):
            change()
    with pytest.raises(TypeError):
        load(tmp_path, {"toolsets": {"a": {}}}, {}).toolsets["b"] = None


def test_every_setting_has_a_fitting_default_and_one_line_of_help():
    settings = dict(walk(Settings))
    assert len(settings) > 15
    for key, setting in settings.items():
        assert setting.kind.check(setting.default) == setting.default, key
        assert re.fullmatch(r"[A-Z][^\n]+\.", setting.help), key
    assert len({variable(key) for key in settings}) == len(settings)


def test_a_section_is_one_declaration():
    class Extra(Section):
        on = Setting(False, Flag(), "Whether.")

    assert Extra().on is False
    assert Extra({"on": True}).as_dict() == {"on": True}
    assert declared("tools.enabled").default == ("all",)
    assert declared("tools") is None


def test_loading_without_a_file_imports_nothing_heavy(tmp_path):
    code = (
        "import sys; from hermes.config.load import load; load(sys.argv[1], environ={});"
        "heavy = {'yaml', 'dataclasses', 'msgspec', 'inspect', 'asyncio', 'json'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    run = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == "[]"
