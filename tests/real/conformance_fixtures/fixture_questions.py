"""The tools of the conformance suite that ask their client: forms, its model, its folders."""

import asyncio
import json

from fixture_tools import fixture

from hermes.mcp.serving.talking import McpClient
from hermes.runtime.context import ToolContext


def form(**fields):
    return {"type": "object", "properties": fields, "required": list(fields)}


def asked(text, most=100):
    return {
        "messages": [{"role": "user", "content": {"type": "text", "text": text}}],
        "maxTokens": most,
    }


def told(answer):
    return f"Elicitation completed: {json.dumps(answer, sort_keys=True)}"


NAME = form(name={"type": "string"})
CONFIRM = form(ok={"type": "boolean"})
DEFAULTS = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {
            "type": "string",
            "enum": ["active", "inactive", "pending"],
            "default": "active",
        },
        "verified": {"type": "boolean", "default": True},
    },
}
OPTIONS = ["option1", "option2", "option3"]
TITLED = [{"const": f"value{n}", "title": f"Choice {n}"} for n in (1, 2, 3)]
ENUMS = {
    "type": "object",
    "properties": {
        "untitledSingle": {"type": "string", "enum": OPTIONS},
        "titledSingle": {"type": "string", "oneOf": TITLED},
        "legacyEnum": {
            "type": "string",
            "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"],
        },
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": OPTIONS}},
        "titledMulti": {"type": "array", "items": {"anyOf": TITLED}},
    },
}


@fixture
async def test_sampling(prompt: str, ctx: ToolContext) -> str:
    """Have the client's model answer a prompt."""
    answer = await ctx.use(McpClient).sample(ctx, asked(prompt))
    return f"LLM response: {answer['content']['text']}"


@fixture
async def test_missing_capability(ctx: ToolContext) -> str:
    """Need the client's model."""
    answer = await ctx.use(McpClient).sample(ctx, asked("Anything"))
    return answer["content"]["text"]


@fixture
async def test_elicitation(message: str, ctx: ToolContext) -> str:
    """Ask the person at the client for a name and an address."""
    schema = form(username={"type": "string"}, email={"type": "string"})
    return told(await ctx.use(McpClient).elicit(ctx, message, schema))


@fixture
async def test_streaming_elicitation(ctx: ToolContext) -> str:
    """Ask the person at the client for a yes."""
    return told(await ctx.use(McpClient).elicit(ctx, "Please confirm", CONFIRM))


@fixture
async def test_elicitation_sep1034_defaults(ctx: ToolContext) -> str:
    """Ask for values that have defaults."""
    return told(await ctx.use(McpClient).elicit(ctx, "Please check", DEFAULTS))


@fixture
async def test_elicitation_sep1330_enums(ctx: ToolContext) -> str:
    """Ask for choices of each kind."""
    return told(await ctx.use(McpClient).elicit(ctx, "Please choose", ENUMS))


@fixture
async def test_input_required_result_elicitation(ctx: ToolContext) -> str:
    """Ask for a name."""
    client = ctx.use(McpClient)
    answer = await client.elicit(ctx, "What is your name?", NAME, key="user_name")
    return f"Hello, {answer['content']['name']}!"


@fixture
async def test_input_required_result_sampling(ctx: ToolContext) -> str:
    """Ask the client's model for a capital."""
    question = asked("What is the capital of France?")
    answer = await ctx.use(McpClient).sample(ctx, question, key="capital_question")
    return answer["content"]["text"]


@fixture
async def test_input_required_result_list_roots(ctx: ToolContext) -> str:
    """Ask for the client's folders."""
    return json.dumps(await ctx.use(McpClient).roots(ctx, key="client_roots"))


@fixture
async def test_input_required_result_request_state(ctx: ToolContext) -> str:
    """Ask for a yes, and go on where it was asked."""
    await ctx.use(McpClient).elicit(ctx, "Please confirm", CONFIRM, key="confirm")
    return "state-ok"


@fixture
async def test_input_required_result_tampered_state(ctx: ToolContext) -> str:
    """Ask for a yes, and go on only where it was asked."""
    await ctx.use(McpClient).elicit(ctx, "Please confirm", CONFIRM, key="confirm")
    return "state-ok"


@fixture
async def test_input_required_result_multiple_inputs(ctx: ToolContext) -> str:
    """Ask for three things at once."""
    client = ctx.use(McpClient)
    answers = await asyncio.gather(
        client.elicit(ctx, "What is your name?", NAME, key="user_name"),
        client.sample(ctx, asked("Generate a greeting", 50), key="greeting"),
        client.roots(ctx, key="client_roots"),
    )
    return json.dumps(answers)


@fixture
async def test_input_required_result_multi_round(ctx: ToolContext) -> str:
    """Ask for a name and then, knowing it, for a colour."""
    client = ctx.use(McpClient)
    first = await client.elicit(ctx, "Step 1: What is your name?", NAME, key="step1")
    name = first["content"]["name"]
    colour = form(color={"type": "string"})
    second = await client.elicit(ctx, f"Step 2: Which color, {name}?", colour, key="step2")
    return f"{name} likes {second['content']['color']}"


@fixture
async def test_input_required_result_capabilities(ctx: ToolContext) -> str:
    """Ask for whatever the client can be asked for."""
    client = ctx.use(McpClient)
    questions = {
        "elicitation": lambda: client.elicit(ctx, "Please confirm", CONFIRM, key="confirm"),
        "sampling": lambda: client.sample(ctx, asked("Anything"), key="anything"),
    }
    able = [ask() for capability, ask in questions.items() if client.can(ctx, capability)]
    return json.dumps(await asyncio.gather(*able))
