"""Profiles: what they decide, level by level."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes.base.errors import ConfigError
from hermes.policy.need import Deed, Need
from hermes.policy.paths import Places
from hermes.policy.permissions import Profile, choose, danger, folded, narrowed, settled
from hermes.policy.profile_rules import profile
from hermes.policy.verdict import Finding, Verdict

PLACES = Places(("/ws",), "/home/me", "/home/me/.hermes")
RANK = ("allow", "ask", "deny")


def decision(rules, *permissions):
    return profile("mine", rules).judge(permissions).decision


def verdict(rules, *needs, tool=("t",), **known):
    findings = tuple(need.finding for need in needs if need.finding)
    made = rules if isinstance(rules, Profile) else profile("mine", rules, known=known)
    return made.judge_deed(Deed(tool, needs, findings, {}, PLACES))


@pytest.mark.parametrize(
    ("rules", "word"),
    [
        ({"allow": ["*"]}, "allow"),
        ({"allow": ["terminal:execute"]}, "allow"),
        ({"allow": ("terminal:*",)}, "allow"),
        ({"allow": ["*:execute"]}, "allow"),
        ({"allow": ["file:read"]}, "deny"),
        ({"allow": ["terminal:*"], "approval_required": ["*"]}, "ask"),
        ({"approval_required": ["terminal:*"]}, "ask"),
        ({"allow": ["*"], "approval_required": ["*"], "deny": ["*:execute"]}, "deny"),
        ({"allow": None, "deny": None, "approval_required": None, "restrictions": None}, "deny"),
        ({"allow": [], "deny": [], "restrictions": {}, "description": "Nothing."}, "deny"),
    ],
)
def test_deny_beats_ask_beats_allow_and_the_rest_is_denied(rules, word):
    assert decision(rules, "terminal:execute") == word


@pytest.mark.parametrize(
    "rules",
    [
        {"terminal:execute": {"denied_commands": ["rm"]}},
        {"terminal:*": {"allowed_commands": ["ls"]}},
        {"terminal:execute": {"allowed_paths": ["/tmp/**"]}},
        {"*": {"denied_commands": ["rm"]}},
    ],
)
def test_a_limit_that_nothing_can_check_denies(rules):
    found = profile("mine", {"allow": ["*"], "restrictions": rules}).judge(["terminal:execute"])
    assert found.decision == "deny"
    assert "nothing can check that here" in found.reason


def test_a_limit_on_what_a_permission_is_not_about_does_not_deny():
    rules = {"allow": ["*"], "restrictions": {"*": {"denied_paths": ["/x"]}}}
    assert decision(rules, "system:read") == "allow"
    assert decision(rules, "file:read") == "deny"


@pytest.mark.parametrize("written", ["Terminal:Execute", " terminal:execute", "TERMINAL:* \n"])
@pytest.mark.parametrize("needed", ["terminal:execute", "Terminal:Execute ", "TERMINAL:EXECUTE"])
def test_case_and_spaces_around_a_name_do_not_matter(written, needed):
    assert decision({"allow": ["*"], "deny": [written]}, needed) == "deny"
    assert decision({"allow": ["*"], "approval_required": [written]}, needed) == "ask"
    assert decision({"allow": [written]}, needed) == "allow"


def test_every_permission_must_be_allowed():
    assert decision({"allow": ["a:*"]}, "a:b", "b:c") == "deny"
    assert decision({"allow": ["a:*"], "approval_required": ["b:*"]}, "a:b", "b:c") == "ask"


def test_a_closed_profile_denies_even_what_needs_no_permission():
    found = Profile.closed("the file is broken").judge(())
    assert (found.decision, found.reason) == ("deny", "the file is broken")


DELETES = Finding("delete", "deletes src", (0, 10))
WIPES = Finding("disk", "wipes a disk", (0, 4), "floor")


def test_a_danger_is_a_permission_and_its_sentence_leads():
    ask = verdict({"allow": ["*"], "approval_required": ["danger:*"]}, danger(DELETES))
    assert ask == Verdict("ask", "deletes src", "approval_required: danger:*", (DELETES,))
    deny = verdict({"allow": ["*"], "deny": ["danger:delete"]}, danger(DELETES))
    assert deny.reason == "deletes src, and profile 'mine' denies danger:delete"
    assert verdict({"allow": ["file:*"]}, danger(DELETES)).decision == "deny"
    assert verdict({"allow": ["*"]}, danger(DELETES)).decision == "allow"


@pytest.mark.proves("policy-floor")
@pytest.mark.parametrize("rules", [{"allow": ["*"]}, {"allow": ["danger:*"]}])
def test_the_floor_is_denied_under_every_profile(rules):
    found = profile("mine", rules).judge_deed(Deed(findings=(WIPES,)))
    assert (found.decision, found.rule) == ("deny", "floor: wipes a disk")
    assert found.findings == (WIPES,)


def test_headless_answers_every_question_with_no():
    asks = profile("asks", {"allow": ["*"], "approval_required": ["a:*"]})
    made = profile("mine", {"extends": "asks", "headless": True}, known={"asks": asks})
    assert made.judge(["a:b"]).decision == "deny"
    assert "nobody is there to ask" in made.judge(["a:b"]).reason
    assert made.judge(["b:c"]).decision == "allow"
    child = profile("c", {"extends": "mine", "approval_required": ["b:*"]}, known={"mine": made})
    assert child.judge(["b:c"]).decision == "deny"


@pytest.mark.parametrize(
    ("child", "word"),
    [
        ({}, "ask"),
        ({"allow": ["*"]}, "ask"),
        ({"allow": ["file:read"]}, "deny"),
        ({"approval_required": ["*"]}, "ask"),
        ({"deny": ["a:b"]}, "deny"),
    ],
)
def test_a_profile_that_extends_another_can_only_narrow_it(child, word):
    wide = profile("wide", {"allow": ["a:*"], "approval_required": ["a:b"]})
    made = profile("mine", {"extends": "wide", **child}, known={"wide": wide})
    assert made.judge(["a:b"]).decision == word
    assert made.judge(["z:z"]).decision == "deny"


def test_several_extended_profiles_must_all_agree():
    known = {"a": profile("a", {"allow": ["x:*"]}), "b": profile("b", {"allow": ["*:read"]})}
    made = profile("mine", {"extends": ["a", "b"]}, known=known)
    assert made.judge(["x:read"]).decision == "allow"
    assert made.judge(["x:write"]).decision == "deny"
    assert made.judge(["y:read"]).decision == "deny"


def test_rules_of_a_tool_narrow_its_calls_alone():
    rules = {"allow": ["*"], "tools": {"http_*": {"deny": ["file:write"]}, "sleep": "deny"}}
    write = Need("file:write", "/ws/a", "path")
    assert verdict(rules, write, tool=("http_get",)).decision == "deny"
    assert verdict(rules, write, tool=("web", "http_get")).decision == "deny"
    assert verdict(rules, write, tool=("write_file",)).decision == "allow"
    assert verdict(rules, tool=("sleep",)).decision == "deny"
    assert verdict(rules, tool=("wait",)).decision == "allow"
    assert verdict({"tools": {"t": {"allow": ["*"]}}}, write).decision == "deny"


def test_the_same_rules_say_when_a_tool_needs_no_look():
    made = profile("m", {"allow": ["a:*", "b:*"], "restrictions": {"b:*": {"max": {"n": 1}}}})
    assert made.is_plain(("a:b",), ("t",))
    assert made.is_plain((), ("t",))
    assert not made.is_plain(("b:c",), ("t",))
    assert not made.is_plain(("c:d",), ("t",))
    tooled = profile("m", {"allow": ["*"], "tools": {"t": {"max": {"n": 1}}}})
    assert not tooled.is_plain((), ("t",))
    assert tooled.is_plain((), ("other",))
    assert not Profile.closed("x").is_plain((), ("t",))


def test_a_private_address_is_denied_unless_these_rules_name_it():
    local = Need("network:fetch", "http://localhost:3000/", "url")
    assert verdict({"allow": ["*"]}, local).rule == "urls: loopback addresses"
    named = {"restrictions": {"network:fetch": {"allowed_hosts": ["localhost:3000"]}}}
    assert verdict({"allow": ["*"], **named}, local).decision == "allow"
    wide = profile("wide", {"allow": ["*"]})
    assert verdict({"extends": "wide", **named}, local, wide=wide).decision == "deny"
    opened = Deed(("t",), (local,), allows_private=True)
    assert profile("mine", {"allow": ["*"]}).judge_deed(opened).decision == "allow"
    metadata = Need("network:fetch", "http://169.254.169.254/", "url")
    assert verdict({"allow": ["*"]}, metadata).decision == "deny"


def test_an_address_of_a_tool_without_permissions_is_judged_too():
    assert verdict({}, Need("", "http://127.0.0.1/", "url")).decision == "deny"
    assert verdict({}, Need("", "https://example.com/", "url")).decision == "allow"


def test_a_verdict_names_every_danger_that_was_found():
    local = Need("network:fetch", "http://localhost/", "url")
    found = verdict({"allow": ["*"]}, danger(DELETES), local).findings
    assert [(each.category, each.span) for each in found] == [
        ("delete", (0, 10)),
        ("exfiltration", (0, 17)),
    ]


def test_what_a_command_was_found_to_do_is_told():
    write = Need("file:write", "/ws/a", "path", is_found=True)
    reason = verdict({"deny": ["file:*"]}, write).reason
    assert reason == "changes /ws/a, and profile 'mine' denies file:write"
    reason = verdict({"approval_required": ["file:*"]}, write).reason
    assert reason == "changes /ws/a, and profile 'mine' wants a person to approve file:write"


def test_the_strictest_sandbox_and_limits_hold():
    wide = profile(
        "wide", {"sandbox": {"fs": "read-only", "net": "on"}, "limits": {"timeout_s": 9}}
    )
    own = {"sandbox": {"fs": "off", "net": "off"}, "limits": {"timeout_s": 99, "memory_mb": 5}}
    made = profile("mine", {"extends": "wide", **own}, known={"wide": wide})
    assert settled(made) == {
        "sandbox": {"fs": "read-only", "net": "off"},
        "limits": {"timeout_s": 9, "memory_mb": 5},
    }


def test_a_profile_that_is_not_there_is_told_with_what_is():
    known = {"careful": Profile("careful"), "open": Profile("open")}
    assert choose("careful", known, "p.yaml") is known["careful"]
    with pytest.raises(ConfigError, match="no permission profile 'carefull'") as caught:
        choose("carefull", known, "p.yaml")
    assert caught.value.hint == "Did you mean 'careful'?"
    with pytest.raises(ConfigError) as caught:
        choose("zzz", known, "p.yaml")
    assert caught.value.hint == "Profiles: careful, open. More can be put in p.yaml."


@given(st.text())
def test_folding_a_name_twice_changes_nothing_more(name):
    assert folded(folded(name)) == folded(name)


_NAMES = st.sampled_from(
    ["*", "file:*", "*:read", "file:read", "file:write", "network:fetch", "danger:*", "tool:*"]
)
_LIMITS = st.fixed_dictionaries(
    {},
    optional={
        "allowed_paths": st.lists(st.sampled_from(["/ws/**", "**/*.py", "~/x"]), max_size=2),
        "denied_paths": st.lists(st.sampled_from(["/ws/.env", "*.pem"]), max_size=2),
        "allowed_hosts": st.lists(st.sampled_from(["example.com", "localhost"]), max_size=2),
        "max": st.dictionaries(st.sampled_from(["n", "m"]), st.integers(0, 9), max_size=2),
    },
).filter(bool)
_RULES = st.fixed_dictionaries(
    {},
    optional={
        "allow": st.lists(_NAMES, max_size=3),
        "deny": st.lists(_NAMES, max_size=2),
        "approval_required": st.lists(_NAMES, max_size=2),
        "restrictions": st.dictionaries(_NAMES, _LIMITS, max_size=2),
        "headless": st.booleans(),
    },
)
_SUBJECTS = st.one_of(
    st.builds(Need, st.sampled_from(["file:read", "file:write", "system:read"])),
    st.builds(
        Need,
        st.sampled_from(["file:read", "file:write"]),
        st.sampled_from(["/ws/a.py", "/ws/.env", "/etc/x", "/ws/*"]),
        st.just("path"),
    ),
    st.builds(
        Need,
        st.just("network:fetch"),
        st.sampled_from(["https://example.com/", "http://localhost/"]),
        st.just("url"),
    ),
    st.just(danger(DELETES)),
)
_DEEDS = st.builds(
    Deed,
    st.just(("t",)),
    st.lists(_SUBJECTS, max_size=3).map(tuple),
    arguments=st.dictionaries(st.sampled_from(["n", "m"]), st.integers(0, 9), max_size=2),
    places=st.just(PLACES),
)


def strictness(made, deed):
    return RANK.index(made.judge_deed(deed).decision)


@pytest.mark.proves("policy-narrows")
@given(_RULES, _RULES, _DEEDS)
def test_narrowing_never_allows_what_a_wider_rule_did_not(wide, narrow, deed):
    parent = profile("wide", wide)
    child = profile("mine", {**narrow, "extends": "wide"}, known={"wide": parent})
    assert strictness(child, deed) >= strictness(parent, deed)
    other = profile("other", narrow)
    both = narrowed(parent, other)
    assert strictness(both, deed) >= max(strictness(parent, deed), strictness(other, deed))


@given(_RULES, _RULES, _DEEDS)
def test_rules_of_a_tool_never_allow_more(rules, own, deed):
    inner = {key: value for key, value in own.items() if key != "headless"}
    plain, tooled = profile("mine", rules), profile("mine", {**rules, "tools": {"t": inner}})
    assert strictness(tooled, deed) >= strictness(plain, deed)


@given(_RULES, _NAMES, _DEEDS)
def test_one_more_deny_never_makes_a_verdict_milder(rules, name, deed):
    more = {**rules, "deny": [*rules.get("deny", []), name]}
    assert strictness(profile("mine", more), deed) >= strictness(profile("mine", rules), deed)


@given(_RULES, st.lists(st.sampled_from(["file:read", "system:read", "a:b"]), max_size=3))
def test_what_needs_no_look_is_allowed_whatever_the_arguments(rules, permissions):
    made = profile("mine", rules)
    if made.is_plain(permissions, ("t",)):
        needs = tuple(map(Need, permissions))
        assert made.judge_deed(Deed(("t",), needs, arguments={"n": 99})).decision == "allow"
