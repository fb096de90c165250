from hermes.llm.dialects.finished import calls_in

TEXTS = [
    'I look.\n<tool_call>\n{"name": "read_file", "arguments": {"path": "a.txt"}}\n</tool_call>',
    "<tool_call>\n<function=read_file>\n<parameter=path>\na.txt\n</parameter>\n</function>\n</tool_call>",
    '[TOOL_CALLS]read_file[ARGS]{"path": "a.txt"}',
    '[read_file(path="a.txt")]',
    'You write `<tool_call>{"name": "read_file", "arguments": {}}</tool_call>`.',
]

for text in TEXTS:
    said, calls = calls_in(text, ["read_file", "write_file"])
    print(repr(said), [(call.name, call.arguments) for call in calls])
