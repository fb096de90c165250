import json

from hermes import Runtime
from hermes.tools import tool


@tool(toolset="bank", effects="write")
def transfer(amount: int, account: str) -> str:
    """Transfer money."""
    return f"{amount} to {account}"


with Runtime(toolsets=["bank"]) as runtime:
    for arguments in (
        {"amount": "1.5", "account": "007"},
        {"amount": 9007199254740993, "account": "007"},
        {"amount": "ten", "to": "007"},
        {"amount": 1, "account": "007", "urgent": True},
        '{"amount": 100, "account": "00',
        '{"amount": 1} {"amount": 2}',
    ):
        answer = json.loads(runtime.call_sync("transfer", arguments))
        print(arguments, "→", answer.get("result") or answer["error"])
