"""Tell OpenTelemetry about calls, in the words of its GenAI conventions.

Needs the `otel` extra: load it with ``optional.load("hermes.runtime.tracing", extra="otel")``.
Arguments and results leave the process only when content capture is asked for.
"""

from __future__ import annotations

from collections.abc import Awaitable, Iterator
from contextlib import contextmanager

from opentelemetry import trace
from opentelemetry.trace import NoOpTracerProvider, ProxyTracerProvider, SpanKind, StatusCode

from hermes.base.json import encode
from hermes.base.messages import Json
from hermes.runtime.bridge import Way
from hermes.runtime.dispatch import Dispatcher, settled
from hermes.runtime.plan import Ready
from hermes.runtime.results import Answer

_SCOPE = "hermes"


def tracer(provider: trace.TracerProvider | None = None) -> trace.Tracer | None:
    """Return a tracer, or None while nobody has configured a provider that would listen."""
    provider = provider or trace.get_tracer_provider()
    if isinstance(provider, (ProxyTracerProvider, NoOpTracerProvider)):
        return None
    return provider.get_tracer(_SCOPE)


class CallSpan:
    """Take down how one call ended."""

    def __init__(self, span: trace.Span, *, capture_content: bool) -> None:
        self._span = span
        self._capture_content = capture_content

    def succeeded(self, result: Json) -> None:
        """Note the result, if content may be captured."""
        if self._capture_content:
            self._span.set_attribute("gen_ai.tool.call.result", _text(result))

    def failed(self, code: str, message: str | None = None) -> None:
        """Note the kind of error; its message only if content may be captured."""
        self._span.set_attribute("error.type", code)
        self._span.set_status(StatusCode.ERROR, message if self._capture_content else None)


@contextmanager
def span_for_call(
    listener: trace.Tracer,
    name: str,
    call_id: str,
    *,
    arguments: Json = None,
    tool_type: str = "function",
    capture_content: bool = False,
) -> Iterator[CallSpan]:
    """Open the span ``execute_tool {name}`` around a call; an exception is noted and travels on."""
    attributes = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": name,
        "gen_ai.tool.call.id": call_id,
        "gen_ai.tool.type": tool_type,
    }
    if capture_content:
        attributes["gen_ai.tool.call.arguments"] = _text(arguments)
    with listener.start_as_current_span(
        f"execute_tool {name}",
        kind=SpanKind.INTERNAL,
        attributes=attributes,
        record_exception=False,
        set_status_on_exception=False,
    ) as span:
        call = CallSpan(span, capture_content=capture_content)
        try:
            yield call
        except BaseException as error:
            call.failed(getattr(error, "code", None) or type(error).__qualname__, str(error))
            raise


class TracedDispatcher(Dispatcher):
    """Take calls through the pipeline with a span around each one that runs."""

    listener: trace.Tracer
    capture_content = False

    def finish(self, ready: Ready, way: Way) -> Awaitable[Answer]:
        """Run an admitted call inside its span."""
        return self._finish_in_span(ready, way)

    async def _finish_in_span(self, ready: Ready, way: Way) -> Answer:
        plan, arguments, _, _, ctx = ready
        shown = self.shaper.clean(arguments) if self.capture_content else None
        with span_for_call(
            self.listener,
            plan.name,
            ctx.call_id,
            arguments=shown,
            capture_content=self.capture_content,
        ) as span:
            content, code = answer = await settled(super().finish(ready, way))
            if code == "ok":
                span.succeeded(content)
            else:
                span.failed(code, content)
        return answer


def _text(value: Json) -> str:
    return value if isinstance(value, str) else encode(value)
