from hermes import Runtime
from hermes.runtime.hooks import Block, Rewrite
from hermes.tools import tool


@tool(toolset="mail", effects="network")
def send_mail(to: str, text: str) -> dict:
    """Send a mail."""
    return {"to": to, "text": text}


def only_home(name, args):
    if not args["to"].endswith("@example.org"):
        return Block("mail goes to example.org only")
    return Rewrite({**args, "text": args["text"] + "\n-- sent by a program"})


def tell(name, is_error, duration):
    print(f"{name} {'failed' if is_error else 'done'} in {'time' if duration < 5 else 'days'}")


with Runtime(toolsets=["mail"]) as runtime:
    runtime.hooks.add("pre_tool_call", only_home)
    remove = runtime.hooks.add("post_tool_call", tell)
    print(runtime.call_sync("send_mail", {"to": "ada@example.org", "text": "Hi"}))
    print(runtime.call_sync("send_mail", {"to": "eve@example.com", "text": "Hi"}))
    remove()
