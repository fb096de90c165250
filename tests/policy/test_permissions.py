"""Profiles: which rules are taken, which are refused, and what they decide."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes.base.errors import ConfigError
from hermes.policy.permissions import Profile, checked, choose, folded, profile

LISTS = ("allow", "deny", "approval_required")


def decision(rules, *permissions):
    return profile("mine", rules).judge(permissions).decision


def refused(rules):
    with pytest.raises(ConfigError) as caught:
        profile("mine", rules)
    assert caught.value.hint
    return str(caught.value)


@pytest.mark.parametrize(
    ("rules", "word"),
    [
        ({"allow": ["*"]}, "allow"),
        ({"allow": ["terminal:execute"]}, "allow"),
        ({"allow": ("terminal:*",)}, "allow"),
        ({"allow": ["*:execute"]}, "allow"),
        ({"allow": ["file:read"]}, "deny"),
        ({"allow": ["terminal:*"], "approval_required": ["*"]}, "ask"),
        ({"allow": ["*"], "approval_required": ["*"], "deny": ["*:execute"]}, "deny"),
        ({"allow": ["*"], "restrictions": {"terminal:*": {"denied_commands": ["rm"]}}}, "deny"),
        ({"allow": None, "deny": None, "approval_required": None, "restrictions": None}, "deny"),
        ({"allow": [], "deny": [], "restrictions": {}, "description": "Nothing."}, "deny"),
    ],
)
def test_deny_beats_ask_beats_allow_and_the_rest_is_denied(rules, word):
    assert decision(rules, "terminal:execute") == word


@pytest.mark.parametrize("written", ["Terminal:Execute", " terminal:execute", "TERMINAL:* \n"])
@pytest.mark.parametrize("needed", ["terminal:execute", "Terminal:Execute ", "TERMINAL:EXECUTE"])
def test_case_and_spaces_around_a_name_do_not_matter(written, needed):
    assert decision({"allow": ["*"], "deny": [written]}, needed) == "deny"
    assert decision({"allow": ["*"], "approval_required": [written]}, needed) == "ask"
    assert decision({"allow": ["*"], "restrictions": {written: {}}}, needed) == "deny"
    assert decision({"allow": [written]}, needed) == "allow"


@pytest.mark.parametrize(
    "name", ["mcp:git-hub.list_issues", "a.b:c", "my-tool:*", "x_1:y_2", "f*:r*"]
)
def test_names_of_servers_and_tools_are_permissions(name):
    assert decision({"allow": [name]}, name.replace("*", "x")) == "allow"


@pytest.mark.parametrize("key", LISTS)
@pytest.mark.parametrize(
    "value", [False, True, 0, 5, 1.5, "", "file:read", {}, {"terminal:execute": False}, {1: 2}]
)
def test_rules_must_be_lists_so_that_nothing_opens_by_its_type(key, value):
    message = refused({key: value})
    assert f"profile 'mine': {key!r} must be a list of permissions, not {value!r}" in message


@pytest.mark.parametrize("key", LISTS)
@pytest.mark.parametrize(
    "name",
    [
        "",
        " ",
        "file",
        "file:",
        ":read",
        "file:read:x",
        "file read",
        "a[b]:c",
        "file:r?",
        5,
        None,
        [],
    ],
)
def test_what_is_not_domain_and_verb_is_refused(key, name):
    message = refused({key: ["file:read", name]})
    assert f"profile 'mine': {key!r}: {name!r} is not a permission" in message


def test_a_domain_alone_is_told_how_to_mean_all_of_it():
    with pytest.raises(ConfigError) as caught:
        profile("mine", {"deny": ["Terminal"]})
    assert caught.value.hint == "Write 'terminal:*' for all of it."


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({"restrictions": {"Terminal": {}}}, "'restrictions': 'Terminal' is not a permission"),
        ({"restrictions": {"terminal:execute": 1}}, "must have a mapping of limits, not 1"),
        ({"restrictions": ["terminal:execute"]}, "must map permissions to limits"),
        ({"restrictions": False}, "must map permissions to limits, not False"),
        ({"restrictions": 0}, "must map permissions to limits, not 0"),
        ({"description": 5}, "'description' must be text, not 5"),
        ({"extends": "other"}, "unknown key 'extends'"),
        ({1: 2}, "unknown key 1"),
        ({None: []}, "unknown key None"),
        ([], "must be a mapping of rules, not []"),
        (None, "must be a mapping of rules, not None"),
        (False, "must be a mapping of rules, not False"),
    ],
)
def test_other_wrong_rules_are_refused(rules, message):
    assert message in refused(rules)


def test_a_misspelt_key_is_refused_with_the_nearest():
    with pytest.raises(ConfigError) as caught:
        profile("mine", {"alow": []})
    assert caught.value.hint == "Did you mean 'allow'?"


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9) | st.sampled_from(["*", "a:b"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=6,
)
_RULES = st.dictionaries(st.sampled_from([*LISTS, "restrictions", "description"]), _JSON)


@given(_RULES | _JSON)
def test_any_value_is_a_profile_or_a_config_error(rules):
    try:
        made = profile("mine", rules)
    except ConfigError as error:
        assert "mine" in str(error) and error.hint
        return
    assert made.judge(["never:named"]).decision in ("allow", "ask", "deny")


@given(_RULES)
def test_a_deny_that_is_taken_denies_every_name_it_lists(rules):
    try:
        made = profile("mine", rules)
    except ConfigError:
        return
    for name in [*(rules.get("deny") or ()), *(rules.get("restrictions") or ())]:
        assert made.judge([name]).decision == "deny"


def test_a_closed_profile_denies_even_what_needs_no_permission():
    verdict = Profile.closed("the file is broken").judge(())
    assert (verdict.decision, verdict.reason) == ("deny", "the file is broken")


def test_a_profile_made_by_hand_is_checked_too():
    made = checked(Profile("mine", allow=["*"], deny=("Terminal:Execute",), restricted=["File:*"]))
    assert made == Profile("mine", ("*",), ("terminal:execute",), (), ("file:*",))
    assert checked(Profile.closed("why")).refusal == "why"
    for wrong in (
        Profile("x", deny="a:b"),
        Profile("x", ask=False),
        Profile("x", restricted="a:b"),
    ):
        with pytest.raises(ConfigError):
            checked(wrong)


def test_a_profile_that_is_not_there_is_told_with_what_is():
    known = {"careful": Profile("careful"), "open": Profile("open")}
    assert choose("careful", known, "p.yaml") is known["careful"]
    with pytest.raises(ConfigError, match="no permission profile 'carefull'") as caught:
        choose("carefull", known, "p.yaml")
    assert caught.value.hint == "Did you mean 'careful'?"
    with pytest.raises(ConfigError) as caught:
        choose("zzz", known, "p.yaml")
    assert caught.value.hint == "Profiles in p.yaml: careful, open."


@given(st.text())
def test_folding_a_name_twice_changes_nothing_more(name):
    assert folded(folded(name)) == folded(name)
