import stat

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hermes.base.errors import ConfigError
from hermes.config.edit import parse_text, set_value
from hermes.config.load import load

LAYOUT = """\
# my settings
tools:   # what is offered
  enabled:   # only these
    - web
    - file
  # time is short
  timeout_seconds: 3   # three
urls:
journal: {enabled: true}   # keep

# the end
"""


def edited(tmp_path, text, key, value):
    file = tmp_path / "config.yaml"
    file.write_text(text)
    set_value(file, key, value)
    return file.read_text()


@pytest.mark.parametrize(
    ("key", "value", "old", "new"),
    [
        ("tools.timeout_seconds", 9.5, "timeout_seconds: 3   #", "timeout_seconds: 9.5   #"),
        ("tools.max_workers", 2, "# three\n", "# three\n  max_workers: 2\n"),
        ("urls.allow_private", True, "urls:\n", "urls:\n  allow_private: true\n"),
        ("journal.enabled", False, "{enabled: true}", "{enabled: false}"),
        ("journal.capture_arguments", False, "true}", "true, capture_arguments: false}"),
        ("model.strict_schemas", True, "keep\n", "keep\nmodel:\n  strict_schemas: true\n"),
        (
            "tools.enabled",
            ("a", "b c"),
            "enabled:   # only these\n    - web\n    - file\n",
            'enabled: [a, "b c"]   # only these\n',
        ),
        (
            "toolsets",
            {"mine": {"tools": ["a"]}},
            "keep\n",
            "keep\ntoolsets: {mine: {tools: [a]}}\n",
        ),
    ],
)
def test_only_the_line_of_the_setting_changes(tmp_path, key, value, old, new):
    assert edited(tmp_path, LAYOUT, key, value) == LAYOUT.replace(old, new)


def test_a_missing_file_is_made_private(tmp_path):
    file = tmp_path / "new" / "config.yaml"
    set_value(file, "urls.allow_private", True)
    assert file.read_text() == "urls:\n  allow_private: true\n"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def test_line_ends_and_a_missing_last_one_are_kept(tmp_path):
    file = tmp_path / "config.yaml"
    file.write_bytes(b"urls:\r\n  allow_private: true")
    set_value(file, "journal.enabled", False)
    assert (
        file.read_bytes() == b"urls:\r\n  allow_private: true\r\njournal:\r\n  enabled: false\r\n"
    )


def test_a_linked_file_stays_a_link(tmp_path):
    (tmp_path / "real.yaml").write_text("# mine\n")
    (tmp_path / "config.yaml").symlink_to("real.yaml")
    set_value(tmp_path / "config.yaml", "urls.allow_private", True)
    assert (tmp_path / "config.yaml").is_symlink()
    assert "allow_private: true" in (tmp_path / "real.yaml").read_text()


@pytest.mark.parametrize(
    ("text", "key", "value", "words"),
    [
        ("tools:\n  enabled:\n    - a # why\n    - b\n", "tools.enabled", ["b"], "comments inside"),
        ("tools: 3\n", "tools.max_workers", 1, "not a section"),
        ("tools: [\n", "tools.max_workers", 1, "is not YAML"),
        ("tols:\n  x: 1\n", "tools.max_workers", 1, "Did you mean 'tools'?"),
        ("", "tools.max_workers", 0, "a whole number, 1 or more"),
        ("", "tools.max_worker", 1, "unknown setting"),
        ("tools:\n  defer: [a]\ntools.max_workers: 3\n", "tools.max_workers", 4, "sets it twice"),
        ("urls: { # why\n  }\n", "urls.allow_private", True, "hermes config edit"),
    ],
)
def test_what_cannot_be_written_is_refused_and_the_file_left_alone(
    tmp_path, text, key, value, words
):
    file = tmp_path / "config.yaml"
    file.write_text(text)
    with pytest.raises(ConfigError) as caught:
        set_value(file, key, value)
    assert words in f"{caught.value.message} {caught.value.hint}"
    assert file.read_text() == text
    assert [path.name for path in tmp_path.iterdir()] == ["config.yaml"]


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("tools.disabled", "web, file", ("web", "file")),
        ("tools.disabled", "[]", ()),
        ("tools.timeout_seconds", "5", 5),
        ("tools.timeout_seconds", "0.5", 0.5),
        ("urls.allow_private", "YES", True),
        ("permissions.profile", "", None),
    ],
)
def test_words_of_the_command_line_become_values(key, text, value):
    assert parse_text(key, text) == value


@pytest.mark.parametrize(
    ("key", "text", "hint"),
    [
        ("tools.timeout", "5", "tools.timeout_seconds"),
        ("zzz", "5", "hermes config list"),
        ("tools.max_workers", "many", "Default: 64"),
        ("tools.timeout_seconds", "nan", "Default: 300"),
        ("tools.timeout_seconds", "inf", "Default: 300"),
        ("toolsets", "a", "Default"),
    ],
)
def test_words_that_do_not_fit_are_refused_with_a_hint(key, text, hint):
    with pytest.raises(ConfigError) as caught:
        parse_text(key, text)
    assert hint in caught.value.hint


NAMES = st.text(st.characters(exclude_categories=("Cs",)), min_size=1).filter(str.strip)
VALUES = st.one_of(
    st.tuples(st.just("tools.max_workers"), st.integers(1, 10**30)),
    st.tuples(st.just("tools.timeout_seconds"), st.floats(1e-6, 1e12)),
    st.tuples(st.just("journal.enabled"), st.booleans()),
    st.tuples(st.just("tools.enabled"), st.lists(NAMES).map(tuple)),
    st.tuples(st.just("permissions.profile"), NAMES),
    st.tuples(st.just("environment.pass"), st.lists(NAMES).map(tuple)),
)
LAYOUTS = st.sampled_from(
    [
        "",
        "# only words\n",
        LAYOUT,
        LAYOUT.rstrip(),
        "journal: {}\ntools: {enabled: [a, b], max_workers: 1} # t\n# z",
        "permissions:\n    # deep\n    profile: 'x' # p\n\n\n"
        "environment:\n  pass:\n  - A\n  - B\n# z\n",
    ]
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(layout=LAYOUTS, changes=st.lists(VALUES, min_size=1, max_size=4))
def test_what_is_set_is_what_is_read_and_comments_stay(tmp_path, layout, changes):
    file = tmp_path / "config.yaml"
    file.write_text(layout)
    for key, value in changes:
        set_value(file, key, value)
    text, loaded = file.read_text(), load(tmp_path, environ={}).as_dict()
    for key, value in dict(changes).items():
        section, _, name = key.partition(".")
        assert loaded[section][name] == (list(value) if isinstance(value, tuple) else value)
    for line in layout.splitlines():
        _, mark, comment = line.partition("#")
        assert mark + comment in text
