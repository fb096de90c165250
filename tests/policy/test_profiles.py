"""The text of a permissions file."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes.base.errors import ConfigError
from hermes.base.json import encode
from hermes.policy.limits import Limits
from hermes.policy.permissions import Profile
from hermes.policy.profiles import parse, shipped

FILE = """\
version: 1
default_profile: tight
profiles:
  tight:
    allow: [File:Read]
  wide:
    description: Nearly everything.
    allow: ["*"]
    deny:
      - env:write
    approval_required: [git:push]
    restrictions:
      file:write: {allowed_paths: [/tmp/**]}
"""


def test_profiles_and_the_default_are_read():
    found = parse(FILE, "p.yaml")
    assert found.default == Profile("tight", allow=("file:read",))
    assert found.own == {"tight", "wide"}
    assert found.by_name == {
        **shipped().by_name,
        "tight": found.default,
        "wide": Profile(
            "wide",
            ("*",),
            ("env:write",),
            ("git:push",),
            (("file:write", Limits(allowed_paths=("/tmp/**",))),),
            description="Nearly everything.",
        ),
    }


def test_profiles_extend_each_other_in_any_order_and_those_that_ship():
    found = parse(
        """
profiles:
  c: {extends: b, deny: [x:z]}
  b: {extends: [a, developer], allow: ["x:*"]}
  a: {allow: ["*"], deny: [x:y]}
""",
        "p.yaml",
    ).by_name
    words = [found["c"].judge([name]).decision for name in ("x:x", "x:y", "x:z", "y:y")]
    assert words == ["allow", "deny", "deny", "deny"]
    assert found["c"].judge(["danger:delete"]).decision == "deny"
    assert [level.name for level in found["c"].levels()] == ["a", "developer", "b", "c"]


def test_a_profile_of_the_file_hides_one_that_ships():
    found = parse("profiles: {trusted: {deny: ['*']}}", "p.yaml")
    assert found.by_name["trusted"].judge(["a:b"]).decision == "deny"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("profiles:\n  a: {extends: a}", "p.yaml:2: profile 'a': 'extends': 'a' extends 'a'"),
        (
            "profiles:\n  a: {extends: b}\n  b: {extends: c}\n  c:\n    extends: [b]",
            "p.yaml:5: profile 'c': 'extends': 'b' extends 'c' extends 'b'",
        ),
        ("profiles:\n  a:\n    extends: develop", "p.yaml:3: profile 'a': 'extends': there is"),
        ("profiles:\n  a:\n    extends: [5]", "p.yaml:3: profile 'a': 'extends' must be"),
        (
            "profiles:\n  a:\n    tools:\n      x:\n        max: {n: no}",
            "p.yaml:5: profile 'a': 'tools': 'x': 'max': 'n' must be a number",
        ),
        (
            "profiles:\n  a:\n    restrictions:\n      a:b:\n        denied_paths:\n"
            "          - x\n          - ''",
            "p.yaml:7: profile 'a': 'restrictions': 'a:b': 'denied_paths': '' is no path",
        ),
    ],
)
def test_circles_and_wrong_inner_rules_are_told_with_their_line(text, message):
    with pytest.raises(ConfigError) as caught:
        parse(text, "p.yaml")
    assert str(caught.value).startswith(message)
    assert caught.value.hint


def test_without_a_default_there_is_none():
    assert parse("profiles: {a: {}}", "p.yaml").default is None
    assert parse("default_profile:\nprofiles: {}", "p.yaml").default is None


@pytest.mark.parametrize(
    ("old", "new", "message", "fix"),
    [
        ("- env:write", "- Env", "p.yaml:10: profile 'wide': 'deny': 'Env' is not", "'env:*'"),
        ("[git:push]", "no", "p.yaml:11: profile 'wide': 'approval_required' must be", "[file:"),
        ("file:write:", "file:", "p.yaml:13: profile 'wide': 'restrictions': 'file'", "'file:*'"),
        ("[File:Read]", "[5]", "p.yaml:5: profile 'tight': 'allow': 5 is not", "domain:verb"),
        ("    allow: [File:Read]", "", "p.yaml:4: profile 'tight': must be a mapping", "allow"),
        ("    allow: [File", "    alow: [File", "p.yaml:5: profile 'tight': unknown", "'allow'"),
        ("description:", "about:", "p.yaml:7: profile 'wide': unknown key", "Known keys"),
        ("_profile: tight", "_profile: tigt", "p.yaml:2: default_profile: there is", "'tight'"),
        ("_profile: tight", "_profile: 5", "p.yaml:2: default_profile: 5 is not", "name"),
        ("_profile: tight", "_profil: tight", "p.yaml:2: default_profil: unknown", "_profile'"),
        ("version: 1", "version: 2", "p.yaml:1: version: 2 is not known", "Write 1"),
        ("version: 1", "version: true", "p.yaml:1: version: True is not known", "Write 1"),
        ("  wide:", "  tight:", "p.yaml:6: the key 'tight' is written twice", "Keep one"),
        ("deny:", "deny: [", "p.yaml:10: is not YAML", "brackets"),
    ],
)
def test_a_wrong_file_is_refused_with_line_and_fix(old, new, message, fix):
    assert FILE.count(old) == 1
    with pytest.raises(ConfigError) as caught:
        parse(FILE.replace(old, new), "p.yaml")
    assert str(caught.value).startswith(message)
    assert fix in caught.value.hint


@pytest.mark.parametrize(
    "text", ["", "a: [", "just words", "[1]", "profiles: [a]", "{}", "a: 1\n---\nb: 2"]
)
def test_a_file_without_profiles_is_refused(text):
    with pytest.raises(ConfigError, match=r"p\.yaml:\d") as caught:
        parse(text, "p.yaml")
    assert caught.value.hint


def test_a_file_may_only_choose_among_what_ships():
    found = parse("default_profile: readonly\n", "p.yaml")
    assert found.default is not None and found.default.name == "readonly"


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["profiles", "allow", "deny", "a"]) | st.text(), inner)
    ),
    max_leaves=8,
)


@given(_JSON)
def test_any_value_is_profiles_or_a_config_error(value):
    try:
        parse(encode(value), "p.yaml")
    except ConfigError as error:
        assert "p.yaml" in str(error) and error.hint
