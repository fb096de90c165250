"""The resources and prompts that the conformance suite looks for."""

import base64
import json
import re

from fixture_tools import PIXEL, fixture

from hermes.mcp.serving.shelves import Content
from hermes.mcp.serving.wire import invalid

TEMPLATE = "test://template/{id}/data"
FILLED = re.compile(r"test://template/([^/]+)/data")
CONTEXT = {
    "type": "object",
    "properties": {"context": {"type": "string"}},
    "required": ["context"],
}

HELD = {
    "test://static-text": (
        "text/plain",
        "This is the content of the static text resource.",
    ),
    "test://static-binary": ("image/png", PIXEL),
    "test://watched-resource": ("text/plain", "Watched resource content"),
}


class Papers:
    """Static texts and bytes, and one resource that stands for many."""

    def listed(self):
        return [
            {"uri": uri, "name": uri.rpartition("/")[2], "description": "A test.", "mimeType": kind}
            for uri, (kind, _) in HELD.items()
        ]

    def templates(self):
        about = {"description": "Data by its id.", "mimeType": "application/json"}
        return [{"uriTemplate": TEMPLATE, "name": "data", **about}]

    def read(self, uri):
        if uri in HELD:
            return [Content(uri, *HELD[uri])]
        filled = FILLED.fullmatch(uri)
        if filled is None:
            return None
        data = {"id": filled[1], "templateTest": True, "data": f"Data for ID: {filled[1]}"}
        return [Content(uri, "application/json", json.dumps(data))]

    def stamp(self, uri):
        return True if self.read(uri) else None

    def complete(self, template, name, value):
        return ["123"] if (template, name) == (TEMPLATE, "id") and "123".startswith(value) else []


class Beginnings:
    """Prompts with and without arguments, with pictures and papers, and one that asks."""

    def __init__(self):
        self.more = []

    def listed(self):
        return [
            _prompt("test_simple_prompt"),
            _prompt("test_prompt_with_arguments", "arg1", "arg2"),
            _prompt("test_prompt_with_embedded_resource", "resourceUri"),
            _prompt("test_prompt_with_image"),
            _prompt("test_input_required_result_prompt"),
            *self.more,
        ]

    def get(self, name, arguments, caller):
        missing = [
            argument["name"]
            for prompt in self.listed()
            if prompt["name"] == name
            for argument in prompt["arguments"]
            if argument["name"] not in arguments
        ]
        if missing:
            raise invalid(f"the prompt {name!r} needs the argument {missing[0]!r}")
        if name == "test_input_required_result_prompt":
            return self._asking(caller)
        if name == "test_simple_prompt":
            return _said("This is a simple prompt for testing.")
        if name == "test_prompt_with_arguments":
            one, two = arguments["arg1"], arguments["arg2"]
            return _said(f"Prompt with arguments: arg1='{one}', arg2='{two}'")
        if name == "test_prompt_with_embedded_resource":
            held = Content(arguments["resourceUri"], "text/plain", "Embedded resource content.")
            block = {"type": "resource", "resource": held.wire()}
            return _said(block, "Please process the embedded resource above.")
        if name == "test_prompt_with_image":
            data = base64.b64encode(PIXEL).decode()
            block = {"type": "image", "mimeType": "image/png", "data": data}
            return _said(block, "Please analyze the image above.")
        return None

    async def _asking(self, caller):
        params = {"message": "What context should it have?", "requestedSchema": CONTEXT}
        answer = await caller.ask("elicitation/create", params, "user_context")
        return _said(f"Context: {answer['content']['context']}")

    def complete(self, prompt, name, value):
        del prompt, name
        return [word for word in ("test", "testing") if word.startswith(value)]


def _prompt(name, *arguments):
    given = [{"name": one, "description": "A test.", "required": True} for one in arguments]
    return {"name": name, "description": "A prompt for tests.", "arguments": given}


def _said(*contents):
    blocks = [{"type": "text", "text": one} if isinstance(one, str) else one for one in contents]
    return {"messages": [{"role": "user", "content": block} for block in blocks]}


beginnings = Beginnings()


@fixture
def test_trigger_prompt_change() -> str:
    """Bring in a prompt, or take it away again."""
    beginnings.more = [] if beginnings.more else [_prompt("test_comes_and_goes")]
    return "changed"
