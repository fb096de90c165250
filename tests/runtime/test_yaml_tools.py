"""Tool files: what they say, what is wrong with them, and how a folder of them is followed."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes.base.errors import ConfigError
from hermes.base.json import encode
from hermes.runtime.boundary import Wants
from hermes.runtime.registry import ToolRegistry
from hermes.runtime.yaml_tools import YamlSource, entries, install, parse
from hermes.runtime.yaml_tools.spec.json_path import parse_path, pick
from hermes.runtime.yaml_tools.spec.spec import Secret
from hermes.runtime.yaml_tools.spec.templates import Unset, as_text, fill, fill_text, placeholders

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples" / "tools"
PAGE = ROOT / "docs" / "yaml-tools.md"
WEATHER = """\
name: get_weather
description: Return the forecast for a city.
type: http_wrapper
endpoint: https://api.example.com/v1/forecast/{city}
method: GET
auth: {type: bearer, token_env: WEATHER_TOKEN}
headers: {Accept: application/json}
query: {days: "{days}"}
parameters:
  - {name: city, type: string, required: true, description: City name}
  - {name: days, type: integer, default: 3, enum: [1, 3, 7], location: query}
tags: [weather]
timeout_seconds: 15
response: {format: json, path: "data.items[0].name", max_chars: 20000}
retries: {attempts: 3, on: [429, 502, 503, 504], backoff_seconds: 0.5}
permissions: [network:fetch]
effects: network
"""
HTTP = "name: t\ndescription: d\ntype: http_wrapper\nendpoint: https://a.example/x\n"
COMMAND = "name: t\ndescription: d\ntype: command\n"


def problem(text):
    with pytest.raises(ConfigError) as caught:
        parse(text, "t.yaml")
    return caught.value


def tool_file(folder, name, file=None):
    path = folder / (file or f"{name}.yaml")
    path.write_text(HTTP.replace("name: t", f"name: {name}"))
    return path


def test_a_file_becomes_an_entry(tmp_path):
    file = tmp_path / "weather.yaml"
    file.write_text(WEATHER)
    (entry,) = entries(file)
    assert entry.name == "get_weather"
    assert entry.toolset == "custom"
    assert entry.description == "Return the forecast for a city."
    assert entry.parameters == {
        "type": "object",
        "properties": {
            "city": {"type": "string", "description": "City name"},
            "days": {"type": "integer", "default": 3, "enum": [1, 3, 7]},
        },
        "required": ["city"],
        "additionalProperties": False,
    }
    assert (entry.raw, entry.is_async) == (True, True)
    assert entry.permissions == ("network:fetch",)
    assert entry.effects == frozenset({"network"})
    assert (entry.timeout_seconds, entry.max_result_size_chars) == (18, 20_000)
    assert entry.requires_env == ("WEATHER_TOKEN",)
    assert (entry.tags, entry.source) == (("weather",), f"yaml:{file}")


def test_the_tools_of_the_page_are_good():
    blocks = re.findall(r"file: (\S+) -->\n\n```yaml\n(.*?)```", PAGE.read_text(), re.DOTALL)
    tools = {file: text for file, text in blocks if not file.endswith("mistakes.yaml")}
    assert len(blocks) == len(tools) + 1
    assert [spec.name for file, text in tools.items() for spec in parse(text, file)] == [
        "create_ticket",
        "git_history",
    ]


def test_the_examples_are_good():
    found = [entry.name for file in sorted(EXAMPLES.glob("*.yaml")) for entry in entries(file)]
    assert found == ["get_weather", "git_history", "list_issues"]


@pytest.mark.parametrize(
    ("method", "effect"),
    [("GET", "read"), ("HEAD", "read"), ("POST", "write"), ("delete", "write")],
)
def test_effects_follow_the_method(method, effect):
    (spec,) = parse(f"{HTTP}method: {method}\n", "t.yaml")
    assert spec.effects == frozenset({effect})
    assert spec.permissions == ("network:fetch",)


@pytest.mark.parametrize(
    ("given", "effects"),
    [("read", {"read"}), ("[network, send]", {"network", "send"}), ("[]", {"read"})],
)
def test_effects_may_be_declared(given, effects):
    (spec,) = parse(f"{HTTP}effects: {given}\n", "t.yaml")
    assert spec.effects == frozenset(effects)


@pytest.mark.parametrize(
    ("given", "message", "fix"),
    [
        ("[nothing_such]", "effects: 'nothing_such' is not an effect", "Known effects: none, read"),
        ("[read, Wirte]", "effects: 'Wirte' is not an effect", "Did you mean 'write'?"),
        ("5", "effects: 5 is not an effect", "Known effects"),
        ("[read, [write]]", "effects: a list is not an effect", "Known effects"),
        ("false", "effects: False is not an effect", "Known effects"),
    ],
)
def test_an_effect_that_nobody_knows_is_refused(given, message, fix):
    error = problem(f"{HTTP}effects: {given}\n")
    assert str(error) == f"t.yaml:5: {message}"
    assert fix in error.hint


def test_a_command_has_its_own_defaults():
    (spec,) = parse(f"{COMMAND}argv: [git, status]\n", "t.yaml")
    assert (spec.permissions, spec.effects) == (("terminal:execute",), frozenset({"exec"}))
    assert spec.response.format == "text"


def test_permissions_may_be_declared_empty():
    (spec,) = parse(f"{HTTP}permissions: []\n", "t.yaml")
    assert spec.permissions == ()


def test_parameters_may_be_a_json_schema():
    text = (
        f"{HTTP}parameters:\n  type: object\n  properties:\n"
        "    q: {type: string, minLength: 1, location: header}\n    n: {type: [integer, 'null']}\n"
        "  required: [q]\n"
    )
    (spec,) = parse(text, "t.yaml")
    assert spec.schema() == {
        "type": "object",
        "properties": {"q": {"type": "string", "minLength": 1}, "n": {"type": ["integer", "null"]}},
        "required": ["q"],
        "additionalProperties": False,
    }
    assert spec.action.headers == {"q": "{q}"}
    assert spec.action.query == {"n": "{n}"}


@pytest.mark.parametrize(
    ("method", "place"), [("GET", "query"), ("DELETE", "query"), ("POST", "body")]
)
def test_a_parameter_without_a_place_goes_where_the_method_has_one(method, place):
    (spec,) = parse(f"{HTTP}method: {method}\nparameters: [{{name: x}}]\n", "t.yaml")
    assert getattr(spec.action, place) == {"x": "{x}"}


def test_several_tools_in_a_list_and_in_documents():
    text = "tools:\n  - {name: a, description: d, type: command, argv: [ls]}\n---\n" + HTTP
    assert [(spec.name, spec.line) for spec in parse(text, "t.yaml")] == [("a", 2), ("t", 4)]


def test_secrets_of_headers_query_and_environment_are_required():
    (http,) = parse(
        f"{HTTP}headers: {{X-A: {{value_env: A}}}}\nquery: {{k: {{value_env: B}}}}\n", "t"
    )
    assert http.secrets == ("A", "B")
    (command,) = parse(f"{COMMAND}argv: [ls]\nenv: {{TOKEN: {{value_env: C}}, X: '1'}}\n", "t")
    assert command.secrets == ("C",)
    assert command.action.env == {"TOKEN": Secret("C"), "X": "1"}


WRONG = [
    ("nam: t\n", 5, "nam: unknown key 'nam'", "Did you mean 'name'?"),
    ("method: FETCH\n", 5, "'FETCH' is not known", "Did you mean 'PATCH'?"),
    (
        "auth: {type: bearer, token: abcdef}\n",
        5,
        "auth.token: a secret must not be written",
        "token_env",
    ),
    (
        "auth: {type: bearer, token_env: sk-abcdef}\n",
        5,
        "not the name of an environment",
        "MY_VARIABLE",
    ),
    (
        "auth: {type: bearer, token_env: 12345678}\n",
        5,
        "not the name of an environment",
        "MY_VARIABLE",
    ),
    ("auth: {type: basic, user_env: X}\n", 5, "unknown key 'user_env'", "username_env"),
    ("auth: {type: bearer}\n", 5, "missing 'token_env'", "token_env: MY_VARIABLE"),
    ("headers: {Authorization: Bearer abcdef}\n", 5, "a secret must not be written", "auth"),
    ("headers: {Host: x}\n", 5, "cannot be set", "Remove"),
    ('headers: {X: "a\\r\\nb"}\n', 5, "line break", "one line"),
    (
        "query: {q: '{nope}'}\n",
        5,
        "query: there is no parameter for {nope}",
        "Add it to `parameters`",
    ),
    ("body: {a: 1}\n", 5, "GET request has no body", "POST"),
    ("method: POST\nretries: {attempts: 2}\n", 6, "may act twice", "unsafe: true"),
    ("retries: {on: [200]}\n", 5, "not a list of such numbers", "400"),
    ("timeout_seconds: soon\n", 5, "'soon' is not such a number", "Write a number"),
    ("response: {format: xml}\n", 5, "'xml' is not known", "json, text"),
    ("response: {format: text, path: a}\n", 5, "only JSON has a path", "format: json"),
    ("response: {path: 'a b'}\n", 5, "cannot read ' b'", "data.items[0].name"),
    ("parameters: [{name: a, type: strin}]\n", 5, "'strin' is not known", "Did you mean 'string'?"),
    ("parameters: [{name: a}, {name: a}]\n", 5, "declared twice", "Keep one"),
    ("parameters: [{name: 9x}]\n", 5, "not a parameter's name", "letters"),
    ("parameters: [{name: ctx}]\n", 5, "is reserved", "letters"),
    ("parameters: [{name: a, required: yes}]\n", 5, "must be true or false", "required: true"),
    ("parameters: [{name: a, default: 3}]\n", 5, "3 is not of type string", "Correct"),
    ("parameters: [{name: a, type: integer, default: x}]\n", 5, "not of type integer", "default"),
    ("parameters: [{name: a, enum: [b], default: c}]\n", 5, "not in enum", "Add it"),
    ("parameters: [{name: a, required: true, default: c}]\n", 5, "cannot have a default", "Remove"),
    ("parameters: [{name: a, location: path}]\n", 4, "is not in it", "{a}"),
    ("parameters: [{name: a, location: body}]\n", 5, "which GET has not", "query"),
    ("parameters: {properties: {a: {}}, required: [b]}\n", 5, "not among the properties", "Add it"),
    ("permissions: [everything]\n", 5, "'everything' is not such a word", "network:fetch"),
    ("argv: [ls]\n", 5, "unknown key 'argv'", "Known keys"),
]


@pytest.mark.parametrize(
    ("text", "line", "message", "fix"), WRONG, ids=[row[0][:50] for row in WRONG]
)
@pytest.mark.proves("declare-yaml-errors")
def test_a_wrong_http_tool_is_refused_with_line_and_fix(text, line, message, fix):
    error = problem(HTTP + text)
    assert message in str(error)
    assert str(error).startswith(f"t.yaml:{line}: ")
    assert fix in f"{error} {error.hint}"
    assert "abcdef" not in f"{error} {error.hint}"
    assert "12345678" not in f"{error} {error.hint}"


@pytest.mark.parametrize(
    ("endpoint", "message"),
    [
        ("ftp://a.example/", "scheme 'ftp'"),
        ("a.example/x", "not a web address"),
        ("https://user:pw@a.example/", "user name or password"),
        ("https://{host}/x", "could choose any host through {host}"),
        ("{host}://a.example/x", "could choose any host through {host}"),
        ("https://a.example:{host}/x", "could choose any host through {host}"),
        ("https:///x", "not a host"),
        ("https://a.example:99999/", "not a host"),
        ("https://a.example/{optional}", "may be unset"),
        ("https://a.example/#x", "not a web address"),
    ],
)
def test_an_endpoint_that_is_wrong_or_open_is_refused(endpoint, message):
    text = HTTP.replace("https://a.example/x", f'"{endpoint}"')
    text += "parameters: [{name: host, required: true}, {name: optional}]\n"
    assert message in str(problem(text))


def test_a_host_may_be_chosen_from_an_enum_of_safe_words():
    text = HTTP.replace("https://a.example/x", '"https://{region}.a.example/x"')
    parameter = "parameters: [{name: region, required: true, enum: [eu, us]}]\n"
    (spec,) = parse(text + parameter, "t.yaml")
    assert spec.action.origin == "https://{region}.a.example"
    assert "does not fit in a host" in str(problem(text + parameter.replace("eu", "evil.com/")))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("argv: git log\n", "must be a list; a command line for a shell is not accepted"),
        ("argv: []\n", "must be a list with a program"),
        ("", "missing 'argv'"),
        ("argv: [./run]\n", "is not a program's name"),
        ("argv: ['{p}']\nparameters: [{name: p}]\n", "could choose any program"),
        ("argv: [sh, -c, 'ls {p}']\nparameters: [{name: p}]\n", "would be read as code"),
        ("argv: [env, bash, -lc, 'ls {p}']\nparameters: [{name: p}]\n", "would be read as code"),
        ("argv: [python3, -c, 'print({p})']\nparameters: [{name: p}]\n", "would be read as code"),
        ("argv: [ls, '|', wc]\n", "ordinary argument"),
        ("argv: [ls]\nparameters: [{name: p}]\n", "'p' is never used"),
        ("argv: [ls, '{p}']\n", "there is no parameter for {p}"),
        ("argv: [ls, {a: b}]\n", "argv[1]: must be text"),
        ("argv: [ls]\nenv: {'A-B': x}\n", "not a variable's name"),
        ("argv: [ls]\nsuccess_codes: [no]\n", "not a list of such numbers"),
        ("argv: [ls]\nendpoint: x\n", "unknown key 'endpoint'"),
        ("argv: [ls]\nsandbox: on\n", "t.yaml:5: sandbox: cannot be 'on'"),
        ("argv: [ls]\nsandbox: {net: on}\n", "sandbox.net: unknown key 'net'"),
        ("argv: [ls]\nsandbox: {network: all}\n", "sandbox.network: 'all' is not known"),
        ("argv: [ls]\nsandbox: {writable: [notes]}\n", "'notes' is not such a word"),
        ("argv: [ls]\nsandbox: {writable: [/]}\n", "'/' is not such a word"),
        ("argv: [ls]\nsandbox: {writable: [/a/../..]}\n", "'/a/../..' is not such a word"),
    ],
)
def test_a_wrong_command_is_refused(text, message):
    assert message in str(problem(COMMAND + text))


@pytest.mark.proves("declare-yaml-errors")
def test_all_problems_come_at_once_one_to_a_line():
    error = problem("nam: x\ntype: http_wrapper\nendpoint: nowhere\ntimeout_seconds: -1\n")
    assert str(error).splitlines() == [
        "t.yaml:1: nam: unknown key 'nam'. Did you mean 'name'?",
        "t.yaml:1: missing 'name'. Add `name: get_weather`.",
        "t.yaml:1: missing 'description'. Add `description: What the tool does, for the model.`.",
        "t.yaml:3: endpoint: 'nowhere' is not a web address. "
        "Write it like https://api.example.com/v1/{city}, without a #fragment.",
        "t.yaml:4: timeout_seconds: -1 is not such a number. Write a number from 0.01 to 3600.",
    ]
    assert (error.file, error.line) == ("t.yaml", 1)


def test_without_a_type_only_that_is_said():
    error = problem("name: t\ndescription: d\n")
    assert str(error) == "t.yaml:1: missing 'type'"
    assert error.hint == "Add `type: http_wrapper` or `type: command`."
    error = problem("name: t\ndescription: d\ntype: htpt\n")
    assert str(error) == "t.yaml:3: type: 'htpt' is not known"


def test_without_a_type_the_keys_tell_what_else_is_wrong():
    assert str(problem("name: t\ndescription: d\nargv: [ls, '{a}']\n")).splitlines() == [
        "t.yaml:1: missing 'type'. Add `type: http_wrapper` or `type: command`.",
        "t.yaml:3: argv: there is no parameter for {a}. "
        "Add it to `parameters`, or write {{a}} for literal braces.",
    ]


@pytest.mark.parametrize(
    "text", ["", "---\n", "just words\n", "[1]\n", "tools: []\n", "tools: x\n", "tools: [1]\n"]
)
def test_a_file_without_a_tool_is_refused(text):
    assert problem(text).hint


@pytest.mark.parametrize(
    ("text", "wants", "starts"),
    [
        ("", Wants(), True),
        ("sandbox: off\n", Wants(is_off=True), False),
        ("sandbox: {network: on}\n", Wants(network="on"), True),
        ("sandbox: {writable: [~/notes, /srv/x]}\n", Wants(("~/notes", "/srv/x")), True),
    ],
)
def test_a_file_says_what_its_command_wants_of_the_sandbox(tmp_path, text, wants, starts):
    file = tmp_path / "t.yaml"
    file.write_text(f"{COMMAND}argv: [ls]\n{text}")
    assert parse(file.read_text(), file)[0].action.wants == wants
    assert entries(file)[0].starts_programs is starts


def test_a_name_twice_in_a_file_is_refused():
    assert "declared twice in this file" in str(problem(f"{HTTP}---\n{HTTP}"))


_KEYS = st.sampled_from(
    [
        "name",
        "description",
        "type",
        "toolset",
        "endpoint",
        "method",
        "auth",
        "headers",
        "query",
        "body",
        "parameters",
        "tags",
        "argv",
        "cwd",
        "env",
        "stdin",
        "success_codes",
        "sandbox",
        "network",
        "writable",
        "timeout_seconds",
        "response",
        "retries",
        "permissions",
        "effects",
        "token_env",
        "path",
    ]
)
_WORDS = st.sampled_from(
    [
        "http_wrapper",
        "command",
        "bearer",
        "{x}",
        "https://{x}/{y}",
        "GET",
        "json",
        "a[*].b",
        "-c",
        "sh",
    ]
)
_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(max_size=8)
    | _WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(_KEYS, _VALUES, max_size=12))
def test_any_mapping_is_tools_or_a_config_error(value):
    try:
        specs = parse(encode(value), "t.yaml")
    except ConfigError as error:
        assert str(error)
        return
    assert specs


@given(st.text())
def test_any_text_is_tools_or_a_config_error(text):
    with pytest.raises(ConfigError):
        parse(text, "t.yaml")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(JSON)
def test_a_placeholder_alone_keeps_the_value_and_its_type(value):
    assert fill({"a": ["{x}"]}, {"x": value}) == {"a": [value]}


@given(st.text(), st.text(alphabet=st.characters(exclude_characters="{}")))
def test_a_value_is_never_read_as_a_template(value, around):
    assert fill_text(around + "{x}" + around, {"x": value, "y": "wrong"}) == around + value + around


@given(JSON)
def test_without_placeholders_a_template_stays_as_it_is(value):
    if placeholders(value) or "{{" in json.dumps(value):
        return
    assert fill(value, {"x": 1}) == value


def test_what_has_no_value_is_left_out_with_its_key():
    template = {"a": "{x}", "b": "n={x}", "c": ["{x}", 1], "d": {"e": "{y}"}, "f": "{{x}} {y}"}
    assert fill(template, {"y": 2}) == {"c": [1], "d": {"e": 2}, "f": "{x} 2"}
    with pytest.raises(Unset):
        fill("{x}", {})


def test_values_in_text_are_written_as_json_would():
    assert [as_text(value) for value in ("a", 1, True, [1, "é"])] == ["a", "1", "true", '[1,"é"]']


def test_graphql_braces_are_left_alone():
    assert fill_text('{ user(id: "{id}") { name }}', {"id": 7}) == '{ user(id: "7") { name }}'


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("", {"a": [{"b": 1}, {"b": 2}], "c.d": 3}),
        ("$.a[0].b", 1),
        ("a[-1].b", 2),
        ("a[*].b", [1, 2]),
        ("['c.d']", 3),
    ],
)
def test_a_path_picks_its_part(path, value):
    assert pick({"a": [{"b": 1}, {"b": 2}], "c.d": 3}, parse_path(path)) == value


def test_a_path_that_leads_nowhere_says_what_is_there():
    with pytest.raises(Exception, match=r"no 'b' at a: there is a list of 1"):
        pick({"a": [1]}, parse_path("a.b"))
    with pytest.raises(
        Exception, match=r"no 'z' at the top: there is an object with the keys a, b"
    ):
        pick({"a": 1, "b": 2}, parse_path("z"))


def test_a_folder_is_followed(tmp_path):
    registry, source = ToolRegistry(), YamlSource(tmp_path / "tools")
    assert source.refresh(registry) is True
    assert source.refresh(registry) is False
    source.folder.mkdir()
    file = tool_file(source.folder, "one")
    assert source.scan() is True
    assert source.refresh(registry) is True
    assert [entry.name for entry in registry.entries()] == ["one"]
    assert source.refresh(registry) is False
    tool_file(source.folder, "two", file="one.yaml")
    source.refresh(registry)
    assert [entry.name for entry in registry.entries()] == ["two"]
    file.unlink()
    assert source.refresh(registry) is True
    assert registry.entries() == ()


def test_a_broken_file_keeps_its_last_good_tools_and_is_listed(tmp_path):
    registry, source = ToolRegistry(), YamlSource(tmp_path)
    file = tool_file(tmp_path, "one")
    tool_file(tmp_path, "two")
    source.refresh(registry)
    before = registry.get("one")
    file.write_text("name: [")
    assert source.refresh(registry) is True
    assert registry.get("one") is before
    ((where, what),) = source.problems
    assert where == str(file)
    assert f"{file}:2: is not YAML" in what
    tool_file(tmp_path, "one")
    source.refresh(registry)
    assert source.problems == []


def test_an_unchanged_file_keeps_its_entry(tmp_path):
    registry, source = ToolRegistry(), YamlSource(tmp_path)
    tool_file(tmp_path, "one")
    source.refresh(registry)
    before = registry.get("one")
    tool_file(tmp_path, "two")
    source.refresh(registry)
    assert registry.get("one") is before


def test_a_name_that_another_owns_is_a_problem_until_it_is_free(tmp_path):
    registry, source = ToolRegistry(), YamlSource(tmp_path)
    first, second = (
        tool_file(tmp_path, "one", file="b.yaml"),
        tool_file(tmp_path, "two", file="a.yaml"),
    )
    source.refresh(registry)
    tool_file(tmp_path, "one", file="a.yaml")
    source.refresh(registry)
    assert source.problems[0][0] == str(second)
    assert f"taken by yaml:{first}" in source.problems[0][1]
    assert registry.get("two") is not None
    tool_file(tmp_path, "three", file="b.yaml")
    source.refresh(registry)
    assert source.problems == []
    assert {entry.name for entry in registry.entries()} == {"one", "three"}


def names(registry):
    return [entry.name for entry in registry.entries()]


def test_a_source_that_closes_takes_its_tools_along_and_brings_none_again(tmp_path):
    registry, source = ToolRegistry(), YamlSource(tmp_path)
    registry.register("mine", "mine", {"type": "object"}, lambda args: "mine")
    tool_file(tmp_path, "one")
    source.refresh(registry)
    assert names(registry) == ["mine", "one"]
    source.close()
    assert names(registry) == ["mine"]
    tool_file(tmp_path, "two")
    assert source.refresh(registry) is False
    assert names(registry) == ["mine"]


def test_a_source_that_withdrew_brings_its_tools_again(tmp_path):
    registry, source = ToolRegistry(), YamlSource(tmp_path)
    tool_file(tmp_path, "one")
    source.refresh(registry)
    source.withdraw(registry)
    assert names(registry) == []
    assert source.refresh(registry) is True
    assert names(registry) == ["one"]


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("when", ["before", "after"])
def test_sources_of_one_folder_share_its_tools_until_the_last_closes(tmp_path, first, when):
    registry, sources = ToolRegistry(), [YamlSource(tmp_path), YamlSource(tmp_path)]
    for _ in range(2):
        if when == "before":
            tool_file(tmp_path, "one")
        for source in sources:
            source.refresh(registry)
        when = "before"
    closed = sources.pop(first)
    closed.close()
    closed.close()
    closed.withdraw(registry)
    assert names(registry) == ["one"]
    tool_file(tmp_path, "two")
    sources[0].refresh(registry)
    assert sorted(names(registry)) == ["one", "two"]
    sources[0].close()
    assert names(registry) == []


def test_a_source_that_is_gone_without_closing_keeps_no_tools_alive(tmp_path):
    registry, forgotten, source = ToolRegistry(), YamlSource(tmp_path), YamlSource(tmp_path)
    tool_file(tmp_path, "one")
    forgotten.refresh(registry)
    source.refresh(registry)
    del forgotten
    source.close()
    assert names(registry) == []


def test_sources_of_two_folders_leave_each_others_tools(tmp_path):
    registry = ToolRegistry()
    folders = [tmp_path / "home", tmp_path / "home2"]
    for number, folder in enumerate(folders):
        folder.mkdir()
        tool_file(folder, f"t{number}")
    one, two = (YamlSource(folder) for folder in folders)
    one.refresh(registry)
    two.refresh(registry)
    assert [entry.source for entry in registry.entries()] == [
        f"{one.name}/t0.yaml",
        f"{two.name}/t1.yaml",
    ]
    one.close()
    assert names(registry) == ["t1"]


def test_a_folder_given_relatively_is_named_in_full(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert YamlSource(Path("tools")).name == f"yaml:{tmp_path}/tools"


def test_hidden_and_other_files_are_left_alone(tmp_path):
    tool_file(tmp_path, "one", file=".one.yaml")
    tool_file(tmp_path, "one", file="one.yaml.bak")
    (tmp_path / "folder.yaml").mkdir()
    (tmp_path / "nowhere.yaml").symlink_to(tmp_path / "missing")
    registry, source = ToolRegistry(), YamlSource(tmp_path)
    source.refresh(registry)
    assert (registry.entries(), source.problems) == ((), [])


def test_install_checks_and_copies(tmp_path):
    home = tmp_path / "home" / "tools"
    assert install(tool_file(tmp_path, "one", file="x.yaml"), home) == ["one"]
    assert (home / "one.yaml").read_text() == (tmp_path / "x.yaml").read_text()
    assert (home / "one.yaml").stat().st_mode & 0o777 == 0o600
    assert install(tmp_path / "x.yaml", home) == ["one"]


def test_install_keeps_the_name_of_a_file_with_several_tools(tmp_path):
    file = tmp_path / "pair.yaml"
    file.write_text(f"{HTTP}---\n{HTTP.replace('name: t', 'name: u')}")
    assert install(file, tmp_path / "tools") == ["t", "u"]
    assert (tmp_path / "tools" / "pair.yaml").exists()


def test_install_refuses_a_wrong_file_and_writes_nothing(tmp_path):
    file = tmp_path / "bad.yaml"
    file.write_text("name: x\n")
    with pytest.raises(ConfigError):
        install(file, tmp_path / "tools")
    assert not (tmp_path / "tools").exists()


def test_install_overwrites_another_tools_file_only_when_told(tmp_path):
    home = tmp_path / "tools"
    home.mkdir()
    tool_file(home, "other", file="one.yaml")
    file = tool_file(tmp_path, "one")
    with pytest.raises(ConfigError, match="already holds other"):
        install(file, home)
    assert install(file, home, replace=True) == ["one"]
    with pytest.raises(ConfigError, match="'one' is already declared there"):
        install(_pair(tmp_path), home)


def test_install_refuses_a_name_that_a_tool_from_elsewhere_has(tmp_path):
    registry, home = ToolRegistry(), tmp_path / "tools"
    registry.register("one", "mine", {"type": "object"}, lambda args: "mine", aliases=["uno"])
    for name in ("one", "uno"):
        file = tool_file(tmp_path, name, file="x.yaml")
        with pytest.raises(ConfigError, match=f"'{name}' is taken by python") as caught:
            install(file, home, replace=True, owner=registry.get)
        assert str(caught.value).startswith(f"{file}:1: ")
    assert not home.exists()


def test_install_takes_a_new_version_of_its_own_tool(tmp_path):
    registry, home = ToolRegistry(), tmp_path / "tools"
    file = tool_file(tmp_path, "one")
    assert install(file, home, owner=registry.get) == ["one"]
    YamlSource(home).refresh(registry)
    assert install(file, home, owner=registry.get) == ["one"]
    with pytest.raises(ConfigError, match="'one' is already declared there"):
        install(_pair(tmp_path), home, owner=registry.get)


def _pair(folder):
    file = folder / "pair.yaml"
    file.write_text(f"{HTTP}---\n{HTTP.replace('name: t', 'name: one')}")
    return file


@pytest.mark.parametrize(
    ("data", "message"), [(b"\xff\xfe\x00", "UTF-8"), (b"#" * 300_000, "larger")]
)
def test_a_file_that_is_not_text_or_too_large_is_refused(tmp_path, data, message):
    file = tmp_path / "x.yaml"
    file.write_bytes(data)
    with pytest.raises(ConfigError, match=message):
        entries(file)
    with pytest.raises(ConfigError, match="cannot be read"):
        entries(tmp_path / "missing.yaml")
