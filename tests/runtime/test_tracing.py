import pytest

from hermes.base import optional
from hermes.base.errors import ExtraMissing, TimedOut

sdk = pytest.importorskip("opentelemetry.sdk.trace", reason="needs the otel extra")
export = pytest.importorskip("opentelemetry.sdk.trace.export.in_memory_span_exporter")

from opentelemetry.sdk.trace.export import SimpleSpanProcessor  # noqa: E402 - after the skip
from opentelemetry.trace import StatusCode  # noqa: E402 - after the skip

tracing = optional.load("hermes.runtime.tracing", extra="otel")


@pytest.fixture
def exporter():
    return export.InMemorySpanExporter()


@pytest.fixture
def listener(exporter):
    provider = sdk.TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    yield tracing.tracer(provider)
    provider.shutdown()


def test_there_is_no_tracer_while_nobody_configured_one():
    assert tracing.tracer() is None


def test_a_call_becomes_one_span_without_its_content(listener, exporter):
    with tracing.span_for_call(listener, "read_file", "c1", arguments={"path": "/x"}) as call:
        call.succeeded({"text": "private"})
    (span,) = exporter.get_finished_spans()
    assert span.name == "execute_tool read_file"
    assert dict(span.attributes) == {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "read_file",
        "gen_ai.tool.call.id": "c1",
        "gen_ai.tool.type": "function",
    }
    assert span.status.status_code is StatusCode.UNSET


def test_content_is_captured_when_asked_for(listener, exporter):
    with tracing.span_for_call(
        listener, "add", "c2", arguments={"a": 1}, capture_content=True
    ) as call:
        call.succeeded('{"result":2}')
    attributes = exporter.get_finished_spans()[0].attributes
    assert attributes["gen_ai.tool.call.arguments"] == '{"a":1}'
    assert attributes["gen_ai.tool.call.result"] == '{"result":2}'


def test_an_answered_error_is_named_by_its_code(listener, exporter):
    with tracing.span_for_call(listener, "add", "c3") as call:
        call.failed("denied", "the reason is private")
    (span,) = exporter.get_finished_spans()
    assert span.attributes["error.type"] == "denied"
    assert (span.status.status_code, span.status.description) == (StatusCode.ERROR, None)


@pytest.mark.parametrize(
    ("error", "kind"), [(TimedOut("too long"), "timeout"), (KeyError("x"), "KeyError")]
)
def test_an_exception_is_noted_and_travels_on(listener, exporter, error, kind):
    with pytest.raises(type(error)), tracing.span_for_call(listener, "add", "c4"):
        raise error
    assert exporter.get_finished_spans()[0].attributes["error.type"] == kind


def test_spans_nest_under_the_span_that_is_open(listener, exporter):
    with (
        listener.start_as_current_span("agent") as parent,
        tracing.span_for_call(listener, "add", "c5"),
    ):
        pass
    inner = exporter.get_finished_spans()[0]
    assert inner.parent.span_id == parent.get_span_context().span_id


def test_a_missing_library_is_reported_with_the_command_that_installs_it(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "opentelemetry", None)
    monkeypatch.delitem(__import__("sys").modules, "hermes.runtime.tracing")
    with pytest.raises(ExtraMissing, match="opentelemetry") as caught:
        optional.load("hermes.runtime.tracing", extra="otel")
    assert "[otel]" in caught.value.hint
