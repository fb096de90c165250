"""What servers ask, of the model and of the person, and what they are answered."""

import asyncio

import mcp_types as types
import pytest

from hermes.base.errors import Denied
from hermes.base.messages import Media
from hermes.config.servers import server_of
from hermes.llm.scripted import Scripted
from hermes.mcp.asking import Asking
from hermes.mcp.people import Limits, People
from hermes.runtime.approvals import Answer


class Person:
    """An approver that says the same word each time, and keeps what it was asked."""

    def __init__(self, word="once"):
        self.word = word
        self.asked = []

    async def __call__(self, request):
        self.asked.append(request)
        return self.word


class Filler(Person):
    """A person who fills in forms, one answer after the other."""

    def __init__(self, *answers):
        super().__init__()
        self.answers = list(answers)
        self.forms = []

    async def form(self, form):
        self.forms.append(form)
        return self.answers.pop(0)


def asking(people, **settings):
    body = {"command": "x", "sampling": {"enabled": True}, **settings}
    return Asking("calc", server_of("calc", body), people)


def question(text="What is 2 + 2?", **more):
    message = {"role": "user", "content": {"type": "text", "text": text}}
    body = {"messages": [message], "maxTokens": 100, **more}
    return types.CreateMessageRequestParams.model_validate(body)


def sample(asker, params):
    return asyncio.run(asker.sample(None, params))


def form(message="Who are you?", *, required=(), **properties):
    schema = {"type": "object", "properties": properties, "required": list(required)}
    return types.ElicitRequestFormParams(message=message, requested_schema=schema)


def elicit(people, params, **settings):
    return asyncio.run(asking(people, **settings).elicit(None, params))


def test_a_model_answers_once_the_person_agrees():
    model, person = Scripted(["Four."]), Person()
    asker = asking(People(person, lambda _name: model))
    answer = sample(asker, question(systemPrompt="Be brief.", temperature=0.5))
    assert (answer.content.text, answer.model, answer.stop_reason) == (
        "Four.",
        "scripted:test",
        "endTurn",
    )
    (asked,) = model.requests
    assert [(message.role, message.text) for message in asked.messages] == [
        ("system", "Be brief."),
        ("user", "What is 2 + 2?"),
    ]
    assert (asked.max_tokens, asked.definitions, asked.temperature) == (100, (), 0.5)
    (request,) = person.asked
    assert request.arguments["messages"][0]["text"] == "What is 2 + 2?"
    assert request.tool == "mcp-calc:sampling"


@pytest.mark.proves("mcp-asked")
def test_sampling_is_off_unless_it_is_opened():
    model = Scripted(["Four."])
    people = People(Person(), lambda _name: model)
    asker = Asking("calc", server_of("calc", {"command": "x"}), people)
    assert "sampling is off" in sample(asker, question()).message
    assert model.requests == []


@pytest.mark.parametrize("word", ["deny", "yes", "", None, Answer("deny", "never")])
def test_without_a_clear_yes_the_model_is_not_asked(word):
    model = Scripted(["Four."])
    answer = sample(asking(People(Person(word), lambda _name: model)), question())
    assert answer.code == -1
    assert model.requests == []


def test_nobody_there_means_no():
    model = Scripted(["Four."])
    answer = sample(asking(People(None, lambda _name: model)), question())
    assert (answer.code, answer.message) == (-1, "nobody is there to ask")


def test_a_refusal_that_is_raised_is_one():
    async def refuses(_request):
        raise Denied("the user refused this call: no")

    model = Scripted(["Four."])
    answer = sample(asking(People(refuses, lambda _name: model)), question())
    assert answer.message == "the user refused this call: no"


def test_questions_in_a_minute_are_counted_across_connections():
    now = [0.0]
    model = Scripted(lambda _request: "Four.")
    people = People(Person(), lambda _name: model, limits=Limits(lambda: now[0]))
    few = {"enabled": True, "per_minute": 2}
    answers = [sample(asking(people, sampling=few), question()) for _ in range(3)]
    assert [isinstance(answer, types.ErrorData) for answer in answers] == [False, False, True]
    now[0] = 61.0
    assert sample(asking(people, sampling=few), question()).content.text == "Four."


def test_a_question_belongs_to_the_task_that_the_server_works_for():
    person = Person()
    people = People(person, lambda _name: Scripted(["Four."]), task_of=lambda: "child-1")
    sample(asking(people), question())
    assert person.asked[0].task_id == "child-1"


def test_tokens_are_limited():
    model = Scripted(["Four."])
    people = People(Person(), lambda _name: model)
    sample(asking(people, sampling={"enabled": True, "max_tokens": 7}), question(maxTokens=10**9))
    assert model.requests[0].max_tokens == 7


def test_only_allowed_models_are_wished_for():
    names = []

    def model_of(name):
        names.append(name)
        return Scripted(["Four."])

    wishes = {"hints": [{"name": "opus"}, {"name": "haiku"}]}
    limits = {"enabled": True, "model": "a:own", "allowed_models": ["a:claude-haiku"]}
    sample(asking(People(Person(), model_of), sampling=limits), question(modelPreferences=wishes))
    sample(
        asking(People(Person(), model_of), sampling={**limits, "allowed_models": []}), question()
    )
    sample(asking(People(Person(), model_of)), question(modelPreferences=wishes))
    assert names == ["a:claude-haiku", "a:own", ""]


def test_tools_are_refused():
    model = Scripted(["Four."])
    tools = [{"name": "rm", "inputSchema": {"type": "object"}}]
    answer = sample(asking(People(Person(), lambda _name: model)), question(tools=tools))
    assert "no tools" in answer.message
    assert model.requests == []


def test_images_reach_the_model():
    model = Scripted(["A cat."])
    content = {"type": "image", "data": "aGk=", "mimeType": "image/png"}
    params = types.CreateMessageRequestParams.model_validate(
        {"messages": [{"role": "user", "content": content}], "maxTokens": 5}
    )
    sample(asking(People(Person(), lambda _name: model)), params)
    assert model.requests[0].messages[0].media == (Media("image", "image/png", "aGk="),)


def test_a_model_that_fails_is_an_error_and_no_crash():
    answer = sample(asking(People(Person(), lambda _name: Scripted([]))), question())
    assert isinstance(answer, types.ErrorData)
    assert isinstance(sample(asking(People(Person())), question()), types.ErrorData)


def test_a_form_is_filled_in_by_the_person():
    person = Filler({"name": "Ada", "age": "36", "likes": "1, tea", "size": "Large", "ok": "yes"})
    params = form(
        required=["name"],
        name={"type": "string", "title": "Name"},
        age={"type": "integer"},
        likes={"type": "array", "items": {"enum": ["sun", "tea"]}},
        size={"oneOf": [{"const": "l", "title": "Large"}, {"const": "s", "title": "Small"}]},
        ok={"type": "boolean"},
    )
    answer = elicit(People(person), params)
    assert answer.action == "accept"
    assert answer.content == {
        "name": "Ada",
        "age": 36,
        "likes": ["sun", "tea"],
        "size": "l",
        "ok": True,
    }
    assert [field.kind for field in person.forms[0].fields] == [
        "string",
        "integer",
        "many",
        "one",
        "boolean",
    ]


def test_an_answer_that_does_not_fit_is_asked_again():
    person = Filler({"age": "old"}, {"age": "200"}, {"age": "36"})
    params = form(required=["age"], age={"type": "integer", "maximum": 150})
    assert elicit(People(person), params).content == {"age": 36}
    assert "age" in person.forms[1].problems[0]
    assert person.forms[2].problems


def test_an_answer_that_never_fits_is_cancelled():
    person = Filler({}, {}, {})
    answer = elicit(People(person), form(required=["age"], age={"type": "integer"}))
    assert (answer.action, answer.content) == ("cancel", None)


def test_a_person_who_says_no_declines():
    assert elicit(People(Filler(None)), form(a={"type": "string"})).action == "decline"


def test_fields_left_empty_have_their_defaults():
    params = form(a={"type": "string", "default": "x"}, b={"type": "integer"})
    assert elicit(People(Filler({"a": ""})), params).content == {"a": "x"}


@pytest.mark.parametrize(
    "field",
    [
        {"password": {"type": "string"}},
        {"apiKey": {"type": "string"}},
        {"a": {"type": "string", "title": "Your API key"}},
        {"a": {"type": "string", "description": "The password of your account"}},
        {"a": {"type": "string", "format": "password"}},
        {"github_token": {"type": "string"}},
    ],
)
def test_a_form_that_asks_for_a_secret_is_never_shown(field):
    person, told = Filler({}), []
    people = People(person, on_log=lambda *said: told.append(said))
    assert elicit(people, form(**field)).action == "decline"
    assert person.forms == []
    assert "asks for a secret" in told[0][2]


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"a": {"type": "object"}}},
        {"properties": {"a": 3}},
        {"properties": []},
        {"properties": {f"a{n}": {"type": "string"} for n in range(99)}},
    ],
)
def test_what_is_no_form_is_declined(schema):
    params = types.ElicitRequestFormParams(message="x", requested_schema=schema)
    assert elicit(People(Filler({})), params).action == "decline"


def test_who_can_only_say_yes_confirms_a_form_with_defaults():
    person = Person()
    answer = elicit(People(person), form(a={"type": "string", "default": "x"}))
    assert (answer.action, answer.content) == ("accept", {"a": "x"})
    assert person.asked[0].arguments == {"the server says": "Who are you?", "answer": {"a": "x"}}
    needed = form(required=["a"], a={"type": "string"})
    assert elicit(People(person), needed).action == "decline"
    assert elicit(People(Person("off")), form()).action == "decline"
    assert elicit(People(), form()).action == "decline"


def test_unseen_characters_of_a_form_are_not_shown():
    person = Filler({})
    elicit(People(person), form("Who\u202e are\x1b you?", a={"type": "string", "title": "A\u200b"}))
    assert person.forms[0].message == "Who are you?"
    assert person.forms[0].fields[0].title == "A"


def test_elicitation_can_be_off_and_is_limited():
    assert elicit(People(Filler({})), form(), elicitation=False).action == "decline"
    person = Person()
    asker = asking(People(person))

    async def many():
        return [await asker.elicit(None, form()) for _ in range(30)]

    actions = [answer.action for answer in asyncio.run(many())]
    assert actions == ["accept"] * 20 + ["decline"] * 10


def visit(url):
    return types.ElicitRequestURLParams(message="Pay here.", url=url, elicitation_id="1")


def test_an_address_is_visited_once_the_person_agrees():
    opened, person = [], Person()
    people = People(person, open_url=opened.append)
    url = "https://pay.example/form?id=1"
    answer = elicit(people, visit(url))
    assert (answer.action, answer.content) == ("accept", None)
    assert opened == [url]
    assert person.asked[0].arguments["host"] == "pay.example"


@pytest.mark.parametrize(
    "url",
    [
        "http://pay.example/",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "https://user:pass@pay.example/",
        "http://169.254.169.254/latest",
        "",
    ],
)
def test_addresses_that_are_not_safe_are_declined_unasked(url):
    opened, person = [], Person()
    assert elicit(People(person, open_url=opened.append), visit(url)).action == "decline"
    assert (opened, person.asked) == ([], [])


def test_a_person_who_refuses_visits_nothing():
    opened = []
    people = People(Person("deny"), open_url=opened.append)
    assert elicit(people, visit("https://pay.example/")).action == "decline"
    assert opened == []


def test_roots_are_the_folders_of_the_task(tmp_path):
    folder = tmp_path / "my work"
    people = People(workspace_of=lambda: [str(folder)])
    (root,) = asyncio.run(asking(people).roots(None)).roots
    assert (str(root.uri), root.name) == (folder.as_uri(), "my work")
    assert asyncio.run(asking(people, roots=False).roots(None)).roots == []
    assert asyncio.run(asking(People()).roots(None)).roots == []
