"""The tools that the conformance suite looks for, declared as any program declares its tools."""

import asyncio
import struct
import zlib

from hermes.base.errors import ToolError
from hermes.mcp.serving.talking import McpClient
from hermes.runtime.context import ToolContext
from hermes.runtime.declare import tool
from hermes.runtime.registry import ToolRegistry
from hermes.runtime.tool_result import Part, ToolResult, image

registry = ToolRegistry()


def fixture(function):
    return tool(toolset="conformance", registry=registry, effects=("read",))(function)


def _chunk(kind, data):
    body = kind + data
    return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))


PIXEL = (
    b"\x89PNG\r\n\x1a\n"
    + _chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0))
    + _chunk(b"IDAT", zlib.compress(b"\x00\xff\x00\x00"))
    + _chunk(b"IEND", b"")
)
SILENCE = (
    b"RIFF"
    + struct.pack("<I", 36)
    + b"WAVEfmt "
    + struct.pack("<IHHIIHH", 16, 1, 1, 8000, 8000, 1, 8)
)
SILENCE += b"data" + struct.pack("<I", 0)


@fixture
def test_simple_text() -> str:
    """Answer with a text."""
    return "This is a simple text response for testing."


@fixture
def test_image_content() -> ToolResult:
    """Answer with an image."""
    return ToolResult(parts=(image(data=PIXEL),))


@fixture
def test_audio_content() -> ToolResult:
    """Answer with a sound."""
    return ToolResult(parts=(Part("audio", "audio/wav", data=SILENCE),))


@fixture
def test_embedded_resource() -> ToolResult:
    """Answer with a resource."""
    text = b"This is an embedded resource content."
    return ToolResult(parts=(Part("file", "text/plain", None, text, "test://embedded-resource"),))


@fixture
def test_multiple_content_types() -> ToolResult:
    """Answer with a text, an image and a resource."""
    held = Part(
        "file",
        "application/json",
        None,
        b'{"test":"data","value":123}',
        "test://mixed-content-resource",
    )
    return ToolResult(output="Multiple content types test:", parts=(image(data=PIXEL), held))


@fixture
def test_error_handling() -> str:
    """Fail, always."""
    raise ToolError("This tool intentionally returns an error for testing")


@fixture
async def test_tool_with_logging(ctx: ToolContext) -> str:
    """Log three lines on the way."""
    return await _logging(ctx, "Tool execution started", "Tool processing data", "Tool completed")


@fixture
async def test_logging_tool(ctx: ToolContext) -> str:
    """Log a line on the way."""
    return await _logging(ctx, "A line that only those see who asked for it")


async def _logging(ctx, *lines):
    for line in lines:
        ctx.use(McpClient).log(ctx, "info", line, logger="conformance")
        await asyncio.sleep(0.05)
    return "logged"


@fixture
async def test_tool_with_progress(ctx: ToolContext) -> str:
    """Tell of three steps on the way."""
    for done in (0, 50, 100):
        ctx.use(McpClient).progress(ctx, done, 100)
        await asyncio.sleep(0.05)
    return "all done"


@fixture
async def test_reconnection() -> str:
    """Take a moment."""
    await asyncio.sleep(0.1)
    return "still there"


@fixture
async def test_trigger_tool_change() -> str:
    """Bring in a tool, or take it away again."""
    if not registry.deregister("test_comes_and_goes"):
        fixture(test_comes_and_goes)
    return "changed"


def test_comes_and_goes() -> str:
    """Be there now and then."""
    return "here"


registry.register(
    "json_schema_2020_12_tool",
    "conformance",
    {
        "name": "json_schema_2020_12_tool",
        "description": "Have a schema with everything that JSON Schema 2020-12 knows.",
        "parameters": {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "$defs": {
                "address": {
                    "$anchor": "addressDef",
                    "type": "object",
                    "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
                }
            },
            "properties": {
                "name": {"type": "string"},
                "address": {"$ref": "#/$defs/address"},
                "contactMethod": {"type": "string", "enum": ["phone", "email"]},
                "phone": {"type": "string"},
                "email": {"type": "string"},
            },
            "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
            "if": {
                "properties": {"contactMethod": {"const": "phone"}},
                "required": ["contactMethod"],
            },
            "then": {"required": ["phone"]},
            "else": {"required": ["email"]},
            "additionalProperties": False,
        },
    },
    lambda args, **_: "taken",
    effects=("read",),
)


registry.register(
    "test_x_mcp_header",
    "conformance",
    {
        "name": "test_x_mcp_header",
        "description": "Take a value that goes along as a header, too.",
        "parameters": {
            "type": "object",
            "properties": {"region": {"type": "string", "x-mcp-header": "Region"}},
            "required": ["region"],
        },
    },
    lambda args, **_: f"in {args['region']}",
    effects=("read",),
)
