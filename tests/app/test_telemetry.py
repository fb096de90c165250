"""Spans come by themselves where the program listens, and only there."""

import subprocess
import sys

LISTENING = """
import json
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
exporter = InMemorySpanExporter()
provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(exporter))
trace.set_tracer_provider(provider)
from hermes import Runtime
with Runtime(config=CONFIG) as rt:
    rt.call_sync("sleep", {"seconds": 0}, call_id="c1")
    rt.call_many_sync([{"id": "c2", "name": "sleep", "arguments": {"seconds": 0}}])
    rt.call_sync("env_manager", {"action": "get"}, call_id="c3")
spans = [(s.name, s.attributes["gen_ai.tool.call.id"], s.attributes.get("error.type"),
          "gen_ai.tool.call.arguments" in s.attributes) for s in exporter.get_finished_spans()]
print(json.dumps(spans))
"""


def spans(config):
    code = LISTENING.replace("CONFIG", config)
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=50, check=True
    )
    return done.stdout.strip()


def test_every_call_that_runs_makes_a_span_where_the_program_listens():
    assert spans("{}") == (
        '[["execute_tool sleep", "c1", null, false], ["execute_tool sleep", "c2", null, false], '
        '["execute_tool env_manager", "c3", "invalid_arguments", false]]'
    )


def test_content_is_captured_only_when_asked_for_and_spans_can_be_switched_off():
    assert spans("{'telemetry.capture_content': True}").count("true") == 3
    assert spans("{'telemetry.enabled': False}") == "[]"


def test_a_program_that_does_not_listen_pays_nothing():
    code = (
        "import sys; from hermes import Runtime\n"
        "with Runtime() as rt: rt.call_sync('sleep', {'seconds': 0})\n"
        "print('opentelemetry' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=50, check=True
    )
    assert done.stdout.strip() == "False"
