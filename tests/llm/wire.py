"""What the services really send, event by event, for a text, thoughts and calls."""

from tests.llm.loopback import Answer, sse


def chat(text="", *, thought="", calls=(), reason="stop", usage=True, cuts=2):
    """Stream chat completions: each call is (id, name, arguments text)."""
    base = {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "gpt-test",
    }

    def chunk(delta, reason=None, **more):
        choice = {"index": 0, "delta": delta, "finish_reason": reason, "logprobs": None}
        return {**base, "choices": [choice], **more}

    events = [chunk({"role": "assistant", "content": ""})]
    events += [chunk({"reasoning_content": part}) for part in pieces(thought, cuts)]
    events += [chunk({"content": part}) for part in pieces(text, cuts)]
    for index, (id_, name, arguments) in enumerate(calls):
        function = {"name": name, "arguments": ""}
        head = {"index": index, "id": id_, "type": "function", "function": function}
        events.append(chunk({"tool_calls": [head]}))
        for part in pieces(arguments, cuts):
            fragment = {"index": index, "function": {"arguments": part}}
            events.append(chunk({"tool_calls": [fragment]}))
    events.append(chunk({}, "tool_calls" if calls and reason == "stop" else reason))
    if usage:
        told = {
            "prompt_tokens": 100,
            "completion_tokens": 20,
            "total_tokens": 120,
            "prompt_tokens_details": {"cached_tokens": 40},
            "completion_tokens_details": {"reasoning_tokens": 5},
        }
        events.append({**base, "choices": [], "usage": told})
    return Answer(sse(*events, done=True))


def messages(text="", *, thought="", calls=(), reason="end_turn", cuts=2):
    """Stream the messages API of Anthropic."""
    start = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-test",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {
            "input_tokens": 10,
            "cache_read_input_tokens": 80,
            "cache_creation_input_tokens": 10,
            "output_tokens": 1,
        },
    }
    events = [{"type": "message_start", "message": start}, {"type": "ping"}]
    blocks = []
    if thought:
        deltas = [{"type": "thinking_delta", "thinking": p} for p in pieces(thought, cuts)]
        deltas.append({"type": "signature_delta", "signature": "c2lnbmVk"})
        blocks.append(({"type": "thinking", "thinking": "", "signature": ""}, deltas))
    if text:
        deltas = [{"type": "text_delta", "text": p} for p in pieces(text, cuts)]
        blocks.append(({"type": "text", "text": ""}, deltas))
    for id_, name, arguments in calls:
        deltas = [{"type": "input_json_delta", "partial_json": p} for p in pieces(arguments, cuts)]
        blocks.append(({"type": "tool_use", "id": id_, "name": name, "input": {}}, deltas))
    for index, (block, deltas) in enumerate(blocks):
        events.append({"type": "content_block_start", "index": index, "content_block": block})
        for delta in deltas:
            events.append({"type": "content_block_delta", "index": index, "delta": delta})
        events.append({"type": "content_block_stop", "index": index})
    stop = {"stop_reason": "tool_use" if calls else reason, "stop_sequence": None}
    events.append({"type": "message_delta", "delta": stop, "usage": {"output_tokens": 20}})
    events.append({"type": "message_stop"})
    return Answer(sse(*events))


def responses(text="", *, thought="", calls=(), cuts=2, incomplete=None):
    """Stream the Responses API of OpenAI."""
    output, events = [], []

    def event(kind, **more):
        events.append({"type": kind, "sequence_number": len(events), **more})

    response = {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "model": "gpt-test",
        "output": [],
        "status": "in_progress",
        "error": None,
        "incomplete_details": None,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
    }
    event("response.created", response=response)

    def item(begun, done, deltas):
        place = len(output)
        event("response.output_item.added", output_index=place, item=begun)
        for kind, more in deltas:
            event(kind, output_index=place, item_id=done["id"], **more)
        event("response.output_item.done", output_index=place, item=done)
        output.append(done)

    if thought:
        done = {
            "id": "rs_1",
            "type": "reasoning",
            "summary": [{"type": "summary_text", "text": thought}],
            "encrypted_content": "ZW5jcnlwdGVk",
        }
        kind = "response.reasoning_summary_text.delta"
        deltas = [(kind, {"summary_index": 0, "delta": p}) for p in pieces(thought, cuts)]
        item({**done, "summary": []}, done, deltas)
    if text:
        content = [{"type": "output_text", "text": text, "annotations": []}]
        done = {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "status": "completed",
            "content": content,
        }
        kind = "response.output_text.delta"
        deltas = [
            (kind, {"content_index": 0, "delta": p, "logprobs": []}) for p in pieces(text, cuts)
        ]
        part = {"type": "output_text", "text": "", "annotations": []}
        deltas.insert(0, ("response.content_part.added", {"content_index": 0, "part": part}))
        item({**done, "content": [], "status": "in_progress"}, done, deltas)
    for id_, name, arguments in calls:
        done = {
            "id": f"fc_{id_}",
            "type": "function_call",
            "call_id": id_,
            "name": name,
            "arguments": arguments,
            "status": "completed",
        }
        kind = "response.function_call_arguments.delta"
        item(
            {**done, "arguments": "", "status": "in_progress"},
            done,
            [(kind, {"delta": p}) for p in pieces(arguments, cuts)],
        )
    usage = {
        "input_tokens": 100,
        "input_tokens_details": {"cached_tokens": 40, "cache_write_tokens": 0},
        "output_tokens": 20,
        "output_tokens_details": {"reasoning_tokens": 5},
        "total_tokens": 120,
    }
    ended = {**response, "status": "completed", "output": output, "usage": usage}
    if incomplete:
        ended |= {"status": "incomplete", "incomplete_details": {"reason": incomplete}}
    event(f"response.{ended['status']}", response=ended)
    return Answer(sse(*events))


def gemini(text="", *, thought="", calls=(), reason="STOP", cuts=2, signed=True):
    """Stream the API of Gemini; arguments of calls are objects."""
    signature = {"thoughtSignature": "c2lnbmVk"} if signed else {}
    parts = [{"text": p, "thought": True} for p in pieces(thought, cuts)]
    parts += [{"text": p} for p in pieces(text, cuts)]
    for index, (id_, name, arguments) in enumerate(calls):
        call = {"name": name, "args": arguments, **({"id": id_} if id_ else {})}
        parts.append({"functionCall": call, **(signature if index == 0 else {})})
    usage = {
        "promptTokenCount": 100,
        "candidatesTokenCount": 15,
        "thoughtsTokenCount": 5,
        "cachedContentTokenCount": 40,
        "totalTokenCount": 120,
    }
    events = [
        {"candidates": [{"content": {"role": "model", "parts": [part]}, "index": 0}]}
        for part in parts
    ]
    end = {"content": {"role": "model", "parts": [{"text": "", **signature}]}, "index": 0}
    events.append({"candidates": [{**end, "finishReason": reason}], "usageMetadata": usage})
    return Answer(sse(*events))


def pieces(text, cuts):
    """Cut a text into parts; each has at least one character."""
    size = max(1, -(-len(text) // cuts)) if text else 1
    return [text[at : at + size] for at in range(0, len(text), size)]
