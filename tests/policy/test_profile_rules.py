"""Which rules are taken for a profile, and which are refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes.base.errors import ConfigError
from hermes.policy.limits import Limits
from hermes.policy.permissions import Profile
from hermes.policy.profile_rules import KEYS, checked, profile

LISTS = ("allow", "deny", "approval_required")


def refused(rules, **known):
    with pytest.raises(ConfigError) as caught:
        profile("mine", rules, known=known)
    assert caught.value.hint
    return str(caught.value)


@pytest.mark.parametrize(
    "name", ["mcp:git-hub.list_issues", "a.b:c", "my-tool:*", "x_1:y_2", "f*:r*", "*"]
)
def test_names_of_servers_and_tools_are_permissions(name):
    assert profile("mine", {"allow": [name.upper()]}).allow == (name,)


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
    ["", " ", "file", "file:", ":read", "file:read:x", "file read", "a[b]:c", "file:r?", 5, None],
)
def test_what_is_not_domain_and_verb_is_refused(key, name):
    message = refused({key: ["file:read", name]})
    assert f"profile 'mine': {key!r}: {name!r} is not a permission" in message


@pytest.mark.parametrize("key", LISTS)
@pytest.mark.parametrize(
    "name",
    ["file:red", "file:wirte", "danger:nope", "danger:rm*", "terminal:exec", "network:fecth"],
)
def test_a_slip_of_the_pen_is_not_taken_for_a_rule(key, name):
    assert f"{key!r}: nothing needs {name!r}" in refused({key: [name]})


@pytest.mark.parametrize("name", ["danger:net*", "danger:*", "file:*", "file:stamp", "network:*"])
def test_patterns_and_verbs_of_tools_are_no_slips(name):
    assert profile("mine", {"deny": [name]}).deny == (name,)


def test_a_domain_alone_is_told_how_to_mean_all_of_it():
    with pytest.raises(ConfigError) as caught:
        profile("mine", {"deny": ["Terminal"]})
    assert caught.value.hint == "Write 'terminal:*' for all of it."


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({"restrictions": {"Terminal": {}}}, "'restrictions': 'Terminal' is not a permission"),
        ({"restrictions": {"terminal:execute": 1}}, "must have a mapping of limits, not 1"),
        ({"restrictions": {"terminal:execute": {}}}, "must have a mapping of limits, not {}"),
        ({"restrictions": ["terminal:execute"]}, "must map permissions to limits"),
        ({"restrictions": False}, "must map permissions to limits, not False"),
        ({"restrictions": {"a:b": {"paths": []}}}, "unknown limit 'paths'"),
        ({"restrictions": {"a:b": {"allowed_paths": "/x"}}}, "'allowed_paths' must be a list"),
        ({"restrictions": {"a:b": {"allowed_paths": ["${x}/a"]}}}, "unknown variable ${x}"),
        ({"restrictions": {"a:b": {"allowed_paths": ["${home"]}}}, "without its closing brace"),
        ({"restrictions": {"a:b": {"denied_paths": [""]}}}, "'denied_paths': '' is no path"),
        ({"restrictions": {"a:b": {"denied_commands": [" "]}}}, "' ' is no command"),
        ({"restrictions": {"a:b": {"denied_commands": ["if ("]}}}, "'if (' cannot be parsed"),
        ({"restrictions": {"a:b": {"allowed_hosts": ["a/b"]}}}, "'a/b' is no host"),
        ({"restrictions": {"a:b": {"methods": ["G T"]}}}, "'G T' is no method"),
        ({"restrictions": {"a:b": {"max": {"n": "9"}}}}, "'n' must be a number, not '9'"),
        ({"restrictions": {"a:b": {"max": [9]}}}, "'max' must map arguments to values"),
        ({"restrictions": {"a:b": {"regex": {"n": "("}}}}, "'n' is no regular expression"),
        ({"description": 5}, "'description' must be text, not 5"),
        ({"extends": 5}, "'extends' must be the name of a profile, not 5"),
        ({"extends": "other"}, "'extends': there is no permission profile 'other'"),
        ({"tools": []}, "'tools' must map tools to rules, not []"),
        ({"tools": {"x": "maybe"}}, "'tools': 'x': 'maybe' is no rule for a tool"),
        ({"tools": {"x": {"alow": []}}}, "'tools': 'x': unknown key 'alow'"),
        ({"tools": {"x": {"allow": "a:b"}}}, "'tools': 'x': 'allow' must be a list"),
        ({"tools": {"x": {"max": 5}}}, "'tools': 'x': 'max' must map arguments to values"),
        ({"headless": "yes"}, "'headless' must be true or false, not 'yes'"),
        ({"no_human": "allow"}, "'no_human' can only be deny"),
        ({"sandbox": {"fs": "none"}}, "'sandbox': 'fs' cannot be 'none'"),
        ({"sandbox": "off"}, "'sandbox': must be a mapping of rules, not 'off'"),
        ({"limits": {"timeout_s": 0}}, "'limits': 'timeout_s' must be a number above 0"),
        ({"limits": {"timeout": 5}}, "'limits': unknown key 'timeout'"),
        ({"examples": {"allow": "ls"}}, "'examples': 'allow' must be a list of commands"),
        ({"examples": {"alow": []}}, "'examples': unknown key 'alow'"),
        ({1: 2}, "unknown key 1"),
        ({None: []}, "unknown key None"),
        ([], "must be a mapping of rules, not []"),
        (None, "must be a mapping of rules, not None"),
    ],
)
def test_other_wrong_rules_are_refused(rules, message):
    assert message in refused(rules)


def test_a_misspelt_key_is_refused_with_the_nearest():
    with pytest.raises(ConfigError) as caught:
        profile("mine", {"alow": []})
    assert caught.value.hint == "Did you mean 'allow'?"


def test_limits_are_read_in_their_own_forms():
    made = profile(
        "mine",
        {
            "restrictions": {
                "network:fetch": {
                    "allowed_hosts": ["example.com"],
                    "methods": ["get"],
                    "max": {"limit": 100},
                    "regex": {"q": "[a-z]+"},
                }
            }
        },
    )
    limits = Limits(
        allowed_hosts=("example.com",),
        methods=("GET",),
        max=(("limit", 100),),
        regex=(("q", "[a-z]+"),),
    )
    assert made.restrictions == (("network:fetch", limits),)


def test_package_hosts_stand_for_many():
    made = profile("m", {"restrictions": {"n:f": {"allowed_hosts": ["${package_hosts}", "a.b"]}}})
    hosts = made.restrictions[0][1].allowed_hosts
    assert hosts[-1] == "a.b" and "pypi.org" in hosts


def test_rules_of_a_tool_allow_what_they_do_not_mention():
    made = profile("mine", {"tools": {"http_*": {"deny": ["file:write"], "max": {"n": 1}}}})
    ((name, rules),) = made.tools
    assert (name, rules.allow, rules.deny, rules.level) == (
        "http_*",
        ("*",),
        ("file:write",),
        "tool",
    )
    assert rules.restrictions == (("*", Limits(max=(("n", 1),))),)


def test_a_tool_may_be_ruled_in_one_word():
    made = profile("mine", {"tools": {"a": "deny", "b": "ask", "c": "allow"}})
    assert [(rules.deny, rules.ask) for _, rules in made.tools] == [
        (("*",), ()),
        ((), ("*",)),
        ((), ()),
    ]


def test_examples_must_get_the_verdict_they_are_listed_under():
    rules = {
        "allow": ["*"],
        "approval_required": ["danger:*"],
        "restrictions": {"terminal:execute": {"denied_commands": ["git push *"]}},
    }
    examples = {"allow": ["git status"], "ask": ["rm -rf src"], "deny": ["git push", "rm -rf /"]}
    assert profile("mine", {**rules, "examples": examples}).allow == ("*",)
    message = refused({**rules, "examples": {"allow": ["git status", "git -C x push"]}})
    assert message.startswith("profile 'mine': 'examples': 'allow': 'git -C x push' is denied: ")
    assert "'make' is allowed" in refused({**rules, "examples": {"deny": ["make"]}})


def test_a_profile_made_by_hand_is_checked_too():
    made = checked(Profile("mine", allow=["*"], deny=("Terminal:Execute",)))
    assert made == Profile("mine", ("*",), ("terminal:execute",))
    assert checked(Profile.closed("why")).refusal == "why"
    for wrong in (Profile("x", deny="a:b"), Profile("x", ask=False)):
        with pytest.raises(ConfigError):
            checked(wrong)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9) | st.sampled_from(["*", "a:b"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.text(max_size=9) | st.sampled_from(["a:b", "*", *KEYS, *Limits._fields]), inner
        )
    ),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(KEYS), _JSON) | _JSON)
def test_any_value_is_a_profile_or_a_config_error(rules):
    try:
        made = profile("mine", rules)
    except ConfigError as error:
        assert "mine" in str(error) and error.hint
        return
    assert made.judge(["never:named"]).decision in ("allow", "ask", "deny")
